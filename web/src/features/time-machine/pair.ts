/** The two snapshots that a history offers to compare. Pure. */
import type { Snapshot } from "@weft/contracts";

type Source = Pick<Snapshot, "controller_connection_id" | "controller_connection_name">;

/** What tells one controller from another: its id, or its name where it has none. */
export const controllerKey = ({ controller_connection_id, controller_connection_name }: Source): string =>
	controller_connection_id ?? `name:${controller_connection_name}`;

export const isSameController = (a: Source, b: Source): boolean => controllerKey(a) === controllerKey(b);

type Listed = Source & Pick<Snapshot, "id">;

export interface Pair<Each> {
	readonly earlier: Each | undefined;
	readonly later: Each | undefined;
}

/**
 * The chosen snapshots. A side that is not chosen is the latest snapshot of the same controller, so
 * that a default comparison never crosses controllers.
 * @param snapshots newest first
 */
export function defaultPair<Each extends Listed>(
	snapshots: readonly Each[],
	from: string | undefined,
	to: string | undefined,
): Pair<Each> {
	const chosen = snapshots.find(({ id }) => id === from);
	const later =
		to === undefined
			? snapshots.find((each) => each.id !== from && (chosen === undefined || isSameController(each, chosen)))
			: snapshots.find(({ id }) => id === to);
	if (from !== undefined || later === undefined) return { earlier: chosen, later };
	const earlier = snapshots.slice(snapshots.indexOf(later) + 1).find((each) => isSameController(each, later));
	return { earlier, later };
}
