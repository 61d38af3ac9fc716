/**
 * Frame times of a picture of 500 nodes and 2,000 links that is dragged through its frame.
 * Baseline: a plain list that scrolls. Needs Chromium; WEFT_TEST_BROWSER sets its path.
 */
/// <reference lib="dom" />
import { connectionRoutes, PICTURE_CLASSES, savedQueryRoutes, timeMachineRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { Page } from "playwright-core";
import { measureRounds, openSignedIn, printRounds, startBrowser } from "./browser.ts";
import { computeP95, startService } from "./tools.ts";

const SPINES = 4;
const LEAVES = 496;
const FRAMES = 240;
/** Pixels of one frame of scrolling. */
const STEP = 24;
const GOAL = 35;

const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
const browser = await startBrowser();
try {
	const profile = await openSignedIn(browser, service);
	const empty = await profile.newPage();
	await empty.setContent(
		`<section style="height:560px;overflow:auto">${"<p>uni/tn-1/BD-1 up enabled</p>".repeat(500)}</section>`,
	);
	const bare = await measureRounds(() => measureScroll(empty));
	const page = await profile.newPage();
	await page.goto(`/pictures?connection=${await buildPicture(service.client)}`);
	await page.locator("[data-node]").nth(499).waitFor({ state: "attached", timeout: 60_000 });
	await page.bringToFront();
	const whole = await measureRounds(() => measureScroll(page));
	for (let step = 0; step < 8; step++) await page.getByRole("button", { name: "Zoom in" }).click();
	printRounds("list of plain rows, a frame of scrolling, p95", bare);
	printRounds("picture of 500 nodes, all of it, a frame, p95", whole, GOAL);
	const zoomed = await measureRounds(() => measureScroll(page));
	printRounds("picture of 500 nodes, zoomed in, a frame of moving, p95", zoomed, GOAL);
} finally {
	await browser.close();
	await service.stop();
}

/** Moves the frame to and fro. @returns 95th percentile of the frame times, in milliseconds */
async function measureScroll(page: Page): Promise<number> {
	const times = await page.evaluate(
		async ({ frames, step }) => {
			const element = document.querySelector("section:has(svg [data-node])") ?? document.querySelector("section");
			if (element === null) throw new Error("there is nothing to move");
			const times: number[] = [];
			let last = await new Promise<number>(requestAnimationFrame);
			for (let frame = 0; frame < frames; frame++) {
				const way = Math.floor(frame / 40) % 2 === 0 ? step : -step;
				element.scrollBy(way, way);
				const now = await new Promise<number>(requestAnimationFrame);
				times.push(now - last);
				last = now;
			}
			return times;
		},
		{ frames: FRAMES, step: STEP },
	);
	return computeP95(times);
}

/** Stores a snapshot of the classes of the topology. @returns the connection's id */
async function buildPicture(client: WeftClient): Promise<string> {
	await client.call(timeMachineRoutes.updateSettings, { body: { max_snapshot_size_mb: 100 } });
	const { id: connection } = await client.call(connectionRoutes.create, {
		body: { name: "large", url: "https://apic.example.com", username: "admin", password: "unused" },
	});
	const nodes = PICTURE_CLASSES.topology.map((className, index) => ({
		id: className,
		type: "classNode",
		position: { x: 0, y: 100 * index },
		data: { className },
	}));
	const { id } = await client.call(savedQueryRoutes.create, {
		body: { name: "Topology", flow_data: { nodes, edges: [] }, enable_time_machine: true },
	});
	const numbers = Array.from({ length: SPINES + LEAVES }, (_, index) => index + 101);
	const imdata = numbers.flatMap((number, index) => {
		const role = index < SPINES ? "spine" : "leaf";
		const dn = `topology/pod-1/node-${number}`;
		const node = {
			dn,
			id: String(number),
			name: `${role}${number}`,
			role,
			fabricSt: index % 9 === 0 ? "inactive" : "active",
		};
		const links = numbers.slice(0, role === "leaf" ? SPINES : 0).map((spine, port) => ({
			fabricLink: {
				attributes: {
					dn: `topology/pod-1/lnkcnt-${spine}/lnk-${number}-1-${port + 49}-to-${spine}-1-${number}`,
					n1: String(number),
					n2: String(spine),
					p1: String(port + 49),
					p2: String(number),
					linkState: index % 50 === 0 ? "failed" : "ok",
				},
			},
		}));
		return [{ fabricNode: { attributes: node } }, ...links];
	});
	const kept = await client.call(timeMachineRoutes.capture, {
		body: { saved_query_id: id, controller_connection_id: connection, result_data: { imdata } },
	});
	if (!("snapshot_id" in kept)) throw new Error(JSON.stringify(kept));
	return connection;
}
