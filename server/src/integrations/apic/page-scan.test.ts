import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createControllerObjects, createReply, getPage, useBenches } from "../../../test/support/controllers.ts";
import { listScannedObjects } from "./objects.ts";
import { scanPage } from "./page-scan.ts";

const createPage = (rows: readonly unknown[], total = rows.length) =>
	JSON.stringify({ totalCount: String(total), imdata: rows });
const createRow = <A>(attributes: A, className = "fvBD", more = {}) => ({
	[className]: { attributes, ...more },
});
const scanText = (text: string) => scanPage(Buffer.from(text));

const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const attributes = fc
	.tuple(fc.dictionary(word, fc.string({ unit: "grapheme" }), { maxKeys: 5 }), word)
	.map(([some, dn]): Record<string, string> => ({ ...some, dn: `uni/${dn}` }));
const className = fc.constantFrom("fvBD", "fvTenant");
const rows = fc.array(
	fc.tuple(attributes, className).map(([values, name]) => createRow(values, name)),
	{ minLength: 1, maxLength: 14 },
);
const indent = fc.constantFrom("", " ", "\t", "\n  ");

describe("looking through a page", () => {
	test("gives the number, dns and class of what the parser reads, or leaves it to the parser", () => {
		let seen = 0;
		fc.assert(
			fc.property(rows, fc.nat(), indent, (list, total, space) => {
				const text = JSON.stringify({ totalCount: String(total), imdata: list }, null, space);
				const found = scanText(text);
				const names = new Set(list.flatMap((one) => Object.keys(one)));
				const inner = list.map((one) => Object.values(one)[0]?.attributes ?? {});
				if (
					inner.some((values) => [...Object.keys(values), values.dn].some((key) => JSON.stringify(key) !== `"${key}"`))
				)
					return;
				seen += 1;
				expect(found).toMatchObject({
					totalCount: total <= 1e15 ? String(total) : null,
					dns: inner.map(({ dn }) => dn),
					className: names.size === 1 ? [...names][0] : null,
				});
				if (found === null) return;
				const objects = () => listScannedObjects(Buffer.from(text), found);
				expect(objects().rows()).toEqual(list);
				for (const count of [1, 5, 50]) expect(objects().first(count)).toEqual(list.slice(0, count));
			}),
		);
		expect(seen, "pages of the plain form").toBeGreaterThan(30);
	});

	test("never takes for JSON what the parser refuses", () => {
		const text = createPage([
			createRow({ dn: "uni/tn-a", descr: 'say "hi" \\ \u0007 é' }),
			createRow({ dn: "uni/tn-b", name: "" }),
		]);
		const bytes = Buffer.from(text);
		const parses = (body: Buffer): boolean => {
			try {
				JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
				return true;
			} catch {
				return false;
			}
		};
		const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.constantFrom("set", "cut", "drop", "insert"));
		let refused = 0;
		fc.assert(
			fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
				let body = bytes;
				for (const [at, byte, how] of changes) {
					const [before, after] = [body.subarray(0, at), body.subarray(at + (how === "insert" ? 0 : 1))];
					const middle = how === "set" || how === "insert" ? Buffer.from([byte]) : Buffer.alloc(0);
					body = how === "cut" ? before : Buffer.concat([before, middle, after]);
				}
				if (parses(body)) return;
				refused += 1;
				expect(scanPage(body)).toBeNull();
			}),
			{ numRuns: 2_000 },
		);
		expect(refused).toBeGreaterThan(500);
	});

	test.each([
		["an empty list", createPage([], 3)],
		["an error", createPage([{ error: { attributes: { code: "400", text: "no" } } }])],
		["objects without a dn", createPage([{ moCount: { attributes: { count: "3" } } }])],
		["a dn that is empty", createPage([createRow({ dn: "" })])],
		["two dns in one object", '{"totalCount":"1","imdata":[{"fvBD":{"attributes":{"dn":"a","dn":"b"}}}]}'],
		["a dn with an escape", createPage([createRow({ dn: 'uni/tn-"' })])],
		["children", createPage([createRow({ dn: "uni" }, "polUni", { children: [createRow({ rn: "tn-a" })] })])],
		[
			"a second class in one object",
			'{"imdata":[{"fvBD":{"attributes":{"dn":"a"}},"fvCtx":{"attributes":{"dn":"b"}}}]}',
		],
		["values that are no text", createPage([createRow({ dn: "a", mtu: 9000 })])],
		["something after the list", '{"imdata":[{"fvBD":{"attributes":{"dn":"a"}}}],"totalCount":"1"}'],
		["a list that is none", '{"totalCount":"1","imdata":{"fvBD":{"attributes":{"dn":"a"}}}}'],
		["other letters before the list", '{"tötal":"1","imdata":[{"fvBD":{"attributes":{"dn":"a"}}}]}'],
		[
			"bytes that are no UTF-8",
			Buffer.from([...Buffer.from(createPage([createRow({ dn: "a" })])), 0xff]).toString("latin1"),
		],
	])("leaves %s to the parser", (_what, text) => {
		expect(scanPage(Buffer.from(text, "latin1"))).toBeNull();
	});

	test.each([
		["totalCount as a number", '{"totalCount":1,"imdata":[{"fvBD":{"attributes":{"dn":"a"}}}]}', "1"],
		["no totalCount", '{"imdata":[{"fvBD":{"attributes":{"dn":"a"}}}]}', null],
		[
			"other fields first",
			'{"subscriptionId":"72","totalCount":"1","imdata":[{"fvBD":{"attributes":{"dn":"a"}}}]}',
			"1",
		],
	])("reads %s", (_what, text, totalCount) => {
		expect(scanText(text)).toMatchObject({ totalCount, dns: ["a"], className: "fvBD" });
	});
});

