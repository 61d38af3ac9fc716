/**
 * What the index of objects and the feed of changes add to a capture of 20,000 objects: a first
 * capture, and captures with 1 % changed. The process takes no queue tasks: the capture alone is
 * the baseline, and the two tasks run after it. Processor time is that of process and store.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLocalUser } from "../../server/dist/areas/accounts/sign-in/create-local-users.js";
import { expandHistory } from "../../server/dist/areas/answers/changes/expand-history.js";
import { indexHistory } from "../../server/dist/areas/answers/find/update-index.js";
import { openApp } from "./app.ts";
import { createDrifting } from "./time-machine-data.ts";
import { computeMedian, PASSWORD, printFigure, readStorePid, readTreeCpu, signInByName } from "./tools.ts";

const OBJECTS = 20_000;
const HISTORIES = 3;
const ROUNDS = 5;
const GOAL = 1.15;

const opened = await openApp();
const { app, pool, dataDir } = opened;
const storePid = readStorePid(dataDir);
const { signal } = new AbortController();

interface Cost {
	readonly ms: number;
	readonly cpu: number;
}

// Garbage is collected before each part, and not while the next part is measured.
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

async function measureCost(work: () => Promise<unknown>): Promise<Cost> {
	collectGarbage();
	const before = readTreeCpu(process.pid, storePid);
	const began = performance.now();
	await work();
	return { ms: performance.now() - began, cpu: readTreeCpu(process.pid, storePid) - before };
}

interface Costs {
	readonly capture: Cost[];
	readonly index: Cost[];
	readonly feed: Cost[];
}
const createCosts = (): Costs => ({ capture: [], index: [], feed: [] });

function printCosts(name: string, { capture, index, feed }: Costs): void {
	for (const [kind, unit] of [
		["ms", "time"],
		["cpu", "processor time"],
	] as const) {
		const compute = (costs: readonly Cost[]) => computeMedian(costs.map((cost) => cost[kind]));
		const ratio = computeMedian(
			capture.map((cost, i) => 1 + ((index[i]?.[kind] ?? 0) + (feed[i]?.[kind] ?? 0)) / cost[kind]),
		);
		const parts = [capture, index, feed].map((costs) => compute(costs).toFixed(0)).join(" + ");
		printFigure(`${name}: ${unit} with both against without`, ratio.toFixed(2), {
			met: ratio <= GOAL,
			text: `≤ ${GOAL}; capture + index + feed: ${parts} ms`,
		});
		if (ratio > GOAL) process.exitCode = 1;
	}
}

try {
	await createLocalUser(app.context, { username: "root", password: PASSWORD, superuser: true });
	const service = await app.server.listen({ host: "127.0.0.1", port: 0 });
	const headers = { ...(await signInByName(service, "root", PASSWORD)), "content-type": "application/json" };
	const post = async (path: string, body: object): Promise<Record<string, string>> => {
		const response = await fetch(service + path, { method: "POST", headers, body: JSON.stringify(body) });
		const text = await response.text();
		if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
		return JSON.parse(text);
	};
	const { rows } = await pool.query<{ id: string }>(
		`insert into controller_connections (id, name, url, username, password_sealed, created_by, created_at, updated_at)
			select gen_random_uuid(), 'fab-1', 'https://fab-1.example.com', 'admin', '', id, now(), now() from users limit 1
			returning id`,
	);
	const [first, later] = [createCosts(), createCosts()];
	for (let n = 0; n < HISTORIES; n++) {
		const { document, drift } = createDrifting(OBJECTS);
		const query = await post("/api/queries/saved-queries/", {
			name: `Cost ${n}`,
			flow_data: { nodes: [], edges: [] },
			enable_time_machine: true,
		});
		for (let round = 0; round <= ROUNDS; round++) {
			const costs = round === 0 ? first : later;
			if (round > 0) drift();
			const body = { saved_query_id: query.id, controller_connection_id: rows[0]?.id, result_data: document };
			costs.capture.push(await measureCost(() => post("/api/time-machine/capture/", body)));
			const history = await pool.query("select id from snapshot_histories where saved_query_id = $1", [query.id]);
			costs.index.push(await measureCost(() => indexHistory(app.context, history.rows[0].id, signal)));
			costs.feed.push(await measureCost(() => expandHistory(app.context, history.rows[0].id, signal)));
		}
	}
	const counts = await pool.query(
		"select (select count(*) from indexed_objects) as objects, (select count(*) from object_changes) as changes",
	);
	printFigure("indexed objects, changes", `${counts.rows[0].objects}, ${counts.rows[0].changes}`);
	printCosts("first capture", first);
	printCosts("capture with 1 % changes", later);
} finally {
	await opened.close();
}
