/** Comparing snapshots of a saved query by time, on one connection and across two. */
import { compareAnswer } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let connections: string[];
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
	connections = [];
	for (const name of ["fabric a", "fabric b", "fabric c"]) {
		const { body } = await ada.api.post("/api/controller/connections/", {
			name,
			url: "https://apic.example.com",
			username: "admin",
			password: "planted",
		});
		connections.push(body.id);
	}
	await ada.api.put(`${TM}settings/`, { store_duplicates: true });
});
afterAll(() => t.close());

let serial = 0;
async function createQuery(): Promise<string> {
	const { body } = await ada.api.post("/api/queries/saved-queries/", {
		name: `query ${++serial}`,
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
	});
	return body.id;
}
const createBridgeDomain = (name: string, v = "1") => ({ fvBD: { attributes: { dn: `uni/BD-${name}`, v } } });

/** One second after the one before; gives the snapshot and its time. */
async function captureSnapshot(saved_query_id: string, names: string[], connection?: number) {
	await t.clock.advance(1000);
	const { body } = await ada.api.post(`${TM}capture/`, {
		saved_query_id,
		result_data: { imdata: names.map((name) => createBridgeDomain(name)) },
		...(connection === undefined ? {} : { controller_connection_id: connections[connection] }),
	});
	expect(body).toHaveProperty("snapshot_id");
	return { id: body.snapshot_id as string, at: t.clock.now() };
}
const postCompare = (body: object, user = ada) => user.api.post(`${TM}compare/`, body);
const formatIso = (at: number) => new Date(at).toISOString();
async function getSides(body: object): Promise<[string, string]> {
	const answer = await postCompare(body);
	expect(answer.text).toContain("snapshot_from");
	const { snapshot_from, snapshot_to } = compareAnswer.parse(answer.body);
	return [snapshot_from.id, snapshot_to.id];
}

