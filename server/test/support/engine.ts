/**
 * Set-up of tests of the engine of runs: the service without workers of its own, a user with a
 * connection, a controller that answers as the test says, and processes that execute runs.
 */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { readProgram } from "../../src/areas/queries/flow/index.ts";
import { startAllRuns } from "../../src/areas/runs/pipelines/start-runs.ts";
import type {
	ControllerObject,
	ControllerPage,
	ControllerQuery,
	ControllerTarget,
} from "../../src/integrations/apic/port.ts";
import { startTestApp, type TestApp, type TestUser } from "./harness.ts";
import {
	addUnusedConnection,
	createPipelineProcess,
	type PipelineExecutor,
	type PipelineProcess,
} from "./pipeline-process.ts";

export const RUN_PATH = "/api/queries/pipeline-executions/";
/** Pause of a run that is suspected of the deaths of processes. */
export const PAUSE_MS = 30_000;
export const LEASE_MS = 12_000;
export const RENEW_MS = 3_000;

type Answer = (query: ControllerQuery) => AsyncIterable<ControllerObject[]>;

export interface Engine {
	t: TestApp;
	ada: TestUser;
	/** The controller's answer to a query, page by page. Three objects before each test. */
	answer: Answer;
	/** Number of objects that the controller reports; null where it reports none. */
	total: number | null;
	/** Paths of the requests that the controller got in this test. */
	readonly asked: string[];
	readonly driver: PipelineProcess["driver"];
	/** A process of its own on the scripted controller. */
	createFeature(more?: Partial<PipelineProcess>): PipelineExecutor;
	/** Executes a run as the queue task of a process does. */
	runQueueTask(jobId: string, signal?: AbortSignal, process?: PipelineExecutor): Promise<void>;
	/** Creates a run, which no process takes; returns its id. */
	startRun(flow_data?: unknown, post_processors?: unknown, on?: { id: string; name: string }): Promise<string>;
	// biome-ignore lint/suspicious/noExplicitAny: as in `Answer` of the harness
	getDetail(id: string): Promise<any>;
	/** The first 200 rows of a run. */
	// biome-ignore lint/suspicious/noExplicitAny: as in `Answer` of the harness
	getRows(id: string): Promise<any>;
}

/** A flow of one class. */
export const one = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
/** A flow of two stages: names of tenants go into a condition on bridge domains. */
export const two = {
	nodes: [...one.nodes, { id: "b", type: "classNode", data: { className: "fvBD" } }],
	edges: [
		{ id: "e", source: "a", target: "b", data: { edgeType: "pipeline", extractField: "name", injectProperty: "name" } },
	],
};

/** Objects of one class, numbered from `from`. */
export const createObjects = (className: string, from: number, count: number): ControllerObject[] =>
	Array.from({ length: count }, (_, i) => ({
		[className]: { attributes: { dn: `uni/${className}-${from + i}`, name: String(from + i) } },
	}));
/** These pages, one after another. */
export async function* iteratePages(...pages: ControllerObject[][]): AsyncGenerator<ControllerObject[]> {
	yield* pages;
}

/** A gate that the controller waits at. */
export function createGate() {
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { open, opened };
}

/** Sets up one test file. The returned fields are set before its first test begins. */
export function useEngine(): Engine {
	let connection: { id: string; name: string };
	const asked: string[] = [];
	const driver: Engine["driver"] = {
		async *pages(_target: ControllerTarget, query: ControllerQuery): AsyncGenerator<ControllerPage> {
			asked.push(query.path);
			let index = 0;
			const page = (rows: ControllerObject[], totalCount: number | null): ControllerPage => ({
				index: index++,
				rowCount: rows.length,
				rows,
				className: null,
				totalCount,
				raw: null,
				late: false,
				first: (count) => rows.slice(0, count),
			});
			for await (const rows of engine.answer(query)) yield page(rows, engine.total);
			if (index === 0) yield page([], 0);
		},
		count: async () => 1,
	};
	const engine = {
		asked,
		driver,
		createFeature: (more = {}) => createPipelineProcess(engine.t, { driver, ...more }),
		runQueueTask: (jobId, signal = new AbortController().signal, process = engine.createFeature()) =>
			process.execute(jobId, signal),
		async startRun(flow_data = one, post_processors = [], on = connection) {
			const program = readProgram({ flow_data, post_processors, variables: [], variable_values: null });
			const owner = { userId: engine.ada.id, isAdmin: false };
			const [job] = await engine.t.deps.store.transaction((tx) =>
				startAllRuns(engine.t.app.context, tx, [{ owner, program, connection: on, query: null }]),
			);
			return job?.id ?? "";
		},
		getDetail: async (id) => (await engine.ada.api.get(`${RUN_PATH}${id}/`)).body,
		getRows: async (id) => (await engine.ada.api.get(`${RUN_PATH}${id}/results/?page_size=200`)).body.results,
	} as Engine;
	beforeAll(async () => {
		engine.t = await startTestApp();
		engine.ada = await engine.t.user("ada");
		connection = await addUnusedConnection(engine.ada);
	});
	afterAll(() => engine.t.close());
	beforeEach(() => {
		asked.length = 0;
		engine.total = null;
		engine.answer = ({ path }) => iteratePages(createObjects(path.includes("fvBD") ? "fvBD" : "fvTenant", 0, 3));
	});
	return engine;
}
