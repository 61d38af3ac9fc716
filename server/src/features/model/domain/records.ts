/**
 * Records of classes as they are stored: lines of JSON, so that what does not have to be understood can be passed on as bytes. Of each class
 * the graph, the head of its detail, its forms of DN, one line per property, and an empty line.
 */
import type { ModelProperty } from "@weft/contracts";
import { createScanner, expectEnd, rescan, type Scanner, SLOTS, scanValue } from "../../../platform/json/scan.ts";
import { JsonTextError } from "../../../platform/json/tokens.ts";
import { createTextOut } from "../../../platform/text-out.ts";
import { type ClassGraph, createDocumentReader, DocumentError } from "./document.ts";
import { readProperty } from "./property.ts";
import { createPropertyLines } from "./property-line.ts";
import { createScanned } from "./scanned.ts";

const NEWLINE = 0x0a;

export interface Written {
	/** Its parts are views of what was written, as long as nothing more is. */
	readonly record: StoredRecord;
	/** Every class that the document names. */
	readonly named: ReadonlySet<string>;
}

/** Documents as records, one behind the other. What it learns of documents serves for the next ones. */
export function createRecords() {
	const out = createTextOut(1024 * 1024);
	const scanner = createScanner(Buffer.alloc(0));
	const scanned = createScanned(scanner);
	const readDocument = createDocumentReader(scanner, scanned);
	const writeProperty = createPropertyLines(scanner, out);
	const line = (value: unknown): void => out.text(`${JSON.stringify(value)}\n`);
	/** By the number of a name: where among the properties it is, and for which document that holds. */
	const places: number[] = [];
	const heldFor: number[] = [];
	let serial = 0;

	/** The nodes of the properties' keys; of equal ones the last counts. */
	function keysOf(object: number): number[] {
		const keys: number[] = [];
		serial++;
		scanned.eachKey(object, (key) => {
			const name = scanned.wordId(key);
			if (heldFor[name] === serial) keys[places[name] as number] = key;
			else {
				heldFor[name] = serial;
				places[name] = keys.push(key) - 1;
			}
		});
		return keys;
	}

	return {
		/**
		 * @param document in UTF-8
		 * @param key the version that published it
		 * @throws DocumentError; nothing was added then
		 */
		add(name: string, document: Buffer, key: string): Written {
			scan(scanner, document);
			const { graph, head, faults, events, dnFormats, properties, named } = readDocument(name, key);
			line(graph);
			const headAt = out.length();
			out.text(`${JSON.stringify(head).slice(0, -1)},"faults":${objectText(faults)},"events":${objectText(events)}}\n`);
			const headEnd = out.length();
			line(dnFormats);
			const starts = [out.length()];
			for (const property of keysOf(properties)) {
				const before = out.length();
				if (!writeProperty(property)) {
					out.cut(before);
					line(readProperty(scanned.string(property), scanned.value(property + SLOTS)));
				}
				starts.push(out.length());
			}
			out.text("\n");
			scanned.trim();
			const written = out.bytes();
			const part = (start: number, end: number): Buffer => written.subarray(start, end - 1);
			const lines = starts.slice(1).map((end, at) => part(starts[at] as number, end));
			return { record: { graph, head: part(headAt, headEnd), dnFormats, properties: lines }, named };
		},
		/** What was added, as long as nothing more is. */
		bytes: () => out.bytes(),
		clear: () => out.cut(0),
	};
}

/** Codes are found in one class only: objects with them as keys would each be of a kind of its own, which costs the engine most of the reading. */
const objectText = (pairs: readonly (readonly [key: string, value: string])[]): string =>
	`{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`;

/** @throws DocumentError */
function scan(scanner: Scanner, document: Buffer): void {
	rescan(scanner, document);
	try {
		scanValue(scanner, true);
		expectEnd(scanner);
	} catch (error) {
		if (!(error instanceof JsonTextError)) throw error;
		const start = document.toString("utf8", 0, 200).trimStart();
		throw new DocumentError(start.startsWith("<") ? "a page instead of a document" : `not JSON: ${error.message}`);
	}
}

/** A class as stored; its parts are views of the bytes around it. */
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

/** What the model's tables hold of a property. */
export type PropertyOutline = Pick<ModelProperty, "name" | "label" | "required" | "naming" | "configurable">;
/** What comes behind it in a property's line. No text has this in it, for there its quotes are escaped. */
const REST = Buffer.from(',"type":');

/** The beginning of a property's line. Earlier releases wrote other things first. */
export function outlineOf(line: Buffer): PropertyOutline {
	const outline = JSON.parse(`${line.toString("utf8", 0, line.indexOf(REST))}}`);
	return "configurable" in outline ? outline : JSON.parse(line.toString());
}
