/** Columns that grow while a model is built, and end as plain typed arrays. */

export interface IntColumn {
	readonly length: number;
	push(value: number): void;
	finish(): Uint32Array;
}

export function ints(): IntColumn {
	let values = new Uint32Array(1024);
	let length = 0;
	return {
		get length() {
			return length;
		},
		push(value) {
			if (length === values.length) {
				const wider = new Uint32Array(values.length * 2);
				wider.set(values);
				values = wider;
			}
			values[length++] = value;
		},
		finish: () => values.slice(0, length),
	};
}

/** Texts one after another, a line feed after each, so that a search over all of them never matches across two. */
export interface TextColumn {
	readonly length: number;
	push(text: string | Uint8Array): number;
	finish(): { bytes: Uint8Array; at: Uint32Array };
}

const BLOCK = 1024 * 1024;
const NEWLINE = 0x0a;

export function texts(): TextColumn {
	const at = ints();
	const full: Uint8Array[] = [];
	let block = Buffer.allocUnsafeSlow(BLOCK);
	let used = 0;
	let before = 0;

	function put(bytes: Uint8Array): void {
		if (used + bytes.length > block.length) {
			full.push(block.subarray(0, used));
			before += used;
			block = Buffer.allocUnsafeSlow(Math.max(BLOCK, bytes.length));
			used = 0;
		}
		block.set(bytes, used);
		used += bytes.length;
	}
	const end = Uint8Array.of(NEWLINE);

	return {
		get length() {
			return at.length;
		},
		push(text) {
			at.push(before + used);
			put(typeof text === "string" ? Buffer.from(text.replaceAll("\n", " ")) : text);
			put(end);
			return at.length - 1;
		},
		finish() {
			full.push(block.subarray(0, used));
			at.push(before + used);
			return { bytes: Buffer.concat(full), at: at.finish() };
		},
	};
}

/** Different texts, each once. */
export interface Interned {
	id(text: string): number;
	finish(): { bytes: Uint8Array; at: Uint32Array };
}

export function interned(): Interned {
	const ids = new Map<string, number>();
	const column = texts();
	return {
		id(text) {
			const known = ids.get(text);
			if (known !== undefined) return known;
			const id = column.push(text);
			ids.set(text, id);
			return id;
		},
		finish: () => column.finish(),
	};
}

/** Different pieces of bytes, each once; told apart by all of their bytes. */
export function internedBytes(): { id(bytes: Buffer): { id: number; fresh: boolean }; finish: TextColumn["finish"] } {
	/** By hash, the pieces with it. */
	const ids = new Map<number, { id: number; bytes: Buffer }[]>();
	const column = texts();
	return {
		id(bytes) {
			const hash = hashBytes(bytes);
			const known = ids.get(hash);
			const same = known?.find((entry) => entry.bytes.equals(bytes));
			if (same !== undefined) return { id: same.id, fresh: false };
			const entry = { id: column.push(bytes), bytes };
			if (known === undefined) ids.set(hash, [entry]);
			else known.push(entry);
			return { id: entry.id, fresh: true };
		},
		finish: () => column.finish(),
	};
}

/** FNV-1a over four bytes at a time. */
function hashBytes(bytes: Buffer): number {
	let hash = 0x811c9dc5 ^ bytes.length;
	let at = 0;
	for (; at + 4 <= bytes.length; at += 4) hash = Math.imul(hash ^ bytes.readInt32LE(at), 0x01000193);
	for (; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
	return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * Lists of numbers by owner, end to end: those of `owner` are `to[at[owner]] … to[at[owner + 1] - 1]`.
 * @param sorted each list ascending and without repetitions; else in the order given
 */
export function lists(
	owners: number,
	pairsOf: { owner: ArrayLike<number>; value: ArrayLike<number> },
	sorted: boolean,
) {
	const { owner, value } = pairsOf;
	const at = new Uint32Array(owners + 1);
	for (let i = 0; i < owner.length; i++) at[(owner[i] ?? 0) + 1] = (at[(owner[i] ?? 0) + 1] ?? 0) + 1;
	for (let i = 0; i < owners; i++) at[i + 1] = (at[i + 1] ?? 0) + (at[i] ?? 0);
	const next = at.slice(0, owners);
	const all = new Uint32Array(owner.length);
	for (let i = 0; i < owner.length; i++) {
		const mine = owner[i] ?? 0;
		all[next[mine] ?? 0] = value[i] ?? 0;
		next[mine] = (next[mine] ?? 0) + 1;
	}
	if (!sorted) return { at, to: all };
	const to = new Uint32Array(all.length);
	let used = 0;
	let from = 0;
	for (let i = 0; i < owners; i++) {
		const end = at[i + 1] ?? 0;
		const part = all.subarray(from, end).sort();
		from = end;
		const start = used;
		for (const item of part) if (used === start || to[used - 1] !== item) to[used++] = item;
		at[i + 1] = used;
	}
	return { at, to: to.slice(0, used) };
}
