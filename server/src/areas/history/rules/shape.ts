/**
 * The shape of a row or a nested child. Wrapped: an object with one member whose value is an
 * object, `{Class: {attributes, children}}`, as controllers answer. Flat: any other object, whose
 * members are its attributes, as in post-processed rows. Other values have no shape.
 */
import { SLOTS, type Tape } from "../../../core/json/scan.ts";
import { ARRAY, ESCAPED, KIND_MASK, OBJECT, STRING } from "../../../core/json/tokens.ts";
import { readTokenContent } from "./json-text.ts";

/** Nodes of one row or child; -1 for those that are absent. */
export interface Shape {
	/** Byte string; null if unknown (flat rows without className). */
	className: string | null;
	/** The object whose members are compared: the class's value, or the flat row itself. */
	body: number;
	attributes: number;
	children: number;
	/** Own dn and rn as byte strings; null when absent, empty or not a string. */
	dn: string | null;
	rn: string | null;
}

const ATTRIBUTES = Buffer.from('"attributes"');
const CHILDREN = Buffer.from('"children"');
const CLASS_NAME = Buffer.from('"className"');
const CLASS_NAME_SNAKE = Buffer.from('"class_name"');
const DN = Buffer.from('"dn"');
const RN = Buffer.from('"rn"');

/** The value node of a wrapped object's only member, -1 when the node is not wrapped. */
export function readWrappedBody(nodes: Int32Array, node: number): number {
	if (((nodes[node] as number) & KIND_MASK) !== OBJECT) return -1;
	const key = node + SLOTS;
	const value = key + SLOTS;
	if (value >= (nodes[node + 3] as number)) return -1;
	if (((nodes[value] as number) & KIND_MASK) !== OBJECT || nodes[value + 3] !== nodes[node + 3]) return -1;
	return value;
}

/** Whether the key at a node spells `quoted` (quotes included), escapes decoded. */
export function isKey(bytes: Buffer, nodes: Int32Array, key: number, quoted: Buffer): boolean {
	const start = nodes[key + 1] as number;
	const end = nodes[key + 2] as number;
	if (((nodes[key] as number) & ESCAPED) !== 0)
		return readTokenContent(bytes, start, end, true) === stripQuotes(quoted);
	if (end - start !== quoted.length) return false;
	for (let step = 1; step < quoted.length; step++) if (bytes[start + step] !== quoted[step]) return false;
	return true;
}

/** Whether the key at a node is `children`. */
export function isChildrenKey(bytes: Buffer, nodes: Int32Array, key: number): boolean {
	return isKey(bytes, nodes, key, CHILDREN);
}

/** The value node of an object's last member of a name; -1 when there is none. */
export function getMember(bytes: Buffer, nodes: Int32Array, node: number, quoted: Buffer): number {
	let found = -1;
	if (((nodes[node] as number) & KIND_MASK) !== OBJECT) return found;
	const end = nodes[node + 3] as number;
	for (let key = node + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		if (isKey(bytes, nodes, key, quoted)) found = key + SLOTS;
	}
	return found;
}

/**
 * Reads the shape of the row or child at `node`; null when it is not an object. Of equal keys the
 * last one counts, as in JSON.parse.
 */
export function getShape(bytes: Buffer, tape: Tape, node: number): Shape | null {
	const { nodes } = tape;
	if (((nodes[node] as number) & KIND_MASK) !== OBJECT) return null;
	const value = readWrappedBody(nodes, node);
	if (value < 0) return readFlatShape(bytes, nodes, node);
	const shape: Shape = {
		className: readContent(bytes, nodes, node + SLOTS),
		body: value,
		attributes: -1,
		children: -1,
		dn: null,
		rn: null,
	};
	const end = nodes[value + 3] as number;
	for (let key = value + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		const kind = (nodes[key + SLOTS] as number) & KIND_MASK;
		if (kind === OBJECT && isKey(bytes, nodes, key, ATTRIBUTES)) shape.attributes = key + SLOTS;
		else if (kind === ARRAY && isKey(bytes, nodes, key, CHILDREN)) shape.children = key + SLOTS;
	}
	if (shape.attributes >= 0) readNames(bytes, nodes, shape);
	return shape;
}

function readNames(bytes: Buffer, nodes: Int32Array, shape: Shape): void {
	const end = nodes[shape.attributes + 3] as number;
	for (let key = shape.attributes + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		const length = (nodes[key + 2] as number) - (nodes[key + 1] as number);
		if (length !== 4 && ((nodes[key] as number) & ESCAPED) === 0) continue;
		if (isKey(bytes, nodes, key, DN)) shape.dn = readByteString(bytes, nodes, key + SLOTS);
		else if (isKey(bytes, nodes, key, RN)) shape.rn = readByteString(bytes, nodes, key + SLOTS);
	}
}

function readFlatShape(bytes: Buffer, nodes: Int32Array, node: number): Shape {
	const shape: Shape = { className: null, body: node, attributes: node, children: -1, dn: null, rn: null };
	readNames(bytes, nodes, shape);
	const end = nodes[node + 3] as number;
	for (let key = node + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		if (isKey(bytes, nodes, key, CLASS_NAME) || isKey(bytes, nodes, key, CLASS_NAME_SNAKE))
			shape.className = readByteString(bytes, nodes, key + SLOTS) ?? shape.className;
	}
	return shape;
}

/** A string node's content as a byte string; null when it is empty or no string. */
export function readByteString(bytes: Buffer, nodes: Int32Array, node: number): string | null {
	if (((nodes[node] as number) & KIND_MASK) !== STRING) return null;
	return readContent(bytes, nodes, node) || null;
}

function readContent(bytes: Buffer, nodes: Int32Array, node: number): string {
	const escaped = ((nodes[node] as number) & ESCAPED) !== 0;
	return readTokenContent(bytes, nodes[node + 1] as number, nodes[node + 2] as number, escaped);
}

function stripQuotes(quoted: Buffer): string {
	return quoted.toString("latin1", 1, quoted.length - 1);
}
