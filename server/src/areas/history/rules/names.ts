/**
 * The names of a segment: each distinct pair of dn and class of its rows, under a number that only
 * grows (the *entry*). They are stored in chunks. The range of a chunk is known without opening it,
 * and one dn is found without decoding all others.
 */
import { createReader, createWriter, type FrontCoded, openColumns, sealColumns, viewAsBuffer } from "./bytes.ts";

export interface Name {
	entry: number;
	/** Byte strings. */
	dn: string;
	className: string;
}

export interface StoredNames {
	/** Number of the first name. */
	first: number;
	payload: Uint8Array;
}

/** Most names per chunk. */
const CHUNK = 2048;
/** Chunks of fewer names store no bounds: opening them is as fast. */
const BOUNDED = 64;
const RESTART = 16;

const UNBOUNDED = 0;
const BOUNDS = 1;
/** No dn of the chunk occurs twice. Written for nodes of the release before, which read it. */
const DISTINCT = 2;

/** @param names in the order of dn, numbered in this order */
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
	classNumbers: Int32Array;
	dns: FrontCoded;
}

export interface Chunk {
	/** Ascending. */
	entries: Int32Array;
	/** First and last dn; null if only opening the chunk tells. */
	bounds: { first: string; last: string } | null;
	/** The compressed columns. */
	readonly sealed: Buffer;
	/** Null until `openChunk` has decompressed them. */
	columns: Columns | null;
}

export function readChunk(payload: Uint8Array): Chunk {
	const head = createReader(viewAsBuffer(payload));
	const entries = head.runs();
	const flags = head.varint();
	const bounds = flags === UNBOUNDED ? null : { first: head.latin1(head.varint()), last: head.latin1(head.varint()) };
	const sealed = head.rest();
	return { entries, bounds, sealed, columns: null };
}

/** The columns of a chunk, decompressed at the first call. */
export function openChunk(chunk: Chunk): Columns {
	chunk.columns ??= readColumns(chunk.sealed, chunk.entries.length);
	return chunk.columns;
}

function readColumns(sealed: Buffer, count: number): Columns {
	const input = openColumns(sealed);
	const classes = Array.from({ length: input.varint() }, () => input.latin1(input.varint()));
	const classNumbers = input.column(count);
	return { classes, classNumbers, dns: input.frontCoded(count, RESTART) };
}

/** Every name, chunk by chunk. */
export function* iterateNames(payloads: Iterable<Uint8Array>): Generator<Name> {
	for (const payload of payloads) {
		const chunk = readChunk(payload);
		for (let at = 0; at < chunk.entries.length; at++) yield nameAt(chunk, at);
	}
}

export function nameAt(chunk: Chunk, at: number): Name {
	const { classes, classNumbers, dns } = openChunk(chunk);
	return {
		entry: chunk.entries[at] as number,
		dn: dns.at(at),
		className: classes[classNumbers[at] as number] as string,
	};
}

/** A chunk without the names that are not alive; null if all are, empty if none is. */
export function pruneNames(payload: Uint8Array, alive: (entry: number) => boolean): Buffer | null {
	if (readChunk(payload).entries.every(alive)) return null;
	const left = [...iterateNames([payload])].filter(({ entry }) => alive(entry));
	return left.length === 0 ? Buffer.alloc(0) : encodeChunk(left);
}
