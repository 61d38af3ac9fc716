/** One object: attributes, changes, surroundings, checks, the same elsewhere, and live. */
import { objectAnswer } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import { waitUntil } from "../support/harness.ts";
import { createObject, useObjectIndex } from "../support/object-index.ts";

const index = useObjectIndex(["object-ada", "object-bob"]);
const { createQuery, captureRows, updateIndexes } = index;
const BD = "uni/tn-o/BD-web";
const createDomain = (more: object = {}) =>
	createObject("fvBD", BD, { name: "web", mtu: "1500", seg: "1", modTs: "2026-01-01T00:00:00Z", ...more });
const SUBNET = createObject("fvSubnet", `${BD}/subnet-[10.9.9.1/24]`, { ip: "10.9.9.1/24" });
const CONTEXT = createObject("fvRsCtx", `${BD}/rsctx`, { tDn: "uni/tn-o/ctx-v", tnFvCtxName: "v" });
const SELECTED = createObject("fvRsBd", "uni/tn-o/ap-a/epg-e/rsbd", { tDn: BD, tnFvBDName: "web" });

let A: string;
let query: string;
const readObject = async (dn: string, connection = A, more = "", user = index.ada) =>
	user.api.get(`/api/objects/?connection=${connection}&dn=${encodeURIComponent(dn)}${more}`);
const readAnswer = async (...input: Parameters<typeof readObject>) => {
	const { status, body } = await readObject(...input);
	expect(status).toBe(200);
	return objectAnswer.parse(body);
};

beforeAll(async () => {
	({ A } = index);
	query = await createQuery();
	const tenant = createObject("fvTenant", "uni/tn-o", { name: "o" });
	await captureRows(query, A, [tenant, SUBNET]);
	await captureRows(query, A, [tenant, createDomain(), SUBNET, CONTEXT, SELECTED]);
	await captureRows(query, A, [tenant, createDomain({ mtu: "9000", modTs: "later" }), SUBNET, CONTEXT, SELECTED]);
	await captureRows(query, A, [
		tenant,
		createDomain({ mtu: "9000", modTs: "latest" }),
		SUBNET,
		CONTEXT,
		SELECTED,
		tenant,
	]);
	const second = await createQuery();
	await captureRows(second, index.B, [createDomain({ seg: "7", mtu: "1500" })]);
	await updateIndexes();
});

describe("an object", () => {
	it("shows its attributes by kind, its changes, parent, children and relations", async () => {
		const answer = await readAnswer(BD);
		expect(answer).toMatchObject({
			connection: { id: A, name: "fabric a" },
			class_name: "fvBD",
			label: "web",
			is_current: true,
			parent: { dn: "uni/tn-o", class_name: "fvTenant" },
			children: [
				{ class_name: "fvRsCtx", count: 1 },
				{ class_name: "fvSubnet", count: 1 },
			],
			relations: [
				{ class_name: "fvRsCtx", dn: `${BD}/rsctx`, other_dn: "uni/tn-o/ctx-v", direction: "out" },
				{ class_name: "fvRsBd", dn: "uni/tn-o/ap-a/epg-e/rsbd", other_dn: "uni/tn-o/ap-a/epg-e", direction: "in" },
			],
			relations_total: 2,
			checks: [],
			histories: [{ saved_query: { id: query }, snapshots: 4 }],
			live: null,
		});
		expect(answer.attributes.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
			"dn naming",
			"name naming",
			"mtu configurable",
			"seg identity",
			"modTs time",
		]);
		expect(answer.changes).toMatchObject([
			{ change: "modified", attributes: [{ name: "mtu", before: "1500", after: "9000" }], changed_by: [] },
			{ change: "added", attributes: [] },
		]);
	});

	it("names other connections that have it, and what differs there beside identity and time", async () => {
		const { elsewhere } = await readAnswer(BD);
		expect(elsewhere).toEqual([
			{ connection: { id: index.B, name: "fabric b" }, dn: BD, equal: false, differing: ["mtu"] },
		]);
		const back = await readAnswer(BD, index.B);
		expect(back.elsewhere).toMatchObject([{ connection: { id: A }, differing: ["mtu"] }]);
	});

	it("answers 404 to users who see no query or connection of an object, and where no snapshot has it", async () => {
		expect((await readObject(BD, A, "", index.bob)).status).toBe(404);
		expect((await readObject(BD, index.B, "", index.bob)).status).toBe(404);
		expect((await readObject("uni/tn-none")).status).toBe(404);
		expect((await index.ada.api.get(`/api/objects/?connection=${A}`)).status).toBe(400);
	});
});

describe("controllers", () => {
	let lab: RunningController;
	let live: string;
	let down: string;
	beforeAll(async () => {
		lab = await startController({ size: "small" });
		const editor = await index.t.user("object-live", ["Editor"]);
		index.ada = editor;
		live = await addConnection(editor.api, lab, { name: "lab" });
		down = (
			await editor.api.post("/api/controller/connections/", {
				name: "down",
				url: "http://127.0.0.1:9",
				username: "admin",
				password: "planted",
			})
		).body.id;
	});
	afterAll(() => lab.close());

	async function askLive(q: string) {
		const body = { q, controller_connection_ids: [live, down] };
		const started = await index.ada.api.post("/api/find/live/", body);
		expect(started).toMatchObject({ status: 202, body: { runs: [expect.any(String), expect.any(String)] } });
		const path = `/api/find/live/${started.body.id}/`;
		await waitUntil("the search is done", async () => (await index.ada.api.get(path)).body.status === "done");
		return path;
	}

	it("asks controllers in parallel, and names one that is down", async () => {
		const path = await askLive("common");
		const { body } = await index.ada.api.get(path);
		expect(body).toMatchObject({ kind: "name", normalized: "common", status: "done" });
		expect(body.connections).toMatchObject([
			{ connection: { name: "lab" }, status: "completed", error: null },
			{ connection: { name: "down" }, status: "failed", error: expect.stringMatching(/./) },
		]);
		expect(body.objects[0]).toMatchObject({
			connection: { id: live },
			dn: "uni/tn-common",
			class_name: "fvTenant",
			snapshot_id: null,
			is_current: true,
		});
		expect((await index.bob.api.get(path)).status).toBe(404);
		await index.t.clock.advance(31 * 60_000);
		expect((await index.ada.api.get(path)).status).toBe(404);
	});

	it("asks controllers every kind of question", async () => {
		for (const q of ["10.0.0.1", "10.0.0.0/8", "00:50:56:00:00:01", "100", "uni/tn-common"]) {
			const { body } = await index.ada.api.get(await askLive(q));
			expect(body.connections[0]).toMatchObject({ status: "completed", error: null });
		}
	});

	it("asks the controller for one object first, and shows a failure beside what snapshots have", async () => {
		const answer = await readAnswer("uni/tn-common", live, "&live=1");
		expect(answer).toMatchObject({
			class_name: "fvTenant",
			first_seen_at: null,
			live: { is_present: true, error: null },
		});
		expect(answer.children.length).toBeGreaterThan(0);
		expect((await readObject("uni/tn-none", live, "&live=1")).status).toBe(404);
		expect((await readObject(BD, down, "&live=1")).status).toBe(404);
	});
});
