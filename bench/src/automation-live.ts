/**
 * Latency of job output from the event stored on the server to the frame at the socket, for many
 * jobs at once. Each line must arrive once. Baseline: polling the server once a second.
 */
import { setTimeout as pause } from "node:timers/promises";
import { automationExecutionChannel, automationExecutionRoutes } from "@weft/contracts";
import { watch } from "@weft/sdk";
import WebSocket from "ws";
import {
	callAutomationServer,
	callLabControl,
	connectAutomation,
	executeRequest,
	makeTemplate,
	waitForExecution,
} from "./automation-lab.ts";
import { startLab } from "./lab.ts";
import { computeMedian, printFigure, startService } from "./tools.ts";

const JOBS = 20;
const EVENTS = 20_000;
/** Milliseconds between the events of a job. */
const EVERY = 12;
const STORED_AFTER = 10;
const GOAL_MS = 1_200;
const CHATTY = 21;
/** Events before the first line, and those that say nothing. */
const BEFORE = 3;
const SILENT = 4;
const BARE_EVENTS = 2_000;

const lab = await startLab("small");
const service = await startService();
try {
	const { client } = service;
	await callLabControl(lab, "behaviour", { store_ms: STORED_AFTER, batch_ms: 0, shuffle: false });
	await connectAutomation(client, lab);

	/** When the server has stored the event that says line `n`. */
	const storedAt = (started: number, n: number) => started + (n + BEFORE + 1) * EVERY + STORED_AFTER;
	const findStart = async (job: number) =>
		Date.parse((await callAutomationServer<{ started: string }>(lab, `/api/v2/jobs/${job}/`)).started);

	async function measureBareServer(): Promise<number[]> {
		const template = await makeTemplate(client, CHATTY, { events: BARE_EVENTS, every_ms: EVERY });
		const id = await executeRequest(client, template, "bare");
		const { automation_job_id: job } = await waitForExecution(client, id, (one) => one.status === "running");
		const started = await findStart(job ?? 0);
		const delays: number[] = [];
		for (let after = 0; delays.length < BARE_EVENTS - SILENT; ) {
			const path = `/api/v2/jobs/${job}/job_events/?counter__gt=${after}&order_by=counter&page_size=200`;
			const { results } = await callAutomationServer<{ results: { counter: number; stdout: string }[] }>(lab, path);
			for (const { counter, stdout } of results) {
				const line = /line (\d+) of/.exec(stdout)?.[1];
				if (line !== undefined) delays.push(Date.now() - storedAt(started, Number(line)));
				after = counter;
			}
			if (results.length < 200) await pause(1_000);
		}
		return delays;
	}
	printFigure(
		"bare: the server asked once a second, one job, median",
		`${computeMedian(await measureBareServer()).toFixed(0)} ms`,
	);

	const template = await makeTemplate(client, CHATTY, { events: EVENTS, every_ms: EVERY });
	const arrivals: { job: number; line: number; at: number }[][] = [];
	const follow = async (index: number) => {
		const id = await executeRequest(client, template, `job ${index}`);
		const lines: { job: number; line: number; at: number }[] = [];
		const frames = watch(client, automationExecutionChannel, { execution_id: id }, (url) => new WebSocket(url));
		let rest = "";
		for await (const frame of frames) {
			if (frame.type !== "stdout_chunk") continue;
			const at = Date.now();
			const whole = (rest + frame.data.text).split("\n");
			rest = whole.pop() ?? "";
			for (const text of whole) {
				const line = /line (\d+) of/.exec(text)?.[1];
				if (line !== undefined) lines.push({ job: index, line: Number(line), at });
			}
		}
		const execution = await client.call(automationExecutionRoutes.detail, { params: { id } });
		const started = await findStart(execution.automation_job_id ?? 0);
		arrivals.push(lines);
		return {
			whole: execution.output_complete && execution.lost_events === 0,
			once: lines.length === EVENTS - SILENT && lines.every(({ line }, place) => line === place),
			delays: lines.map(({ line, at }) => at - storedAt(started, line)),
		};
	};
	const followed = await Promise.all(Array.from({ length: JOBS }, (_, index) => follow(index)));
	const delay = computeMedian(followed.flatMap(({ delays }) => delays));
	const complete = followed.filter(({ whole, once }) => whole && once).length;
	const met = delay <= GOAL_MS && complete === JOBS;
	printFigure(`${JOBS} jobs of ${EVENTS} events: stored to socket, median`, `${delay.toFixed(0)} ms`, {
		met: delay <= GOAL_MS,
		text: `≤ ${GOAL_MS} ms`,
	});
	printFigure("jobs whose lines arrived whole, in order and once", `${complete} of ${JOBS}`, {
		met: complete === JOBS,
		text: "all",
	});
	if (!met) process.exitCode = 1;
} finally {
	await service.stop();
	await lab.stop();
}
