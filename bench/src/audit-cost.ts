/**
 * Cost of the audit entry for a write route: the same service with recording on and off, in turns.
 */
import { computeMedian, PASSWORD, printFigure, type RunningService, startService } from "./tools.ts";

const ROUNDS = 9;
const SECONDS = 2;
const AT_ONCE = 16;
const SETTINGS = "/api/audit/settings/";
const QUERIES = "/api/queries/saved-queries/";

const service = await startService();
try {
	const call = await createCaller(service);
	let serial = 0;
	const ids: string[] = [];
	for (let i = 0; i < AT_ONCE; i++)
		ids.push((JSON.parse(await call("POST", QUERIES, newQuery())) as { id: string }).id);
	/** Measured writes: the route, and the settings group of its audit entry. */
	const routes: { name: string; group: string; goal: boolean; write(writer: number): Promise<unknown> }[] = [
		{ name: "a new saved query", group: "query", write: () => call("POST", QUERIES, newQuery()), goal: true },
		{
			name: "a changed saved query",
			group: "query",
			goal: true,
			// Each writer its own: with all at one row its lock would be measured.
			write: (writer) => call("PATCH", `${QUERIES}${ids[writer]}/`, { description: `Number ${serial++}` }),
		},
		{
			name: "changed preferences (one statement)",
			group: "settings",
			goal: false,
			write: () => call("PATCH", "/api/auth/preferences/", { theme: serial++ % 2 === 0 ? "dark" : "light" }),
		},
	];
	for (const { name, group, write, goal } of routes) {
		const rate = async (enabled: boolean): Promise<number> => {
			await call("PATCH", SETTINGS, { [`${group}_enabled`]: enabled });
			return computePerSecond(write);
		};
		await rate(true);
		await rate(false);
		const rounds: { on: number; off: number }[] = [];
		for (let i = 0; i < ROUNDS; i++) {
			// In turns, so that a slow moment of the machine hits both.
			const [first, second] = [await rate(i % 2 === 0), await rate(i % 2 !== 0)];
			rounds.push(i % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
		}
		const cost = 1 - computeMedian(rounds.map(({ on, off }) => on / off));
		printFigure(`${name}, not recorded`, `${computeMedian(rounds.map(({ off }) => off)).toFixed(0)} req/s`);
		printFigure(`${name}, recorded`, `${computeMedian(rounds.map(({ on }) => on)).toFixed(0)} req/s`);
		const percent = `${(cost * 100).toFixed(1)} %`;
		printFigure(`${name}: cost, median of ${ROUNDS}`, percent, goal ? { met: cost <= 0.1, text: "≤ 10 %" } : undefined);
	}

	function newQuery() {
		return {
			name: `Query ${serial++}`,
			description: "Bridge domains of one tenant, as they are configured",
			tags_list: ["bench", "fabric"],
			flow_data: {
				nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } }],
				edges: [],
			},
		};
	}
} finally {
	await service.stop();
}

async function computePerSecond(work: (writer: number) => Promise<unknown>): Promise<number> {
	const began = performance.now();
	const end = began + SECONDS * 1000;
	let done = 0;
	const worker = async (writer: number): Promise<void> => {
		while (performance.now() < end) {
			await work(writer);
			done++;
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, (_, writer) => worker(writer)));
	return (done * 1000) / (performance.now() - began);
}

/** Without the client, whose renewal of tokens has no part in this. */
async function createCaller({ url }: RunningService) {
	const send = async (
		method: string,
		path: string,
		body: unknown,
		headers: Record<string, string>,
	): Promise<string> => {
		const response = await fetch(url + path, {
			method,
			headers: { "content-type": "application/json", ...headers },
			body: JSON.stringify(body),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
		return text;
	};
	const login = await send("POST", "/api/auth/login/", { username: "admin", password: PASSWORD }, {});
	const authorization = `Bearer ${JSON.parse(login).access}`;
	return (method: string, path: string, body: unknown) => send(method, path, body, { authorization });
}
