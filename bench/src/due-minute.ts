/**
 * 5,000 tasks due at one instant on one process: time until all started, effect on other requests.
 */
import { startController } from "@weft/lab";
import { computeP95, PASSWORD, printFigure, startService } from "./tools.ts";

const TASKS = Number(process.argv[2] ?? 5_000);
const CLIENTS = 8;
const QUIET_MS = 10_000;
const MINUTE_MS = 60_000;
/** Between two of the requests whose time is taken. */
const PAUSE_MS = 50;

const sleepMs = (ms: number) => new Promise((done) => setTimeout(done, ms));

const lab = await startController({ size: "small" });
// Each use of the lab's certificate is a warning; nobody reads thousands.
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
try {
	const json = { "content-type": "application/json" };
	const call = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
		const init =
			body === undefined
				? { headers }
				: { method: "POST", body: JSON.stringify(body), headers: { ...json, ...headers } };
		const answer = await fetch(service.url + path, init);
		if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
		// biome-ignore lint/suspicious/noExplicitAny: the fields that are read are few
		return (await answer.json()) as any;
	};
	const { access } = await call("/api/auth/login/", { username: "admin", password: PASSWORD });
	const api = (path: string, body?: unknown) => call(path, body, { authorization: `Bearer ${access}` });

	const { url, username, password } = lab;
	const { id: connection } = await api("/api/controller/connections/", {
		name: "Lab",
		url,
		username,
		password,
		verify_ssl: false,
	});
	const { id: query } = await api("/api/queries/saved-queries/", {
		name: "Tenants",
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
	});
	// Made paused, and let loose together: nothing is due while they are made.
	const at = Date.now() + 60_000 + TASKS * 12;
	const task = {
		saved_query: query,
		controller_connection_ids: [connection],
		frequency: "once",
		scheduled_datetime: new Date(at).toISOString(),
	};
	const began = performance.now();
	let made = 0;
	await Promise.all(
		Array.from({ length: CLIENTS }, async () => {
			while (made < TASKS) await api("/api/queries/scheduled-tasks/", { ...task, name: `Task ${++made}` });
		}),
	);
	printFigure("tasks made", `${(TASKS / ((performance.now() - began) / 1000)).toFixed(0)}/s`);

	async function measureLatencyUntil(until: () => Promise<boolean> | boolean): Promise<number[]> {
		const times: number[] = [];
		while (!(await until())) {
			const start = performance.now();
			await api("/api/queries/saved-queries/");
			times.push(performance.now() - start);
			await sleepMs(PAUSE_MS);
		}
		return times;
	}
	while (Date.now() < at - QUIET_MS) await sleepMs(100);
	const quiet = await measureLatencyUntil(() => Date.now() >= at);

	let [opened, started, ended] = [0, 0, 0];
	const minute = measureLatencyUntil(() => Date.now() >= at + MINUTE_MS);
	for (; ended === 0; await sleepMs(500)) {
		const count = async (filter: string) =>
			(await api(`/api/queries/scheduled-executions/?page_size=1&${filter}`)).count as number;
		const [all, pending, open] = await Promise.all([count(""), count("status=pending"), count("status=running")]);
		const since = Date.now() - at;
		if (opened === 0 && all >= TASKS) opened = since;
		if (started === 0 && all >= TASKS && pending === 0) started = since;
		if (started > 0 && pending === 0 && open === 0) ended = since;
	}
	const busy = await minute;
	const { successful, failed } = await api("/api/queries/scheduled-tasks/stats/");
	printFigure("runs and executions written after", `${(opened / 1000).toFixed(1)} s`);
	printFigure("all started (handed to the pipeline) after", `${(started / 1000).toFixed(1)} s`, {
		met: started <= MINUTE_MS,
		text: "≤ 60 s",
	});
	printFigure("all ended after", `${(ended / 1000).toFixed(1)} s: ${successful} succeeded, ${failed} failed`);
	const [before, during] = [computeP95(quiet), computeP95(busy)];
	printFigure("other requests' p95, quiet", `${before.toFixed(1)} ms`);
	printFigure("other requests' p95, in that minute", `${during.toFixed(1)} ms`, {
		met: during <= 2 * before,
		text: "≤ twice",
	});
} finally {
	await service.stop();
	await lab.close();
}