describe("by time", () => {
	it("takes the snapshots at or before the times, and the latest where there is none", async () => {
		const id = await createQuery();
		const [one, two, three] = [
			await captureSnapshot(id, ["a"]),
			await captureSnapshot(id, ["a", "b"]),
			await captureSnapshot(id, ["b"]),
		];
		const between = (from: number, to: number) =>
			getSides({ saved_query_id: id, from: formatIso(from), to: formatIso(to) });
		expect(await between(one.at, three.at)).toEqual([one.id, three.id]);
		expect(await between(one.at + 999, two.at + 999)).toEqual([one.id, two.id]);
		expect(await between(three.at, one.at)).toEqual([three.id, one.id]);
		expect(await getSides({ saved_query_id: id, from: formatIso(two.at) })).toEqual([two.id, three.id]);
		expect(await getSides({ saved_query_id: id, snapshot_from_id: one.id })).toEqual([one.id, three.id]);
		const local = new Date(two.at + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
		expect(await getSides({ saved_query_id: id, from: local, snapshot_to_id: three.id })).toEqual([two.id, three.id]);
		const { body } = await postCompare({ saved_query_id: id, from: formatIso(one.at), to: formatIso(three.at) });
		expect(body).toMatchObject({ identical: false, diff: { total_changes: 2 } });
		const same = await postCompare({ saved_query_id: id, from: formatIso(one.at), to: formatIso(one.at + 1) });
		expect(same.body).toMatchObject({ identical: true, snapshot_from: { id: one.id }, snapshot_to: { id: one.id } });
	});

	it("says from when on there are any", async () => {
		const id = await createQuery();
		expect(await postCompare({ saved_query_id: id, from: formatIso(0) })).toMatchObject({
			status: 400,
			body: { saved_query_id: ["This query has no snapshots."] },
		});
		const { at } = await captureSnapshot(id, ["a"]);
		for (const side of ["from", "to"] as const) {
			const other = side === "from" ? "to" : "from";
			expect(
				await postCompare({ saved_query_id: id, [side]: formatIso(at - 1), [other]: formatIso(at) }),
			).toMatchObject({
				status: 400,
				body: {
					[side]: [expect.stringContaining(`at or before ${formatIso(at - 1)}; the first one is of ${formatIso(at)}.`)],
				},
			});
		}
		expect((await postCompare({ saved_query_id: id, from: formatIso(at) }, bob)).status).toBe(404);
	});

	it.each([
		[{ from: "2026-01-01T00:00:00Z" }, ["saved_query_id"]],
		[{ saved_query_id: "01890000-0000-7000-8000-000000000000" }, ["from"]],
		[{ saved_query_id: "01890000-0000-7000-8000-000000000000", from: "yesterday" }, ["from"]],
		[{ saved_query_id: "01890000-0000-7000-8000-000000000000", from: "2026-01-01T00:00:00" }, ["from"]],
		[
			{
				snapshot_from_id: "01890000-0000-7000-8000-000000000000",
				snapshot_to_id: "01890000-0000-7000-8000-000000000000",
				connection_to_id: "01890000-0000-7000-8000-000000000000",
			},
			["connection_to_id", "saved_query_id"],
		],
	])("refuses %j", async (body, fields) => {
		const answer = await postCompare(body);
		expect(answer.status).toBe(400);
		expect(Object.keys(answer.body).sort()).toEqual(fields);
	});
});

describe("across connections", () => {
	it("compares the same query on two of them, by dn", async () => {
		const id = await createQuery();
		const onA = await captureSnapshot(id, ["a", "both"], 0);
		const onB = await captureSnapshot(id, ["both", "b"], 1);
		const later = await captureSnapshot(id, ["both"], 0);
		const [a, b] = connections;
		const { body } = await postCompare({
			saved_query_id: id,
			connection_from_id: a,
			connection_to_id: b,
			from: formatIso(onA.at),
			to: formatIso(later.at),
		});
		expect(compareAnswer.parse(body)).toMatchObject({
			snapshot_from: { id: onA.id, controller_connection_id: a, controller_connection_name: "fabric a" },
			snapshot_to: { id: onB.id, controller_connection_id: b, controller_connection_name: "fabric b" },
			diff: { added: [{ dn: "uni/BD-b" }], deleted: [{ dn: "uni/BD-a" }], modified: [], total_changes: 2 },
		});
		const latest = { saved_query_id: id, connection_from_id: a, connection_to_id: b };
		expect(await getSides(latest)).toEqual([later.id, onB.id]);
	});

	it("stays on the other side's connection where one is not named", async () => {
		const id = await createQuery();
		const [one, onB, two] = [
			await captureSnapshot(id, ["1"], 0),
			await captureSnapshot(id, ["2"], 1),
			await captureSnapshot(id, ["3"], 0),
		];
		const later = await captureSnapshot(id, ["4"], 1);
		expect(await getSides({ saved_query_id: id, from: formatIso(two.at), to: formatIso(two.at) })).toEqual([
			two.id,
			two.id,
		]);
		expect(await getSides({ saved_query_id: id, from: formatIso(two.at), to: formatIso(later.at) })).toEqual([
			onB.id,
			later.id,
		]);
		expect(await getSides({ saved_query_id: id, from: formatIso(one.at), connection_to_id: connections[0] })).toEqual([
			...[one.id, two.id],
		]);
		expect(await getSides({ saved_query_id: id, from: formatIso(one.at), snapshot_to_id: two.id })).toEqual([
			one.id,
			two.id,
		]);
		const onlyB = await postCompare({ saved_query_id: id, from: formatIso(one.at), snapshot_to_id: later.id });
		expect(onlyB.body.from[0]).toContain(
			`On this connection the query has no snapshot at or before ${formatIso(one.at)}`,
		);
		expect(
			(await postCompare({ saved_query_id: id, from: formatIso(one.at), connection_to_id: connections[2] })).body,
		).toEqual({
			connection_to_id: ["On this connection the query has no snapshots."],
		});
	});
});

it("random captures: each moment is the latest snapshot at or before it", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 8 }),
			fc.array(fc.tuple(fc.nat({ max: 9000 }), fc.nat({ max: 1 })), { minLength: 2, maxLength: 2 }),
			async (captures, asked) => {
				const id = await createQuery();
				const start = t.clock.now();
				const all: { id: string; at: number; on: number }[] = [];
				for (const [at, on] of captures.entries()) all.push({ ...(await captureSnapshot(id, [`${at}`], on)), on });
				const expected = asked.map(([after, on]) =>
					all.filter((one) => one.on === on && one.at <= start + after).at(-1),
				);
				const [[from, fromOn], [to, toOn]] = asked as [[number, number], [number, number]];
				const answer = await postCompare({
					saved_query_id: id,
					from: formatIso(start + from),
					to: formatIso(start + to),
					connection_from_id: connections[fromOn],
					connection_to_id: connections[toOn],
				});
				expect(answer.status).toBe(expected.includes(undefined) ? 400 : 200);
				if (answer.status === 400) return;
				const { snapshot_from, snapshot_to } = answer.body;
				expect([snapshot_from.id, snapshot_to.id]).toEqual(expected.map((one) => one?.id));
			},
		),
		{ numRuns: 20 },
	);
}, 60_000);
