/** The persons of a change in a lane, from the changes of the object. Pure. */
import type { ObjectAnswer } from "@weft/contracts";
import type { LaneTick } from "../../history/lanes.ts";
import { formatCapturedValue } from "../../history/written.ts";

type Change = Pick<ObjectAnswer["changes"][number], "at" | "change" | "attributes" | "changed_by">;

/**
 * Names of those who made the change of a tick, newest first. Of several equal changes the nearest
 * in time counts: a history may show a change later than the one that saw it first.
 */
export function findPersons(changes: readonly Change[], tick: LaneTick): string[] {
	const distance = ({ at }: Change): number => Math.abs(Date.parse(at) - Date.parse(tick.at));
	const [nearest] = changes
		.filter((change) => isSame(change, tick))
		.sort((one, other) => distance(one) - distance(other));
	return [...new Set(nearest?.changed_by.map(({ user }) => user || "unknown user"))];
}

function isSame({ change, attributes }: Change, { attribute, before, after }: LaneTick): boolean {
	if (attribute === null) return change === (after === null ? "deleted" : "added");
	return attributes.some(
		(one) =>
			one.name === attribute && formatCapturedValue(one.before) === before && formatCapturedValue(one.after) === after,
	);
}
