/** What counts as drift of a query: measured at the capture, in comparisons and in timelines. */
import type { Drift } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
const QUERIES = "/api/queries/saved-queries/";
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

type Row = Record<string, unknown>;
const createObject = (kind: string, dn: string, attributes: Row = {}): Row => ({
	[kind]: { attributes: { dn, ...attributes } },
});
const createBridgeDomain = (name: string, attributes: Row = {}) =>
	createObject("fvBD", `uni/tn-a/BD-${name}`, attributes);

const flow_data = {
	nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } }],
	edges: [],
};
let serial = 0;
async function addQuery(drift_rules?: Row): Promise<string> {
	const { status, body, text } = await ada.api.post(QUERIES, {
		name: `Query ${++serial}`,
		flow_data,
		enable_time_machine: true,
		...(drift_rules && { drift_rules }),
	});
	expect(status, text).toBe(201);
	return body.id;
}
async function captureRows(query: string, rows: readonly Row[], more: Row = {}): Promise<string> {
	const { body } = await ada.api.post(`${TM}capture/`, {
		saved_query_id: query,
		result_data: { imdata: rows },
		...more,
	});
	expect(body).toMatchObject({ success: true, snapshot_id: expect.any(String) });
	return body.snapshot_id;
}
const findDrift = async (id: string): Promise<Drift | null> => (await ada.api.get(`${TM}snapshots/${id}/`)).body.drift;
/** The drift of the second capture against the first one. */
async function findDriftBetween(rules: Row | undefined, from: readonly Row[], to: readonly Row[]) {
	const query = await addQuery(rules);
	await captureRows(query, from);
	return findDrift(await captureRows(query, to));
}

