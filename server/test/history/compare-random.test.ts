/**
 * Random comparisons against plain documents: objects without a dn, dns that occur twice, any text;
 * every format tells the same.
 */
import { compareAnswer, compareLine, compareSummary } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scaleCases } from "../support/effort.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
});
afterAll(() => t.close());

type Attributes = Record<string, string | number>;
interface Given {
	kind: string;
	flat: boolean;
	attributes: Attributes;
}

const text = fc.constantFrom("", "1", "2", "a,b", "b,c", "é", "😀\u2028", '"<&>', "=1+1", "x".repeat(2000));
const row: fc.Arbitrary<Given> = fc.record({
	kind: fc.constantFrom("fvBD", "fvCtx", "ü"),
	flat: fc.boolean(),
	attributes: fc.record(
		{
			dn: fc.constantFrom("a", "b", "uni/[ü]", "😀", "z\n"),
			modTs: text,
			flags: text,
			tDn: text,
			n: fc.nat({ max: 2 }),
			"odd key,": text,
		},
		{ requiredKeys: [] },
	),
});
const getRow = ({ kind, flat, attributes }: Given): object =>
	flat ? { className: kind, ...attributes } : { [kind]: { attributes } };
const getRows = (unique: boolean) =>
	unique
		? fc.uniqueArray(row, { selector: ({ attributes }) => attributes.dn ?? attributes, maxLength: 6 })
		: fc.array(row, { maxLength: 8 });
const ignores = fc.subarray(["modTs", "fvBD.flags", "n", "absent", "odd key,"]);

let serial = 0;
async function captureRows(rows: readonly Given[]): Promise<string> {
	const { body } = await ada.api.post(`${TM}capture/`, {
		query_name: `r ${++serial}`,
		result_data: { imdata: rows.map(getRow) },
	});
	expect(body).toHaveProperty("snapshot_id");
	return body.snapshot_id;
}

async function compareInEveryFormat(from: readonly Given[], to: readonly Given[], ignore: readonly string[]) {
	const body = { snapshot_from_id: await captureRows(from), snapshot_to_id: await captureRows(to), ignore };
	const ask = (format: string) => ada.api.post(`${TM}compare/?format=${format}`, body);
	const json = compareAnswer.parse((await ask("json")).body);
	const { diff } = json;
	const lines = (await ask("ndjson")).text.split("\n").slice(0, -1);
	const streamed = lines.map((line) => compareLine.parse(JSON.parse(line)));
	for (const kind of ["added", "deleted", "modified"] as const)
		expect(streamed.flatMap(({ change, ...entry }) => (change === kind ? [entry] : []))).toEqual(diff[kind]);
	const { diff: _, ...rest } = json;
	expect(compareSummary.parse((await ask("summary")).body)).toEqual({ ...rest, total_changes: diff.total_changes });
	const counts = Object.values(json.summary).reduce((sum, one) => sum + one.added + one.deleted + one.modified, 0);
	expect(counts).toBe(diff.total_changes);
	expect(diff.added.length + diff.deleted.length + diff.modified.length).toBe(diff.total_changes);
	const csv = (await ask("csv")).text.match(/^(added|deleted|modified),/gm) ?? [];
	const changes = diff.modified.reduce((sum, one) => sum + one.attribute_changes.length, 0);
	expect(csv).toHaveLength(diff.added.length + diff.deleted.length + changes);
	const html = (await ask("html")).text;
	expect(html.match(/<tr class="object">/g) ?? []).toHaveLength(diff.modified.length);
	expect(html).not.toContain('"<&>');
	return json;
}

const getChanges = (old: Given, now: Given, ignore: readonly string[]) => {
	const [before, after] = [old, now].map(
		({ kind, flat, attributes }): Attributes => ({
			...(flat ? { ...attributes, className: kind } : { className: kind, ...attributes }),
		}),
	);
	const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
	return keys
		.filter((key) => before?.[key] !== after?.[key])
		.filter((key) => !ignore.includes(key) && !ignore.includes(`${now.kind}.${key}`))
		.map((key) => ({ key, old: before?.[key] ?? null, new: after?.[key] ?? null }));
};

it("where each dn occurs once, every change and every count is that of plain documents", async () => {
	await fc.assert(
		fc.asyncProperty(getRows(true), getRows(true), ignores, async (from, to, ignore) => {
			const named = (rows: readonly Given[]) =>
				new Map(rows.flatMap((one) => (one.attributes.dn ? [[String(one.attributes.dn), one] as const] : [])));
			const [old, now] = [named(from), named(to)];
			const { diff } = await compareInEveryFormat(from, to, ignore);
			const dns = (entries: { dn: string }[]) => entries.map(({ dn }) => dn).sort();
			expect(dns(diff.added)).toEqual([...now.keys()].filter((dn) => !old.has(dn)).sort());
			expect(dns(diff.deleted)).toEqual([...old.keys()].filter((dn) => !now.has(dn)).sort());
			for (const [dn, after] of now) {
				const before = old.get(dn);
				if (before === undefined || before.flat !== after.flat) continue;
				const shown = diff.modified.find((one) => one.dn === dn)?.attribute_changes ?? [];
				expect(shown.map(({ parts: _, ...change }) => change)).toEqual(getChanges(before, after, ignore));
			}
		}),
		{ numRuns: scaleCases(15) },
	);
}, 120_000);

it("where dns occur several times, every format tells the same, and the order of rows nothing", async () => {
	await fc.assert(
		fc.asyncProperty(getRows(false), getRows(false), ignores, async (from, to, ignore) => {
			const one = await compareInEveryFormat(from, to, ignore);
			const other = await compareInEveryFormat([...from].reverse(), [...to].reverse(), ignore);
			expect(other.diff).toEqual(one.diff);
			expect(other.summary).toEqual(one.summary);
		}),
		{ numRuns: scaleCases(8) },
	);
}, 120_000);
