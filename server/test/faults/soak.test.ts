/**
 * Gentle load for `WEFT_SOAK_MINUTES` without faults: live heap, memory and open files of each
 * process must not grow. The first third is warm-up; the slope of the rest is tested. Garbage is
 * collected before each sample, because V8 delays it with this much memory. Work in progress varies
 * by 100 MB, so the lowest values are compared.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../support/harness.ts";
import type { RunningProcess } from "../support/process.ts";
import { createCaller } from "./caller.ts";
import { createLoad, prepareSetting } from "./load.ts";
import { type Parts, startParts } from "./parts.ts";
import { countUnfinished, verifyOutcome } from "./proof.ts";

const MINUTES = Number(process.env.WEFT_SOAK_MINUTES ?? 0);
const SAMPLE_MS = 30_000;
/** Times as slow as where faults are looked for. */
const SLOWER = 10;
/** Limits in MB per hour: live heap, and resident memory. */
const ALIVE_MAX = 3;
const SLOPE_MAX = 12;
const FILES_MAX = 10;
/** Parts of the time of which the lowest value is taken. */
const FLOORS = 10;

interface Sample {
	/** Hours since the beginning. */
	readonly at: number;
	/** Objects and buffers of the process's own thread. */
	readonly alive: number;
	/** All that the system has given to the process. */
	readonly mb: number;
	readonly files: number;
}

async function sampleProcess({ child, output }: RunningProcess, at: number): Promise<Sample> {
	const said = () => output.stderr.match(/^alive \d+$/gm) ?? [];
	const before = said().length;
	child.kill("SIGUSR2");
	await waitUntil("the process has said what is alive", () => said().length > before);
	const alive = Number(said().at(-1)?.slice("alive ".length)) / 2 ** 20;
	const pid = child.pid as number;
	const kb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
	return { at, alive, mb: kb / 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}

/** The lowest of each few samples in a row. */
function findMinima(samples: readonly Sample[], of: "alive" | "mb"): Sample[] {
	const least = (some: readonly Sample[]) => some.reduce((low, one) => (one[of] < low[of] ? one : low));
	const parts = Math.min(FLOORS, samples.length);
	const from = (part: number) => Math.floor((part * samples.length) / parts);
	return Array.from({ length: parts }, (_, part) => least(samples.slice(from(part), from(part + 1))));
}

/** Median of the slopes between all pairs of points (Theil-Sen), which ignores outliers. */
function computeSlope(points: readonly (readonly [x: number, y: number])[]): number {
	const slopes = points.flatMap(([x, y], at) =>
		points.slice(at + 1).map(([later, other]) => (other - y) / (later - x)),
	);
	return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? Number.NaN;
}

describe.skipIf(MINUTES === 0 || process.platform !== "linux")("for long", () => {
	let parts: Parts;
	beforeAll(async () => {
		parts = await startParts();
	}, 120_000);
	afterAll(() => parts?.close(), 60_000);

	it("grows by nothing", { timeout: (MINUTES + 10) * 60_000 }, async () => {
		const { pool, lab, nodes } = parts;
		const caller = createCaller(parts.addresses);
		const load = createLoad(caller, pool, await prepareSetting(caller, lab), SLOWER);
		const began = Date.now();
		const samples = nodes.map((): Sample[] => []);
		while (Date.now() < began + MINUTES * 60_000) {
			await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
			for (const [index, { process }] of nodes.entries())
				samples[index]?.push(await sampleProcess(process, (Date.now() - began) / 3_600_000));
		}
		await load.stop();
		await waitUntil(
			"everything has come to its end",
			async () => Object.keys(await countUnfinished(pool, load.known)).length === 0,
			120_000,
		);
		const { told, wrong } = await verifyOutcome({ caller, pool, lab, known: load.known });
		const grown = samples.map((all) => {
			const warm = all.slice(Math.floor(all.length / 3));
			return {
				alive: findMinima(all, "alive").map((one) => one.alive.toFixed(1)),
				mb: findMinima(all, "mb").map((one) => one.mb.toFixed(0)),
				aliveSlope: computeSlope(findMinima(warm, "alive").map((one) => [one.at, one.alive])),
				slope: computeSlope(findMinima(warm, "mb").map((one) => [one.at, one.mb])),
				files: (warm.at(-1)?.files ?? 0) - (warm[0]?.files ?? 0),
			};
		});
		const said = grown.map(({ alive, mb, aliveSlope, slope: perHour, files }, index) => ({
			roles: nodes[index]?.roles,
			"files more": files,
			"mb alive": alive.join(" "),
			"an hour": aliveSlope.toFixed(1),
			mb: mb.join(" "),
			"mb an hour": perHour.toFixed(1),
		}));
		process.stderr.write(`soak: ${JSON.stringify({ minutes: MINUTES, ...load.counts(), ...told, processes: said })}\n`);
		expect(wrong).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, 0])));
		for (const { aliveSlope, slope: perHour, files } of grown) {
			expect(aliveSlope).toBeLessThan(ALIVE_MAX);
			expect(perHour).toBeLessThan(SLOPE_MAX);
			expect(files).toBeLessThan(FILES_MAX);
		}
	});
});
