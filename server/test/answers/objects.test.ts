/** One object: attributes, changes, surroundings, checks, the same elsewhere, and live. */
import { objectAnswer } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listOutdatedIndexes } from "../../src/areas/answers/find/sql/object-index.ts";
import type { ModelGraph } from "../../src/core/ports/class-model.ts";
import { addConnection } from "../support/canvases.ts";
import { createFeed } from "../support/changes.ts";
import { sketchModel } from "../support/flows/sketch-model.ts";
import { waitUntil } from "../support/harness.ts";
import { createObject, useObjectIndex } from "../support/object-index.ts";

let model: ModelGraph | null = null;
const index = useObjectIndex(["object-ada", "object-bob"], { work: true, deps: { classModel: async () => model } });
const feed = createFeed(() => index.t);
/** Brings the index and the feed of changes up to date. */
async function updateAnswers(): Promise<void> {
	await waitUntil("every snapshot is in the index", async () => {
		await updateIndexes();
		return (await listOutdatedIndexes(index.t.app.context.store.db, 1)).length === 0;
	});
	await feed.settle();
}
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
	await updateAnswers();
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
		expect(answer).toMatchObject({ changes_since: answer.first_seen_at, are_changes_pending: false, truncated: [] });
	});

	it("sorts attributes into kinds by the class of a loaded model, and by names where it lacks one", async () => {
		model = sketchModel([
			{ name: "fvBD", rn: "BD-{name}", configurable: ["mtu"], properties: ["seg", "modTs", "bcastP"] },
			{ name: "fvSubnet", rn: "subnet-[{ip}]", configurable: ["ip", "scope"], properties: ["preferred"] },
		]);
		const query = await createQuery();
		const dn = "uni/tn-k/BD-k";
		const subnet = `${dn}/subnet-[10.1.1.1/24]`;
		const values = { name: "k", mtu: "1", seg: "2", modTs: "3", descr: "", childAction: "", other: "x" };
		await captureRows(query, A, [
			createObject("fvBD", dn, values),
			createObject("fvSubnet", subnet, { ip: "10.1.1.1/24", scope: "public", preferred: "no" }),
			createObject("fvUnknown", "uni/unknown", { name: "u", operSt: "up", preferred: "no", scope: "1" }),
		]);
		await updateAnswers();
		const listKinds = async (of: string) =>
			(await readAnswer(of)).attributes.map(({ name, kind }) => `${name} ${kind}`);
		expect(await listKinds(dn)).toEqual([
			..."dn naming,name naming,descr configurable,mtu configurable,other configurable".split(","),
			..."childAction operational,seg identity,modTs time".split(","),
		]);
		expect(await listKinds(subnet)).toEqual("dn naming,ip naming,scope configurable,preferred operational".split(","));
		expect(await listKinds("uni/unknown")).toEqual(
			"dn naming,name naming,preferred configurable,scope configurable,operSt operational".split(","),
		);
		model = null;
		expect(await listKinds(subnet)).toEqual("dn naming,ip naming,preferred configurable,scope configurable".split(","));
	});

	it("names other connections that have it, and what differs there beside identity and time", async () => {
		const { elsewhere } = await readAnswer(BD);
		expect(elsewhere).toEqual([
			{
				connection: { id: index.B, name: "fabric b" },
				dn: BD,
				equal: false,
				differing: ["mtu"],
				differences: [{ name: "mtu", here: "9000", there: "1500" }],
			},
		]);
		const back = await readAnswer(BD, index.B);
		expect(back.elsewhere).toMatchObject([{ connection: { id: A }, differing: ["mtu"] }]);
	});

	it("finds the same object of another fabric by its DN without numbers of nodes and pods", async () => {
		const here = await createQuery();
		const there = await createQuery();
		const createSystem = (node: string, more: object = {}) =>
			createObject("topSystem", `topology/${node}/sys`, { id: node.slice(-3), serial: node, ...more });
		const createPath = (path: string) =>
			createObject("fvRsPathAtt", `uni/tn-p/ap-a/epg-e/rspathAtt-[topology/${path}/pathep-[eth1/1]]`, {
				tDn: `topology/${path}/pathep-[eth1/1]`,
				mode: "regular",
			});
		await captureRows(here, A, [
			createSystem("pod-1/node-101", { name: "leaf" }),
			createPath("pod-1/paths-101"),
			createPath("pod-1/protpaths-101-102"),
			createObject("fvBD", "uni/tn-p/BD-pod-1", {}),
		]);
		await captureRows(there, index.B, [
			createSystem("pod-2/node-201", { name: "other" }),
			createPath("pod-2/paths-201"),
			createPath("pod-2/protpaths-201-202"),
			createObject("fvBD", "uni/tn-p/BD-pod-2", {}),
		]);
		await updateAnswers();
		const find = async (dn: string) => (await readAnswer(dn)).elsewhere.map(({ dn: of, differing }) => [of, differing]);
		expect(await find("topology/pod-1/node-101/sys")).toEqual([["topology/pod-2/node-201/sys", ["name"]]]);
		const getPath = (path: string) => `uni/tn-p/ap-a/epg-e/rspathAtt-[topology/${path}/pathep-[eth1/1]]`;
		expect(await find(getPath("pod-1/paths-101"))).toEqual([[getPath("pod-2/paths-201"), []]]);
		expect(await find(getPath("pod-1/protpaths-101-102"))).toEqual([[getPath("pod-2/protpaths-201-202"), []]]);
		expect(await find("uni/tn-p/BD-pod-1")).toEqual([]);
		await captureRows(there, index.B, [
			createSystem("pod-1/node-101", { name: "same" }),
			createSystem("pod-2/node-201", { name: "other" }),
		]);
		await updateAnswers();
		expect(await find("topology/pod-1/node-101/sys")).toEqual([["topology/pod-1/node-101/sys", ["name"]]]);
	});

	it("shows the newest 50 changes of all its histories, and says that there are more", async () => {
		const dn = "uni/tn-many/BD-m";
		const capture = (query: string, mtu: string) =>
			captureRows(query, A, [createObject("fvBD", dn, { name: "m", mtu })]);
		const queries: string[] = [];
		for (let at = 0; at < 7; at++) queries.push(await createQuery());
		// The oldest history is the only one with changes at first.
		const [first = "", ...others] = queries;
		for (let at = 0; at < 48; at++) await capture(first, `${at}`);
		for (const query of others) await capture(query, "47");
		await updateAnswers();
		const before = await readAnswer(dn);
		expect(before.histories).toHaveLength(7);
		expect(before.changes).toHaveLength(47);
		expect(before.truncated).toEqual([]);
		expect(before.changes[0]).toMatchObject({
			attributes: [{ name: "mtu", before: "46", after: "47" }],
			saved_queries: [{ id: first }],
			snapshot_id: expect.any(String),
			previous_snapshot_id: expect.any(String),
		});
		for (const query of others) await capture(query, `of ${others.indexOf(query)}`);
		await updateAnswers();
		const after = await readAnswer(dn);
		expect(after.changes).toHaveLength(50);
		expect(after.truncated).toEqual(["changes"]);
		expect(after.changes[0]?.attributes).toEqual([{ name: "mtu", before: "47", after: "of 5" }]);
	});

	it("shows a change once that several of its queries saw, and keeps it when its snapshots are gone", async () => {
		const dn = "uni/tn-twice/BD-t";
		const [one, other] = [await createQuery(), await createQuery()];
		const capture = (query: string, mtu: string) =>
			captureRows(query, A, [createObject("fvBD", dn, { name: "t", mtu })]);
		await capture(one, "1");
		await capture(other, "1");
		const snapshot = await capture(one, "2");
		await capture(other, "2");
		await capture(one, "3");
		await updateAnswers();
		const { changes } = await readAnswer(dn);
		expect(changes).toHaveLength(2);
		expect(changes[1]).toMatchObject({ snapshot_id: snapshot, saved_queries: [{}, {}] });
		await index.ada.api.put("/api/time-machine/settings/", { retention_policy: "count", retention_count: 1 });
		const deleted = await index.ada.api.post("/api/time-machine/cleanup/execute/", { query_id: one });
		expect(deleted.body.deleted_count).toBe(2);
		await updateAnswers();
		expect((await readAnswer(dn)).changes).toMatchObject([
			{ change: "modified", snapshot_id: expect.any(String), previous_snapshot_id: null },
			{ change: "modified", snapshot_id: null, previous_snapshot_id: null },
		]);
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
			{
				connection: { name: "down" },
				status: "failed",
				error: expect.stringContaining("127.0.0.1:9 refused the connection: nothing listens there"),
			},
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
