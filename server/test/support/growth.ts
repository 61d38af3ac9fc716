/** Inputs of double and fourfold size: work and answers grow in proportion. */
import { afterAll, beforeAll, expect } from "vitest";
import { automationTasks } from "../../src/areas/automation/templates/workers/tasks.ts";
import { checkTasks } from "../../src/areas/checks/workers/tasks.ts";
import { queryFileTasks } from "../../src/areas/files/workers/tasks.ts";
import { pipelineTasks } from "../../src/areas/runs/pipelines/workers/tasks.ts";
import { judgeTasks } from "../../src/areas/windows/workers/tasks.ts";
import { type Counter, startCounter } from "./count-work.ts";
import { type Answer, startTestApp, type TestApp } from "./harness.ts";
import { createInlinePool } from "./inline-pool.ts";
import { createWorld, type World } from "./valid-calls.ts";

/** Bytes of any answer to one of these requests. */
const ANSWER_MAX = 9 * 1024 * 1024;
/** Doubling adds twice the work of the doubling before; four times as much is quadratic. */
const RATIO_MAX = 2.7;
/** Work of timers and statements, which varies. */
const NOISE = 60_000;

export interface GrowthTests {
	t: TestApp;
	world: World;
	/** Fails where work or answer grow out of proportion from n to 2n to 4n. */
	expectProportion(n: number, send: (n: number) => Promise<Answer>, answerMax?: number): Promise<void>;
}

/**
 * Sets up one test file, which runs the tasks of worker threads in its own thread. The fields are
 * set before its first test begins.
 */
export function useGrowth(): GrowthTests {
	let counter: Counter;
	const tests = {
		expectProportion: (n, send, answerMax = ANSWER_MAX) => expectProportion(counter, n, send, answerMax),
	} as GrowthTests;
	beforeAll(async () => {
		tests.t = await startTestApp({
			deps: {
				pipelinePool: createInlinePool(pipelineTasks),
				queryFilePool: createInlinePool(queryFileTasks),
				checkPool: createInlinePool(checkTasks),
				judgePool: createInlinePool(judgeTasks),
				automationPool: createInlinePool(automationTasks),
			},
		});
		tests.world = await createWorld(tests.t);
		counter = await startCounter();
	});
	afterAll(async () => {
		counter.close();
		await tests.t.close();
	});
	return tests;
}

/** Measurements of one input: timers and statements in between add to each, so the least counts. */
const MEASUREMENTS = 3;

const isProportionate = ([one = 0, two = 0, four = 0]: readonly number[], noise: number): boolean =>
	four - two < RATIO_MAX * Math.max(0, two - one) + noise;

async function expectProportion(
	counter: Counter,
	n: number,
	send: (n: number) => Promise<Answer>,
	answerMax: number,
): Promise<void> {
	let works = [Infinity, Infinity, Infinity];
	let sizes: number[] = [];
	for (let measured = 0; measured < MEASUREMENTS; measured += 1) {
		const [least, bytes]: [number[], number[]] = [[], []];
		for (const [i, size] of [n, 2 * n, 4 * n].entries()) {
			const { value, work } = await counter.count(() => send(size));
			// A controller of the valid calls does not listen: 502.
			expect([500, 503, 504], value.text.slice(0, 500)).not.toContain(value.status);
			least.push(Math.min(work, works[i] ?? work));
			bytes.push(Buffer.byteLength(value.text));
		}
		[works, sizes] = [least, bytes];
		if (isProportionate(works, NOISE)) break;
	}
	expect(isProportionate(works, NOISE), `work at n, 2n and 4n: ${works.join(", ")}`).toBe(true);
	expect(isProportionate(sizes, 10_000), `bytes of the answer at n, 2n and 4n: ${sizes.join(", ")}`).toBe(true);
	expect(Math.max(...sizes)).toBeLessThan(answerMax);
}
