/** Comparing snapshots, through the API. */
import { compareAnswer, compareLine, volatileAnswer } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
});
afterAll(() => t.close());

const createObject = (className: string, attributes: Record<string, unknown>, ...children: unknown[]) => ({
	[className]: children.length > 0 ? { attributes, children } : { attributes },
});
const createBridgeDomain = (name: string, more: object = {}) =>
	createObject("fvBD", { dn: `uni/BD-${name}`, name, ...more });

let serial = 0;
async function captureRows(rows: unknown[], user = ada): Promise<string> {
	const { body } = await user.api.post(`${TM}capture/`, { query_name: `c ${++serial}`, result_data: { imdata: rows } });
	expect(body).toMatchObject({ success: true, snapshot_id: expect.any(String) });
	return body.snapshot_id;
}
const postCompare = (from: string, to: string, search = "", user = ada) =>
	user.api.post(`${TM}compare/${search}`, { snapshot_from_id: from, snapshot_to_id: to });
async function compareRows(from: unknown[], to: unknown[]) {
	const answer = await postCompare(await captureRows(from), await captureRows(to));
	expect(answer.status).toBe(200);
	return compareAnswer.parse(answer.body);
}

describe("compare", () => {
	it("names what was added, deleted and modified, each by dn, with a summary by class", async () => {
		const from = await captureRows([
			createBridgeDomain("c"),
			createBridgeDomain("b", { x: "1", old: "1" }),
			createObject("fvCtx", { dn: "uni/ctx" }),
			createBridgeDomain("same"),
		]);
		await t.clock.advance(60_000);
		const to = await captureRows([
			createBridgeDomain("same"),
			createBridgeDomain("e"),
			createBridgeDomain("b", { x: "2", new: 1.0 }),
			createBridgeDomain("d"),
		]);
		const { body, headers } = await postCompare(from.toUpperCase(), to);
		expect(headers["content-type"]).toBe("application/json; charset=utf-8");
		expect(compareAnswer.parse(body)).toEqual({
			snapshot_from: {
				id: from,
				executed_at: new Date(t.clock.now() - 60_000).toISOString(),
				result_count: 4,
				origin: "client",
				controller_connection_id: null,
				controller_connection_name: "",
			},
			snapshot_to: {
				id: to,
				executed_at: new Date(t.clock.now()).toISOString(),
				result_count: 4,
				origin: "client",
				controller_connection_id: null,
				controller_connection_name: "",
			},
			identical: false,
			diff: {
				added: [
					{ dn: "uni/BD-d", class_name: "fvBD", object: createBridgeDomain("d") },
					{ dn: "uni/BD-e", class_name: "fvBD", object: createBridgeDomain("e") },
				],
				deleted: [
					{ dn: "uni/BD-c", class_name: "fvBD", object: createBridgeDomain("c") },
					{ dn: "uni/ctx", class_name: "fvCtx", object: createObject("fvCtx", { dn: "uni/ctx" }) },
				],
				modified: [
					{
						dn: "uni/BD-b",
						class_name: "fvBD",
						before: createBridgeDomain("b", { x: "1", old: "1" }),
						after: createBridgeDomain("b", { x: "2", new: 1 }),
						attribute_changes: [
							{ key: "new", old: null, new: 1 },
							{ key: "old", old: "1", new: null },
							{ key: "x", old: "1", new: "2" },
						],
					},
				],
				total_changes: 5,
			},
			summary: {
				fvBD: { added: 2, deleted: 1, modified: 1 },
				fvCtx: { added: 0, deleted: 1, modified: 0 },
			},
			skipped: { from: 0, to: 0, differ: false },
			ignored: { attributes: [], volatile: false, identity: false, objects: 0 },
		});
	});

	it("sees nested children as objects of their own", async () => {
		const tree = (value: string, ...more: unknown[]) =>
			createObject(
				"fvTenant",
				{ dn: "uni/tn-a" },
				createObject("fvAp", { rn: "ap-1", value }, ...more),
				createObject("tag", { v: "1" }),
			);
		const { diff } = await compareRows([tree("1")], [tree("2", createObject("fvAEPg", { dn: "uni/tn-a/ap-1/epg-x" }))]);
		expect(diff.modified.map(({ dn, attribute_changes }) => [dn, attribute_changes])).toEqual([
			["uni/tn-a/ap-1", [{ key: "value", old: "1", new: "2" }]],
		]);
		expect(diff.added.map(({ dn }) => dn)).toEqual(["uni/tn-a/ap-1/epg-x"]);
	});

	it("finds equal snapshots identical, whatever their order, and one with itself", async () => {
		const [from, to] = [
			await captureRows([createBridgeDomain("a"), createBridgeDomain("b"), { x: 1 }]),
			await captureRows([createBridgeDomain("b"), createBridgeDomain("a"), { x: 1 }]),
		];
		for (const id of [from, to]) {
			expect(compareAnswer.parse((await postCompare(from, id)).body)).toMatchObject({
				identical: true,
				diff: { added: [], deleted: [], modified: [], total_changes: 0 },
				summary: {},
				skipped: { from: 1, to: 1, differ: false },
			});
		}
		expect((await postCompare(from, to, "?format=ndjson")).text).toBe("");
	});

	it("tells of rows without a dn that they differ", async () => {
		expect(await compareRows([{ a: 1 }], [{ a: 2 }, { b: 1 }])).toMatchObject({
			identical: false,
			diff: { total_changes: 0 },
			skipped: { from: 1, to: 2, differ: true },
		});
	});

	it("compares snapshots of nothing, and of odd documents", async () => {
		expect((await compareRows([], [createBridgeDomain("a")])).diff).toMatchObject({
			total_changes: 1,
			deleted: [],
			modified: [],
		});
		expect((await compareRows([createBridgeDomain("a")], [])).diff).toMatchObject({ total_changes: 1, added: [] });
		expect(
			(await compareRows([[], 1, "x", null, { fvBD: 5 }], [{ dn: "flat", className: "k", v: 1 }])).summary,
		).toEqual({
			k: { added: 1, deleted: 0, modified: 0 },
		});
		const named = await compareRows([], [createObject("__proto__", { dn: "p" })]);
		expect(named.diff.total_changes).toBe(1);
	});

	it("streams one entry a line", async () => {
		const [from, to] = [
			await captureRows([createBridgeDomain("a"), createBridgeDomain("b", { x: 1 })]),
			await captureRows([createBridgeDomain("b", { x: 2 }), createBridgeDomain("c\n\u2028")]),
		];
		const { status, headers, text } = await postCompare(from, to, "?format=ndjson");
		expect(status).toBe(200);
		expect(headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
		const lines = text
			.trimEnd()
			.split("\n")
			.map((line) => compareLine.parse(JSON.parse(line)));
		expect(lines.map(({ dn, change }) => [dn, change])).toEqual([
			["uni/BD-a", "deleted"],
			["uni/BD-b", "modified"],
			["uni/BD-c\n\u2028", "added"],
		]);
	});

	it("pages through many changes and gives each once, in order", async () => {
		const rows = (drift: number) =>
			Array.from({ length: 9000 }, (_, i) =>
				createBridgeDomain(String(i).padStart(5, "0"), { v: i % 3 === 0 ? drift : 0, pad: "x".repeat(200) }),
			);
		const [from, to] = [
			await captureRows(rows(1)),
			await captureRows([
				...rows(2).slice(1000),
				...Array.from({ length: 3000 }, (_, i) => createBridgeDomain(`z${i}`)),
			]),
		];
		const { diff } = compareAnswer.parse((await postCompare(from, to)).body);
		const dns = (entries: { dn: string }[]) => entries.map(({ dn }) => dn);
		expect(diff).toMatchObject({ total_changes: 1000 + 3000 + 2666 });
		expect([diff.added.length, diff.deleted.length, diff.modified.length]).toEqual([3000, 1000, 2666]);
		for (const entries of [diff.added, diff.deleted, diff.modified]) expect(dns(entries)).toEqual(dns(entries).sort());
		const lines = (await postCompare(from, to, "?format=ndjson")).text.trimEnd().split("\n");
		expect(new Set(lines.map((line) => JSON.parse(line).dn)).size).toBe(diff.total_changes);
	});

	it("takes any two visible snapshots and no others", async () => {
		const mine = await captureRows([createBridgeDomain("a")]);
		const his = await captureRows([createBridgeDomain("b")], bob);
		const nobodys = "01890000-0000-7000-8000-000000000000";
		for (const [from, to] of [
			[mine, his],
			[his, mine],
			[mine, nobodys],
			[nobodys, nobodys],
		] as const) {
			expect((await postCompare(from, to)).status).toBe(404);
			expect((await postCompare(from, to, "?format=ndjson")).status).toBe(404);
		}
		expect((await postCompare(mine, his, "", t.admin)).body.diff.total_changes).toBe(2);
	});

	it.each([
		[{}, ["snapshot_from_id", "snapshot_to_id"]],
		[{ snapshot_from_id: null, snapshot_to_id: 7 }, ["snapshot_from_id", "snapshot_to_id"]],
		[{ snapshot_from_id: "01890000-0000-7000-8000-000000000000" }, ["snapshot_to_id"]],
	])("refuses %j", async (body, keys) => {
		const answer = await ada.api.post(`${TM}compare/`, body);
		expect(answer.status).toBe(400);
		expect(Object.keys(answer.body).sort()).toEqual(keys);
	});

	it("refuses other formats", async () => {
		expect((await postCompare(await captureRows([]), await captureRows([]), "?format=xml")).body).toHaveProperty(
			"format",
		);
	});
});

describe("what is ignored", () => {
	const ask = async (from: unknown[], to: unknown[], more: object, search = "") => {
		const [snapshot_from_id, snapshot_to_id] = [await captureRows(from), await captureRows(to)];
		return ada.api.post(`${TM}compare/${search}`, { snapshot_from_id, snapshot_to_id, ...more });
	};
	const ctx = (more: object) => createObject("fvCtx", { dn: "uni/ctx", ...more });

	it("is no change, and objects that differ in nothing else are left out of entries and counts", async () => {
		const from = [
			createBridgeDomain("a", { modTs: "1", v: "1" }),
			createBridgeDomain("b", { modTs: "1" }),
			createBridgeDomain("c"),
			ctx({ modTs: "1" }),
		];
		const to = [
			createBridgeDomain("a", { modTs: "2", v: "2" }),
			createBridgeDomain("b", { modTs: "2" }),
			createBridgeDomain("d"),
			ctx({ modTs: "2", descr: "x" }),
		];
		const answer = compareAnswer.parse((await ask(from, to, { ignore: ["modTs", "fvCtx.descr"] })).body);
		expect(answer.diff.modified).toMatchObject([
			{ dn: "uni/BD-a", attribute_changes: [{ key: "v", old: "1", new: "2" }] },
		]);
		expect(answer.diff).toMatchObject({ added: [{ dn: "uni/BD-d" }], deleted: [{ dn: "uni/BD-c" }], total_changes: 3 });
		expect(answer.summary).toEqual({ fvBD: { added: 1, deleted: 1, modified: 1 } });
		expect(answer.ignored).toEqual({
			attributes: ["modTs", "fvCtx.descr"],
			volatile: false,
			identity: false,
			objects: 2,
		});
		expect(answer.identical).toBe(false);
		const lines = (await ask(from, to, { ignore: ["modTs", "fvCtx.descr"] }, "?format=ndjson")).text;
		expect(lines.trimEnd().split("\n")).toHaveLength(3);
		const one = compareAnswer.parse((await ask(from, to, { ignore: ["modTs", "fvBD.descr"] })).body);
		expect(one.summary.fvCtx).toEqual({ added: 0, deleted: 0, modified: 1 });
	});

	it("can be what is volatile by the service's own list, which is off unless asked for", async () => {
		const rows = (at: string) => [
			createObject("topSystem", { dn: "sys", currentTime: at, state: "in-service" }),
			createObject("eqptIngrTotal5min", { dn: "stats", bytesLast: at }),
			createObject("fvCtx", { dn: "ctx", currentTime: at }),
		];
		const plain = compareAnswer.parse((await ask(rows("1"), rows("2"), {})).body);
		expect(plain.diff.total_changes).toBe(3);
		const { diff, ignored } = compareAnswer.parse((await ask(rows("1"), rows("2"), { ignore_volatile: true })).body);
		expect(diff.modified.map(({ dn }) => dn)).toEqual(["ctx"]);
		expect(ignored).toEqual({ attributes: [], volatile: true, identity: false, objects: 2 });
		const { body } = await ada.api.get(`${TM}volatile-attributes/`);
		const { rules } = volatileAnswer.parse(body);
		expect(rules).toContainEqual({ attribute: "modTs", classes: null, reason: expect.any(String) });
		for (const { classes } of rules) expect(() => new RegExp(classes ?? "")).not.toThrow();
	});

	it("takes flags in another order for no change where volatile attributes are left out", async () => {
		const rows = (ctrl: string) => [
			createObject("fvSubnet", { ctrl, dn: "plain" }),
			createObject("fvSubnet", { dn: "not sorted", ctrl }),
			createObject("fvSubnet", { ctrl, dn: "changed", scope: ctrl === "nd,querier" ? "public" : "private" }),
			createObject("healthInst", { chng: ctrl, cur: "95", dn: "health", prev: ctrl }),
		];
		const [from, to] = [rows("nd,querier"), rows("querier,nd")];
		expect(compareAnswer.parse((await ask(from, to, {})).body).diff.total_changes).toBe(4);
		const { diff, ignored } = compareAnswer.parse((await ask(from, to, { ignore_volatile: true })).body);
		expect(diff.modified.map(({ dn, attribute_changes }) => [dn, attribute_changes.map(({ key }) => key)])).toEqual([
			["changed", ["scope"]],
		]);
		expect(ignored.objects).toBe(3);
	});

	it("counts the same whether rows are plain or not, over many pages", async () => {
		const rows = (at: string) =>
			Array.from({ length: 9000 }, (_, i) =>
				createBridgeDomain(String(i).padStart(5, "0"), {
					...(i % 2 ? { z: "1", modTs: at } : { modTs: at, z: "1" }),
					pad: "x".repeat(200),
				}),
			);
		const changed = rows("2");
		changed[8999] = createBridgeDomain("08999", { modTs: "2", z: "2" });
		const { diff, ignored } = compareAnswer.parse((await ask(rows("1"), changed, { ignore: ["modTs"] })).body);
		expect([diff.total_changes, diff.modified.length, ignored.objects]).toEqual([1, 1, 8999]);
	});

	it("refuses too many and empty names", async () => {
		for (const ignore of [[""], Array(101).fill("a"), "modTs"])
			expect((await ask([], [], { ignore })).status).toBe(400);
	});
});

it("shows what came to lists and references and what went", async () => {
	const before = { flags: "a,b", tDn: "uni/x", descr: "a,b" };
	const after = { flags: "b,c", tDn: "uni/y", descr: "a,c" };
	const expected = [
		{ key: "descr", old: "a,b", new: "a,c" },
		{ key: "flags", old: "a,b", new: "b,c", parts: { kind: "list", added: ["c"], removed: ["a"] } },
		{ key: "tDn", old: "uni/x", new: "uni/y", parts: { kind: "reference", added: ["uni/y"], removed: ["uni/x"] } },
	];
	const plain = await compareRows(
		[createObject("k", { dn: "d", ...before })],
		[createObject("k", { dn: "d", ...after })],
	);
	expect(plain.diff.modified[0]?.attribute_changes).toEqual(expected);
	const flat = await compareRows([{ ...before, dn: "d" }], [{ ...after, dn: "d" }]);
	expect(flat.diff.modified[0]?.attribute_changes).toEqual(expected);
});
