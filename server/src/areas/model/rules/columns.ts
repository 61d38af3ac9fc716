/** Columns that grow while a model is built, and end as plain typed arrays. */
import { PIECE } from "./image.ts";

export interface IntColumn {
	readonly length: number;
	push(value: number): void;
	at(index: number): number;
	finish(): Uint32Array;
}

export function createIntColumn(): IntColumn {
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
		at: (index) => values[index] as number,
		finish: () => values.slice(0, length),
	};
}

/** Numbers by other numbers, which come in any order. */
export interface IntTable {
	/** -1 where there is none. */
	get(key: number): number;
	set(key: number, value: number): void;
}

export function createIntTable(): IntTable {
	let values = new Int32Array(1024).fill(-1);
	return {
		get: (key) => (key < values.length ? (values[key] as number) : -1),
		set(key, value) {
			if (key >= values.length) {
				const wider = new Int32Array(Math.max(key + 1, values.length * 2)).fill(-1);
				wider.set(values);
				values = wider;
			}
			values[key] = value;
		},
	};
}

/**
 * Texts one after another, a line feed after each, so that a search over all of them never matches
 * across two.
 */
export interface TextColumn {
	readonly length: number;
	push(text: string | Buffer): number;
	/** Adds the text that lies there. */
	copy(bytes: Buffer, start: number, end: number): void;
	/** Whether a text that was pushed is these bytes. */
	isAt(id: number, bytes: Buffer): boolean;
	/** The bytes in pieces, and where each text begins in them; at the end, their length. */
	finish(): Texts;
}
export interface Texts {
	readonly bytes: readonly Uint8Array[];
	readonly at: Uint32Array;
}

const NEWLINE = 0x0a;

export function createTextColumn(): TextColumn {
	const at = createIntColumn();
	/** By text, the block that it is in. */
	const inBlock = createIntColumn();
	const blocks: Buffer[] = [];
	/** Bytes before each block. */
	const before: number[] = [];
	let block = Buffer.alloc(0);
	let used = 0;

	function startBlock(capacity: number): void {
		if (blocks.length > 0) blocks[blocks.length - 1] = block.subarray(0, used);
		before.push((before.at(-1) ?? 0) + used);
		block = Buffer.allocUnsafeSlow(capacity);
		blocks.push(block);
		used = 0;
	}

	function appendText(bytes: Buffer, start: number, end: number): void {
		const length = end - start;
		if (used + length + 1 > block.length) startBlock(Math.max(PIECE, length + 1));
		at.push((before.at(-1) as number) + used);
		inBlock.push(blocks.length - 1);
		bytes.copy(block, used, start, end);
		used += length;
		block[used++] = NEWLINE;
	}

	return {
		get length() {
			return at.length;
		},
		push(text) {
			const bytes = typeof text === "string" ? Buffer.from(text.replaceAll("\n", " ")) : text;
			appendText(bytes, 0, bytes.length);
			return at.length - 1;
		},
		copy: appendText,
		isAt(id, bytes) {
			const place = inBlock.at(id);
			const start = at.at(id) - (before[place] as number);
			const end = start + bytes.length;
			const among = blocks[place] as Buffer;
			return among[end] === NEWLINE && bytes.equals(among.subarray(start, end));
		},
		finish() {
			const end = (before.at(-1) ?? 0) + used;
			if (blocks.length > 0) blocks[blocks.length - 1] = block.subarray(0, used);
			at.push(end);
			return { bytes: blocks, at: at.finish() };
		},
	};
}

/** Different texts, each once. */
export interface Interned {
	id(text: string): number;
	/** The text, always the same string. */
	text(id: number): string;
	finish(): Texts;
}

export function createInternTable(): Interned {
	const ids = new Map<string, number>();
	const all: string[] = [];
	const column = createTextColumn();
	return {
		id(text) {
			const known = ids.get(text);
			if (known !== undefined) return known;
			const id = column.push(text);
			ids.set(text, id);
			all.push(text);
			return id;
		},
		text: (id) => all[id] as string,
		finish: () => column.finish(),
	};
}

/** Numbers by a hash of what they stand for. */
function createSlots() {
	const hashes = createIntColumn();
	/** The number and one; where that place is taken, the next free one. */
	let slots = new Int32Array(1 << 16);

	function insertSlot(hash: number, id: number): void {
		let slot = hash & (slots.length - 1);
		while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
		slots[slot] = id + 1;
	}

	return {
		/** The number that is meant; -1 where there is none. */
		find(hash: number, isIt: (id: number) => boolean): number {
			for (let slot = hash & (slots.length - 1); slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
				const id = (slots[slot] as number) - 1;
				if (hashes.at(id) === hash && isIt(id)) return id;
			}
			return -1;
		},
		/** Adds the next number. */
		add(hash: number): void {
			const id = hashes.length;
			hashes.push(hash);
			if (hashes.length * 2 > slots.length) {
				slots = new Int32Array(slots.length * 2);
				for (let known = 0; known < id; known++) insertSlot(hashes.at(known), known);
			}
			insertSlot(hash, id);
		},
	};
}

/** Deduplicates byte strings without line feeds, compared by all of their bytes. */
export function countInternedBytes(): { id(bytes: Buffer): { id: number; fresh: boolean }; finish(): Texts } {
	const column = createTextColumn();
	const slots = createSlots();
	return {
		id(bytes) {
			const hash = hashBytes(bytes);
			const known = slots.find(hash, (id) => column.isAt(id, bytes));
			if (known >= 0) return { id: known, fresh: false };
			slots.add(hash);
			return { id: column.push(bytes), fresh: true };
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
 * Lists of numbers by owner, end to end: those of `owner` are `to[at[owner]] … to[at[owner + 1] -
 * 1]`.
 * @param sorted each list ascending and without repetitions; else in the order given
 */
export function groupByOwner(owners: number, pairs: { owner: Uint32Array; value: Uint32Array }, sorted: boolean) {
	const { owner, value } = pairs;
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
