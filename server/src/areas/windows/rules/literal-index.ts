/**
 * Finds all literals that occur in a text, in one pass over it (Aho–Corasick). The time is linear
 * in the length of the text and the number of hits, however alike the literals are.
 */

/** A state: the longest suffix of the text read so far that begins a literal. */
interface State<Value> {
	readonly next: Map<string, State<Value>>;
	/** Values of the literal that ends here. */
	readonly values: Value[];
	/** The state of the longest proper suffix that begins a literal; null for the root. */
	suffix: State<Value> | null;
	/** The nearest state along the suffixes that has values; null if there is none. */
	found: State<Value> | null;
}

export interface LiteralIndex<Value> {
	readonly root: State<Value>;
}

const createState = <Value>(): State<Value> => ({ next: new Map(), values: [], suffix: null, found: null });

/** Builds the index of values by their literals. An empty literal occurs in every text. */
export function buildLiteralIndex<Value>(entries: Iterable<readonly [literal: string, Value]>): LiteralIndex<Value> {
	const root = createState<Value>();
	for (const [literal, value] of entries) {
		let state = root;
		for (const sign of literal.split("")) {
			let next = state.next.get(sign);
			if (next === undefined) {
				next = createState();
				state.next.set(sign, next);
			}
			state = next;
		}
		state.values.push(value);
	}
	linkSuffixes(root);
	return { root };
}

/** Links each state to its suffixes, the shorter states first. */
function linkSuffixes<Value>(root: State<Value>): void {
	const queue = [root];
	for (const state of queue)
		for (const [sign, next] of state.next) {
			next.suffix = state === root ? root : followSign(state.suffix ?? root, sign);
			next.found = next.suffix.values.length > 0 ? next.suffix : next.suffix.found;
			queue.push(next);
		}
}

/** Returns the state after one more character. */
function followSign<Value>(from: State<Value>, sign: string): State<Value> {
	let state = from;
	for (;;) {
		const next = state.next.get(sign);
		if (next !== undefined) return next;
		if (state.suffix === null) return state;
		state = state.suffix;
	}
}

/** Finds the values of all literals that occur in a text. Each value is found once. */
export function findByLiterals<Value>({ root }: LiteralIndex<Value>, text: string): Set<Value> {
	const found = new Set(root.values);
	let state = root;
	for (let at = 0; at < text.length; at++) {
		state = followSign(state, text.charAt(at));
		for (let hit: State<Value> | null = state; hit !== null; hit = hit.found)
			for (const value of hit.values) found.add(value);
	}
	return found;
}
