/**
 * Set-up of tests of change windows: a service with a fake clock, the simulated controller, a query
 * of bridge domains, and functions that create plans and windows and move them.
 */
import { type ControllerOptions, type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { addConnection, buildClassNode, connectNodes, output } from "./canvases.ts";
import {
	type Answer,
	type Api,
	startTestApp,
	type TestApp,
	type TestUser,
	waitUntil,
	waitUntilAfter,
} from "./harness.ts";
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
	/** Requester of the windows. */
	ada: TestUser;
	/** Administrator who decides on them. */
	kim: TestUser;
	/** Id of Ada's public connection to the lab. */
	connection: string;
	/** Id of Ada's query of bridge domains, with snapshots on. */
	query: string;
	plan(fields?: Body, api?: Api): Promise<Body>;
	/** Creates a window, of a new plan unless `fields` name one, and submits it. */
	window(fields?: Body, plan?: Body): Promise<Body>;
	move(id: string, move: string, body?: Body, api?: Api): Promise<Answer>;
	read(id: string, api?: Api): Promise<Body>;
	/** Advances the clock by seconds until the window is in the state. */
	reach(id: string, state: string): Promise<Body>;
	/** Starts a window and waits until it is open. */
	open(id: string): Promise<Body>;
	/** Ends the work and waits for the verdict. */
	judge(id: string): Promise<Body>;
	/** Takes the rounds after the work again and waits for the verdict. */
	recheck(id: string): Promise<Body>;
	/**
	 * Makes a move that leads to rounds after the work, and takes them one by one: the clock stands
	 * still while a round runs, however long that takes. Returns the window with its verdict.
	 * @param change called before each round, with the window as it is then
	 * @param move `finish` where absent
	 */
	stepRounds(
		id: string,
		change?: (round: number, window: Body) => unknown,
		move?: string,
		body?: object,
	): Promise<Body>;
	listFindings(id: string, filter?: string): Promise<Body[]>;
	/** Writes an object at the controller as its administrator. */
	write(dn: string, body: object): Promise<void>;
	/** Writes a bridge domain of a tenant at the controller. */
	writeDomain(name: string, attributes?: object): Promise<void>;
	/** Deletes an object at the controller as its administrator. */
	remove(className: string, dn: string): Promise<void>;
	/** Sets objects at the controller, also operational ones that nobody may write. */
	setObjects(...objects: readonly LabObject[]): void;
	/** Adds a public fabric of Ada with the objects of the lab. Returns its connection. */
	addFabric(lab: RunningController, name: string): Promise<string>;
}

export type LabObject = Readonly<Record<string, { readonly attributes: Readonly<Record<string, string>> }>>;

/** A notification as its list answers it. */
export interface Notice {
	readonly title: string;
	readonly body: string;
	readonly severity: string;
	readonly category: string;
	readonly link: string;
}

export const TENANT = "uni/tn-window-test";

type Deps = NonNullable<NonNullable<Parameters<typeof startTestApp>[0]>["deps"]>;

/**
 * Sets up one test file. The returned fields are set before its first test begins.
 * @param lab options of the simulated controller; without objects it has no tenant either
 */
export function useWindows(lab: ControllerOptions = { size: "small" }, deps: Deps = {}): Windows {
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
			const submitted = await windows.move(made.body.id, "submit");
			expect(submitted.status, submitted.text).toBe(200);
			return submitted.body;
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
		judge: (id) => windows.stepRounds(id),
		recheck: (id) => windows.stepRounds(id, undefined, "recheck"),
		async stepRounds(id, change = () => {}, move = "finish", body = {}) {
			const moved = await windows.move(id, move, body);
			expect(moved.status, moved.text).toBe(200);
			const { before, after } = moved.body.phases;
			let round = after?.round ?? before.round;
			let window = moved.body;
			const hasBegun = async () => ((await windows.read(id)).phases.after?.round ?? 0) > round;
			const findEnd = async () => {
				const found = await windows.read(id);
				return found.next_at !== null || found.state === "judged" ? found : null;
			};
			for (;;) {
				await change(round + 1, window);
				// Due windows are looked for each second: one look is at this time or after it.
				const leftMs = Math.max(0, Date.parse(window.next_at) - windows.t.clock.now());
				await windows.t.clock.advance(leftMs + 1_000);
				await waitUntil(`round ${round + 1} has begun`, hasBegun);
				round++;
				window = await waitUntil(`round ${round} has ended`, findEnd);
				if (window.state === "judged") return window;
			}
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
		remove: (className, dn) => windows.write(dn, { [className]: { attributes: { dn, status: "deleted" } } }),
		setObjects(...objects) {
			expect(windows.lab.load({ imdata: objects })).toEqual({ loaded: objects.length, skipped: 0 });
		},
		addFabric: (controller, name) => addConnection(windows.ada.api, controller, { name, is_public: true }),
	} as Windows;
	beforeAll(async () => {
		// The controller, its driver and the service have one clock, that of the service.
		const now = (): number => windows.t?.clock.now() ?? Date.parse("2026-01-15T10:00:00Z");
		windows.lab = await startController({ ...lab, now });
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
		if (lab.size !== "empty")
			await windows.write(TENANT, { fvTenant: { attributes: { dn: TENANT, name: "window-test" } } });
	});
	afterAll(async () => {
		await windows.t.close();
		await windows.lab.close();
	});
	afterEach(() => windows.lab.clearFaults());
	return windows;
}
