/**
 * Parses a capture: the body of a request, or a controller's result alone, as bytes. One pass
 * validates the text, removes insignificant whitespace, splits it into rows, and hashes and indexes
 * them without building values. Rows that follow as in the latest snapshot are recognised by their
 * hash and not parsed.
 *
 * Rows are the elements of `imdata` (a controller's envelope) or of a bare array. Any other object
 * is one row, an empty object none. Of members that occur twice the last one counts, as in
 * JSON.parse; the text keeps both.
 */
import {
	createScanner,
	expectByte,
	expectEnd,
	peekByte,
	readString,
	type Scanner,
	scanValue,
} from "../../../platform/json/scan.ts";
import { JsonTextError } from "../../../platform/json/tokens.ts";
import type { CaptureBase } from "./capture-base.ts";
import { type CaptureRows, createRowCollector } from "./capture-rows.ts";
import { compactInto } from "./json-text.ts";
import type { Signals } from "./outcome.ts";
import { readError, readMessage, readTotal } from "./signals.ts";

export interface ReadLimits {
	/** Larger documents are measured and searched for errors, but not stored. */
	maxBytes: number;
	/** Bytes of a request's body besides result_data. */
	maxRestBytes?: number;
	maxRows?: number;
}

type Form = "envelope" | "array" | "object";

export interface CaptureDocument {
	form: Form;
	/** Bytes of the compact text, even if it is not stored. */
	sizeBytes: number;
	signals: Signals;
	/** Null if the document is larger than `maxBytes`. */
	content: DocumentContent | null;
}

export interface DocumentContent extends CaptureRows {
	/** result_data without insignificant whitespace; values keep their spelling. */
	text: Buffer;
	/** Bytes before the first row and after the last one. One comma separates rows. */
	headBytes: number;
	tailBytes: number;
}

export interface CaptureBody {
	/** The body without result_data, as JSON text; null if the body is not an object. */
	rest: string | null;
	/** result_data: absent, neither object nor array, or a document. */
	result: "missing" | "scalar" | CaptureDocument;
}

const MAX_REST_BYTES = 1024 * 1024;
const MAX_ROWS = 2_000_000;

/** Reads the body of a capture request. Throws JsonTextError. */
export function readCapture(body: Uint8Array, limits: ReadLimits, base: CaptureBase | null = null): CaptureBody {
	const scanner = createScanner(body);
	if (peekByte(scanner) !== 0x7b) {
		scanValue(scanner, false);
		expectEnd(scanner);
		return { rest: null, result: "missing" };
	}
	const rest: string[] = [];
	let restBytes = 0;
	let result: CaptureBody["result"] = "missing";
	expectByte(scanner, 0x7b);
	while (peekByte(scanner) !== 0x7d) {
		const start = scanner.pos;
		const key = readString(scanner);
		expectByte(scanner, 0x3a);
		if (key === "result_data") result = readValue(scanner, limits, base);
		else {
			scanValue(scanner, false);
			restBytes += scanner.pos - start;
			if (restBytes > (limits.maxRestBytes ?? MAX_REST_BYTES))
				throw new JsonTextError("size", start, "Too much beside result_data");
			rest.push(scanner.bytes.toString("utf8", start, scanner.pos));
		}
		if (peekByte(scanner) === 0x7d) break;
		expectByte(scanner, 0x2c);
		if (peekByte(scanner) === 0x7d) expectByte(scanner, 0x22);
	}
	expectByte(scanner, 0x7d);
	expectEnd(scanner);
	return { rest: `{${rest.join(",")}}`, result };
}

/** Reads result_data by itself; null when it is neither object nor array. Throws JsonTextError. */
export function readResult(
	bytes: Uint8Array,
	limits: ReadLimits,
	base: CaptureBase | null = null,
): CaptureDocument | null {
	const scanner = createScanner(bytes);
	const result = readValue(scanner, limits, base);
	expectEnd(scanner);
	return result === "scalar" ? null : result;
}

function readValue(scanner: Scanner, limits: ReadLimits, base: CaptureBase | null): "scalar" | CaptureDocument {
	const first = peekByte(scanner);
	if (first === 0x7b || first === 0x5b) return readDocument(scanner, first === 0x7b, limits, base);
	scanValue(scanner, false);
	return "scalar";
}

/**
 * The compact text while it grows. Its end is a range of the source that is copied only when the
 * next piece does not follow it there: a text without insignificant whitespace is never copied.
 * Beyond the limit only the size is counted.
 */
