/**
 * Pages under load: the overview over a slow line on a slow machine, the output of a job that
 * writes 20,000 lines, and a key in a request of 1,000 rows. Baselines: an empty page over the same
 * line, frames of an empty page beside the job, and a key in a plain field.
 */
/// <reference lib="dom" />
import { automationTemplateRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { callLabControl, connectAutomation, executeRequest, makeTemplate, waitForExecution } from "./automation-lab.ts";
import { measureRounds, openSignedIn, printRounds, startBrowser } from "./browser.ts";
import { createConnection, runAtOnce, runCanvas, startLab } from "./lab.ts";
import { computeP95, printFigure, startService } from "./tools.ts";

/** As slow as a laptop of an office at the other end of 10 Mb/s. */
const SLOWER = 4;
const LINE = { offline: false, latency: 40, downloadThroughput: 10_000_000 / 8, uploadThroughput: 10_000_000 / 8 };
const OVERVIEW_GOAL = 2_000;
/** What the overview has to show. */
const RUNS = 40;

const LINES = 20_000;
/** A template of the server whose job writes a line per event. */
const CHATTY = 21;
const FRAME_GOAL = 35;

const ROWS = 1_000;
const COLUMNS = 12;
const KEYS = 60;
const KEY_GOAL = 50;

const lab = await startLab("small");
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
const browser = await startBrowser();
try {
	const { client } = service;
	await callLabControl(lab, "behaviour", { store_ms: 10, batch_ms: 0, shuffle: false });
	const automationId = await connectAutomation(client, lab);
	const controllerId = await createConnection(client, lab);
	const tenants = { nodes: [{ id: "t", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
	await runAtOnce(4, RUNS, async () => {
		await runCanvas(client, controllerId, tenants, 50);
	});

	printRounds(
		"empty page, 4 times slower, 10 Mb/s",
		await measureRounds(() => measurePageOpening("/favicon.svg", async () => {})),
	);
	const overview = await measureRounds(() =>
		measurePageOpening("/", async (page) => {
			await page.getByRole("heading", { name: "Overview" }).waitFor();
			await page.waitForFunction(() => document.querySelector(".skeleton") === null);
		}),
	);
	printRounds("overview with its data, 4 times slower, 10 Mb/s", overview, OVERVIEW_GOAL);

	const template = await makeTemplate(client, CHATTY, { events: LINES, every_ms: 1 });
	const page = await (await openSignedIn(browser, service)).newPage();
	const beside = await measureWhileJobRuns(page, template, () => "/favicon.svg");
	printRounds(`empty page beside a job of ${LINES} lines, a frame, p95`, [beside]);
	const followed = await measureWhileJobRuns(page, template, (id) => `/automation/executions/${id}`);
	printRounds(`output of ${LINES} lines followed, a frame, p95`, [followed], FRAME_GOAL);
	const line = await page.getByText(/^20,\d{3} lines$|^19,\d{3} lines$/).textContent();
	printFigure("lines shown at the end", line ?? "none");

	await page.goto("about:blank");
	await page.setContent("<input>");
	await page.locator("input").focus();
	printRounds("plain field, key to paint, p95", [await measureKeyLatency(page)]);
	const grid = await client.call(automationTemplateRoutes.create, {
		body: {
			name: "Wide rows",
			automation_connection: automationId,
			automation_job_template_id: 22,
			schema: Array.from({ length: COLUMNS }, (_, column) => ({
				name: `column_${column}`,
				field_type: "text" as const,
			})),
		},
	});
	await page.goto(`/automation/requests/new?template=${grid.id}`);
	await page.getByRole("grid").focus();
	await page.getByRole("grid").evaluate(
		(element, content) => {
			const clipboardData = new DataTransfer();
			clipboardData.setData("text/plain", content);
			element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
		},
		Array.from({ length: ROWS }, (_, row) =>
			Array.from({ length: COLUMNS }, (_column, column) => `r${row}c${column}`).join("\t"),
		).join("\n"),
	);
	await page.getByText("1,000 rows, no problems").waitFor();
	printRounds(`request of ${ROWS} x ${COLUMNS}, key to paint, p95`, [await measureKeyLatency(page)], KEY_GOAL);
} finally {
	await browser.close();
	await service.stop();
	await lab.stop();
}

/** Milliseconds until a page of an empty tab is ready, on a slow machine over a slow line. */
async function measurePageOpening(path: string, ready: (page: Page) => Promise<unknown>): Promise<number> {
	const profile = await openSignedIn(browser, service);
	const page = await profile.newPage();
	const session = await profile.newCDPSession(page);
	await session.send("Network.enable");
	await session.send("Network.emulateNetworkConditions", LINE);
	await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
	const began = performance.now();
	await page.goto(path);
	await ready(page);
	const ms = performance.now() - began;
	await profile.close();
	return ms;
}

/** Frames of a page from the start of a job to its end. */
async function measureWhileJobRuns(page: Page, template: string, path: (id: string) => string): Promise<number> {
	const id = await executeRequest(service.client, template, "output");
	await page.goto(path(id));
	await page.bringToFront();
	await page.evaluate(() => {
		const state = globalThis as unknown as { times: number[] };
		state.times = [];
		let last = performance.now();
		const note = (now: number) => {
			state.times.push(now - last);
			last = now;
			requestAnimationFrame(note);
		};
		requestAnimationFrame(note);
	});
	await waitForExecution(service.client, id, (execution) => execution.output_complete);
	const times = await page.evaluate(() => (globalThis as unknown as { times: number[] }).times);
	return computeP95(times);
}

/** Milliseconds from each key to the frame that shows it, 95th percentile. */
async function measureKeyLatency(page: Page): Promise<number> {
	const times: number[] = [];
	for (let key = 0; key < KEYS; key++) {
		await page.evaluate(() => {
			const state = globalThis as unknown as { painted: Promise<number> };
			state.painted = new Promise((resolve) => {
				addEventListener(
					"keydown",
					({ timeStamp }) =>
						requestAnimationFrame(() => {
							// The frame is on the screen when the next task runs.
							const channel = new MessageChannel();
							channel.port1.onmessage = () => resolve(performance.now() - timeStamp);
							channel.port2.postMessage(null);
						}),
					{ capture: true, once: true },
				);
			});
		});
		await page.keyboard.press(key % 6 === 5 ? "Enter" : "x");
		times.push(await page.evaluate(() => (globalThis as unknown as { painted: Promise<number> }).painted));
	}
	return computeP95(times);
}
