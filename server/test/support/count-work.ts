/**
 * Counts the work of a function, so that tests compare inputs of several sizes without a clock:
 * executions of code blocks (V8's precise coverage of this process), and elements that built-in
 * functions copy or search without executing a block.
 */
import { Session } from "node:inspector/promises";

const PROJECT = /\/(?:server|contracts)\/(?:src|dist)\/|\/node_modules\/(?:yaml|zod)\//;

type Method = (this: { readonly length: number }, ...args: unknown[]) => unknown;
/** Methods that read or move all elements. */
const WHOLE_LIST = ["concat", "copyWithin", "includes", "join", "shift", "splice", "unshift"];

export interface Counter {
	count<T>(run: () => Promise<T>): Promise<{ value: T; work: number }>;
	close(): void;
}

export async function startCounter(): Promise<Counter> {
	const session = new Session();
	session.connect();
	await session.post("Profiler.enable");
	await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

	/** Executed blocks of the project since the last call. */
	async function takeBlocks(): Promise<number> {
		const { result } = await session.post("Profiler.takePreciseCoverage");
		return result
			.filter(({ url }) => PROJECT.test(url))
			.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
			.reduce((sum, { count }) => sum + count, 0);
	}

	return {
		async count(run) {
			await takeBlocks();
			const builtIns = watchBuiltIns();
			try {
				const value = await run();
				const elements = builtIns.stop();
				return { value, work: elements + (await takeBlocks()) };
			} finally {
				builtIns.stop();
			}
		},
		close: () => session.disconnect(),
	};
}

/** Elements from where a search began up to what it found, or to the end. */
function countSearchedElements(length: number, result: unknown, from: unknown): number {
	const end = Number(result) < 0 ? length : Number(result) + 1;
	return Math.max(0, end - Math.max(0, Number(from ?? 0)));
}

/** Counts elements until `stop`, which returns their number and restores the methods. */
function watchBuiltIns(): { stop(): number } {
	let elements = 0;
	const restores: (() => void)[] = [];

	function instrumentMethod(
		prototype: object,
		name: string,
		prepareWork: (length: number, result: unknown, from: unknown) => number = (length) => length,
	): void {
		const original = Reflect.get(prototype, name) as Method;
		const watched: Method = function (...args) {
			const { length } = this;
			const result = original.apply(this, args);
			elements += prepareWork(length, result, args[1]);
			return result;
		};
		const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
		Object.defineProperty(prototype, name, { ...descriptor, value: watched });
		restores.push(() => Object.defineProperty(prototype, name, descriptor));
	}

	for (const name of WHOLE_LIST) instrumentMethod(Array.prototype, name);
	instrumentMethod(Array.prototype, "slice", (_length, result) => (result as unknown[]).length);
	instrumentMethod(Array.prototype, "indexOf", countSearchedElements);
	instrumentMethod(String.prototype, "indexOf", countSearchedElements);
	const iterator = Object.getOwnPropertyDescriptor(Array.prototype, Symbol.iterator) as PropertyDescriptor;
	const iterate = iterator.value as (this: unknown[]) => ArrayIterator<unknown>;
	// Spread copies a whole list at once; `for … of` reads as many elements.
	Object.defineProperty(Array.prototype, Symbol.iterator, {
		...iterator,
		value(this: unknown[]) {
			elements += this.length;
			return iterate.call(this);
		},
	});
	restores.push(() => Object.defineProperty(Array.prototype, Symbol.iterator, iterator));
	return {
		stop() {
			for (const restore of restores.splice(0)) restore();
			return elements;
		},
	};
}