function createText(source: Buffer, capacity: number, maxBytes: number) {
	const most = Math.min(capacity, maxBytes);
	let copied: Buffer | undefined;
	let size = 0;
	/** The range of the source that is not copied yet. */
	let from = 0;
	let to = 0;
	function copyRange(): Buffer {
		copied ??= Buffer.allocUnsafeSlow(most);
		source.copy(copied, size - (to - from), from, to);
		from = to;
		return copied;
	}
	return {
		size: () => size,
		tooLarge: () => size > most,
		/** Appends valid text whose compact form has `length` bytes. */
		append(start: number, end: number, length: number): void {
			if (size + length > most) {
				copyRange();
				size += length;
			} else if (length < end - start) {
				size = compactInto(source, start, end, copyRange(), size);
			} else {
				if (size > 0 && start !== to) copyRange();
				if (from === to) from = start;
				to = end;
				size += length;
			}
		},
		/** The last `length` bytes; null beyond the limit. */
		last(length: number): Buffer | null {
			if (size > most) return null;
			return length <= to - from ? source.subarray(to - length, to) : copyRange().subarray(size - length, size);
		},
		all: (): Buffer => (to - from === size ? source.subarray(from, to) : copyRange().subarray(0, size)),
	};
}

function readDocument(
	scanner: Scanner,
	isObject: boolean,
	limits: ReadLimits,
	base: CaptureBase | null,
): CaptureDocument {
	const text = createText(scanner.bytes, scanner.end - scanner.pos, limits.maxBytes);
	const collector = createRowCollector(base);
	const signals: Signals = { message: null, error: null, totalCount: null, rowCount: 0, isEnvelope: false };
	let isEnvelope = false;
	let headBytes = 0;
	let rowsEnd = 0;

	/** Passes a structural byte and appends it. */
	function passStructure(byte: number): void {
		expectByte(scanner, byte);
		text.append(scanner.pos - 1, scanner.pos, 1);
	}

	/** Passes a value and appends its compact text. */
	function passValue(record: boolean): Buffer | null {
		peekByte(scanner);
		const start = scanner.pos;
		const blank = scanner.blank;
		scanValue(scanner, record);
		const length = scanner.pos - start - (scanner.blank - blank);
		text.append(start, scanner.pos, length);
		return text.last(length);
	}

	/**
	 * Passes the row that follows in the latest snapshot; false if another row stands here. A stored
	 * row cannot be an error.
	 */
	function passExpectedRow(): boolean {
		if (text.tooLarge()) return false;
		peekByte(scanner);
		const length = collector.addExpected(scanner.bytes, scanner.pos, scanner.end);
		if (length === 0) return false;
		text.append(scanner.pos, scanner.pos + length, length);
		scanner.pos += length;
		return true;
	}

	function passRow(): void {
		const compact = passValue(true);
		signals.error ??= readError(scanner);
		if (compact !== null) collector.add(scanner, compact, text.size() - compact.length);
	}

	function passRows(): void {
		collector.clear();
		signals.error = null;
		passStructure(0x5b);
		headBytes = text.size();
		let count = 0;
		if (peekByte(scanner) !== 0x5d) {
			for (;;) {
				if (!passExpectedRow()) passRow();
				count++;
				if (count > (limits.maxRows ?? MAX_ROWS)) throw new JsonTextError("size", scanner.pos, "Too many rows");
				if (peekByte(scanner) === 0x5d) break;
				passStructure(0x2c);
			}
		}
		rowsEnd = text.size();
		passStructure(0x5d);
		signals.rowCount = count;
	}

	/** An object without `imdata` is one row: its compact text is scanned once more, as a row. */
	function wholeAsRow(): void {
		collector.clear();
		rowsEnd = text.size();
		signals.rowCount = rowsEnd > 2 ? 1 : 0;
		signals.error = null;
		headBytes = signals.rowCount === 0 ? rowsEnd : 0;
		if (signals.rowCount === 0 || text.tooLarge()) return;
		const compact = text.all();
		const inner = createScanner(compact);
		scanValue(inner, true);
		signals.error = readError(inner);
		collector.add(inner, compact, 0);
	}

	function passMembers(): void {
		passStructure(0x7b);
		if (peekByte(scanner) !== 0x7d) {
			for (;;) {
				passMember();
				if (peekByte(scanner) === 0x7d) break;
				passStructure(0x2c);
			}
		}
		passStructure(0x7d);
	}

	function passMember(): void {
		peekByte(scanner);
		const start = scanner.pos;
		const key = readString(scanner);
		text.append(start, scanner.pos, scanner.pos - start);
		passStructure(0x3a);
		if (key === "imdata") {
			isEnvelope = peekByte(scanner) === 0x5b;
			if (isEnvelope) passRows();
			else passValue(false);
			return;
		}
		passValue(key === "messages" || key === "totalCount");
		if (key === "messages") signals.message = readMessage(scanner);
		else if (key === "totalCount") signals.totalCount = readTotal(scanner);
	}

	if (!isObject) passRows();
	else {
		passMembers();
		if (!isEnvelope) wholeAsRow();
	}
	signals.isEnvelope = isEnvelope;
	const form = isEnvelope ? "envelope" : isObject ? "object" : "array";
	return { form, sizeBytes: text.size(), signals, content: text.tooLarge() ? null : buildContent() };

	function buildContent(): DocumentContent {
		return { ...collector.finish(), text: text.all(), headBytes, tailBytes: text.size() - rowsEnd };
	}
}
