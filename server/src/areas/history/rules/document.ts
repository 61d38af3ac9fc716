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
} from "../../../core/json/scan.ts";
import { JsonTextError } from "../../../core/json/tokens.ts";
import type { CaptureBase } from "./capture-base.ts";
import type { RowCollector } from "./capture-rows.ts";
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

/** A document that is being read: its text so far, its rows and signals. */
interface DocumentReading {
	readonly scanner: Scanner;
	readonly limits: ReadLimits;
	readonly text: ReturnType<typeof createText>;
	readonly collector: RowCollector;
	readonly signals: Signals;
	isEnvelope: boolean;
	headBytes: number;
	rowsEnd: number;
}

/** Passes a structural byte and appends it. */
function passStructure(reading: DocumentReading, byte: number): void {
	expectByte(reading.scanner, byte);
	reading.text.append(reading.scanner.pos - 1, reading.scanner.pos, 1);
}

/** Passes a value and appends its compact text. */
function passValue(reading: DocumentReading, record: boolean): Buffer | null {
	peekByte(reading.scanner);
	const start = reading.scanner.pos;
	const blank = reading.scanner.blank;
	scanValue(reading.scanner, record);
	const length = reading.scanner.pos - start - (reading.scanner.blank - blank);
	reading.text.append(start, reading.scanner.pos, length);
	return reading.text.last(length);
}

/**
 * Passes the row that follows in the latest snapshot; false if another row stands here. A stored
 * row cannot be an error.
 */
function passExpectedRow(reading: DocumentReading): boolean {
	if (reading.text.tooLarge()) return false;
	peekByte(reading.scanner);
	const length = reading.collector.addExpected(reading.scanner.bytes, reading.scanner.pos, reading.scanner.end);
	if (length === 0) return false;
	reading.text.append(reading.scanner.pos, reading.scanner.pos + length, length);
	reading.scanner.pos += length;
	return true;
}

function passRow(reading: DocumentReading): void {
	const compact = passValue(reading, true);
	reading.signals.error ??= readError(reading.scanner);
	if (compact !== null) reading.collector.add(reading.scanner, compact, reading.text.size() - compact.length);
}

function passRows(reading: DocumentReading): void {
	reading.collector.clear();
	reading.signals.error = null;
	passStructure(reading, 0x5b);
	reading.headBytes = reading.text.size();
	let count = 0;
	if (peekByte(reading.scanner) !== 0x5d) {
		for (;;) {
			if (!passExpectedRow(reading)) passRow(reading);
			count++;
			if (count > (reading.limits.maxRows ?? MAX_ROWS))
				throw new JsonTextError("size", reading.scanner.pos, "Too many rows");
			if (peekByte(reading.scanner) === 0x5d) break;
			passStructure(reading, 0x2c);
		}
	}
	reading.rowsEnd = reading.text.size();
	passStructure(reading, 0x5d);
	reading.signals.rowCount = count;
}

/** An object without `imdata` is one row: its compact text is scanned once more, as a row. */
function passWholeAsRow(reading: DocumentReading): void {
	reading.collector.clear();
	reading.rowsEnd = reading.text.size();
	reading.signals.rowCount = reading.rowsEnd > 2 ? 1 : 0;
	reading.signals.error = null;
	reading.headBytes = reading.signals.rowCount === 0 ? reading.rowsEnd : 0;
	if (reading.signals.rowCount === 0 || reading.text.tooLarge()) return;
	const compact = reading.text.all();
	const inner = createScanner(compact);
	scanValue(inner, true);
	reading.signals.error = readError(inner);
	reading.collector.add(inner, compact, 0);
}

function passMembers(reading: DocumentReading): void {
	passStructure(reading, 0x7b);
	if (peekByte(reading.scanner) !== 0x7d) {
		for (;;) {
			passMember(reading);
			if (peekByte(reading.scanner) === 0x7d) break;
			passStructure(reading, 0x2c);
		}
	}
	passStructure(reading, 0x7d);
}

function passMember(reading: DocumentReading): void {
	peekByte(reading.scanner);
	const start = reading.scanner.pos;
	const key = readString(reading.scanner);
	reading.text.append(start, reading.scanner.pos, reading.scanner.pos - start);
	passStructure(reading, 0x3a);
	if (key === "imdata") {
		reading.isEnvelope = peekByte(reading.scanner) === 0x5b;
		if (reading.isEnvelope) passRows(reading);
		else passValue(reading, false);
		return;
	}
	passValue(reading, key === "messages" || key === "totalCount");
	if (key === "messages") reading.signals.message = readMessage(reading.scanner);
	else if (key === "totalCount") reading.signals.totalCount = readTotal(reading.scanner);
}

function buildContent(reading: DocumentReading): DocumentContent {
	return {
		...reading.collector.finish(),
		text: reading.text.all(),
		headBytes: reading.headBytes,
		tailBytes: reading.text.size() - reading.rowsEnd,
	};
}

function readDocument(
	scanner: Scanner,
	isObject: boolean,
	limits: ReadLimits,
	base: CaptureBase | null,
): CaptureDocument {
	const text = createText(scanner.bytes, scanner.end - scanner.pos, limits.maxBytes);

	const signals: Signals = { message: null, error: null, totalCount: null, rowCount: 0, isEnvelope: false };
	const reading: DocumentReading = {
		scanner,
		limits,
		text,
		collector: createRowCollector(base),
		signals,
		isEnvelope: false,
		headBytes: 0,
		rowsEnd: 0,
	};

	if (!isObject) passRows(reading);
	else {
		passMembers(reading);
		if (!reading.isEnvelope) passWholeAsRow(reading);
	}
	signals.isEnvelope = reading.isEnvelope;
	const form = reading.isEnvelope ? "envelope" : isObject ? "object" : "array";
	return { form, sizeBytes: text.size(), signals, content: text.tooLarge() ? null : buildContent(reading) };
}
