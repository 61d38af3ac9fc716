/**
 * Pictures of the network from snapshots of the lab: of two moments, with the changes between them,
 * and for people who see only some of the queries.
 */
import { PICTURE_QUESTIONS, tenantPicture, topologyPicture } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { createFeed } from "../support/changes.ts";
import { type TestUser, waitUntil } from "../support/harness.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns({ lab: { size: "empty" } });
const feed = createFeed(() => runs.t);
const HOUR_MS = 3_600_000;

const createNode = (id: string, role: string, fabricSt: string) => ({
	fabricNode: { attributes: { dn: `topology/pod-1/node-${id}`, id, name: `${role}-${id}`, role, fabricSt } },
});
const createLink = (n1: string, p1: string, n2: string, linkState: string) => ({
	fabricLink: {
		attributes: {
			dn: `topology/pod-1/lnkcnt-${n2}/lnk-${n1}-1-${p1}-to-${n2}-1-1`,
			n1,
			s1: "1",
			p1,
			n2,
			s2: "1",
			p2: "1",
			linkState,
		},
	},
});
const LEAF = "topology/pod-1/node-101";
const EPG = "uni/tn-shop/ap-web/epg-front";
const createPolicy = (contract: string) => [
	{ fvCtx: { attributes: { dn: "uni/tn-shop/ctx-v", name: "v" } } },
	{ fvBD: { attributes: { dn: "uni/tn-shop/BD-blue", name: "blue" } } },
	{ fvRsCtx: { attributes: { dn: "uni/tn-shop/BD-blue/rsctx", tnFvCtxName: "v", tDn: "uni/tn-shop/ctx-v" } } },
	{ fvAEPg: { attributes: { dn: EPG, name: "front" } } },
	{ fvRsBd: { attributes: { dn: `${EPG}/rsbd`, tnFvBDName: "blue", tDn: "uni/tn-shop/BD-blue" } } },
	{ vzBrCP: { attributes: { dn: `uni/tn-shop/brc-${contract}`, name: contract } } },
	{
		fvRsProv: {
			attributes: { dn: `${EPG}/rsprov-${contract}`, tnVzBrCPName: contract, tDn: `uni/tn-shop/brc-${contract}` },
		},
	},
];

async function saveQuestion(key: string, name: string): Promise<string> {
	const saved = await runs.ada.api.post(`/api/queries/gallery/${key}/save/`, { name, enable_time_machine: true });
	expect(saved.status, saved.text).toBe(201);
	return saved.body.id;
}

/** Runs queries on the lab until their snapshots are stored, an hour after the last ones. */
async function keepSnapshots(...queries: string[]): Promise<void> {
	await runs.t.clock.advance(HOUR_MS);
	for (const id of queries) {
		const started = await runs.ada.api.post(`/api/queries/saved-queries/${id}/execute_background/`, {
			controller_connection_id: runs.connection,
		});
		expect(started.status, started.text).toBe(202);
		await waitUntil("the run has ended", async () => {
			const { status, errors } = await runs.detail(started.body.id);
			expect(errors).toEqual([]);
			return status === "completed";
		});
	}
	await feed.settle();
}

async function readPicture(path: string, more = "", user: TestUser = runs.ada) {
	const { status, body, text } = await user.api.get(`/api/pictures/${path}/?connection=${runs.connection}${more}`);
	expect(status, text).toBe(200);
	return body;
}
const readTopology = async (...input: [string?, TestUser?]) =>
	topologyPicture.parse(await readPicture("topology", ...input));
const readTenant = async (...input: [string?, TestUser?]) => tenantPicture.parse(await readPicture("tenant", ...input));

let topology: string;
let tenants: string;
let between: string;
let bob: TestUser;

beforeAll(async () => {
	bob = await runs.t.user("picture-bob", ["Editor"]);
});

