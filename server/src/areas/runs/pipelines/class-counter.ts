/** Counts the objects of classes on a controller, for plans. Counts are cached for a minute. */
import { LRUCache } from "lru-cache";
import type { Context } from "../../../context.ts";
import type { ControllerTarget } from "../../../integrations/apic/port.ts";
import { ControllerError } from "../../../integrations/apic/port-error.ts";
import { isUnknownClass } from "./rules/unknown-class.ts";

const CACHED_COUNTS = 10_000;
const CACHE_MS = 60_000;
/** Classes that are counted for one plan; for the others the planner assumes usual numbers. */
const MAX_CLASSES = 25;
/** Upper bound of the wait of a plan for its counts, in milliseconds. */
const DEADLINE_MS = 3_000;

export interface Counted {
	readonly counts: Readonly<Record<string, number>>;
	/** Which classes the controller does not have, and why others were not counted. */
	readonly problems: readonly string[];
}

export type ClassCounter = ReturnType<typeof createClassCounter>;

export function createClassCounter({ controllers, clock }: Context) {
	const cache = new LRUCache<string, number>({ max: CACHED_COUNTS, ttl: CACHE_MS, perf: clock });

	/** Classes that the controller does not count in time are reported in `problems`. */
	return async (
		target: ControllerTarget,
		classNames: readonly string[],
		requestSignal: AbortSignal,
	): Promise<Counted> => {
		const signal = AbortSignal.any([requestSignal, AbortSignal.timeout(DEADLINE_MS)]);
		const counts: Record<string, number> = {};
		const problems = new Map<string, string[]>();
		const lacking: string[] = [];
		if (classNames.length > MAX_CLASSES) {
			problems.set(`only ${MAX_CLASSES} classes are counted for a plan`, classNames.slice(MAX_CLASSES));
		}
		await Promise.all(
			classNames.slice(0, MAX_CLASSES).map(async (className) => {
				const key = `${target.id} ${target.revision} ${className}`;
				const path = `/api/class/${className}.json`;
				try {
					const count = cache.get(key) ?? (await controllers.count(target, { path, signal }));
					counts[className] = count;
					cache.set(key, count, { noUpdateTTL: true });
				} catch (error) {
					if (!(error instanceof ControllerError) && !signal.aborted) throw error;
					if (isUnknownClass(error)) {
						lacking.push(className);
						return;
					}
					const reason = error instanceof ControllerError ? error.message : "The controller did not answer in time.";
					problems.set(reason, [...(problems.get(reason) ?? []), className]);
				}
			}),
		);
		return {
			counts,
			problems: [
				...(lacking.length === 0 ? [] : [`This controller's release does not have: ${lacking.sort().join(", ")}.`]),
				...[...problems].map(([reason, names]) => `Not counted: ${names.join(", ")} (${reason.replace(/\.$/, "")}).`),
			],
		};
	};
}
