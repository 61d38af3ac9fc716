/** Names that a misspelt one may stand for. Pure. */
const MOST_EDITS = 2;

/** Those within two edits (a swap of neighbours is one), the closest first. */
export function findClosestNames(name: string, names: readonly string[]): string[] {
	return names
		.map((each) => ({ each, edits: countEdits(name.toLowerCase(), each.toLowerCase()) }))
		.filter(({ edits }) => edits <= MOST_EDITS)
		.sort((a, b) => a.edits - b.edits)
		.map(({ each }) => each);
}

/** Edits from one text to the other; more than `MOST_EDITS` where the lengths alone tell so. */
function countEdits(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > MOST_EDITS) return MOST_EDITS + 1;
	let older: number[] = [];
	let above = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const same = a[i - 1] === b[j - 1];
			let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				least = Math.min(least, (older[j - 2] ?? 0) + 1);
			row.push(least);
		}
		older = above;
		above = row;
	}
	return above[b.length] ?? 0;
}
