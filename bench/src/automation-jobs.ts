/** A hundred running jobs without viewers: requests to the server, and CPU time of the service. */
import { setTimeout as pause } from "node:timers/promises";
import { automationExecutionRoutes } from "@weft/contracts";
import { callLabControl, connectAutomation, executeRequest, makeTemplate, type Seen } from "./automation-lab.ts";
import { runAtOnce, startLab } from "./lab.ts";
import { printFigure, readTreeCpu, startService } from "./tools.ts";

const JOBS = 100;
const SECONDS = 60;
const IDLE = 0.9;
const LONG = 50;
/** The lab keeps only the newest requests. Fetch them before it drops any. */
const LOOK_MS = 500;

const lab = await startLab("small");
const service = await startService();
try {
	const { client } = service;
	const sleeps = { id: LONG, name: "Long", playbook: "sleep.yml", simultaneous: true, asks: ["variables"] };
	await callLabControl(lab, "template", sleeps);
	await connectAutomation(client, lab);
	const template = await makeTemplate(client, LONG, { secs: 3_600 });
	await runAtOnce(4, JOBS, async (index) => {
		await executeRequest(client, template, `job ${index}`);
	});
	for (;;) {
		const { count } = await client.call(automationExecutionRoutes.list, {
			query: { status: "running", page_size: "1" },
		});
		if (count === JOBS) break;
		await pause(1_000);
	}
	// Waits until the launches have no more effect on the measurement.
	await pause(15_000);

	const pid = service.process.pid ?? 0;
	const all: Seen[] = [];
	await callLabControl(lab, "stats/reset", {});
	const before = { cpu: readTreeCpu(pid), at: performance.now() };
	while (performance.now() - before.at < SECONDS * 1_000) {
		await pause(LOOK_MS);
		const { recent } = (await callLabControl(lab, "stats")) as { recent: Seen[] };
		await callLabControl(lab, "stats/reset", {});
		all.push(...recent.filter(({ target }) => !target.startsWith("/_lab/")));
	}
	const idle = 1 - (readTreeCpu(pid) - before.cpu) / (performance.now() - before.at);

	const states = all.filter(({ target }) => target.includes("/unified_jobs/"));
	const events = all.filter(({ target }) => target.includes("/job_events/"));
	const polls = new Map<string, number>();
	for (const { target } of states) {
		const ids = new URL(target, "http://lab").searchParams.get("id__in") ?? "";
		for (const id of ids.split(",")) polls.set(id, (polls.get(id) ?? 0) + 1);
	}
	const asked = new Map<string, number>();
	for (const { target } of events) {
		const id = /\/jobs\/(\d+)\//.exec(target)?.[1] ?? "";
		asked.set(id, (asked.get(id) ?? 0) + 1);
	}
	// At the edges of the interval, a poll's status request may fall outside and its events inside.
	const most = Math.max(0, ...[...asked].map(([id, count]) => (count - 1) / Math.max(1, polls.get(id) ?? 0)));
	const looks = [...polls.values()].reduce((sum, count) => sum + count, 0);
	// One poll covers all due jobs: two polls within a tick of the service are one too many.
	const close = states.filter(({ at }, index) => index > 0 && at - (states[index - 1]?.at ?? 0) < 250).length;
	printFigure(`${JOBS} jobs, ${SECONDS} s: looks at a job`, String(looks));
	printFigure("requests for states", String(states.length));
	printFigure("bare: a request for each look would be", String(looks));
	printFigure("requests for states beyond one per connection and poll", String(close), { met: close === 0, text: "0" });
	printFigure("requests for events, per job and poll, at most", most.toFixed(2), { met: most <= 1, text: "≤ 1" });
	printFigure("processor of the service that is idle (1 = one core)", idle.toFixed(3), {
		met: idle >= IDLE,
		text: `≥ ${IDLE}`,
	});
	if (close > 0 || most > 1 || idle < IDLE) process.exitCode = 1;
} finally {
	await service.stop();
	await lab.stop();
}
