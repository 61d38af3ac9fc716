/**
 * Records of classes as they are stored: lines of JSON, so that what does not have to be understood
 * can be passed on as bytes. Of each class the graph, the head of its detail, its forms of DN, one
 * line per property, and an empty line. A property's line that stands before in the same batch is
 * `=` and its number among the batch's lines of properties.
 */
import { createScanner, SLOTS } from "../../../core/json/scan.ts";
import { createUtf8Writer } from "../../../core/utf8-writer.ts";
import { type ClassEdges, type ClassFacts, type ClassRecord, createDocumentReader } from "./document.ts";
import { createDocumentScan, type ScannedProperty } from "./document-scan.ts";
import { createKnownProperties, type KnownProperty, type PropertyText } from "./known-properties.ts";
import { readProperty } from "./property.ts";
import { createScanned, createWordMaker, type VisitText, type Word } from "./scanned.ts";

const [NEWLINE, EQUALS, COMMA, OPEN, CLOSE] = [0x0a, 0x3d, 0x2c, 0x5b, 0x5d];
const LISTS = ["contains", "containedBy", "supers", "subs"] as const;
const PAIRS = ["to", "from", "rnMap"] as const;
/** What comes before each list of names. */
const KEY = Object.fromEntries([...LISTS, ...PAIRS].map((key) => [key, Buffer.from(`,"${key}":[`)])) as Record<
	keyof ClassEdges<Word>,
	Buffer
>;

interface Written {
	/** It holds as long as nothing more is written. */
	readonly record: StoredRecord;
	/** Classes that the document names, except those already reported. */
	readonly named: readonly string[];
}

/** A class as stored. */
export interface StoredRecord {
	readonly facts: ClassFacts;
	/** Words of one maker for all records of one reader. */
	readonly edges: ClassEdges<Word>;
	readonly head: Buffer;
	/** Its forms of DN. */
	readonly eachForm: (visit: VisitText) => void;
	/** Of each property a number that stands for its line among all records of one reader. */
	readonly properties: readonly number[];
	/** The line of the property at a place among them. */
	line(at: number): Buffer;
}

/**
 * Documents as records, one behind the other. What it learns of documents serves for the next ones.
 * @param room bytes for properties that are known by their text
 */
export function createRecords(room?: number) {
	const out = createUtf8Writer(1024 * 1024);
	const scanner = createScanner(Buffer.alloc(0));
	const scanned = createScanned(scanner);
	const known = createKnownProperties(room);
	const document = createDocumentScan(scanner, known);
	const readDocument = createDocumentReader(scanner, scanned);
	const line = (value: unknown): void => out.text(`${JSON.stringify(value)}\n`);
	let batch = 0;
	/** Lines of properties in the batch. */
	let count = 0;

	function writeProperty({ key, named }: ScannedProperty): KnownProperty {
		const start = out.length();
		const value = key + SLOTS;
		line(readProperty(scanned.string(key), scanned.value(value)));
		// Only an object's text shows where it ends: 12 begins as 1 does.
		const text = scanned.isObject(value) ? getText(key) : null;
		return known.learn(named, text, out.bytes(), start, out.length());
	}

	function getText(key: number): PropertyText {
		const [start, end] = [scanned.start(key), scanned.end(key + SLOTS)];
		const [number, numberEnd] = scanned.getDigits(key + SLOTS, "propGlobalId") ?? [end, end];
		return { bytes: scanner.bytes, start, number, numberEnd, end };
	}

	function writeForms(eachForm: ClassRecord["eachForm"]): void {
		let before = "[";
		eachForm((bytes, start, end, isSpelled) => {
			out.ascii(before);
			if (isSpelled) out.copy(bytes, start - 1, end + 1);
			else out.text(JSON.stringify(bytes.toString("utf8", start, end)));
			before = ",";
		});
		out.ascii(before === "[" ? "[]\n" : "]\n");
	}

	/** The graph on a line of JSON; no texts are made of its many names. */
	function writeGraph(facts: ClassFacts, edges: ClassEdges<Word>): void {
		out.text(JSON.stringify(facts).slice(0, -1));
		for (const key of LISTS) {
			out.all(KEY[key]);
			const words = edges[key];
			for (let at = 0; at < words.length; at++) {
				if (at > 0) out.byte(COMMA);
				out.all((words[at] as Word).flatJson);
			}
			out.byte(CLOSE);
		}
		for (const key of PAIRS) {
			out.all(KEY[key]);
			const pairs = edges[key];
			for (let at = 0; at < pairs.length; at++) {
				const [first, second] = pairs[at] as readonly [Word, Word];
				if (at > 0) out.byte(COMMA);
				out.byte(OPEN);
				out.all(key === "rnMap" ? first.textJson : first.flatJson);
				out.byte(COMMA);
				out.all(second.flatJson);
				out.byte(CLOSE);
			}
			out.byte(CLOSE);
		}
		out.ascii("}\n");
	}

	return {
		/**
		 * @param text in UTF-8
		 * @param key the version that published it
		 * @throws DocumentError; nothing was added then
		 */
		add(name: string, text: Buffer, key: string): Written {
			document.scan(text);
			const read = readDocument.read(name, key);
			const { facts, edges, head, faults, events, eachForm, properties: object, named } = read;
			writeGraph(facts, edges);
			const headAt = out.length();
			out.text(
				`${JSON.stringify(head).slice(0, -1)},"faults":${formatObject(faults)},"events":${formatObject(events)}}\n`,
			);
			const headEnd = out.length();
			writeForms(eachForm);
			const found = document.properties(object).map((property) => {
				const { known: met } = property;
				if (met?.batch === batch) {
					out.text(`=${met.order}\n`);
					return met;
				}
				if (met !== null) out.copy(met.bytes, met.line, met.end);
				const written = met ?? writeProperty(property);
				written.batch = batch;
				written.order = count++;
				return written;
			});
			out.text("\n");
			scanned.trim();
			known.trim();
			return {
				named,
				record: {
					facts,
					edges,
					eachForm,
					head: out.bytes().subarray(headAt, headEnd - 1),
					properties: found.map(({ serial }) => serial),
					line(at) {
						const { bytes, line, end } = found[at] as KnownProperty;
						return bytes.subarray(line, end - 1);
					},
				},
			};
		},
		/** The bytes added so far; valid until more are added. */
		bytes: () => out.bytes(),
		/** Starts another batch. If it belongs to another reading, classes are reported again. */
		clear(isOther = true): void {
			out.cut(0);
			batch++;
			count = 0;
			if (isOther) readDocument.startRound();
		},
	};
}

