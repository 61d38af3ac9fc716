/**
 * Groups rows that show the same change to several queries: the same object and kind of change in
 * overlapping intervals between snapshots, and equal values of each attribute that both have.
 */
import type { ObjectChangeKind } from "@weft/contracts";

type AttributeValues = readonly [name: string, before: string | null, after: string | null];

/** A change as one query saw it, between two of its snapshots. */
export interface SeenChange {
	readonly dn: string;
	readonly change: ObjectChangeKind;
	/** Times of the two snapshots. */
	readonly since: Date;
	readonly at: Date;
	readonly attributes: readonly AttributeValues[];
}

export interface GroupedChange extends SeenChange {
	readonly id: number;
	readonly groupId: string;
	readonly isLead: boolean;
	readonly isShared: boolean;
}

/** Where a new row stands. */
export interface Placed {
	readonly groupId: string;
	readonly isLead: boolean;
	readonly isShared: boolean;
}

export interface Placing<New extends SeenChange> {
	readonly rows: readonly (New & Placed)[];
	/** Stored rows whose group has got more rows; not a lead if an earlier one has come. */
	readonly changed: readonly { readonly id: number; readonly isLead: boolean }[];
}

interface Member {
	readonly id: number | null;
	readonly row: SeenChange;
	isLead: boolean;
}

/** Whether two rows of one object show the same change. */
export function isSameChange(one: SeenChange, other: SeenChange): boolean {
	if (one.dn !== other.dn || one.change !== other.change) return false;
	if (one.since >= other.at || other.since >= one.at) return false;
	const values = new Map(one.attributes.map(([name, ...pair]) => [name, pair]));
	return other.attributes.every(([name, before, after]) => {
		const known = values.get(name);
		return known === undefined || (known[0] === before && known[1] === after);
	});
}

/**
 * Puts each new row into the earliest group of which every row shows the same change, or into a
 * group of its own.
 * @param incoming rows of one connection, each with the id of the group that it would begin
 * @param stored rows of the same objects
 */
export function placeChanges<New extends SeenChange>(
	incoming: readonly { readonly row: New; readonly groupId: string }[],
	stored: readonly GroupedChange[],
): Placing<New> {
	const groups = new Map<string, Map<string, Member[]>>();
	const getGroups = (dn: string): Map<string, Member[]> => {
		const known = groups.get(dn) ?? new Map<string, Member[]>();
		groups.set(dn, known);
		return known;
	};
	for (const row of stored) {
		const own = getGroups(row.dn);
		own.set(row.groupId, [...(own.get(row.groupId) ?? []), { id: row.id, row, isLead: row.isLead }]);
	}
	const touched = new Set<Member[]>();
	const placed = incoming.map(({ row, groupId }) => {
		const own = getGroups(row.dn);
		const fitting = [...own]
			.filter(([, members]) => members.every((member) => isSameChange(member.row, row)))
			.sort(([, one], [, other]) => getEarliest(one) - getEarliest(other));
		const [found] = fitting;
		const members = found?.[1] ?? [];
		const isLead = members.every((member) => member.row.at > row.at);
		if (isLead) for (const member of members) member.isLead = false;
		const added: Member = { id: null, row, isLead };
		members.push(added);
		if (found === undefined) own.set(groupId, members);
		touched.add(members);
		return { row, added, members, groupId: found?.[0] ?? groupId };
	});
	return {
		rows: placed.map(({ row, added, members, groupId }) => ({
			...row,
			groupId,
			isLead: added.isLead,
			isShared: members.length > 1,
		})),
		changed: [...touched].flatMap((members) =>
			members.flatMap(({ id, isLead }) => (id === null ? [] : [{ id, isLead }])),
		),
	};
}

const getEarliest = (members: readonly Member[]): number => Math.min(...members.map(({ row }) => row.at.getTime()));
