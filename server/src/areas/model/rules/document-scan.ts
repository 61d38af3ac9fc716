/**
 * Scans a class document. Properties that are known by their text are passed by it; the others, and
 * all else, are on the tape afterwards.
 */
import {
	appendNode,
	appendObject,
	appendValue,
	expectEnd,
	peekByte,
	restartScanner,
	type Scanner,
} from "../../../core/json/scan.ts";
import { ESCAPED, JsonTextError, NULL } from "../../../core/json/tokens.ts";
import { DocumentError } from "./document.ts";
import type { KnownProperties, KnownProperty, NamedProperties } from "./known-properties.ts";

export interface ScannedProperty {
	/** The node of its name; the value node of a known property is null. */
	readonly key: number;
	readonly named: NamedProperties;
	readonly known: KnownProperty | null;
}

const OPEN = 0x7b;
const PROPERTIES = Buffer.from('"properties"');

export function createDocumentScan(scanner: Scanner, known: KnownProperties) {
	const { tape } = scanner;
	/** By the object's node. */
	const properties = new Map<number, ScannedProperty[]>();
	let objects = 0;

	const start = (node: number): number => tape.nodes[node + 1] as number;
	const end = (node: number): number => tape.nodes[node + 2] as number;
	const isObject = (): boolean => peekByte(scanner) === OPEN;

	function objectOrElse(member: (key: number) => void): void {
		if (isObject()) appendObject(scanner, member);
		else appendValue(scanner);
	}

	function classMember(key: number): void {
		const { bytes } = scanner;
		const isProperties =
			end(key) - start(key) === PROPERTIES.length &&
			bytes.compare(PROPERTIES, 0, PROPERTIES.length, start(key), end(key)) === 0;
		if (isProperties && isObject()) {
			const found: ScannedProperty[] = [];
			properties.set(tape.used, found);
			const object = objects++;
			appendObject(scanner, (name) => scanProperty(name, object, found));
		} else appendValue(scanner);
	}

	/** Of equal names the last one counts, at the place of the first. */
	function scanProperty(key: number, object: number, found: ScannedProperty[]): void {
		const { bytes } = scanner;
		const isEscaped = ((tape.nodes[key] as number) & ESCAPED) !== 0;
		const name = isEscaped ? Buffer.from(JSON.parse(bytes.toString("utf8", start(key), end(key)))) : null;
		const named = name === null ? known.named(bytes, start(key) + 1, end(key) - 1) : known.named(name, 0, name.length);
		const stop = known.find(named, bytes, start(key));
		if (stop < 0) appendValue(scanner);
		else {
			appendNode(scanner, NULL, scanner.pos, stop);
			scanner.pos = stop;
		}
		const scanned = { key, named, known: stop < 0 ? null : (named.known[0] as KnownProperty) };
		if (named.object === object) found[named.place] = scanned;
		else {
			named.object = object;
			named.place = found.push(scanned) - 1;
		}
	}

	return {
		/** @throws DocumentError */
		scan(document: Buffer): void {
			restartScanner(scanner, document);
			properties.clear();
			try {
				objectOrElse(() => objectOrElse(classMember));
				expectEnd(scanner);
			} catch (error) {
				if (!(error instanceof JsonTextError)) throw error;
				const start = document.toString("utf8", 0, 200).trimStart();
				throw new DocumentError(start.startsWith("<") ? "a page instead of a document" : `not JSON: ${error.message}`);
			}
		},
		/** Of the object at a node. */
		properties: (node: number): readonly ScannedProperty[] => properties.get(node) ?? [],
	};
}
