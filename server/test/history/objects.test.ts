/**
 * Objects through a query's snapshots: who changed what last, and several at once; random histories
 * against plain documents.
 */
import { blameAnswer, timelinesAnswer } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
	await ada.api.put(`${TM}settings/`, { store_duplicates: true });
});
afterAll(() => t.close());

let serial = 0;
async function createQuery(user = ada): Promise<string> {
	const made = await user.api.post("/api/queries/saved-queries/", {
		name: `query ${++serial}`,
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
	});
	return made.body.id;
}
type Attributes = Record<string, unknown>;
const createBridgeDomain = (dn: string, more: Attributes = {}) => ({ fvBD: { attributes: { dn, ...more } } });

interface Moment {
	snapshot_id: string;
	executed_at: string;
}
/** One second after the one before. */
async function captureRows(saved_query_id: string, rows: unknown[], more: object = {}): Promise<Moment> {
	await t.clock.advance(1000);
	const { body } = await ada.api.post(`${TM}capture/`, { saved_query_id, result_data: { imdata: rows }, ...more });
	expect(body).toHaveProperty("snapshot_id");
	return { snapshot_id: body.snapshot_id, executed_at: new Date(t.clock.now()).toISOString() };
}
const getBlame = (id: string, dn: string, more = "", user = ada) =>
	user.api.get(`${TM}blame/?saved_query_id=${id}&dn=${encodeURIComponent(dn)}${more}`);

describe("blame", () => {
	it("names the snapshot that last changed each attribute, values as they were spelt", async () => {
		const id = await createQuery();
		const first = await captureRows(id, [
			createBridgeDomain("x", { v: "1", gone: "g", same: "s" }),
			createBridgeDomain("y"),
		]);
		const second = await captureRows(id, [createBridgeDomain("x", { v: "2", same: "s" })]);
		const raw = `{"saved_query_id":"${id}","result_data":[{"fvBD":{"attributes":{"dn":"x","v":"2","same":"s","big":12345678901234567890}}}]}`;
		await t.clock.advance(1000);
		const sent = await ada.api.send("POST", `${TM}capture/`, raw, { "content-type": "application/json" });
		const third = { snapshot_id: sent.body.snapshot_id, executed_at: new Date(t.clock.now()).toISOString() };
		const { body, text } = await getBlame(id, "x");
		expect(text).toContain('"value":12345678901234567890,');
		expect(blameAnswer.parse(body)).toMatchObject({
			dn: "x",
			saved_query_id: id,
			controller_connection_id: null,
			snapshot_count: 3,
			has_older: false,
			present: true,
			first_seen: first,
			last_seen: third,
		});
		expect(body.attributes).toEqual([
			{ attribute: "big", value: expect.any(Number), previous: null, changed: true, ...third },
			{ attribute: "gone", value: null, previous: "g", changed: true, ...second },
			{ attribute: "v", value: "2", previous: "1", changed: true, ...second },
			{ attribute: "dn", value: "x", previous: null, changed: false, ...first },
			{ attribute: "same", value: "s", previous: null, changed: false, ...first },
		]);
	});

	it("tells of objects that are gone, and of none", async () => {
		const id = await createQuery();
		expect((await getBlame(id, "x")).body).toMatchObject({ snapshot_count: 0, present: false, attributes: [] });
		const first = await captureRows(id, [createBridgeDomain("x")]);
		await captureRows(id, []);
		const { body } = await getBlame(id, "x");
		expect(body).toMatchObject({ snapshot_count: 2, present: false, first_seen: first, last_seen: first });
		expect(body.attributes).toEqual([{ attribute: "dn", value: "x", previous: null, changed: false, ...first }]);
		expect((await getBlame(id, "nobody")).body).toMatchObject({ first_seen: null, last_seen: null, attributes: [] });
	});

	it("stays on one connection, that of the latest snapshot or the one that is asked for", async () => {
		const id = await createQuery();
		const made = async (name: string) =>
			(
				await ada.api.post("/api/controller/connections/", {
					name,
					url: "https://apic.example.com",
					username: "admin",
					password: "planted",
				})
			).body.id as string;
		const [a, b] = [await made("fabric a"), await made("fabric b")];
		const early = await captureRows(id, [createBridgeDomain("x", { v: "1" })], { controller_connection_id: a });
		const late = await captureRows(id, [createBridgeDomain("x", { v: "1" })], { controller_connection_id: b });
		const moved = await captureRows(id, [createBridgeDomain("x", { v: "2" })], { controller_connection_id: a });
		const v = async (more: string) => {
			const { body } = await getBlame(id, "x", more);
			return [body.controller_connection_name, body.attributes.find((one: Attributes) => one.attribute === "v")];
		};
		const changed = { attribute: "v", value: "2", previous: "1", changed: true, ...moved };
		expect(await v("")).toEqual(["fabric a", changed]);
		expect(await v(`&controller_connection_id=${a}`)).toEqual(["fabric a", changed]);
		expect(await v(`&controller_connection_id=${b}`)).toMatchObject(["fabric b", { changed: false, ...late }]);
		expect((await getBlame(id, "x")).body.first_seen).toEqual(early);
	});

	it("looks at no more than it may, and says so", async () => {
		const id = await createQuery();
		for (const v of ["1", "2", "2", "2"]) await captureRows(id, [createBridgeDomain("x", { v })]);
		const { body } = await getBlame(id, "x", "&limit=2");
		expect(body).toMatchObject({ snapshot_count: 2, has_older: true });
		expect(body.attributes.map((one: Attributes) => one.changed)).toEqual([false, false]);
		for (const more of ["&limit=0", "&dn=", "&controller_connection_id=7"])
			expect((await getBlame(id, "x", more)).status).toBe(400);
		expect((await getBlame(id, "x", "", bob)).status).toBe(404);
	});
});