describe("drift", () => {
	it("is null for the first snapshot of a query on a connection, and counted for the next", async () => {
		const query = await addQuery();
		const first = await captureRows(query, [
			createBridgeDomain("a"),
			createBridgeDomain("b"),
			createBridgeDomain("c", { mtu: "1" }),
		]);
		expect(await findDrift(first)).toBeNull();
		const second = await captureRows(query, [
			createBridgeDomain("b"),
			createBridgeDomain("c", { mtu: "2" }),
			createBridgeDomain("d"),
		]);
		const expected = { added: 1, deleted: 1, modified: 1, ignored: 0, severity: "warning" };
		expect(await findDrift(second)).toEqual(expected);
		const listed = (await ada.api.get(`${TM}snapshots/?saved_query_id=${query}`)).body.snapshots;
		expect(listed.map(({ drift }: { drift: Drift | null }) => drift)).toEqual([expected, null]);
		const other = await captureRows(query, [createBridgeDomain("x")], { controller_connection_name: "another" });
		expect(await findDrift(other)).toBeNull();
	});

	it("is nothing where only clocks, counters and the order of flags differ; the snapshot stays exact", async () => {
		const query = await addQuery();
		await captureRows(query, [createBridgeDomain("a", { modTs: "1", ctrl: "nd,querier" })]);
		const rows = [createBridgeDomain("a", { modTs: "2", ctrl: "querier,nd" })];
		const { body } = await ada.api.get(`${TM}snapshots/${await captureRows(query, rows)}/`);
		expect(body).toMatchObject({
			has_changes: true,
			drift: { added: 0, deleted: 0, modified: 0, ignored: 1, severity: null },
			result_data: { imdata: rows },
		});
	});

	it("counts them where the rules say so", async () => {
		const [from, to] = [[createBridgeDomain("a", { modTs: "1" })], [createBridgeDomain("a", { modTs: "2" })]];
		expect(await findDriftBetween({ ignore_volatile: false }, from, to)).toMatchObject({ modified: 1, ignored: 0 });
	});

	it.each<[string, Row, Row[], Row[], Partial<Drift>]>([
		[
			"an attribute",
			{ ignore: ["mtu"] },
			[createBridgeDomain("a", { mtu: "1" })],
			[createBridgeDomain("a", { mtu: "2" })],
			{ modified: 0, ignored: 1 },
		],
		[
			"of a class",
			{ ignore: ["fvBD.mtu"] },
			[createBridgeDomain("a", { mtu: 1 })],
			[createBridgeDomain("a", { mtu: 2 })],
			{ modified: 0, ignored: 1 },
		],
		[
			"of another",
			{ ignore: ["fvCtx.mtu"] },
			[createBridgeDomain("a", { mtu: 1 })],
			[createBridgeDomain("a", { mtu: 2 })],
			{ modified: 1, ignored: 0 },
		],
		[
			"a pattern",
			{ ignore: ["*Ts"] },
			[createBridgeDomain("a", { aTs: "1" })],
			[createBridgeDomain("a", { aTs: "2" })],
			{ modified: 0, ignored: 1 },
		],
		[
			"class and pattern",
			{ ignore: ["fv*.m*u"] },
			[createBridgeDomain("a", { mtu: 1 })],
			[createBridgeDomain("a", { mtu: 2 })],
			{ ignored: 1 },
		],
		[
			"characters of expressions",
			{ ignore: ["m.*"] },
			[createBridgeDomain("a", { mtu: 1 })],
			[createBridgeDomain("a", { mtu: 2 })],
			{ modified: 1 },
		],
		[
			"beside another",
			{ ignore: ["mtu"] },
			[createBridgeDomain("a", { mtu: 1, x: 1 })],
			[createBridgeDomain("a", { mtu: 2, x: 2 })],
			{ modified: 1 },
		],
		[
			"a class",
			{ ignore_classes: ["fvBD"] },
			[createBridgeDomain("a"), createBridgeDomain("b", { x: 1 })],
			[createBridgeDomain("b", { x: 2 }), createBridgeDomain("c")],
			{ ignored: 3 },
		],
		[
			"a pattern of classes",
			{ ignore_classes: ["fv*"] },
			[createBridgeDomain("a")],
			[createObject("l3extOut", "o")],
			{ added: 1, ignored: 1 },
		],
		[
			"dns",
			{ ignore_dns: ["BD-(a|c)$"] },
			[createBridgeDomain("a"), createBridgeDomain("b")],
			[createBridgeDomain("c"), createBridgeDomain("ca")],
			{ added: 1, deleted: 1, ignored: 2 },
		],
		[
			"a set",
			{ treat_as_set: ["list"] },
			[createBridgeDomain("a", { list: "x y, z" })],
			[createBridgeDomain("a", { list: "z, x y" })],
			{ ignored: 1 },
		],
		[
			"a text",
			{},
			[createBridgeDomain("a", { descr: "x,y" })],
			[createBridgeDomain("a", { descr: "y,x" })],
			{ modified: 1 },
		],
	])("leaves out what the rules ignore: %s", async (_what, rules, from, to, expected) => {
		expect(await findDriftBetween(rules, from, to)).toMatchObject(expected);
	});

	it.each<[Row, Row, string]>([
		[{ descr: "1" }, { descr: "2" }, "info"],
		[{ mtu: "1" }, { mtu: "2" }, "critical"],
		[{ descr: "1", mtu: "1" }, { descr: "2", mtu: "2" }, "critical"],
		[{ name: "1" }, { name: "2" }, "critical"],
	])(
		"is as severe as the most specific rule says, the highest of all changes: %j to %j is %s",
		async (old, now, severity) => {
			const rules = { severity: { fvBD: "critical", "fvBD.descr": "info", name: "info" } };
			expect(
				await findDriftBetween(rules, [createBridgeDomain("a", old)], [createBridgeDomain("a", now)]),
			).toMatchObject({ modified: 1, severity });
		},
	);

	it("takes the severity of the class for objects that come and go", async () => {
		const rules = { severity: { fvBD: "info" } };
		expect(await findDriftBetween(rules, [createBridgeDomain("a")], [createBridgeDomain("b")])).toMatchObject({
			added: 1,
			deleted: 1,
			severity: "info",
		});
		expect(await findDriftBetween(rules, [], [createObject("fvCtx", "uni/ctx")])).toMatchObject({
			severity: "warning",
		});
	});

	it("counts rows without a dn, which no rule concerns", async () => {
		const row = (name: string) => ({ fvBD: { attributes: { name } } });
		const [from, to] = [
			[row("a"), row("b"), row("b"), createBridgeDomain("x")],
			[row("b"), row("c"), createBridgeDomain("x")],
		];
		expect(await findDriftBetween({ ignore_classes: ["*"] }, from, to)).toEqual({
			added: 1,
			deleted: 2,
			modified: 0,
			ignored: 0,
			severity: "warning",
		});
		const nested = (name: string) => ({ fvBD: { attributes: { name }, children: [createBridgeDomain("x")] } });
		expect(await findDriftBetween({}, [nested("a")], [nested("b")])).toMatchObject({ modified: 1 });
	});

	it("is measured across segments, and where dns occur twice", async () => {
		const query = await addQuery();
		const rows = (from: number) =>
			Array.from({ length: 9_000 }, (_, at) => createBridgeDomain(`${from + at}`, { n: String(from) }));
		await captureRows(query, rows(0));
		for (const from of [3_000, 20_000, 21_000]) {
			const moved = Math.min(9_000, from === 3_000 ? 3_000 : from === 20_000 ? 9_000 : 1_000);
			expect(await findDrift(await captureRows(query, rows(from)))).toMatchObject({
				added: moved,
				deleted: moved,
				modified: 9_000 - moved,
			});
		}
		expect(
			await findDriftBetween(
				{},
				[createBridgeDomain("a", { x: 1 }), createBridgeDomain("a", { x: 2 })],
				[createBridgeDomain("a", { x: 1 }), createBridgeDomain("a", { x: 3 })],
			),
		).toMatchObject({
			modified: 1,
		});
	});

	it("equals the comparison by the same rules, whatever changed", async () => {
		const attribute = fc.constantFrom("1", "2", "a,b", "b,a");
		const row = fc.record({
			kind: fc.constantFrom("fvBD", "fvCtx"),
			dn: fc.constantFrom("a", "b", "uni/c", "uni/d"),
			attributes: fc.record({ modTs: attribute, mtu: attribute, descr: attribute }, { requiredKeys: [] }),
		});
		const rows = fc.uniqueArray(row, { selector: ({ dn }) => dn });
		const rules = fc.record({
			ignore: fc.subarray(["mtu", "fvBD.descr", "m*"]),
			ignore_volatile: fc.boolean(),
			ignore_classes: fc.subarray(["fvCtx"]),
			ignore_dns: fc.subarray(["^uni/"]),
			treat_as_set: fc.subarray(["descr"]),
		});
		await fc.assert(
			fc.asyncProperty(rules, fc.array(rows, { minLength: 2, maxLength: 4 }), async (given, results) => {
				const query = await addQuery(given);
				let before: string | null = null;
				for (const result of results) {
					const answer = await ada.api.post(`${TM}capture/`, {
						saved_query_id: query,
						result_data: { imdata: result.map(({ kind, dn, attributes }) => createObject(kind, dn, attributes)) },
					});
					if (answer.body.skipped) continue;
					const id: string = answer.body.snapshot_id;
					const drift = await findDrift(id);
					if (before === null) expect(drift).toBeNull();
					else {
						const { body } = await ada.api.post(`${TM}compare/?format=summary&rules=query`, {
							snapshot_from_id: before,
							snapshot_to_id: id,
						});
						const sum = (kind: "added" | "deleted" | "modified") =>
							Object.values(body.summary as Record<string, Drift>).reduce((total, counts) => total + counts[kind], 0);
						const counts = { added: sum("added"), deleted: sum("deleted"), modified: sum("modified") };
						expect(drift).toMatchObject({ ...counts, ignored: body.ignored.objects });
						expect(drift?.severity).toBe(body.total_changes > 0 ? "warning" : null);
					}
					before = id;
				}
			}),
			{ numRuns: 25 },
		);
	});
});

