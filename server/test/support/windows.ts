/**
 * Set-up of tests of change windows: a service whose clock the test moves, the simulated
 * controller, a query of bridge domains, and short ways to make plans and windows and to move them.
 */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { addConnection, buildClassNode, connectNodes, output } from "./canvases.ts";
import { type Answer, type Api, startTestApp, type TestApp, type TestUser, waitUntilAfter } from "./harness.ts";
import { createEagerDriver } from "./runs.ts";
import { addQuery } from "./tasks.ts";

export const PLANS = "/api/change-plans/";
export const WINDOWS = "/api/change-windows/";

type Body = Answer["body"];

/** A plan's settle loop that needs one comparison without a difference. */
const QUICK = { delay_s: 1, interval_s: 1, stable_rounds: 1, timeout_s: 30 };

export interface Windows {
	t: TestApp;
	lab: RunningController;
	/** Makes windows. */
	ada: TestUser;
	/** Decides on them. */
	kim: TestUser;
	/** Ada's, public, to the lab. */
	connection: string;
	/** Ada's, of bridge domains, with snapshots. */
	query: string;
	plan(fields?: Body, api?: Api): Promise<Body>;
	/** A window of a new plan, handed in. */
	window(fields?: Body, plan?: Body): Promise<Body>;
	move(id: string, move: string, body?: Body, api?: Api): Promise<Answer>;
	read(id: string, api?: Api): Promise<Body>;
	/** Moves the clock on, a second at a time, until the window is in a state. */
	reach(id: string, state: string): Promise<Body>;
	/** Starts a window and waits until it is open. */
	open(id: string): Promise<Body>;
	/** Ends the work and waits for the verdict. */
	judge(id: string): Promise<Body>;
	listFindings(id: string, filter?: string): Promise<Body[]>;
	/** Writes an object at the controller as its administrator. */
	write(dn: string, body: object): Promise<void>;
	/** Writes a bridge domain of a tenant at the controller. */
	writeDomain(name: string, attributes?: object): Promise<void>;
}

export const TENANT = "uni/tn-window-test";

type Deps = NonNullable<NonNullable<Parameters<typeof startTestApp>[0]>["deps"]>;

/** For one test file. The returned fields are set before its first test begins. */
export function useWindows(deps: Deps = {}): Windows {
	const windows = {
		async plan(fields = {}, api = windows.ada.api) {
			const answer = await api.post(PLANS, {
				name: "Bridge domains",
				items: [{ query: windows.query }],
				settle: QUICK,
				...fields,
			});
			expect(answer.status, answer.text).toBe(201);
			return answer.body;
		},
		async window(fields = {}, planFields = {}) {
			const plan = fields.plan ?? (await windows.plan(planFields)).id;
			const made = await windows.ada.api.post(WINDOWS, {
				title: "VLANs of rack 7",
				plan,
				connection_ids: [windows.connection],
				...fields,
			});
			expect(made.status, made.text).toBe(201);
			const handed = await windows.move(made.body.id, "submit");
			expect(handed.status, handed.text).toBe(200);
			return handed.body;
		},
		move: (id, move, body, api = windows.ada.api) => api.post(`${WINDOWS}${id}/${move}/`, body),
		read: async (id, api = windows.ada.api) => (await api.get(`${WINDOWS}${id}/`)).body,
		reach: (id, state) =>
			waitUntilAfter(windows.t.clock, 1_000, `the change window is ${state}`, async () => {
				const window = await windows.read(id);
				return window.state === state ? window : null;
			}),
		async open(id) {
			expect((await windows.move(id, "start")).status).toBe(200);
			return windows.reach(id, "open");
		},
		async judge(id) {
			expect((await windows.move(id, "finish")).status).toBe(200);
			return windows.reach(id, "judged");
		},
		async listFindings(id, filter = "") {
			const answer = await windows.ada.api.get(`${WINDOWS}${id}/findings/?page_size=200${filter}`);
			expect(answer.status, answer.text).toBe(200);
			return answer.body.results;
		},
		async write(dn, data) {
			const answer = await windows.t.admin.api.post("/api/controller/connections/execute_query/", {
				connection_id: windows.connection,
				query_path: `/api/mo/${dn}.json`,
				method: "POST",
				data,
			});
			expect(answer.status, answer.text).toBe(200);
		},
		writeDomain: (name, attributes = {}) =>
			windows.write(`${TENANT}/BD-${name}`, {
				fvBD: { attributes: { dn: `${TENANT}/BD-${name}`, name, ...attributes } },
			}),
	} as Windows;
	beforeAll(async () => {
		// The controller, its driver and the service have one clock, that of the service.
		const now = (): number => windows.t?.clock.now() ?? Date.parse("2026-01-15T10:00:00Z");
		windows.lab = await startController({ size: "small", now });
		windows.t = await startTestApp({
			work: true,
			deps: { controllers: createEagerDriver({ clock: { now } }), ...deps },
		});
		windows.ada = await windows.t.user("ada", ["Operator"]);
		windows.kim = await windows.t.user("kim", ["Admin"]);
		windows.connection = await addConnection(windows.ada.api, windows.lab, { is_public: true });
		windows.query = await addQuery(windows.ada.api, {
			flow_data: connectNodes(buildClassNode("fvBD"), output),
			enable_time_machine: true,
		});
		await windows.write(TENANT, { fvTenant: { attributes: { dn: TENANT, name: "window-test" } } });
	});
	afterAll(async () => {
		await windows.t.close();
		await windows.lab.close();
	});
	afterEach(() => windows.lab.clearFaults());
	return windows;
}
