/** Comparisons as files: CSV, a report, and counts alone. */
import { compareSummary } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
});
afterAll(() => t.close());

let serial = 0;
async function captureRows(rows: unknown): Promise<string> {
	const name = `<b>"q" & ${++serial}</b>`;
	const body = typeof rows === "string" ? rows : JSON.stringify({ imdata: rows });
	const sent = `{"query_name":${JSON.stringify(name)},"result_data":${body}}`;
	const answer = await ada.api.send("POST", `${TM}capture/`, sent, { "content-type": "application/json" });
	expect(answer.body).toHaveProperty("snapshot_id");
	return answer.body.snapshot_id;
}
const createBridgeDomain = (name: string, more: object = {}) => ({
	fvBD: { attributes: { dn: `uni/BD-${name}`, ...more } },
});
async function exportComparison(from: unknown, to: unknown, format: string, more: object = {}) {
	const ids = { snapshot_from_id: await captureRows(from), snapshot_to_id: await captureRows(to) };
	return ada.api.post(`${TM}compare/?format=${format}`, { ...ids, ...more });
}

/** Cells of CSV text (RFC 4180). */
function getCells(csv: string): string[][] {
	const lines: string[][] = [[]];
	for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
		lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare ?? "");
		if (end === "\r\n") lines.push([]);
	}
	return lines.slice(0, -1);
}
const HEAD = ["change", "class_name", "dn", "attribute", "old", "new", "came", "went"];

describe("CSV", () => {
	it("has a line for each attribute that differs and each object that is new or gone", async () => {
		const from = [
			createBridgeDomain("gone", { v: "1" }),
			createBridgeDomain("x", { scope: "public", v: "1", old: "o" }),
		];
		const to =
			'[{"fvBD":{"attributes":{"dn":"uni/BD-new","n":12345678901234567890}}},{"fvBD":{"attributes":{"dn":"uni/BD-x","scope":"private,shared","v":-2}}}]';
		const { status, headers, text } = await exportComparison(from, to, "csv");
		expect(status).toBe(200);
		expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
		expect(headers["content-disposition"]).toBe('attachment; filename="comparison.csv"');
		expect(getCells(text)).toEqual([
			HEAD,
			["deleted", "fvBD", "uni/BD-gone", "", '{"dn":"uni/BD-gone","v":"1"}', "", "", ""],
			["added", "fvBD", "uni/BD-new", "", "", '{"dn":"uni/BD-new","n":12345678901234567890}', "", ""],
			["modified", "fvBD", "uni/BD-x", "old", "o", "", "", ""],
			["modified", "fvBD", "uni/BD-x", "scope", "public", "private,shared", "private,shared", "public"],
			["modified", "fvBD", "uni/BD-x", "v", "1", "-2", "", ""],
		]);
	});

	it("holds no formula, and any text", async () => {
		const odd = '=HYPERLINK("x")';
		const from = [{ "@class": { attributes: { dn: "+dn", a: "", b: "x" } } }];
		const to = [{ "@class": { attributes: { dn: "+dn", a: odd, b: 'ü 😀\r\n"quoted", \u2028' } } }];
		expect(getCells((await exportComparison(from, to, "csv")).text)).toEqual([
			HEAD,
			["modified", "'@class", "'+dn", "a", "", `'${odd}`, "", ""],
			["modified", "'@class", "'+dn", "b", "x", 'ü 😀\r\n"quoted", \u2028', "", ""],
		]);
	});

	it("is a head alone where nothing differs, and leaves out what is ignored", async () => {
		expect(
			getCells((await exportComparison([createBridgeDomain("a")], [createBridgeDomain("a")], "csv")).text),
		).toEqual([HEAD]);
		const [from, to] = [
			[createBridgeDomain("a", { modTs: "1", v: "1" })],
			[createBridgeDomain("a", { modTs: "2", v: "2" })],
		];
		expect(getCells((await exportComparison(from, to, "csv", { ignore_volatile: true })).text)).toEqual([
			HEAD,
			["modified", "fvBD", "uni/BD-a", "v", "1", "2", "", ""],
		]);
	});
});

