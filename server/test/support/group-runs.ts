/** Set-up of tests of group runs: two fabrics with other tenants, connections, and a query. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { addConnection, buildClassNode, connectNodes, QUERIES, RUNS } from "./canvases.ts";
import { type Answer, type Api, startTestApp, type TestApp, type TestUser, waitUntil } from "./harness.ts";
import { createHeldController } from "./held-controller.ts";

export const GROUP_RUNS = "/api/queries/group-executions/";
export const GROUPS = "/api/controller/connection-groups/";

export interface GroupRuns {
	t: TestApp;
	ada: TestUser;
	labs: [RunningController, RunningController];
	/** Connections to two fabrics with other tenants, and to an address where nothing listens. */
	east: string;
	west: string;
	down: string;
	/** A group of East, and of a connection that is switched off. */
	halfOff: string;
	off: string;
	/** A query of all tenants. */
	query: string;
	readonly held: ReturnType<typeof createHeldController>;
	addQuery(api: Api, fields?: Record<string, unknown>): Promise<string>;
	addGroup(api: Api, connection_ids: readonly string[], fields?: Record<string, unknown>): Promise<string>;
	startGroup(fields: Record<string, unknown>, api?: Api): Promise<Answer["body"]>;
	/** The group run once it has ended. */
	waitForGroup(id: string): Promise<Answer["body"]>;
	runGroup(fields: Record<string, unknown>): Promise<Answer["body"]>;
	/** Takes the class of the tenants from the release of West. */
	removeClass(): void;
	/** Rows of one connection's own run. */
	getRows(job: string): Promise<Answer["body"]>;
}

export const listStatuses = (group: { runs: { status: string }[] }): string[] => group.runs.map(({ status }) => status);

/** Sets up one test file. The returned fields are set before its first test begins. */
export function useGroupRuns(): GroupRuns {
	const held = createHeldController();
	let names = 0;
	const groups = {
		held,
		async addQuery(api, fields = {}) {
			const { status, body, text } = await api.post(QUERIES, {
				name: `Query ${++names}`,
				flow_data: connectNodes(buildClassNode("fvTenant")),
				...fields,
			});
			expect(status, text).toBe(201);
			return body.id;
		},
		async addGroup(api, connection_ids, fields = {}) {
			const { status, body, text } = await api.post(GROUPS, { name: `Group ${++names}`, connection_ids, ...fields });
			expect(status, text).toBe(201);
			return body.id;
		},
		async startGroup(fields, api = groups.ada.api) {
			const { status, body, text } = await api.post(GROUP_RUNS, fields);
			expect(status, text).toBe(201);
			return body;
		},
		waitForGroup: (id) =>
			waitUntil("the group execution has ended", async () => {
				const { body } = await groups.ada.api.get(`${GROUP_RUNS}${id}/`);
				return body.status === "running" ? null : body;
			}),
		runGroup: async (fields) => groups.waitForGroup((await groups.startGroup(fields)).id),
		removeClass: () =>
			groups.labs[1].setFaults({
				error: { text: "Request failed, unresolved class for fvTenant", match: "class/fvTenant" },
			}),
		getRows: async (job) => (await groups.ada.api.get(`${RUNS}${job}/results/?page_size=200`)).body.results,
	} as GroupRuns;
	beforeAll(async () => {
		groups.labs = [await startController({ size: "small" }), await startController({ size: "small", seed: 7 })];
		groups.t = await startTestApp({ work: true, deps: { controllers: held.driver } });
		groups.ada = await groups.t.user("ada", ["Editor"]);
		const { api } = groups.ada;
		const nowhere = { url: "http://127.0.0.1:9", username: "a", password: "b" };
		groups.east = await addConnection(api, groups.labs[0], { name: "East" });
		groups.west = await addConnection(api, groups.labs[1], { name: "West" });
		groups.down = await addConnection(api, nowhere, { name: "Down" });
		groups.off = await addConnection(api, groups.labs[0], { name: "Off" });
		groups.halfOff = await groups.addGroup(api, [groups.east, groups.off]);
		await api.patch(`/api/controller/connections/${groups.off}/`, { is_active: false });
		groups.query = await groups.addQuery(api, { name: "All tenants" });
	});
	afterAll(async () => {
		await groups.t.close();
		for (const lab of groups.labs) await lab.close();
	});
	afterEach(() => {
		for (const lab of groups.labs) lab.clearFaults();
	});
	return groups;
}
