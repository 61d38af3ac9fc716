/** Lists that fit into the context of a language model. */

/** JSON characters of one list. A list always shows its first item. */
const TEXT_MAX = 200_000;

export interface Capped<T> {
	/** Items there are in all. */
	readonly total: number;
	/** The first of them. */
	readonly items: readonly T[];
}

/** The first `most` items, or fewer where their JSON would be too long. */
export function capItems<T>(all: readonly T[], total: number, most: number): Capped<T> {
	const items: T[] = [];
	let length = 0;
	for (const item of all.slice(0, most)) {
		length += JSON.stringify(item).length;
		if (items.length > 0 && length > TEXT_MAX) break;
		items.push(item);
	}
	return { total, items };
}
