/**
 * Reads what a controller reports beside its rows from a scanner's tape: messages, errors, the
 * total count.
 */
import { type Scanner, SLOTS } from "../../../core/json/scan.ts";
import { ARRAY, KIND_MASK, NUMBER, OBJECT, STRING } from "../../../core/json/tokens.ts";
import { decodeByteString } from "./json-text.ts";
import type { ControllerError } from "./outcome.ts";
import { getMember, isKey, readByteString } from "./shape.ts";

const ERROR = Buffer.from('"error"');
const ATTRIBUTES = Buffer.from('"attributes"');
const CODE = Buffer.from('"code"');
const TEXT = Buffer.from('"text"');
const SEVERITY = Buffer.from('"severity"');

/** The error that the row on the tape is: an object with `error` as its only member. */
export function readError({ bytes, tape: { nodes } }: Scanner): ControllerError | null {
	const key = SLOTS;
	if (((nodes[0] as number) & KIND_MASK) !== OBJECT || (nodes[3] as number) <= key) return null;
	if (nodes[key + SLOTS + 3] !== nodes[3] || !isKey(bytes, nodes, key, ERROR)) return null;
	const value = key + SLOTS;
	const attributes = getMember(bytes, nodes, value, ATTRIBUTES);
	const holder = attributes < 0 ? value : attributes;
	return {
		code: readMemberText({ bytes, nodes }, holder, CODE),
		text: readMemberText({ bytes, nodes }, holder, TEXT) ?? readShortText({ bytes, nodes }, value),
	};
}

/** The first of the messages on the tape whose severity is error or warning. */
export function readMessage({ bytes, tape: { nodes } }: Scanner): { severity: string; text: string | null } | null {
	const isList = ((nodes[0] as number) & KIND_MASK) === ARRAY;
	const end = nodes[3] as number;
	for (let node = isList ? SLOTS : 0; node < end; node = nodes[node + 3] as number) {
		const severity = readMemberText({ bytes, nodes }, node, SEVERITY)?.toLowerCase();
		if (severity === "error" || severity === "warning")
			return { severity, text: readMemberText({ bytes, nodes }, node, TEXT) };
	}
	return null;
}

/** The count on the tape, a number or, as controllers write it, a string; null if it is neither. */
export function readTotal({ bytes, tape: { nodes } }: Scanner): number | null {
	const isNumber = ((nodes[0] as number) & KIND_MASK) === NUMBER;
	const spelt = isNumber ? bytes.toString("latin1", nodes[1], nodes[2]) : readByteString(bytes, nodes, 0);
	return spelt === null || !/^\s*[-+.0-9eE]{1,40}\s*$/.test(spelt) ? null : Number(spelt);
}

interface Node {
	bytes: Buffer;
	nodes: Int32Array;
}

function readMemberText(at: Node, node: number, quoted: Buffer): string | null {
	const value = getMember(at.bytes, at.nodes, node, quoted);
	return value < 0 ? null : readShortText(at, value);
}

/** A string's text or a number's digits, truncated for messages. */
function readShortText({ bytes, nodes }: Node, node: number): string | null {
	const kind = (nodes[node] as number) & KIND_MASK;
	if (kind === NUMBER) return bytes.toString("latin1", nodes[node + 1], nodes[node + 2]).slice(0, 100);
	const found = kind === STRING ? readByteString(bytes, nodes, node) : null;
	return found === null ? null : decodeByteString(found.slice(0, 2000)).slice(0, 500);
}
