/** Who changed the objects of a comparison, by the controller's own records of changes. */
import type { AttributionReason, AttributionSummary, ChangedBy } from "@weft/contracts";
import type { ControllerChange } from "../../../integrations/apic/port.ts";

/** Sources of who changed the objects of a comparison. */
export interface Attribution {
	/** Records from between the two snapshots, newest first; null if the controller was not asked. */
	readonly records: readonly ControllerChange[] | null;
	/** Why an object has no record; null if that is unknown, as not all records were read. */
	readonly reason: AttributionReason | null;
	/** Found when the snapshots were captured, by dn. */
	readonly stored: ReadonlyMap<string, Attributed>;
}

/** Who changed an object, newest first; if nobody is known, why. */
export interface Attributed {
	readonly changed_by: readonly ChangedBy[];
	readonly changed_by_reason?: AttributionReason | null;
}

/** What a lookup after a capture found, by dn of the object. */
export interface StoredAttribution extends AttributionSummary {
	readonly objects: Readonly<Record<string, Attributed>>;
}

export interface ChangedObject {
	readonly dn: string;
	readonly kind: "added" | "deleted" | "modified";
	/** Names of the attributes that differ in a modified object; `children` for nested children. */
	readonly attributes: readonly string[];
	/** Whether the row is flat: post-processors may have merged several objects into it. */
	readonly isFlat: boolean;
}

/** Records shown for one object. */
const MOST_RECORDS = 50;

/** Returns who changed an object; undefined if the records say nothing about it, either way. */
export type Attribute = (object: ChangedObject) => Attributed | undefined;

export function createAttribute({ records, reason, stored }: Attribution): Attribute {
	const find = createRecordFinder(records ?? []);
	return (object) => {
		const known = stored.get(object.dn);
		const found = find(object);
		if (found.length > 0) return { changed_by: found.slice(0, MOST_RECORDS).map(presentRecord) };
		if (known !== undefined && known.changed_by.length > 0) return known;
		return records === null ? known : { changed_by: [], changed_by_reason: reason };
	};
}

/**
 * Finds the records that explain a change:
 * - of an object that came or went: its own, or the deletion of one above it
 * - of a modified object: its own that name an attribute that differs, and those of objects below
 *   it where nested children differ, or where a flat row has an attribute of theirs; if there are
 *   none, all its own
 */
export function createRecordFinder(
	records: readonly ControllerChange[],
): (object: ChangedObject) => readonly ControllerChange[] {
	const byDn = new Map<string, ControllerChange[]>();
	for (const record of records) {
		const own = byDn.get(record.dn);
		if (own === undefined) byDn.set(record.dn, [record]);
		else own.push(record);
	}
	const dns = [...byDn.keys()].sort();

	function deletionAbove(dn: string): readonly ControllerChange[] {
		for (const above of listDnsAbove(dn)) {
			const deletions = byDn.get(above)?.filter(({ action }) => action === "deleted") ?? [];
			if (deletions.length > 0) return deletions;
		}
		return [];
	}

	function findChangesBelow(dn: string): ControllerChange[] {
		const prefix = `${dn}/`;
		const found: ControllerChange[] = [];
		for (let at = findFirstFrom(dns, prefix); dns[at]?.startsWith(prefix); at++)
			found.push(...(byDn.get(dns[at] as string) ?? []));
		return found;
	}

	return ({ dn, kind, attributes, isFlat }) => {
		const own = byDn.get(dn) ?? [];
		if (kind !== "modified") return own.length > 0 ? own : deletionAbove(dn);
		const differing = new Set(attributes.map(getLastName));
		const explains = ({ action, attributes: named }: ControllerChange): boolean =>
			action !== "modified" || named.length === 0 || named.some((name) => differing.has(name));
		const chosen = own.filter(explains);
		const explained = new Set(chosen.flatMap((record) => record.attributes));
		const explainsMore = ({ attributes: named }: ControllerChange): boolean =>
			named.some((name) => differing.has(name) && !explained.has(name));
		if (differing.has(CHILDREN)) chosen.push(...findChangesBelow(dn));
		else if (isFlat) chosen.push(...findChangesBelow(dn).filter(explainsMore));
		return chosen.length > 0 ? chosen.sort((a, b) => b.at - a.at) : own;
	};
}

const CHILDREN = "children";

/** Rows that merge several objects name an attribute `class.attribute`. */
const getLastName = (attribute: string): string => attribute.slice(attribute.lastIndexOf(".") + 1);

/** The dns above, nearest first; and texts that are no dn, as a slash may stand in brackets. */
function* listDnsAbove(dn: string): Generator<string> {
	for (let end = dn.lastIndexOf("/"); end > 0; end = dn.lastIndexOf("/", end - 1)) yield dn.slice(0, end);
}

/** The index of the first text that is not below `least`, in sorted texts. */
function findFirstFrom(sorted: readonly string[], least: string): number {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((sorted[middle] as string) < least) low = middle + 1;
		else high = middle;
	}
	return low;
}

function presentRecord({ user, at, action, session }: ControllerChange): ChangedBy {
	return { user, at: new Date(at).toISOString(), action, session };
}

const REASONS: Readonly<Record<AttributionReason, string>> = {
	no_record: "no record",
	rotated: "the record is gone",
	not_readable: "the records may not be read",
};

/** For reports: `admin modified it at 2026-01-15T10:00:00.000Z`. */
export function formatAttributed(attributed: Attributed | undefined): string {
	if (attributed === undefined) return "";
	const { changed_by: records, changed_by_reason: reason } = attributed;
	if (records.length === 0) return reason ? REASONS[reason] : "";
	return records.map(({ user, action, at }) => `${user || "unknown user"} ${action} it at ${at}`).join("; ");
}

/** Objects whose records can explain these changes; null if those of others may, too. */
export function listRecordedObjects(objects: readonly ChangedObject[]): string[] | null {
	if (objects.some(({ attributes, isFlat }) => isFlat || attributes.includes(CHILDREN))) return null;
	const dns = new Set<string>();
	for (const { dn, kind } of objects) {
		dns.add(dn);
		if (kind !== "modified") for (const above of listDnsAbove(dn)) if (isBalanced(above)) dns.add(above);
	}
	return [...dns];
}

const isBalanced = (dn: string): boolean => dn.split("[").length === dn.split("]").length;

/** Adds what an earlier snapshot's lookup found to that of later ones. */
export function joinStored(snapshots: readonly ReadonlyMap<string, Attributed>[]): Map<string, Attributed> {
	const joined = new Map<string, Attributed>();
	for (const objects of snapshots)
		for (const [dn, found] of objects) {
			const later = joined.get(dn);
			const all = [...(later?.changed_by ?? []), ...found.changed_by].slice(0, MOST_RECORDS);
			joined.set(dn, all.length > 0 ? { changed_by: all } : (later ?? found));
		}
	return joined;
}
