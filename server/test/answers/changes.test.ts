/** The feed of changes: drift of captures, merged over queries, as each caller sees it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANGES, createDomain, createFeed, createObject } from "../support/changes.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
const feed = createFeed(() => t);
beforeAll(async () => {
	t = await startTestApp({ work: true });
	ada = await t.user("ada", ["Editor"]);
	bob = await t.user("bob", ["Editor"]);
});
afterAll(() => t.close());

/** A query of ada's with two captures on a connection. */
async function captureTwice(from: object[], to: object[], fields = {}, connection?: { id: string; name: string }) {
	const fabric = connection ?? (await feed.addConnection(ada));
	const query = await feed.addQuery(ada, fields);
	const previous = await feed.capture(ada, query.id, fabric.id, from as never);
	const snapshot = await feed.capture(ada, query.id, fabric.id, to as never);
	await feed.settle();
	return { fabric, query, previous, snapshot };
}

describe("the feed of changes", () => {
	it("shows each changed object of a capture with its attributes before and after", async () => {
		const { fabric, query, previous, snapshot } = await captureTwice(
			[createDomain("gone", { mtu: "1" }), createDomain("kept", { mtu: "1", descr: "x" })],
			[createDomain("kept", { mtu: "9000", descr: "x" }), createDomain("new", { mtu: "2" })],
		);
		const found = await feed.list(ada.api, `connection=${fabric.id}`);
		expect(found).toHaveLength(3);
		const common = {
			connection: { id: fabric.id, name: fabric.name },
			class_name: "fvBD",
			at: new Date(t.clock.now()).toISOString(),
			changed_by: [],
			changed_by_reason: null,
			severity: "warning",
			saved_queries: [{ id: query.id, name: query.name }],
			snapshot_id: snapshot,
			previous_snapshot_id: previous,
			attributes_omitted: 0,
		};
		expect(found.find(({ change }) => change === "modified")).toMatchObject({
			...common,
			dn: "uni/tn-a/BD-kept",
			attributes: [{ name: "mtu", before: "1", after: "9000" }],
		});
		expect(found.find(({ change }) => change === "added")).toMatchObject({
			...common,
			dn: "uni/tn-a/BD-new",
			attributes: expect.arrayContaining([{ name: "mtu", before: null, after: "2" }]),
		});
		expect(found.find(({ change }) => change === "deleted")).toMatchObject({
			...common,
			dn: "uni/tn-a/BD-gone",
			attributes: expect.arrayContaining([{ name: "mtu", before: "1", after: null }]),
		});
	});

	it("leaves out what the query's drift rules ignore, and has the severity that they give", async () => {
		const { fabric } = await captureTwice(
			[
				createDomain("a", { mtu: "1", modTs: "1" }),
				createDomain("b", { descr: "1" }),
				createDomain("c", { modTs: "1" }),
			],
			[
				createDomain("a", { mtu: "2", modTs: "2" }),
				createDomain("b", { descr: "2" }),
				createDomain("c", { modTs: "2" }),
			],
			{ drift_rules: { ignore: ["descr"], severity: { "fvBD.mtu": "critical" } } },
		);
		expect(await feed.list(ada.api, `connection=${fabric.id}`)).toMatchObject([
			{ dn: "uni/tn-a/BD-a", severity: "critical", attributes: [{ name: "mtu", before: "1", after: "2" }] },
		]);
	});

	it("cuts long values visibly, and counts the attributes that it omits", async () => {
		const many = Object.fromEntries(Array.from({ length: 203 }, (_, at) => [`x${String(at).padStart(3, "0")}`, "v"]));
		const { fabric } = await captureTwice(
			[createDomain("long", { descr: "short" })],
			[createDomain("long", { descr: "y".repeat(600) }), createDomain("wide", many)],
		);
		const found = await feed.list(ada.api, `connection=${fabric.id}`);
		const long = found.find(({ dn }) => dn.endsWith("long"));
		expect(long?.attributes).toEqual([{ name: "descr", before: "short", after: `${"y".repeat(500)}…` }]);
		const wide = found.find(({ dn }) => dn.endsWith("wide"));
		expect([wide?.attributes.length, wide?.attributes_omitted]).toEqual([200, 5]);
	});

	it("shows no changes of private snapshots", async () => {
		const fabric = await feed.addConnection(ada, { is_public: true });
		const query = await feed.addQuery(ada, { is_public: true });
		await feed.capture(bob, query.id, fabric.id, [createDomain("p", { mtu: "1" })]);
		await feed.capture(bob, query.id, fabric.id, [createDomain("p", { mtu: "2" })]);
		await feed.settle();
		expect(await feed.list(bob.api, `connection=${fabric.id}`)).toEqual([]);
	});
});

