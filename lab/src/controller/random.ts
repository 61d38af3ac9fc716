/** Seeded pseudo-random numbers: same seed, same numbers, on every machine. */

export interface Random {
	/** In [0, 1). */
	next(): number;
	/** Integer in [0, below). */
	int(below: number): number;
	pick<T>(from: readonly T[]): T;
}

/** FNV-1a, 32 bits. */
export function hashText(text: string, seed = 0): number {
	let hash = (0x811c9dc5 ^ seed) >>> 0;
	for (let at = 0; at < text.length; at++) {
		hash ^= text.charCodeAt(at);
		hash = Math.imul(hash, 0x01000193) >>> 0;
	}
	return hash;
}

/** mulberry32. */
export function createRandom(seed: number): Random {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
	const int = (below: number) => Math.floor(next() * below);
	return {
		next,
		int,
		pick(from) {
			const found = from[int(from.length)];
			if (found === undefined) throw new Error("nothing to pick from");
			return found;
		},
	};
}

/** A permutation of 0…size-1 in constant memory, in an order given by the random numbers. */
export function createPermutation(size: number, random: Random): (at: number) => number {
	if (size < 2) return (at) => at;
	let step = 1 + random.int(size - 1);
	while (gcd(step, size) !== 1) step = (step % size) + 1;
	const start = random.int(size);
	// Products stay below 2^53: sizes are in the millions at most.
	return (at) => (start + at * step) % size;
}

function gcd(a: number, b: number): number {
	return b === 0 ? a : gcd(b, a % b);
}