describe("timelines of several objects", () => {
	const timelines = (id: string, dns: unknown, more = "", user = ada) =>
		user.api.get(`${TM}timeline/?saved_query_id=${id}&dns=${encodeURIComponent(JSON.stringify(dns))}${more}`);

	it("are those of each of them, in the order asked for", async () => {
		const id = await createQuery();
		await captureRows(id, [createBridgeDomain("a", { v: "1" }), createBridgeDomain("ü/[x,y]", { v: "1" })]);
		await captureRows(id, [createBridgeDomain("a", { v: "2" }), createBridgeDomain("a", { v: "3" })]);
		await captureRows(id, []);
		const dns = ["nobody", "ü/[x,y]", "a"];
		const { body } = await timelines(id, dns, "&limit=2");
		expect(timelinesAnswer.parse(body)).toMatchObject({ saved_query_id: id, snapshot_count: 2 });
		expect(body.timelines.map(({ dn }: { dn: string }) => dn)).toEqual(dns);
		for (const { dn, ...one } of body.timelines) {
			const alone = await ada.api.get(`${TM}timeline/?saved_query_id=${id}&limit=2&dn=${encodeURIComponent(dn)}`);
			expect({ dn, ...one, saved_query_id: id, snapshot_count: 2 }).toEqual(alone.body);
		}
		expect((await timelines(await createQuery(), ["a"])).body).toMatchObject({
			snapshot_count: 0,
			timelines: [{ points: [] }],
		});
		expect((await timelines(id, dns, "", bob)).status).toBe(404);
	});

	it.each([[[]], [["a", "a"]], [Array.from({ length: 21 }, (_, i) => `d${i}`)], ["a"], [[""]], [[7]]])(
		"refuse %j",
		async (dns) => {
			const answer = await timelines(await createQuery(), dns);
			expect(answer.status).toBe(400);
			expect(Object.keys(answer.body).every((key) => key.startsWith("dns"))).toBe(true);
		},
	);

	it("are not asked for along with one, nor as anything but JSON", async () => {
		const id = await createQuery();
		expect((await timelines(id, ["a"], "&dn=b")).body).toEqual({ dns: ["Give dn or dns, not both."] });
		const bare = await ada.api.get(`${TM}timeline/?saved_query_id=${id}&dns=a`);
		expect([bare.status, Object.keys(bare.body)]).toEqual([400, ["dns"]]);
		expect((await ada.api.get(`${TM}timeline/?saved_query_id=${id}`)).body).toHaveProperty("dn");
	});
});

const value = fc.oneof(fc.nat({ max: 2 }), fc.constantFrom("", "é", "\u2028", null, "x".repeat(3000)));
const objects = fc.uniqueArray(fc.record({ dn: fc.constantFrom("a", "ü/[😀]"), v: value, w: value }), {
	selector: ({ dn }) => dn,
});

/** What blame must answer, from plain documents. */
function computeNaiveBlame(points: (Moment & { own: Attributes | undefined })[]) {
	const seen = points.flatMap(({ own, ...moment }) => {
		const attributes = Object.entries(own ?? {}).filter(([, one]) => one !== null);
		return own === undefined ? [] : [{ moment, own: new Map(attributes) }];
	});
	const names = [...new Set(seen.flatMap(({ own }) => [...own.keys()]))];
	return names.flatMap((attribute) => {
		const value = seen.at(-1)?.own.get(attribute) ?? null;
		const at = seen.findLastIndex((one, at) => at > 0 && one.own.get(attribute) !== seen[at - 1]?.own.get(attribute));
		if (at < 0) return [{ attribute, value, previous: null, changed: false, ...seen[0]?.moment }];
		const previous = seen[at - 1]?.own.get(attribute) ?? null;
		return [{ attribute, value, previous, changed: true, ...seen[at]?.moment }];
	});
}

it("random histories: blame equals what plain documents tell", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(objects, { minLength: 1, maxLength: 12 }), async (captures) => {
			const id = await createQuery();
			const points: (Moment & { rows: Attributes[] })[] = [];
			for (const rows of captures)
				points.push({
					...(await captureRows(
						id,
						rows.map(({ dn, ...more }) => createBridgeDomain(dn, more)),
					)),
					rows,
				});
			for (const dn of ["a", "ü/[😀]"]) {
				const { body } = await getBlame(id, dn);
				const own = points.map(({ rows, ...moment }) => ({ ...moment, own: rows.find((row) => row.dn === dn) }));
				expect(body.attributes).toHaveLength(computeNaiveBlame(own).length);
				expect(body.attributes).toEqual(expect.arrayContaining(computeNaiveBlame(own)));
				expect(body.present).toBe(own.at(-1)?.own !== undefined);
			}
		}),
		{ numRuns: 15 },
	);
}, 60_000);