describe("a change that several queries saw", () => {
	/** Two queries with interleaved captures, of which the second has one attribute more. */
	async function captureInterleaved(more: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) {
		const fabric = await feed.addConnection(ada, { is_public: true });
		const [one, other] = [await feed.addQuery(ada, fields), await feed.addQuery(ada, more)];
		await feed.capture(ada, one.id, fabric.id, [createDomain("m", { mtu: "1" })]);
		await feed.capture(ada, other.id, fabric.id, [createDomain("m", { mtu: "1", descr: "1" })]);
		const snapshot = await feed.capture(ada, one.id, fabric.id, [createDomain("m", { mtu: "2" })]);
		const at = new Date(t.clock.now()).toISOString();
		await feed.capture(ada, other.id, fabric.id, [createDomain("m", { mtu: "2", descr: "2" })]);
		await feed.settle();
		return { fabric, one, other, snapshot, at };
	}

	it("shows a change that several queries saw as one entry, with the time and snapshots of the earliest", async () => {
		const { fabric, one, other, snapshot, at } = await captureInterleaved({
			drift_rules: { severity: { mtu: "critical" } },
		});
		expect(await feed.list(ada.api, `connection=${fabric.id}`)).toMatchObject([
			{
				at,
				snapshot_id: snapshot,
				severity: "critical",
				attributes: [
					{ name: "descr", before: "1", after: "2" },
					{ name: "mtu", before: "1", after: "2" },
				],
				saved_queries: [{ id: one.id }, { id: other.id }],
			},
		]);
		for (const filter of [`saved_query=${one.id}`, `saved_query=${other.id}`, "severity=critical", "search=descr"])
			expect(await feed.list(ada.api, `connection=${fabric.id}&${filter}`), filter).toHaveLength(1);
		expect(await feed.list(ada.api, `connection=${fabric.id}&severity=warning`)).toEqual([]);
		const { body } = await ada.api.get(`${CHANGES}summary/?connection=${fabric.id}`);
		expect(body).toMatchObject({ connections: [{ modified: 1 }], important: [], totals: { changes: 1 } });
		const important = await ada.api.get(`${CHANGES}summary/?connection=${fabric.id}&important=5`);
		expect(important.body.important).toEqual(await feed.list(ada.api, `connection=${fabric.id}`));
	});

	it("shows each caller what the queries and connections that they see give", async () => {
		const { fabric, other } = await captureInterleaved({ is_public: true });
		expect(await feed.list(bob.api, `connection=${fabric.id}`)).toMatchObject([
			{
				saved_queries: [{ id: other.id }],
				severity: "warning",
				attributes: [{ name: "descr" }, { name: "mtu" }],
			},
		]);
		expect((await bob.api.get(`${CHANGES}summary/?connection=${fabric.id}`)).body.totals.changes).toBe(1);
		await ada.api.patch(`/api/controller/connections/${fabric.id}/`, { is_public: false });
		expect(await feed.list(bob.api, `connection=${fabric.id}`)).toEqual([]);
		expect((await bob.api.get(`${CHANGES}summary/?connection=${fabric.id}`)).body.totals.changes).toBe(0);
		expect(await feed.list(ada.api, `connection=${fabric.id}`)).toHaveLength(1);
		const reader = await t.user("reader");
		await setRights(t, reader, {});
		expect((await reader.api.get(CHANGES)).status).toBe(403);
	});

	it("takes severity and text of the visible queries alone", async () => {
		const { fabric } = await captureInterleaved(
			{ is_public: true, drift_rules: { severity: { mtu: "info", descr: "info" } } },
			{ drift_rules: { severity: { mtu: "critical" } } },
		);
		expect(await feed.list(bob.api, `connection=${fabric.id}`)).toMatchObject([{ severity: "info" }]);
		expect(await feed.list(bob.api, `connection=${fabric.id}&severity=info`)).toHaveLength(1);
		expect(await feed.list(ada.api, `connection=${fabric.id}`)).toMatchObject([{ severity: "critical" }]);
		const { fabric: second } = await captureInterleaved({}, { is_public: true });
		expect(await feed.list(bob.api, `connection=${second.id}&search=mtu`)).toHaveLength(1);
		expect(await feed.list(bob.api, `connection=${second.id}&search=descr`)).toEqual([]);
		expect(await feed.list(ada.api, `connection=${second.id}&search=descr`)).toHaveLength(1);
	});

	it("stays an entry when the query that saw it first is deleted", async () => {
		const { fabric, one, other } = await captureInterleaved();
		await ada.api.del(`/api/queries/saved-queries/${one.id}/`);
		for (const user of [ada, t.admin])
			expect(await feed.list(user.api, `connection=${fabric.id}`)).toMatchObject([
				{ saved_queries: [{ id: other.id }] },
			]);
	});

	it("shows two entries where two queries saw different values", async () => {
		const fabric = await feed.addConnection(ada);
		const [one, other] = [await feed.addQuery(ada), await feed.addQuery(ada)];
		await feed.capture(ada, one.id, fabric.id, [createDomain("v", { mtu: "1" })]);
		await feed.capture(ada, other.id, fabric.id, [createDomain("v", { mtu: "1" })]);
		await feed.capture(ada, one.id, fabric.id, [createDomain("v", { mtu: "2" })]);
		await feed.capture(ada, other.id, fabric.id, [createDomain("v", { mtu: "3" })]);
		await feed.settle();
		expect(await feed.list(ada.api, `connection=${fabric.id}`)).toHaveLength(2);
	});
});

