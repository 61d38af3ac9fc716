/** Pairs of snapshots in the order of time: offered by default, of an address, or chosen. Pure. */
import type { Snapshot } from "@weft/contracts";

type Source = Pick<Snapshot, "controller_connection_id" | "controller_connection_name">;
type Dated = Pick<Snapshot, "id" | "executed_at">;
type Listed = Source & Dated;

/** The key of a snapshot's controller: its id, or its name where it has none. */
export const getControllerKey = ({ controller_connection_id, controller_connection_name }: Source): string =>
	controller_connection_id ?? `name:${controller_connection_name}`;

export const isSameController = (a: Source, b: Source): boolean => getControllerKey(a) === getControllerKey(b);

/** Negative where `a` is older. The ids decide between snapshots of the same millisecond. */
const compareByTime = (a: Dated, b: Dated): number =>
	Date.parse(a.executed_at) - Date.parse(b.executed_at) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The only place that decides which of two snapshots is the earlier one. */
export const orderByTime = <A extends Dated, B extends Dated>(a: A, b: B): readonly [earlier: A | B, later: A | B] =>
	compareByTime(a, b) <= 0 ? [a, b] : [b, a];

/** Heads of two compared snapshots: their controllers where they differ, else which is earlier. */
export function labelSides(a: Listed, b: Listed): readonly [string, string] {
	if (!isSameController(a, b)) return [nameController(a), nameController(b)];
	return orderByTime(a, b)[0] === a ? ["Earlier", "Later"] : ["Later", "Earlier"];
}

const nameController = ({ controller_connection_name: name }: Source): string => name || "unnamed";

export type End = "from" | "to";

/** `from` is never newer than `to`. */
export interface Pair<Each> {
	readonly from: Each | undefined;
	readonly to: Each | undefined;
}

const makePair = <Each extends Dated>(a: Each, b: Each): Pair<Each> => {
	const [from, to] = orderByTime(a, b);
	return { from, to };
};

/** The next older (`from`) or newer (`to`) snapshot of the same controller. */
function findNeighbour<Each extends Listed>(snapshots: readonly Each[], of: Each, end: End): Each | undefined {
	const sign = end === "from" ? 1 : -1;
	return snapshots
		.filter((each) => isSameController(each, of) && compareByTime(of, each) * sign > 0)
		.sort((a, b) => compareByTime(b, a) * sign)[0];
}

/**
 * The pair of an address, in the order of time. An end that it does not name is of the same
 * controller, so that a default comparison never crosses controllers: `to` is the latest snapshot,
 * `from` the one before. A named latest snapshot is `to` at whichever end it is named.
 * @param snapshots those that are known, in any order
 */
export function resolvePair<Each extends Listed>(
	snapshots: readonly Each[],
	fromId: string | undefined,
	toId: string | undefined,
): Pair<Each> {
	const newestFirst = [...snapshots].sort((a, b) => compareByTime(b, a));
	const [from, to] = [fromId, toId].map((id) => newestFirst.find((each) => each.id === id));
	if (from !== undefined && to !== undefined && from !== to) return makePair(from, to);
	// The time of a snapshot that is not known is not known either: the comparison puts it in order.
	if (fromId !== undefined && toId !== undefined && fromId !== toId) return { from, to };
	if (to === undefined && from !== undefined) {
		const latest = newestFirst.find((each) => isSameController(each, from));
		if (latest !== undefined && latest !== from) return { from, to: latest };
	}
	const later = to ?? from ?? (fromId === undefined && toId === undefined ? newestFirst[0] : undefined);
	if (later === undefined) return { from: undefined, to: undefined };
	return { from: findNeighbour(newestFirst, later, "from"), to: later };
}

/** The latest choice of a person: a snapshot, and the end it was chosen for. */
export interface Choice<Each> {
	readonly end: End;
	readonly snapshot: Each;
}

/**
 * The pair after a choice. The latest choices of both ends are compared, whichever was made first.
 * Without a choice of the other end, that end stays as it is shown, unless it would break the order
 * of time: then it becomes the neighbour of the choice. Where there is no neighbour on that side,
 * the choice takes the other end.
 * @param before the choice before this one; null without one
 */
export function choosePair<Each extends Listed>(
	snapshots: readonly Each[],
	shown: Pair<Each>,
	before: Choice<Each> | null,
	{ end, snapshot }: Choice<Each>,
): Pair<Each> {
	if (before !== null && before.end !== end && before.snapshot.id !== snapshot.id)
		return makePair(before.snapshot, snapshot);
	const other: End = end === "from" ? "to" : "from";
	for (const side of [other, end]) {
		const sign = side === "to" ? 1 : -1;
		const isOnSide = (each: Each | undefined): each is Each =>
			each !== undefined && compareByTime(each, snapshot) * sign > 0;
		const partner = isOnSide(shown[side]) ? shown[side] : findNeighbour(snapshots, snapshot, side);
		if (partner !== undefined) return makePair(snapshot, partner);
	}
	return { from: undefined, to: undefined, [end]: snapshot };
}
