/**
 * Records of classes as they are stored: lines of JSON, so that what does not have to be understood can be passed on as bytes. Of each class
 * the graph, the head of its detail, its forms of DN, one line per property, and an empty line.
 */
import type { ClassGraph, ClassRecord } from "./document.ts";

const NEWLINE = 0x0a;

export function writeRecord({ graph, head, dnFormats, properties }: ClassRecord): string {
	const lines = [graph, head, dnFormats, ...properties].map((part) => JSON.stringify(part));
	return `${lines.join("\n")}\n\n`;
}

/** A class as stored; the parts are views of the bytes that were given. */
export interface StoredRecord {
	readonly graph: ClassGraph;
	readonly head: Buffer;
	readonly dnFormats: readonly string[];
	readonly properties: readonly Buffer[];
}

export function* readRecords(bytes: Buffer): Generator<StoredRecord> {
	let at = 0;
	const line = (): Buffer => {
		const end = bytes.indexOf(NEWLINE, at);
		if (end < 0) throw new Error("a stored record of the model is cut off");
		const found = bytes.subarray(at, end);
		at = end + 1;
		return found;
	};
	while (at < bytes.length) {
		const graph = JSON.parse(line().toString()) as ClassGraph;
		const head = line();
		const dnFormats = JSON.parse(line().toString()) as string[];
		const properties: Buffer[] = [];
		for (let next = line(); next.length > 0; next = line()) properties.push(next);
		yield { graph, head, dnFormats, properties };
	}
}
