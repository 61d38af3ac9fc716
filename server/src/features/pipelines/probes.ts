/** How many objects a controller has of a class: a page of one tells. Remembered for a moment, and never more than a few at once. */
import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock.ts";
import { type ControllerDriver, ControllerError, type ControllerTarget } from "../../ports/controller.ts";

const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;
/** Classes that are counted for one plan; for the others the usual numbers are taken. */
const PROBES = 25;
const DEADLINE_MS = 10_000;

export interface Counted {
	readonly counts: Readonly<Record<string, number>>;
	/** Why some classes were not counted, in words. */
	readonly problems: readonly string[];
}

export function createProbes({
	driver,
	clock,
}: {
	driver: Pick<ControllerDriver, "count">;
	clock: Pick<Clock, "now">;
}) {
	const known = new LRUCache<string, number>({ max: REMEMBERED, ttl: REMEMBERED_MS, perf: clock });

	/** What the controller cannot tell in time is left out, and said. */
	return async (target: ControllerTarget, classNames: readonly string[], asked: AbortSignal): Promise<Counted> => {
		const signal = AbortSignal.any([asked, AbortSignal.timeout(DEADLINE_MS)]);
		const counts: Record<string, number> = {};
		const problems = new Map<string, string[]>();
		if (classNames.length > PROBES) {
			problems.set(`only ${PROBES} classes are counted for a plan`, classNames.slice(PROBES));
		}
		await Promise.all(
			classNames.slice(0, PROBES).map(async (className) => {
				const key = `${target.id} ${target.revision} ${className}`;
				const remembered = known.get(key);
				if (remembered !== undefined) {
					counts[className] = remembered;
					return;
				}
				try {
					const path = `/api/class/${className}.json`;
					const count = await driver.count(target, { path, signal });
					counts[className] = count;
					known.set(key, count);
				} catch (error) {
					if (!(error instanceof ControllerError) && !signal.aborted) throw error;
					const why = error instanceof ControllerError ? error.message : "The controller did not answer in time.";
					problems.set(why, [...(problems.get(why) ?? []), className]);
				}
			}),
		);
		return {
			counts,
			problems: [...problems].map(([why, names]) => `Not counted: ${names.join(", ")} (${why.replace(/\.$/, "")}).`),
		};
	};
}
