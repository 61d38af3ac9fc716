/** Which two fabrics of a query are compared. Pure. */
import type { Both } from "./fabric-lines.ts";

export interface Fabric {
	readonly id: string;
	readonly name: string;
}

interface Source {
	/** Null for a connection that is known by name alone. */
	readonly controller_connection_id: string | null;
	readonly controller_connection_name: string;
}

/**
 * The fabrics that have snapshots of a query, those with the newest ones first.
 * @param newest snapshots, most recent first
 * @param all every fabric of the query, by name
 */
export function listFabrics(newest: readonly Source[], all: readonly Source[]): Fabric[] {
	const fabrics = new Map<string, Fabric>();
	for (const { controller_connection_id: id, controller_connection_name: name } of [...newest, ...all])
		if (id !== null && !fabrics.has(id)) fabrics.set(id, { id, name });
	return [...fabrics.values()];
}

/**
 * The named fabrics. An end that is not named, or not there, is the one with the newest snapshot
 * that the other end leaves; null where there are fewer than two.
 */
export function chooseFabrics(
	fabrics: readonly Fabric[],
	firstId: string | undefined,
	secondId: string | undefined,
): Both<Fabric> | null {
	const find = (id: string | undefined) => fabrics.find((fabric) => fabric.id === id);
	const [namedFirst, namedSecond] = [find(firstId), find(secondId)];
	const first = namedFirst ?? fabrics.find((fabric) => fabric !== namedSecond);
	const second = namedSecond !== first ? namedSecond : undefined;
	const other = second ?? fabrics.find((fabric) => fabric !== first);
	if (first === undefined || other === undefined) return null;
	// By default both stand in the order of their names.
	return namedFirst === undefined && namedSecond === undefined && names.compare(first.name, other.name) > 0
		? [other, first]
		: [first, other];
}

const names = new Intl.Collator("en", { numeric: true });
