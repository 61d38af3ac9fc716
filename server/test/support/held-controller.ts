/** The driver of the simulated controller, with answers that a test holds back and lets go. */
import type { ControllerDriver } from "../../src/integrations/apic/port.ts";
import { createEagerDriver } from "./runs.ts";

export interface HeldController {
	readonly driver: ControllerDriver;
	/** Holds queries whose path matches, from now on. Returns the function that releases them. */
	hold(match: RegExp): () => void;
	/** Paths of queries begun so far, counts included, in order. */
	readonly asked: readonly string[];
}

export function createHeldController(): HeldController {
	const real = createEagerDriver({ lingerMs: 50 });
	const holds = new Set<{ match: RegExp; opened: Promise<void> }>();
	const asked: string[] = [];

	/** Waits for each matching hold, or until the query is cancelled. */
	async function waitForHolds(path: string, signal: AbortSignal | undefined): Promise<void> {
		asked.push(path);
		if (signal?.aborted) return;
		const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
		for (const { match, opened } of holds) if (match.test(path)) await Promise.race([opened, aborted]);
	}

	return {
		driver: {
			...real,
			async count(target, query) {
				await waitForHolds(query.path, query.signal);
				return real.count(target, query);
			},
			async *pages(target, query) {
				await waitForHolds(query.path, query.signal);
				yield* real.pages(target, query);
			},
		},
		hold(match) {
			let release: () => void = () => undefined;
			const one = {
				match,
				opened: new Promise<void>((resolve) => {
					release = resolve;
				}),
			};
			holds.add(one);
			return () => {
				holds.delete(one);
				release();
			};
		},
		asked,
	};
}