/**
 * Codes are found in one class only: objects with them as keys would each be of a kind of its own,
 * which costs the engine most of the reading.
 */
const formatObject = (pairs: readonly (readonly [key: string, value: string])[]): string =>
	`{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`;

/** @param batches the written bytes, each batch in one piece */
export function* readRecords(batches: Iterable<Buffer>): Generator<StoredRecord> {
	let before = 0;
	const getEdges = createEdgesReader();
	for (const bytes of batches) {
		const lines: Buffer[] = [];
		let at = 0;
		const next = (): Buffer => {
			const end = bytes.indexOf(NEWLINE, at);
			if (end < 0) throw new Error("a stored record of the model is cut off");
			const found = bytes.subarray(at, end);
			at = end + 1;
			return found;
		};
		const getOrder = (line: Buffer): number =>
			line[0] === EQUALS ? Number(line.toString("latin1", 1)) : lines.push(line) - 1;
		while (at < bytes.length) {
			const graph = JSON.parse(next().toString()) as ClassFacts & ClassEdges<string>;
			const head = next();
			const forms = JSON.parse(next().toString()) as string[];
			const eachForm = (visit: VisitText): void => {
				for (const form of forms) {
					const bytes = Buffer.from(form);
					visit(bytes, 0, bytes.length, false);
				}
			};
			const properties: number[] = [];
			for (let line = next(); line.length > 0; line = next()) properties.push(before + getOrder(line));
			const first = before;
			const line = (at: number): Buffer => lines[(properties[at] as number) - first] as Buffer;
			yield { facts: graph, edges: getEdges(graph), head, eachForm, properties, line };
		}
		before += lines.length;
	}
}

function createEdgesReader(): (stored: ClassEdges<string>) => ClassEdges<Word> {
	const make = createWordMaker();
	const known = new Map<string, Word>();
	function internWord(text: string): Word {
		const found = known.get(text);
		if (found !== undefined) return found;
		const made = make(text);
		known.set(text, made);
		return made;
	}
	const pairs = (all: readonly (readonly [string, string])[]) =>
		all.map(([first, second]) => [internWord(first), internWord(second)] as const);
	return ({ contains, containedBy, supers, subs, to, from, rnMap }) => ({
		contains: contains.map(internWord),
		containedBy: containedBy.map(internWord),
		supers: supers.map(internWord),
		subs: subs.map(internWord),
		to: pairs(to),
		from: pairs(from),
		rnMap: pairs(rnMap),
	});
}
