/**
 * Set-up of tests that use controller connections: the service, a simulated controller, and a
 * driver whose calls and time limits are in the hand of the test.
 */

import { Writable } from "node:stream";
import { type RunningController, startController } from "@weft/lab";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { warnUnverified } from "../../src/areas/fabrics/driver-log.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import type {
	ControllerAnswer,
	ControllerDriver,
	ControllerRequest,
	ControllerTarget,
} from "../../src/integrations/apic/port.ts";
import { CONNECTIONS, createConnectionBodies, PLANTED } from "./connection-bodies.ts";
import { type Answer, type Api, startTestApp, type TestApp, type TestUser, waitUntil } from "./harness.ts";

export interface ConnectionUse {
	t: TestApp;
	lab: RunningController;
	ada: TestUser;
	bob: TestUser;
	operator: TestUser;
	/** The service's log. */
	log: string;
	/** The driver's tests wait until it resolves. */
	gate: Promise<void>;
	/** The answer to every request, instead of the controller's. */
	passed: ControllerAnswer | null;
	/** Calls of the service to the driver in this test. */
	readonly tested: ControllerTarget[];
	readonly requested: ControllerRequest[];
	/** Adds a connection to the simulated controller. */
	addConnection(fields?: Record<string, unknown>, api?: Api): Promise<{ id: string; name: string }>;
	testConnection(id: string, api?: Api): Promise<Answer>;
	executeQuery(connection_id: unknown, fields?: Record<string, unknown>, api?: Api): Promise<Answer>;
	/** A connection as administrators see it. */
	getDetail(id: string): Promise<Answer["body"]>;
	/** Lets the time limits of all requests under way expire. */
	expireDeadlines(): Promise<void>;
}

/** Sets up one test file. The returned fields are set before its first test begins. */
export function useConnections(): ConnectionUse {
	/** Time limits of requests under way, which expire only by hand. */
	const deadlines = new Set<() => void>();
	const { addConnection } = createConnectionBodies();
	const use = {
		log: "",
		gate: Promise.resolve(),
		passed: null,
		tested: [],
		requested: [],
		addConnection: (fields = {}, api = use.ada.api) => addConnection(api, { url: use.lab.url, ...fields }),
		testConnection: (id: string, api = use.ada.api) => api.post(`${CONNECTIONS}${id}/test/`),
		executeQuery: (connection_id: unknown, fields = {}, api = use.ada.api) =>
			api.post(`${CONNECTIONS}execute_query/`, { connection_id, query_path: "/api/class/fvTenant.json", ...fields }),
		getDetail: async (id: string) => (await use.t.admin.api.get(`${CONNECTIONS}${id}/`)).body,
		async expireDeadlines() {
			await waitUntil("the controller is asked", () => deadlines.size > 0);
			for (const expired of deadlines) expired();
		},
	} as unknown as ConnectionUse;
	beforeAll(async () => {
		const sink = new Writable({
			write(chunk, _encoding, done) {
				use.log += chunk;
				done();
			},
		});
		const logger = pino({ level: "trace" }, sink);
		use.lab = await startController({ password: PLANTED, users: [{ name: "reader", password: "another" }] });
		const driver = createControllerDriver({
			clock: { now: () => Date.now() },
			onUnverified: warnUnverified(logger, "a controller"),
			sleep: async (_ms, signal) => signal.throwIfAborted(),
			deadline: (_ms, expired) => {
				deadlines.add(expired);
				return () => deadlines.delete(expired);
			},
		});
		const controllers: ControllerDriver = {
			...driver,
			async test(target, signal) {
				use.tested.push(target);
				await use.gate;
				return driver.test(target, signal);
			},
			request(target, request) {
				use.requested.push(request);
				return use.passed === null ? driver.request(target, request) : Promise.resolve(use.passed);
			},
		};
		use.t = await startTestApp({ deps: { logger, controllers } });
		use.ada = await use.t.user("ada", ["Editor"]);
		use.bob = await use.t.user("bob");
		use.operator = await use.t.user("ops", ["Operator"]);
	});
	afterAll(async () => {
		await use.t.close();
		await use.lab.close();
	});
	beforeEach(() => {
		use.lab.reset();
		for (const calls of [use.tested, use.requested]) calls.length = 0;
	});
	return use;
}