describe("the report", () => {
	it("stands by itself, and escapes whatever was captured", async () => {
		const evil = `<script>alert("1")</script><img src='http://x'>&amp;\u202e\u0000`;
		const from = [
			{ [evil]: { attributes: { dn: evil, [evil]: evil, flags: "a,b" } } },
			createBridgeDomain("gone", { v: evil }),
		];
		const to = [{ [evil]: { attributes: { dn: evil, flags: "b,c" } } }, createBridgeDomain("new")];
		const { status, headers, text } = await exportComparison(from, to, "html", { ignore: [evil.slice(0, 20)] });
		expect(status).toBe(200);
		expect(headers["content-type"]).toBe("text/html; charset=utf-8");
		expect(headers["content-disposition"]).toBe('attachment; filename="comparison.html"');
		expect(text).toMatch(/^<!doctype html>/);
		expect(text.trimEnd()).toMatch(/<\/html>$/);
		expect(text).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|\b(src|href|srcset)="|url\(|@import|\u202e/i);
		expect(text).not.toContain("<b>");
		expect(text).toContain("default-src 'none'");
		expect(text).toContain(
			"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=&#39;http://x&#39;&gt;&amp;amp;\\u202e\\u0000",
		);
		expect(text).toContain("<ins>+ c</ins>");
		expect(text).toContain("<del>a</del>");
		for (const tag of ["table", "tbody", "thead", "tr", "th", "td", "h2", "code"]) {
			const count = (pattern: string) => text.match(new RegExp(pattern, "g"))?.length;
			expect([tag, count(`<${tag}[ >]`)]).toEqual([tag, count(`</${tag}>`)]);
		}
	});

	it("tells of both sides, counts by class, and sorts by what became of the objects", async () => {
		const from = [createBridgeDomain("a"), createBridgeDomain("m", { v: "1", w: "" }), { x: 1 }];
		const { text } = await exportComparison(
			from,
			[createBridgeDomain("m", { v: "2", w: "1" }), createBridgeDomain("z"), { x: 2 }, { y: 1 }],
			"html",
		);
		const order = [
			"<h2>Summary",
			"3 objects differ.",
			"<h2>Added",
			"uni/BD-z",
			"<h2>Deleted",
			"uni/BD-a",
			"<h2>Modified",
		];
		const found = order.map((part) => text.indexOf(part));
		expect(found).toEqual([...found].sort((a, b) => a - b));
		expect(found[0]).toBeGreaterThan(0);
		expect(text).toContain('<tr><th>fvBD</th><td class="n">1</td><td class="n">1</td><td class="n">1</td></tr>');
		expect(text).toContain("Rows without a dn cannot be compared: 1 before, 2 after; as a whole they differ.");
		expect(text).toContain("<code>(empty)</code>");
		const same = (await exportComparison([createBridgeDomain("a")], [createBridgeDomain("a")], "html")).text;
		expect(same).toContain("The two are identical.");
		expect(same).not.toContain("<h2>Added");
		const ignored = await exportComparison(
			[createBridgeDomain("a", { v: 1 })],
			[createBridgeDomain("a", { v: 2 })],
			"html",
			{ ignore: ["v"] },
		);
		expect(ignored.text).toContain("No object differs. Not compared: v; objects that differ in nothing else: 1.");
	});
});

it("counts alone are those of the comparison", async () => {
	const [from, to] = [
		[createBridgeDomain("a"), createBridgeDomain("b", { v: 1 })],
		[createBridgeDomain("b", { v: 2 }), createBridgeDomain("c"), createBridgeDomain("d")],
	];
	const { body, headers } = await exportComparison(from, to, "summary");
	expect(headers["content-type"]).toBe("application/json; charset=utf-8");
	expect(compareSummary.parse(body)).toMatchObject({
		identical: false,
		total_changes: 4,
		summary: { fvBD: { added: 2, deleted: 1, modified: 1 } },
	});
	expect(body).not.toHaveProperty("diff");
	expect((await exportComparison(from, from, "summary")).body).toMatchObject({
		identical: true,
		total_changes: 0,
		summary: {},
	});
});

it("pages give each change once, in every format", async () => {
	const rows = (drift: number) =>
		Array.from({ length: 6000 }, (_, i) =>
			createBridgeDomain(String(i).padStart(5, "0"), { v: i % 3 === 0 ? drift : 0, pad: "x".repeat(4000) }),
		);
	await ada.api.put(`${TM}settings/`, { max_snapshot_size_mb: 50 });
	const [from, to] = [rows(1), rows(2).slice(1000)];
	const lines = getCells((await exportComparison(from, to, "csv")).text);
	expect(lines).toHaveLength(1 + 1000 + 1666);
	expect(new Set(lines.map(([, , dn]) => dn)).size).toBe(lines.length);
	const { text } = await exportComparison(from, to, "html");
	expect(text.match(/<h2>Deleted/g)).toHaveLength(1);
	expect(text.match(/<h2>Modified/g)).toHaveLength(1);
	expect(text.match(/<tr class="object">/g)).toHaveLength(1666);
}, 60_000);