describe("pictures without snapshots", () => {
	it("names every class as missing, draws nothing, and knows no query that brings the classes", async () => {
		const picture = await readTopology();
		expect(picture).toMatchObject({ nodes: [], edges: [], nodes_total: 0, truncated: [], at: null });
		expect(picture.classes).toEqual(
			["fabricNode", "fabricLink", "topSystem"].map((class_name) => ({
				class_name,
				status: "missing",
				reason: null,
				source: null,
				saved_query: null,
			})),
		);
		expect(await readTenant()).toMatchObject({ tenant: null, tenants: [], nodes: [] });
	});

	it("names a query with snapshots that has not run yet", async () => {
		topology = await saveQuestion(PICTURE_QUESTIONS.topology, "Topology");
		tenants = await saveQuestion(PICTURE_QUESTIONS.tenant, "Policy");
		const { classes } = await readTopology();
		expect(classes.map(({ saved_query }) => saved_query)).toEqual(Array(3).fill({ id: topology, name: "Topology" }));
	});
});

describe("pictures of two moments", () => {
	beforeAll(async () => {
		runs.lab.load({ imdata: [createNode("101", "leaf", "active"), createNode("201", "spine", "active")] });
		runs.lab.load({ imdata: [createLink("101", "53", "201", "ok"), ...createPolicy("web")] });
		await keepSnapshots(topology, tenants);
		between = new Date(runs.t.clock.now() + HOUR_MS / 2).toISOString();
		runs.lab.reset();
		runs.lab.load({
			imdata: [
				createNode("101", "leaf", "inactive"),
				createNode("201", "spine", "active"),
				createNode("102", "leaf", "active"),
			],
		});
		runs.lab.load({ imdata: [createLink("102", "53", "201", "failed"), ...createPolicy("dns")] });
		await keepSnapshots(topology, tenants);
	});

	it("marks nodes and links that were added, modified and deleted in the last hours", async () => {
		const picture = await readTopology("&hours=2");
		const changes = Object.fromEntries([...picture.nodes, ...picture.edges].map(({ dn, change }) => [dn, change]));
		expect(changes).toEqual({
			"topology/pod-1/node-201": null,
			[LEAF]: "modified",
			"topology/pod-1/node-102": "added",
			"topology/pod-1/lnkcnt-201/lnk-101-1-53-to-201-1-1": "deleted",
			"topology/pod-1/lnkcnt-201/lnk-102-1-53-to-201-1-1": "added",
		});
		expect(picture.nodes.find(({ dn }) => dn === LEAF)).toMatchObject({ state: "failed", kind: "leaf" });
		expect(picture).toMatchObject({ are_changes_pending: false, truncated: [], checks: [] });
		expect(picture.classes).toMatchObject([
			{ class_name: "fabricNode", status: "complete", source: { objects: 3, saved_query: { id: topology } } },
			{ class_name: "fabricLink", status: "complete", source: { objects: 1 } },
			// The query read the class, and the fabric has no such object: that is no missing class.
			{ class_name: "topSystem", status: "complete", source: { objects: 0 } },
		]);
	});

	it("draws the fabric of a past moment as it was, without what came later", async () => {
		const picture = await readTopology(`&at=${between}`);
		expect(picture.nodes.map(({ dn, state, change }) => [dn, state, change])).toEqual([
			["topology/pod-1/node-201", "ok", null],
			[LEAF, "ok", null],
		]);
		expect(picture.edges).toMatchObject([
			{ from: LEAF, to: "topology/pod-1/node-201", state: "ok", label: "1/53 – 1/1" },
		]);
		expect(picture).toMatchObject({ at: between, checks: null });
		const before = await readTopology("&at=2020-01-01T00:00:00Z");
		expect(before.classes.map(({ status }) => status)).toEqual(["missing", "missing", "missing"]);
		expect(before.nodes).toEqual([]);
	});

	it("draws the policy of a tenant with the contract that it provides now and the one of before", async () => {
		const picture = await readTenant("&hours=2");
		expect(picture).toMatchObject({ tenant: "shop", tenants: ["shop"] });
		expect(picture.edges.map(({ kind, from, to, change }) => [kind, from, to, change])).toEqual([
			["in_bridge_domain", EPG, "uni/tn-shop/BD-blue", null],
			["provides", EPG, "uni/tn-shop/brc-dns", "added"],
			["provides", EPG, "uni/tn-shop/brc-web", "deleted"],
			["in_vrf", "uni/tn-shop/BD-blue", "uni/tn-shop/ctx-v", null],
		]);
		const past = await readTenant(`&at=${between}&tenant=shop`);
		expect(past.nodes.map(({ dn }) => dn)).toContain("uni/tn-shop/brc-web");
		expect(past.nodes.map(({ dn }) => dn)).not.toContain("uni/tn-shop/brc-dns");
		expect((await readTenant("&tenant=nobody")).nodes).toEqual([]);
	});

	it("marks the nodes that the evidence of a failing check has, now and not in the past", async () => {
		const check = await runs.ada.api.post("/api/checks/", {
			name: "No node at all",
			saved_query: topology,
			type: "no_rows",
			config: {},
		});
		expect(check.status, check.text).toBe(201);
		await keepSnapshots(topology);
		const { nodes, checks } = await readTopology();
		expect(checks).toEqual([{ id: check.body.id, name: "No node at all", severity: expect.any(String) }]);
		expect(nodes.find(({ dn }) => dn === LEAF)?.checks).toEqual([check.body.id]);
	});
});

