/**
 * The names of a segment: each pair of dn and class that its rows hold, once, under a number that only grows. They are stored in chunks; what a chunk
 * holds can be told without opening it, and one dn be found without decoding the others.
 */
import { asBuffer, createReader, createWriter, type FrontCoded, openColumns, sealColumns } from "./bytes.ts";

export interface Name {
	entry: number;
	/** Byte strings. */
	dn: string;
	className: string;
}

export interface StoredNames {
	/** The number of the first name. */
	first: number;
	payload: Uint8Array;
}

/** Names of one chunk. */
const CHUNK = 2048;
/** Fewer names are opened sooner than asked for their ends. */
const BOUNDED = 64;
const RESTART = 16;

const UNBOUNDED = 0;
const BOUNDS = 1;
/** No dn of the chunk occurs twice. */
const DISTINCT = 2;

/** In the order given, which is that of dn; numbers ascend with it. */
export function encodeNames(names: readonly Name[]): StoredNames[] {
	const chunks: StoredNames[] = [];
	for (let at = 0; at < names.length; at += CHUNK) {
		const chunk = names.slice(at, at + CHUNK);
		chunks.push({ first: chunk[0]?.entry ?? 0, payload: encodeChunk(chunk) });
	}
	return chunks;
}

function encodeChunk(names: readonly Name[]): Buffer {
	const head = createWriter(256);
	head.runs(names.map(({ entry }) => entry));
	if (names.length < BOUNDED) head.varint(UNBOUNDED);
	else {
		const isDistinct = names.every(({ dn }, at) => at === 0 || names[at - 1]?.dn !== dn);
		head.varint(BOUNDS | (isDistinct ? DISTINCT : 0));
		for (const dn of [names[0]?.dn ?? "", names.at(-1)?.dn ?? ""]) {
			head.varint(dn.length);
			head.latin1(dn);
		}
	}
	const out = createWriter(names.length * 24 + 64);
	const classes = new Map<string, number>();
	for (const { className } of names) if (!classes.has(className)) classes.set(className, classes.size);
	out.varint(classes.size);
	for (const name of classes.keys()) {
		out.varint(name.length);
		out.latin1(name);
	}
	for (const { className } of names) out.varint(classes.get(className) ?? 0);
	const dns = names.map(({ dn }) => dn);
	out.frontCoded(dns, RESTART);
	return Buffer.concat([head.bytes(), sealColumns(out.bytes())]);
}

interface Columns {
	classes: string[];
	classOf: Int32Array;
	dns: FrontCoded;
}

export interface Chunk {
	/** Ascending. */
	entries: Int32Array;
	/** Null where only opening tells. */
	bounds: { first: string; last: string; distinct: boolean } | null;
	/** Opened once. */
	open(): Columns;
}

export function readChunk(payload: Uint8Array): Chunk {
	const head = createReader(asBuffer(payload));
	const entries = head.runs();
	const flags = head.varint();
	const bounds =
		flags === UNBOUNDED
			? null
			: {
					first: head.latin1(head.varint()),
					last: head.latin1(head.varint()),
					distinct: (flags & DISTINCT) !== 0,
				};
	const sealed = head.rest();
	let columns: Columns | undefined;
	return {
		entries,
		bounds,
		open() {
			if (columns !== undefined) return columns;
			const input = openColumns(sealed);
			const classes = Array.from({ length: input.varint() }, () => input.latin1(input.varint()));
			const classOf = input.column(entries.length);
			columns = { classes, classOf, dns: input.frontCoded(entries.length, RESTART) };
			return columns;
		},
	};
}

/** Every name, chunk by chunk. */
export function* eachName(payloads: Iterable<Uint8Array>): Generator<Name> {
	for (const payload of payloads) {
		const chunk = readChunk(payload);
		for (let at = 0; at < chunk.entries.length; at++) yield nameAt(chunk, at);
	}
}

export function nameAt(chunk: Chunk, at: number): Name {
	const { classes, classOf, dns } = chunk.open();
	return {
		entry: chunk.entries[at] as number,
		dn: dns.at(at),
		className: classes[classOf[at] as number] as string,
	};
}

/** What is left of stored names when only some live; null where nothing dies. Empty when nothing is left. */
export function pruneNames(payload: Uint8Array, alive: (entry: number) => boolean): Buffer | null {
	if (readChunk(payload).entries.every(alive)) return null;
	const left = [...eachName([payload])].filter(({ entry }) => alive(entry));
	return left.length === 0 ? Buffer.alloc(0) : encodeChunk(left);
}
