import { expect, it } from "vitest";
import type { Row } from "../../../../core/rows/rows.ts";
import { createCsv } from "./csv.ts";

function writeCsv(...rows: Row[]): string[] {
	const writer = createCsv();
	writer.learn(rows);
	return (writer.header() + writer.lines(rows)).split(/\r\n(?!=)/);
}
const createManagedObject = (className: string, attributes: Record<string, unknown>, children?: unknown[]): Row => ({
	[className]: { attributes, ...(children ? { children } : {}) },
});

it("keeps the order of chosen columns", () => {
	expect(writeCsv({ tenant: "t", dn: "d1", name: "a" } as Row)).toEqual(["tenant,dn,name", "t,d1,a", ""]);
});

it("writes a column for each attribute, the DN first, and ids and clocks last", () => {
	expect(writeCsv(createManagedObject("fvBD", { uid: "0", modTs: "t", mtu: "9", name: "a", dn: "d1" }))).toEqual([
		"dn,name,mtu,uid,modTs",
		"d1,a,9,0,t",
		"",
	]);
	expect(
		writeCsv(
			createManagedObject("fvBD", { name: "a", dn: "d1" }),
			createManagedObject("fvBD", { name: "b", dn: "d2", mac: "m" }),
		),
	).toEqual(["dn,name,mac", "d1,a,", "d2,b,m", ""]);
});

it("names the class where there are several, and keeps children as JSON", () => {
	expect(
		writeCsv(createManagedObject("fvBD", { dn: "d1" }), createManagedObject("fvCtx", { dn: "d2" }, [{ x: 1 }])),
	).toEqual(["class,dn,children", "fvBD,d1,", 'fvCtx,d2,"[{""x"":1}]"', ""]);
});

it("quotes, and disarms what a spreadsheet would run; numbers stay numbers", () => {
	const rows = [
		"=1",
		"+1",
		"-2.357",
		"-x",
		"@x",
		"\tx",
		"\nx",
		"\r\n=1",
		'a"b',
		"a,b",
		"a\nb",
		" a",
		-5,
		null,
		true,
	].map((v) => ({ v }) as Row);
	expect(createLines(rows)).toEqual([
		"v",
		"'=1",
		"+1",
		"-2.357",
		"'-x",
		"'@x",
		'"\'\tx"',
		'"\'\nx"',
		'"\'\r\n=1"',
		'"a""b"',
		'"a,b"',
		'"a\nb"',
		'" a"',
		"-5",
		"",
		"true",
		"",
	]);
});

const createLines = (rows: Row[]): string[] => writeCsv(...rows);