describe("rights to pictures", () => {
	it("draws nothing of queries that the caller does not see, and hides connections of others", async () => {
		const { id } = (await runs.ada.api.patch(`/api/controller/connections/${runs.connection}/`, { is_public: true }))
			.body;
		expect(id).toBe(runs.connection);
		const hidden = await readTopology("", bob);
		expect(hidden.classes.map(({ status, saved_query }) => [status, saved_query])).toEqual(
			Array(3).fill(["missing", null]),
		);
		expect(hidden).toMatchObject({ nodes: [], edges: [] });
		await runs.ada.api.patch(`/api/queries/saved-queries/${topology}/`, { is_public: true });
		expect((await readTopology("", bob)).nodes).toHaveLength(3);
		await runs.ada.api.patch(`/api/controller/connections/${runs.connection}/`, { is_public: false });
		const path = `/api/pictures/topology/?connection=${runs.connection}`;
		expect((await bob.api.get(path)).status).toBe(404);
	});

	it("refuses input that means nothing", async () => {
		for (const kind of ["topology", "tenant"]) {
			const path = `/api/pictures/${kind}/?connection=${runs.connection}`;
			expect((await runs.ada.api.get(`${path}&hours=0`)).body).toHaveProperty("hours");
			expect((await runs.ada.api.get(`${path}&at=yesterday`)).body).toHaveProperty("at");
			expect((await runs.ada.api.get(`/api/pictures/${kind}/`)).body).toHaveProperty("connection");
		}
	});

	it("says which classes a query with a filter may leave objects of out", async () => {
		const flow_data = {
			nodes: [
				{ id: "c", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fabricNode" } },
				{
					id: "f",
					type: "filterNode",
					position: { x: 0, y: 0 },
					data: { filterType: "property", property: "role", operator: "ne", value: "spine" },
				},
			],
			edges: [{ id: "e", source: "c", target: "f" }],
		};
		const body = { name: "Leaves", flow_data, enable_time_machine: true };
		const own = (await bob.api.post("/api/queries/saved-queries/", body)).body.id;
		await runs.ada.api.patch(`/api/controller/connections/${runs.connection}/`, { is_public: true });
		await runs.ada.api.patch(`/api/queries/saved-queries/${topology}/`, { is_public: false });
		const started = await bob.api.post(`/api/queries/saved-queries/${own}/execute_background/`, {
			controller_connection_id: runs.connection,
		});
		await waitUntil("the run has ended", async () => {
			const { body: run } = await bob.api.get(`/api/queries/pipeline-executions/${started.body.id}/`);
			return run.status === "completed";
		});
		const { classes } = await readTopology("", bob);
		expect(classes.map(({ status, reason }) => [status, reason])).toEqual([
			["partial", "filter"],
			["missing", null],
			["missing", null],
		]);
	});
});
