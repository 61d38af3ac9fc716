/**
 * Frame times of the web interface: a grid of 50,000 rows scrolled, sorted and filtered, and a
 * canvas of 200 nodes with one dragged. Baseline: a plain list that scrolls, and a box that follows
 * the pointer. Needs Chromium; WEFT_TEST_BROWSER sets its path.
 */
/// <reference lib="dom" />
import { savedQueryRoutes, timeMachineRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { Page } from "playwright-core";
import { measureRounds, openSignedIn, printRounds, startBrowser } from "./browser.ts";
import { computeP95, startService } from "./tools.ts";

const ROWS = 50_000;
const NODES = 200;
const FRAMES = 240;
/** Pixels of one frame of scrolling, such as a quick turn of a wheel. */
const STEP = 140;
const FRAME_GOAL = 25;
const VIEW_GOAL = 100;
/** After the last key, before a filter is carried out. */
const PAUSE_MS = 150;

/** Of a large canvas only the nodes in sight are drawn; this is one in the second row. */
const IN_SIGHT = ".react-flow__node >> nth=6";

let asked = 0;

const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
const browser = await startBrowser();
try {
	const profile = await openSignedIn(browser, service);
	const page = await profile.newPage();
	const empty = await profile.newPage();

	const bareScroll = await measureRounds(() => openBareList(empty));
	const grid = `/time-machine/snapshots/${await buildManyRows(service.client)}`;
	await page.goto(grid);
	await page.getByRole("gridcell").first().waitFor({ timeout: 60_000 });
	await page.bringToFront();
	const scrolled = await measureRounds(() => measureScroll(page, "[role=grid]"));
	printRounds("list of plain rows, a frame of scrolling, p95", bareScroll);
	printRounds(`grid of ${ROWS} rows, a frame of scrolling, p95`, scrolled, FRAME_GOAL);
	printRounds(
		"grid, sorted by a column: key to rows on the screen",
		await measureRounds(() => measureSort(page)),
		VIEW_GOAL,
	);
	printRounds(
		"grid, filtered: end of the pause to rows on the screen",
		await measureRounds(() => measureFilter(page)),
		VIEW_GOAL,
	);

	await empty.bringToFront();
	const bareDrag = await measureRounds(() => openBareBox(empty));
	await page.goto(`/builder/${await buildManyNodes(service.client)}`);
	await page.locator(IN_SIGHT).waitFor();
	await page.bringToFront();
	const dragged = await measureRounds(() => measureDrag(page, IN_SIGHT));
	printRounds("plain box among 200, a frame of dragging, p95", bareDrag);
	printRounds(`canvas of ${NODES} nodes, a frame of dragging, p95`, dragged, FRAME_GOAL);
} finally {
	await browser.close();
	await service.stop();
}

/** Scrolls an element one step per frame. @returns 95th percentile of the frame times, ms */
async function measureScroll(page: Page, selector: string): Promise<number> {
	const times = await page.evaluate(
		async ({ selector, frames, step }) => {
			const element = document.querySelector(selector);
			if (element === null) throw new Error("there is nothing to scroll");
			element.scrollTop = 0;
			const times: number[] = [];
			let last = await new Promise<number>(requestAnimationFrame);
			for (let frame = 0; frame < frames; frame++) {
				element.scrollTop += step;
				const now = await new Promise<number>(requestAnimationFrame);
				times.push(now - last);
				last = now;
			}
			return times;
		},
		{ selector, frames: FRAMES, step: STEP },
	);
	return computeP95(times);
}

/** Time from the sorting key to the frame that shows the rows; alternates the order. */
async function measureSort(page: Page): Promise<number> {
	await page.getByRole("grid").focus();
	await page.keyboard.press("ArrowRight");
	return waitUntilDrawn(page, () => page.keyboard.press("s"), "keydown", 0);
}

/** Each round for something else. */
async function measureFilter(page: Page): Promise<number> {
	const field = page.getByRole("searchbox", { name: "Filter rows" });
	await field.focus();
	return waitUntilDrawn(page, () => field.fill(`node:${101 + asked++}`), "input", PAUSE_MS);
}

/** Milliseconds from an event (plus a pause) to the frame that shows other rows. */
async function waitUntilDrawn(page: Page, act: () => Promise<unknown>, event: string, pause: number): Promise<number> {
	await page.evaluate((name) => {
		const rows = () => document.querySelector("[role=grid]")?.textContent ?? "";
		const before = rows();
		const state = globalThis as unknown as { drawn: Promise<number> };
		state.drawn = new Promise((resolve) => {
			addEventListener(
				name,
				({ timeStamp }) => {
					const look = () => {
						const now = rows();
						// While new rows are on their way cells are empty.
						if (now !== before && /uni|topology/.test(now))
							requestAnimationFrame(() => resolve(performance.now() - timeStamp));
						else requestAnimationFrame(look);
					};
					look();
				},
				{ capture: true, once: true },
			);
		});
	}, event);
	await act();
	return (await page.evaluate(() => (globalThis as unknown as { drawn: Promise<number> }).drawn)) - pause;
}

/** Drags an element in small steps. @returns 95th percentile of the frame times, ms */
async function measureDrag(page: Page, selector: string): Promise<number> {
	const box = await page.locator(selector).boundingBox();
	if (box === null) throw new Error("there is nothing to drag");
	const [x, y] = [box.x + box.width / 2, box.y + 14];
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.evaluate(() => {
		const state = globalThis as unknown as { times: number[]; going: boolean };
		state.times = [];
		state.going = true;
		let last = performance.now();
		const note = (now: number) => {
			state.times.push(now - last);
			last = now;
			if (state.going) requestAnimationFrame(note);
		};
		requestAnimationFrame((now) => {
			last = now;
			requestAnimationFrame(note);
		});
	});
	for (let step = 1; step <= FRAMES; step++) {
		const angle = (step / FRAMES) * 2 * Math.PI;
		await page.mouse.move(x + 120 * Math.sin(angle), y + 80 * (1 - Math.cos(angle)));
	}
	const times = await page.evaluate(() => {
		const state = globalThis as unknown as { times: number[]; going: boolean };
		state.going = false;
		return state.times;
	});
	await page.mouse.up();
	return computeP95(times);
}

async function openBareList(page: Page): Promise<number> {
	await page.setContent(
		`<style>body{margin:0;font:13px monospace}#list{height:860px;overflow:auto}p{margin:0;height:28px}</style><div id="list">${Array.from({ length: 2_000 }, (_, row) => `<p>uni/tn-${row}/BD-${row} up enabled 9000 proxy</p>`).join("")}</div>`,
	);
	return measureScroll(page, "#list");
}

async function openBareBox(page: Page): Promise<number> {
	const boxes = Array.from(
		{ length: NODES },
		(_, index) =>
			`<b style="position:absolute;left:${(index % 10) * 140}px;top:${Math.floor(index / 10) * 42}px">box ${index}</b>`,
	);
	await page.setContent(`<body style="margin:0">${boxes.join("")}</body>`);
	await page.evaluate(() => {
		const box = document.querySelectorAll("b")[100];
		addEventListener("pointermove", ({ clientX, clientY }) => {
			if (box) box.style.transform = `translate(${clientX}px, ${clientY}px)`;
		});
	});
	return measureDrag(page, "b >> nth=100");
}

/** A snapshot of so many interfaces, as a controller answers them. */
async function buildManyRows(client: WeftClient): Promise<string> {
	await client.call(timeMachineRoutes.updateSettings, { body: { max_snapshot_size_mb: 100 } });
	const imdata = Array.from({ length: ROWS }, (_, row) => {
		const [node, port] = [101 + (row % 400), Math.floor(row / 400) + 1];
		const attributes = {
			dn: `topology/pod-1/node-${node}/sys/phys-[eth1/${port}]`,
			id: `eth1/${port}`,
			node: String(node),
			adminSt: row % 7 === 0 ? "down" : "up",
			operSt: row % 5 === 0 ? "down" : "up",
			mtu: row % 3 === 0 ? "1500" : "9216",
			speed: ["1G", "10G", "25G", "100G"][row % 4],
			descr: row % 11 === 0 ? `uplink of rack ${row % 97}` : "",
			modTs: new Date(Date.UTC(2026, 0, 1) + row * 37_000).toISOString(),
			mode: row % 2 === 0 ? "trunk" : "access",
			usage: "epg",
			layer: "Layer2",
		};
		return { l1PhysIf: { attributes } };
	});
	const kept = await client.call(timeMachineRoutes.capture, {
		body: { result_data: { imdata }, query_name: "Interfaces", class_name: "l1PhysIf" },
	});
	if (!("snapshot_id" in kept)) throw new Error(JSON.stringify(kept));
	return kept.snapshot_id;
}

/** A saved canvas: rows of classes and filters, ten beside each other. */
async function buildManyNodes(client: WeftClient): Promise<string> {
	const nodes = Array.from({ length: NODES }, (_, index) => ({
		id: `n${index}`,
		type: index === 0 ? "startNode" : index === NODES - 1 ? "outputNode" : "classNode",
		position: { x: (index % 20) * 240, y: Math.floor(index / 20) * 110 },
		data: index === 0 || index === NODES - 1 ? {} : { className: index % 2 === 0 ? "fvBD" : "fvSubnet" },
	}));
	const edges = Array.from({ length: NODES - 1 }, (_, index) => ({
		id: `e${index}`,
		source: `n${Math.floor(index / 2)}`,
		target: `n${index + 1}`,
	}));
	const { id } = await client.call(savedQueryRoutes.create, {
		body: { name: "Two hundred nodes", flow_data: { nodes, edges } },
	});
	return id;
}
