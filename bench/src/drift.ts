/**
 * What measuring drift adds to a capture: snapshots of 20,000 objects, 1 % changed each time. The
 * worker's part of a capture runs in this process, with the drift and without, in turns on the same
 * documents. What the service does around it is left out, so that the ratio is the strictest one.
 */
import { driftRules, savedQueryRoutes } from "@weft/contracts";
import { buildHistoryKey } from "../../server/dist/areas/history/rules/history.js";
import { parseCapture } from "../../server/dist/areas/history/workers/capture.js";
import { createPackSource } from "../../server/dist/areas/history/workers/pack-source.js";
import { createSegmentSource } from "../../server/dist/areas/history/workers/segment-source.js";
import { attachEmbeddedPostgres } from "../../server/dist/storage/embedded-postgres/index.js";
import { createPostgresStore } from "../../server/dist/storage/postgres/store.js";
import { createDrifting } from "./time-machine-data.js";
import { computeMedian, PASSWORD, printFigure, startService } from "./tools.js";

const OBJECTS = 20_000;
const ROUNDS = 7;
const GOAL = 1.2;
const MAX_BYTES = 1 << 30;
const RULES = { none: {}, some: { ignore: ["txId"], ignore_dns: ["^uni/tn-infra/"], severity: { descr: "info" } } };

const service = await startService();
const embedded = await attachEmbeddedPostgres({ dataDir: service.dataDir, log: () => {} });
const discardLog = () => {};
const store = createPostgresStore({
	connection: embedded.connection,
	poolSize: 1,
	log: { debug: discardLog, info: discardLog, warn: discardLog, error: discardLog },
	checkSchema: async () => {},
});
const { db } = store;
const deps = { db, packs: createPackSource({ db }), segments: createSegmentSource({ db }) };
/** Without the latest snapshot no drift is measured: its row is the only one with this column. */
const withoutLatest = db.withPlugin({
	transformQuery: ({ node }) => node,
	transformResult: async ({ result }) =>
		result.rows.some((row) => "looseHash" in row) ? { ...result, rows: [] } : result,
});
const withoutDrift = { ...deps, db: withoutLatest };
const signedIn = await fetch(`${service.url}/api/auth/login/`, {
	method: "POST",
	headers: { "content-type": "application/json" },
	body: JSON.stringify({ username: "admin", password: PASSWORD }),
});
const { access } = (await signedIn.json()) as { access: string };

/** Stores a snapshot, and answers its id. */
async function captureSnapshot(queryId: string, document: unknown): Promise<string> {
	const body = JSON.stringify({ saved_query_id: queryId, result_data: document });
	const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
	const answer = await fetch(`${service.url}/api/time-machine/capture/`, { method: "POST", headers, body });
	return ((await answer.json()) as { snapshot_id: string }).snapshot_id;
}

/** Processor time in ms. */
async function measureCpu(work: () => Promise<unknown>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

let missed = false;
try {
	for (const [rules, given] of Object.entries(RULES)) {
		const { document, drift } = createDrifting(OBJECTS);
		const query = await service.client.call(savedQueryRoutes.create, {
			body: {
				name: `Drift ${rules}`,
				flow_data: { nodes: [], edges: [] },
				enable_time_machine: true,
				drift_rules: driftRules.parse(given),
			},
		});
		const of = { savedQueryId: query.id, ownerId: 0, queryName: "", className: "" };
		const key = buildHistoryKey({
			...of,
			connectionId: null,
			connectionName: "",
			valuesDigest: null,
			isPrivate: false,
		});
		const first = await captureSnapshot(query.id, document);
		const costs = { with: [] as number[], without: [] as number[], baseline: [] as number[] };
		for (let round = 0; round <= ROUNDS; round += 1) {
			drift();
			const bytes = Buffer.from(JSON.stringify(document));
			const task = { as: "result" as const, limits: { maxBytes: MAX_BYTES }, key };
			const parse = (from: typeof deps | typeof withoutDrift, baselines: string[]) =>
				measureCpu(() => parseCapture(from, { ...task, bytes: Buffer.from(bytes), baselines }));
			const without = await parse(withoutDrift, []);
			const own = await parse(deps, []);
			const baseline = await parse(deps, [first]);
			await captureSnapshot(query.id, document);
			if (round === 0) continue;
			costs.without.push(without);
			costs.with.push(own);
			costs.baseline.push(baseline);
		}
		const ratio = computeMedian(costs.with.map((own, i) => own / (costs.without[i] ?? own)));
		const further = computeMedian(costs.baseline.map((own, i) => own - (costs.with[i] ?? 0)));
		missed ||= ratio > GOAL;
		const [own, without] = [computeMedian(costs.with), computeMedian(costs.without)];
		printFigure(`rules: ${rules}; processor time with drift against without`, ratio.toFixed(2), {
			met: ratio <= GOAL,
			text: `≤ ${GOAL}; ${own.toFixed(0)}, ${without.toFixed(0)} ms`,
		});
		printFigure(`rules: ${rules}; each further baseline of checks`, `${further.toFixed(1)} ms`);
	}
	if (missed) process.exitCode = 1;
} finally {
	await store.close();
	await service.stop();
}
