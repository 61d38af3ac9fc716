/** The best of many by score, without sorting them all; of equals the one that came first. */
export function createTopList<T extends { readonly score: number }>(most: number) {
	const kept: T[] = [];
	return {
		get full() {
			return kept.length >= most;
		},
		/** Whether something of this score would be kept. */
		takes: (score: number): boolean => kept.length < most || score > (kept.at(-1)?.score ?? 0),
		put(item: T): void {
			let [low, high] = [0, kept.length];
			while (low < high) {
				const middle = (low + high) >>> 1;
				if ((kept[middle]?.score ?? 0) >= item.score) low = middle + 1;
				else high = middle;
			}
			if (low >= most) return;
			kept.splice(low, 0, item);
			if (kept.length > most) kept.pop();
		},
		all: (): readonly T[] => kept,
	};
}