describe("reading pages that nobody looks at", () => {
	const setUp = useBenches();
	const all = createControllerObjects(2_500);

	test("parses those whose rows are asked for, and of the others no more than the first rows that are", async () => {
		let parsed = 0;
		const parseJson = async (body: Buffer) => {
			if (body.includes("fvBD")) parsed += 1;
			return JSON.parse(body.toString("utf8"));
		};
		const { read } = await setUp((seen) => getPage(all, seen), { parseJson });
		const pages = await read({ unread: true });
		expect(parsed).toBe(0);
		expect(pages.map(({ rowCount, className, totalCount }) => [rowCount, className, totalCount])).toEqual([
			[1000, "fvBD", 2500],
			[1000, "fvBD", 2500],
			[500, "fvBD", 2500],
		]);
		expect(pages.map((one) => one.first(5))).toEqual([0, 1000, 2000].map((from) => all.slice(from, from + 5)));
		expect(pages.flatMap(({ rows }) => rows)).toEqual(all);
		for (const { raw, rows } of pages) expect(JSON.parse(Buffer.from(raw ?? []).toString()).imdata).toEqual(rows);
	});

	test("gives every object once where pages shift meanwhile, and cuts at a limit", async () => {
		let asked = 0;
		const shifting = await setUp((seen) => {
			asked += 1;
			return getPage(asked > 1 && asked < 4 ? [...createControllerObjects(1, "fvBD", -1), ...all] : all, seen);
		});
		const dns = (await shifting.rows({ unread: true, pageSize: 400 })).map((one) => one.fvBD?.attributes.dn);
		expect(new Set(dns).size).toBe(dns.length);
		expect(all.filter((one) => !dns.includes(one.fvBD?.attributes.dn))).toEqual([]);
		const limited = await setUp((seen) => getPage(all, seen));
		expect(await limited.rows({ unread: true, limit: 1_234, pageSize: 500 })).toEqual(all.slice(0, 1_234));
	});

	test("notices a page that is short, cut off or an error, as ever", async () => {
		for (const [broken, kind] of [
			[createReply(all.slice(0, 3), 2_500), "busy"],
			[{ text: createPage(all).slice(0, -7) }, "bad_answer"],
			[createReply([{ error: { attributes: { code: "400", text: "no" } } }]), "rejected"],
		] as const) {
			const { rows } = await setUp((seen) => (seen.query.get("page") === "1" ? broken : getPage(all, seen)));
			await expect(rows({ unread: true })).rejects.toMatchObject({ kind });
		}
	});
});