describe("filters of the feed", () => {
	it("filters the feed by class, tenant, kind of change, severity, time and text", async () => {
		const fabric = await feed.addConnection(ada);
		const query = await feed.addQuery(ada, { drift_rules: { severity: { fvCtx: "critical" } } });
		const context = createObject("fvCtx", "uni/tn-b/ctx-One", { descr: '50%_of "all"' });
		await feed.capture(ada, query.id, fabric.id, [createDomain("f", { mtu: "1" })]);
		const start = new Date(t.clock.now()).toISOString();
		await feed.capture(ada, query.id, fabric.id, [createDomain("f", { mtu: "2", descr: "x\ny" }), context]);
		await feed.settle();
		const of = async (filter: string) => {
			const found = await feed.list(ada.api, `connection=${fabric.id}&${filter}`);
			return found.map(({ class_name }) => class_name).sort();
		};
		const end = encodeURIComponent(new Date(t.clock.now()).toISOString());
		for (const [filter, expected] of [
			["class=fvCtx", ["fvCtx"]],
			["tenant=b", ["fvCtx"]],
			["tenant=a", ["fvBD"]],
			["change=added", ["fvCtx"]],
			["change=deleted", []],
			["severity=critical", ["fvCtx"]],
			["severity=warning", ["fvBD"]],
			["search=CTX-one", ["fvCtx"]],
			["search=mtu", ["fvBD"]],
			["search=before", []],
			["search=tu", ["fvBD"]],
			["search=tn-b/CTX", ["fvCtx"]],
			["search=tnzbqctx", []],
			["search=b-ctx", []],
			["search=nul", []],
			["search=ny", []],
			["search=x%0Ay", ["fvBD"]],
			["search=b/ctx-one fv", []],
			[`search=${encodeURIComponent('50%_OF "a')}`, ["fvCtx"]],
			[`search=${encodeURIComponent("5%_")}`, []],
			[`since=${start}`, ["fvBD", "fvCtx"]],
			[`until=${end}`, []],
			[`since=${start}&until=${end}`, []],
			["user=carol", []],
		] as const)
			expect(await of(filter), filter).toEqual(expected);
		await t.clock.advance(25 * 3_600_000);
		expect(await of("")).toEqual([]);
		expect(await of(`since=${start}`)).toEqual(["fvBD", "fvCtx"]);
	});

	it.each([
		["since=yesterday", "since"],
		["until=2026-01-01T00:00:00Z&since=2026-01-02T00:00:00Z", "until"],
		["severity=high", "severity"],
		["change=moved", "change"],
		["connection=one", "connection"],
		["cursor=nonsense", "cursor"],
	])("refuses %s", async (parameters, field) => {
		const { status, body } = await ada.api.get(`${CHANGES}?${parameters}`);
		expect(status).toBe(400);
		expect(Object.keys(body)).toEqual([field]);
	});
});

describe("pages of the feed", () => {
	it("keeps the view of the first page while new changes come", async () => {
		const names = ["a", "b", "c", "d", "e"];
		const { fabric, query } = await captureTwice(
			names.map((name) => createDomain(`page-${name}`, { mtu: "1" })),
			names.map((name) => createDomain(`page-${name}`, { mtu: "2" })),
		);
		const first = (await ada.api.get(`${CHANGES}?connection=${fabric.id}&page_size=2`)).body;
		expect(first).toMatchObject({ count: 5, previous: null, next: expect.stringContaining("cursor=") });
		await feed.capture(ada, query.id, fabric.id, [createDomain("page-a", { mtu: "3" })]);
		await feed.settle();
		const seen = [...first.results];
		let pages = 1;
		for (let next: string | null = first.next; next !== null; pages++) {
			const { pathname, search } = new URL(next);
			const { body } = await ada.api.get(pathname + search);
			expect(body.count).toBe(5);
			seen.push(...body.results);
			next = body.next;
		}
		expect(pages).toBe(3);
		expect(seen.map(({ dn }) => dn).sort()).toEqual(names.map((name) => `uni/tn-a/BD-page-${name}`));
		expect((await ada.api.get(`${CHANGES}?connection=${fabric.id}`)).body.count).toBe(10);
		const byNumber = await feed.list(ada.api, `connection=${fabric.id}&page_size=4&page=3`);
		expect(byNumber).toHaveLength(2);
		expect((await ada.api.get(`${CHANGES}?connection=${fabric.id}&page=9`)).status).toBe(404);
	});
});