describe("drift rules", () => {
	it("are part of the query, and change neither its version nor a snapshot", async () => {
		const id = await addQuery({ ignore: ["descr"] });
		const rules = {
			ignore: ["descr"],
			ignore_volatile: true,
			ignore_classes: [],
			ignore_dns: [],
			severity: {},
			treat_as_set: [],
		};
		expect((await ada.api.get(`${QUERIES}${id}/`)).body).toMatchObject({ drift_rules: rules, version_string: "v1.0" });
		const { body } = await ada.api.patch(`${QUERIES}${id}/`, { drift_rules: { severity: { fvBD: "critical" } } });
		const changed = { ...rules, ignore: [], severity: { fvBD: "critical" } };
		expect(body).toMatchObject({ drift_rules: changed, version_string: "v1.0" });
		const { body: replaced } = await ada.api.put(`${QUERIES}${id}/`, { name: "Renamed", flow_data });
		expect(replaced.drift_rules).toEqual(changed);
	});

	it("are the defaults for a query without them", async () => {
		expect((await ada.api.get(`${QUERIES}${await addQuery()}/`)).body.drift_rules).toEqual({
			ignore: [],
			ignore_volatile: true,
			ignore_classes: [],
			ignore_dns: [],
			severity: {},
			treat_as_set: [],
		});
	});

	it.each<[Row, string]>([
		[{ ignored: [] }, "drift_rules"],
		[{ ignore: "descr" }, "drift_rules.ignore"],
		[{ ignore: [""] }, "drift_rules.ignore.0"],
		[{ ignore: Array(201).fill("x") }, "drift_rules.ignore"],
		[{ ignore_dns: ["ok", "(a"] }, "drift_rules.ignore_dns.1"],
		[{ ignore_dns: ["(a)\\1"] }, "drift_rules.ignore_dns.0"],
		[{ ignore_dns: ["((a{1,100}){1,100}){1,100}"] }, "drift_rules.ignore_dns.0"],
		[{ ignore_dns: Array(21).fill("x") }, "drift_rules.ignore_dns"],
		[{ severity: { fvBD: "error" } }, "drift_rules.severity.fvBD"],
		[
			{ severity: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`c${at}`, "info"])) },
			"drift_rules.severity",
		],
		[{ ignore_volatile: "yes" }, "drift_rules.ignore_volatile"],
	])("are refused with their field: %j under %s", async (drift_rules, field) => {
		const answer = await ada.api.post(QUERIES, { name: "Wrong", flow_data, drift_rules });
		expect(answer.status).toBe(400);
		expect(Object.keys(answer.body)).toEqual([field]);
	});

	it("apply to timelines that ask for them", async () => {
		const query = await addQuery({ ignore: ["mtu"] });
		await captureRows(query, [createBridgeDomain("a", { mtu: "1", descr: "x", modTs: "1" })]);
		await captureRows(query, [createBridgeDomain("a", { mtu: "2", descr: "y", modTs: "2" })]);
		const ask = async (more: string) => {
			const { body } = await ada.api.get(`${TM}timeline/?saved_query_id=${query}&dn=uni/tn-a/BD-a${more}`);
			return Object.fromEntries(
				body.attribute_evolution.map(({ attribute, change_count }: { attribute: string; change_count: number }) => [
					attribute,
					change_count,
				]),
			);
		};
		expect(await ask("")).toEqual({ dn: 0, descr: 1, mtu: 1, modTs: 1 });
		expect(await ask("&rules=query")).toEqual({ dn: 0, descr: 1, mtu: 0, modTs: 0 });
		expect((await ada.api.get(`${TM}timeline/?saved_query_id=${query}&dn=x&rules=own`)).status).toBe(400);
	});

	it("need a saved query in a comparison", async () => {
		const adHoc = async (x: string) => {
			const result_data = { imdata: [createBridgeDomain("a", { x })] };
			return (await ada.api.post(`${TM}capture/`, { query_name: "ad hoc", result_data })).body.snapshot_id;
		};
		const [from, to] = [await adHoc("1"), await adHoc("2")];
		const answer = await ada.api.post(`${TM}compare/?rules=query`, { snapshot_from_id: from, snapshot_to_id: to });
		expect([answer.status, answer.body]).toEqual([400, { rules: ["The later snapshot is not of a saved query."] }]);
		expect(await findDrift(to)).toMatchObject({ modified: 1 });
	});
});
