import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getEntries, planAlone, storeAlone } from "../../../../test/support/stored-snapshots.ts";
import { ADDED, DELETED, getKind, getPage, listNeededPacks, MODIFIED } from "./compare.ts";

const KINDS = { added: ADDED, deleted: DELETED, modified: MODIFIED };

function compareTexts(from: string, to: string, packBytes?: number) {
	const [before, after] = [storeAlone(from, packBytes), storeAlone(to, packBytes)];
	const plan = planAlone(before, after);
	const texts = getEntries(plan, before.packs, after.packs);
	const entries = texts.map((text): { change: keyof typeof KINDS } => JSON.parse(text));
	expect(entries.map(({ change }) => KINDS[change])).toEqual(entries.map((_, at) => getKind(plan.places, at)));
	const of = (kind: keyof typeof KINDS): ReturnType<typeof JSON.parse>[] =>
		entries.filter(({ change }) => change === kind).map(({ change: _, ...entry }) => entry);
	const skipped = { from: before.content.looseRows, to: after.content.looseRows };
	return {
		plan,
		skipped: { ...skipped, differ: !before.content.looseHash.equals(after.content.looseHash) },
		texts: texts.map((text) => text.replace(/^\{"change":"\w+",/, "{")),
		added: of("added"),
		deleted: of("deleted"),
		modified: of("modified"),
	};
}

const createObject = (name: string, attributes: Record<string, unknown>, ...children: unknown[]) => ({
	[name]: children.length > 0 ? { attributes, children } : { attributes },
});
const formatEnvelope = (...rows: unknown[]) => JSON.stringify({ imdata: rows });

describe("entries", () => {
	test("added, deleted and modified by dn, each sorted", () => {
		const from = formatEnvelope(
			createObject("fvBD", { dn: "c" }),
			createObject("fvBD", { dn: "b", x: "1", y: "1", a: "1" }),
			createObject("fvCtx", { dn: "z" }),
		);
		const to = formatEnvelope(
			createObject("fvBD", { dn: "b", y: "2", x: "2", n: "1" }),
			createObject("fvBD", { dn: "e" }),
			createObject("fvBD", { dn: "d" }),
		);
		const { plan, added, deleted, modified } = compareTexts(from, to);
		expect(added).toEqual([
			{ dn: "d", class_name: "fvBD", object: createObject("fvBD", { dn: "d" }) },
			{ dn: "e", class_name: "fvBD", object: createObject("fvBD", { dn: "e" }) },
		]);
		expect(deleted.map(({ dn }) => dn)).toEqual(["c", "z"]);
		expect(modified).toEqual([
			{
				dn: "b",
				class_name: "fvBD",
				before: createObject("fvBD", { dn: "b", x: "1", y: "1", a: "1" }),
				after: createObject("fvBD", { dn: "b", y: "2", x: "2", n: "1" }),
				attribute_changes: [
					{ key: "a", old: "1", new: null },
					{ key: "n", old: null, new: "1" },
					{ key: "x", old: "1", new: "2" },
					{ key: "y", old: "1", new: "2" },
				],
			},
		]);
		expect(plan).toMatchObject({ total: 5, added: 2, deleted: 2, modified: 1 });
		expect(plan.summary).toEqual({
			fvBD: { added: 2, deleted: 1, modified: 1 },
			fvCtx: { added: 0, deleted: 1, modified: 0 },
		});
	});

	test("values keep their spelling, and only their spelling is no change", () => {
		const from = '{"imdata":[{"a":{"attributes":{"dn":"x","n":1.0,"m":12345678901234567890,"s":"\\u0041"}}}]}';
		const to = '{"imdata":[{"a":{"attributes":{"dn":"x","n":1,"m":12345678901234567891,"s":"A"}}}]}';
		expect(compareTexts(from, to).texts).toEqual([
			'{"dn":"x","class_name":"a","before":{"a":{"attributes":{"dn":"x","n":1.0,"m":12345678901234567890,"s":"\\u0041"}}},' +
				'"after":{"a":{"attributes":{"dn":"x","n":1,"m":12345678901234567891,"s":"A"}}},' +
				'"attribute_changes":[{"key":"m","old":12345678901234567890,"new":12345678901234567891}]}',
		]);
	});

	test("flat rows are compared by their members", () => {
		const { modified } = compareTexts(
			'[{"dn":"x","className":"fvBD","a":1,"b":2}]',
			'[{"dn":"x","className":"fvBD","a":1,"b":3}]',
		);
		expect(modified).toMatchObject([
			{ dn: "x", class_name: "fvBD", attribute_changes: [{ key: "b", old: 2, new: 3 }] },
		]);
	});

	test("a class or a member beside attributes that changes shows as such", () => {
		const { modified } = compareTexts(
			'[{"A":{"attributes":{"dn":"x"},"m":1}}]',
			'[{"B":{"attributes":{"dn":"x"},"m":2}}]',
		);
		expect(modified[0].attribute_changes).toEqual([
			{ key: "className", old: "A", new: "B" },
			{ key: "m", old: 1, new: 2 },
		]);
	});

	test("a dn with quotes, slashes, astral and lone surrogates is one and the same", () => {
		const odd = 'uni/"x"\\\ud800😀\u0001';
		const { modified } = compareTexts(
			formatEnvelope(createObject("a", { dn: odd, v: 1 })),
			formatEnvelope(createObject("a", { dn: odd, v: 2 })),
		);
		expect(modified).toMatchObject([{ dn: odd, attribute_changes: [{ key: "v" }] }]);
	});

	test("names that objects inherit are names like others", () => {
		const { plan, added } = compareTexts(
			"[]",
			formatEnvelope(createObject("__proto__x", { dn: "a" }), createObject("constructor", { dn: "b" })),
		);
		expect(added).toHaveLength(2);
		expect(plan.summary.constructor).toEqual({ added: 1, deleted: 0, modified: 0 });
	});
});

describe("what counts as an object", () => {
	const subnet = (name: string, scope: string) => createObject("fvSubnet", { rn: name, scope });

	test("nested children have their own dn, or their parent's and their rn", () => {
		const from = formatEnvelope(
			createObject(
				"fvBD",
				{ dn: "uni/b" },
				subnet("s1", "public"),
				createObject("fvRsCtx", { dn: "other" }, subnet("t", "x")),
			),
		);
		const to = formatEnvelope(
			createObject(
				"fvBD",
				{ dn: "uni/b" },
				createObject("fvRsCtx", { dn: "other" }, subnet("t", "y")),
				subnet("s2", "public"),
			),
		);
		const { plan, added, deleted, modified } = compareTexts(from, to);
		expect(plan.total).toBe(3);
		expect(added).toMatchObject([{ dn: "uni/b/s2", object: subnet("s2", "public") }]);
		expect(deleted).toMatchObject([{ dn: "uni/b/s1" }]);
		expect(modified).toMatchObject([
			{ dn: "other/t", before: subnet("t", "x"), attribute_changes: [{ key: "scope", old: "x", new: "y" }] },
		]);
	});

	test("children without dn and rn count as part of the object above, in any order", () => {
		const nested = (...values: number[]) =>
			formatEnvelope(
				createObject("a", { dn: "x" }, ...values.map((v) => createObject("b", { v })), createObject("c", { rn: "c" })),
			);
		expect(compareTexts(nested(1, 2), nested(2, 1)).plan.total).toBe(0);
		expect(compareTexts(nested(1, 2), nested(1, 3)).modified).toEqual([
			{
				dn: "x",
				class_name: "a",
				before: createObject("a", { dn: "x" }, createObject("b", { v: 1 }), createObject("b", { v: 2 })),
				after: createObject("a", { dn: "x" }, createObject("b", { v: 1 }), createObject("b", { v: 3 })),
				attribute_changes: [
					{
						key: "children",
						old: [createObject("b", { v: 1 }), createObject("b", { v: 2 })],
						new: [createObject("b", { v: 1 }), createObject("b", { v: 3 })],
					},
				],
			},
		]);
	});

	test("the first child with a dn does not change its parent", () => {
		const { plan } = compareTexts(
			formatEnvelope(createObject("a", { dn: "x" })),
			formatEnvelope(createObject("a", { dn: "x" }, createObject("b", { rn: "b" }))),
		);
		expect(plan).toMatchObject({ total: 1, added: 1 });
	});

	test("rows without a dn are skipped, and counted", () => {
		const { plan, skipped } = compareTexts(
			'{"imdata":[{"moCount":{"attributes":{"dn":"","count":"1"}}}]}',
			'{"imdata":[{"moCount":{"attributes":{"count":"2"}}},7]}',
		);
		expect(plan.total).toBe(0);
		expect(skipped).toEqual({ from: 1, to: 2, differ: true });
	});

	test("equal objects under two parents are one", () => {
		const shared = createObject("s", { dn: "shared" });
		const both = formatEnvelope(createObject("a", { dn: "x" }, shared), createObject("a", { dn: "y" }, shared));
		const one = formatEnvelope(createObject("a", { dn: "x" }, shared), createObject("a", { dn: "y" }));
		expect(compareTexts(both, one).plan.total).toBe(0);
	});

	test("different contents of one dn pair up whatever their order", () => {
		const row = (v: number) => createObject("a", { dn: "x", v });
		expect(compareTexts(formatEnvelope(row(1), row(2)), formatEnvelope(row(2), row(1))).plan.total).toBe(0);
		expect(compareTexts(formatEnvelope(row(1), row(2)), formatEnvelope(row(3), row(1))).plan).toMatchObject({
			modified: 1,
			total: 1,
		});
		expect(compareTexts(formatEnvelope(row(1)), formatEnvelope(row(1), row(1), row(2))).plan).toMatchObject({
			added: 1,
			total: 1,
		});
	});
});

test("rows in the order of their names tell the same as rows in any other", () => {
	const name = fc.constantFrom(
		"a",
		"ctrl",
		"ctrl!",
		"ctrl,x",
		"descr",
		"dnX",
		"é",
		"tDn",
		"x y",
		...Array.from({ length: 100 }, (_, at) => `n${at}`),
	);
	const text = fc.constantFrom("", "1", "ü", "one,two", "two", "two,three", "😀", 'a "word"', "a \\\\ word");
	const attributes = fc.dictionary(name, text, { maxKeys: 100, noNullPrototype: true });
	const sorted = (given: Record<string, string>) =>
		Object.fromEntries(Object.entries(given).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
	const reversed = (given: Record<string, string>) => Object.fromEntries(Object.entries(sorted(given)).reverse());
	fc.assert(
		fc.property(attributes, attributes, (before, after) => {
			const [from, to] = [
				{ ...before, dn: "d" },
				{ ...after, dn: "d" },
			];
			const pair = (order: typeof sorted) =>
				compareTexts(formatEnvelope(createObject("fvBD", order(from))), formatEnvelope(createObject("fvBD", order(to))))
					.modified;
			expect(pair(sorted)).toEqual(pair(reversed));
		}),
	);
});

test("equals a comparison of plain maps, whatever the chunks", () => {
	const side = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 2 })), {
		selector: ([dn]) => dn,
	});
	fc.assert(
		fc.property(side, side, fc.integer({ min: 1, max: 300 }), (from, to, chunkBytes) => {
			const text = (rows: [number, number][]) =>
				formatEnvelope(...rows.map(([dn, v]) => createObject("a", { dn: `d${dn}`, v })));
			const { added, deleted, modified } = compareTexts(text(from), text(to), chunkBytes);
			const [old, now] = [new Map(from), new Map(to)];
			const names = (numbers: number[]) => numbers.map((dn) => `d${dn}`).sort();
			expect(added.map(({ dn }) => dn)).toEqual(names([...now.keys()].filter((dn) => !old.has(dn))));
			expect(deleted.map(({ dn }) => dn)).toEqual(names([...old.keys()].filter((dn) => !now.has(dn))));
			expect(modified.map(({ dn }) => dn)).toEqual(
				names([...now].filter(([dn, v]) => old.has(dn) && old.get(dn) !== v).map(([dn]) => dn)),
			);
		}),
		{ numRuns: 150 },
	);
});

test("20,000 objects, 1 % changed: only chunks with changes are read, and pages of the plan add up", () => {
	const rows = (drift: number) =>
		formatEnvelope(
			...Array.from({ length: 20_000 }, (_, i) =>
				createObject("a", { dn: `uni/${String(i).padStart(6, "0")}`, v: i < 200 ? i + drift : i, pad: "x".repeat(60) }),
			),
		);
	const [before, after] = [storeAlone(rows(0)), storeAlone(rows(1))];
	const plan = planAlone(before, after);
	expect(plan).toMatchObject({ total: 200, modified: 200 });
	expect(listNeededPacks(plan.places)).toEqual({ from: [0], to: [0] });
	let seen = 0;
	for (let at: number | null = 0; at !== null; ) {
		const page = getPage(plan.places, at, 5000);
		seen += page.places.length / 8;
		at = page.next;
	}
	expect(seen).toBe(200);
	expect(getPage(plan.places, 0, 1).next).toBe(1);
	expect(getPage(plan.places, 0, 2000).next).toBeLessThan(15);
	const pages = getEntries(plan, before.packs, after.packs, 5000);
	expect(pages).toEqual(getEntries(plan, before.packs, after.packs));
});

test("one row that is a tree of thousands of objects is read once, and fits a page", () => {
	const tree = (drift: number) => {
		const child = (i: number) =>
			createObject("b", { rn: `b-${String(i).padStart(4, "0")}`, v: i % 2 === 0 ? i + drift : i });
		return formatEnvelope(createObject("a", { dn: "uni/a" }, ...Array.from({ length: 4000 }, (_, i) => child(i))));
	};
	const { plan, modified } = compareTexts(tree(0), tree(1));
	expect(getPage(plan.places, 0, 1_000_000)).toMatchObject({ next: null });
	expect(modified).toHaveLength(2000);
	expect(modified[1]).toMatchObject({ dn: "uni/a/b-0002", attribute_changes: [{ key: "v", old: 2, new: 3 }] });
});
