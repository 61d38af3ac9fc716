/**
 * Reads a capture: the body of a request, or a controller's answer by itself, as bytes. In one pass the text is validated, written anew without
 * insignificant whitespace, split into rows, hashed and indexed, so that no value is ever built. Rows that the history has, where it has them, are
 * recognised by their hash and not looked into.
 *
 * Rows are the elements of `imdata` (a controller's envelope) or of a bare array. Any other object is one row, an empty one none. Of members that
 * occur twice the last one counts, as in JSON.parse; the text keeps both.
 */
import {
	createScanner,
	expect,
	expectEnd,
	peek,
	readString,
	type Scanner,
	scanValue,
} from "../../../platform/json/scan.ts";
import { JsonTextError } from "../../../platform/json/tokens.ts";
import { noPause, type Pause } from "../../../platform/workers/pause.ts";
import { compactInto } from "./json-text.ts";
import type { Known } from "./known.ts";
import type { Signals } from "./outcome.ts";
import { readError, readMessage, readTotal } from "./signals.ts";
import { createTable, type RowsRead } from "./table.ts";

export interface ReadLimits {
	/** Larger documents are measured and searched for errors, but neither kept nor hashed. */
	maxBytes: number;
	/** Bytes of a request's body besides result_data. */
	maxRestBytes?: number;
	maxRows?: number;
}

type Form = "envelope" | "array" | "object";

export interface CaptureDocument {
	form: Form;
	/** Bytes of the compact text, also when it was not kept. */
	sizeBytes: number;
	signals: Signals;
	/** Null when the document is larger than `maxBytes`. */
	content: DocumentContent | null;
}

export interface DocumentContent extends RowsRead {
	/** result_data without insignificant whitespace; every value as it was spelt. */
	text: Buffer;
	/** Bytes before the first row and after the last one; one comma is between rows. */
	headBytes: number;
	tailBytes: number;
}

export interface CaptureBody {
	/** The body without result_data, as JSON text; null when the body is not an object. */
	rest: string | null;
	/** What result_data is: absent, neither object nor array, or a document. */
	result: "missing" | "scalar" | CaptureDocument;
}

/** Who reads documents, one after another. */
export interface CaptureReader {
	/**
	 * What read the last one. When the engine collects its whole heap it also forgets the code that it compiled for functions of which there is none any
	 * more: then the next documents would be read slowly, while all of it is compiled again beside them.
	 */
	functions: unknown;
	readonly pause: Pause;
}

export const createCaptureReader = (pause: Pause = noPause): CaptureReader => ({ functions: null, pause });

const MAX_REST_BYTES = 1024 * 1024;
const MAX_ROWS = 2_000_000;

/** Reads the body of a capture request. Throws JsonTextError. */
export function readCapture(
	body: Uint8Array,
	limits: ReadLimits,
	known: Known | null = null,
	reader = createCaptureReader(),
): CaptureBody {
	const scanner = createScanner(body, { pause: reader.pause });
	if (peek(scanner) !== 0x7b) {
		scanValue(scanner, false);
		expectEnd(scanner);
		return { rest: null, result: "missing" };
	}
	const rest: string[] = [];
	let restBytes = 0;
	let result: CaptureBody["result"] = "missing";
	expect(scanner, 0x7b);
	while (peek(scanner) !== 0x7d) {
		const start = scanner.pos;
		const key = readString(scanner);
		expect(scanner, 0x3a);
		if (key === "result_data") result = readValue(scanner, limits, known, reader);
		else {
			scanValue(scanner, false);
			restBytes += scanner.pos - start;
			if (restBytes > (limits.maxRestBytes ?? MAX_REST_BYTES))
				throw new JsonTextError("size", start, "Too much beside result_data");
			rest.push(scanner.bytes.toString("utf8", start, scanner.pos));
		}
		if (peek(scanner) === 0x7d) break;
		expect(scanner, 0x2c);
		if (peek(scanner) === 0x7d) expect(scanner, 0x22);
	}
	expect(scanner, 0x7d);
	expectEnd(scanner);
	return { rest: `{${rest.join(",")}}`, result };
}

/** Reads result_data by itself; null when it is neither object nor array. Throws JsonTextError. */
export function readResult(
	bytes: Uint8Array,
	limits: ReadLimits,
	known: Known | null = null,
	reader = createCaptureReader(),
): CaptureDocument | null {
	const scanner = createScanner(bytes, { pause: reader.pause });
	const result = readValue(scanner, limits, known, reader);
	expectEnd(scanner);
	return result === "scalar" ? null : result;
}

function readValue(
	scanner: Scanner,
	limits: ReadLimits,
	known: Known | null,
	reader: CaptureReader,
): "scalar" | CaptureDocument {
	const first = peek(scanner);
	if (first === 0x7b || first === 0x5b) return readDocument(scanner, first === 0x7b, limits, known, reader);
	scanValue(scanner, false);
	return "scalar";
}

/**
 * The compact text as it grows. Beyond the limit only its size is known. Text without whitespace is copied late, in runs as long as the source has
 * them: a compact body is one run, and is not copied at all.
 */
function createText(source: Buffer, capacity: number, maxBytes: number) {
	const most = Math.min(capacity, maxBytes);
	let text: Buffer | null = null;
	let size = 0;
	let written = 0;
	let run = 0;
	let runEnd = 0;
	function flush(): Buffer {
		text ??= Buffer.allocUnsafeSlow(most);
		if (runEnd > run && size <= most) source.copy(text, written, run, runEnd);
		written = size;
		return text;
	}
	return {
		size: () => size,
		tooLarge: () => size > most,
		/** Appends valid text whose compact form has `length` bytes. */
		append(start: number, end: number, length: number): void {
			if (length === end - start) {
				if (start !== runEnd) {
					if (size > 0) flush();
					run = start;
				}
				runEnd = end;
				size += length;
				return;
			}
			const target = flush();
			run = runEnd = -1;
			size += length;
			if (size > most) return;
			compactInto(source, start, end, target, written);
			written = size;
		},
		/** The compact form of what was appended last; null when the limit is passed. */
		last(length: number): Buffer | null {
			if (size > most) return null;
			if (runEnd - run >= length) return source.subarray(runEnd - length, runEnd);
			return (text as Buffer).subarray(size - length, size);
		},
		all(): Buffer {
			if (text === null) return source.subarray(run, runEnd);
			flush();
			run = runEnd;
			return text.subarray(0, size);
		},
	};
}

function readDocument(
	scanner: Scanner,
	isObject: boolean,
	limits: ReadLimits,
	known: Known | null,
	reader: CaptureReader,
): CaptureDocument {
	const text = createText(scanner.bytes, scanner.end - scanner.pos, limits.maxBytes);
	const table = createTable(known, reader.pause);
	const signals: Signals = { message: null, error: null, totalCount: null, rowCount: 0, isEnvelope: false };
	let isEnvelope = false;
	let headBytes = 0;
	let rowsEnd = 0;

	/** Passes a structural byte and appends it. */
	function structure(byte: number): void {
		expect(scanner, byte);
		text.append(scanner.pos - 1, scanner.pos, 1);
	}

	/** Passes a value and appends its compact text. */
	function value(record: boolean): Buffer | null {
		peek(scanner);
		const start = scanner.pos;
		const blank = scanner.blank;
		scanValue(scanner, record);
		const length = scanner.pos - start - (scanner.blank - blank);
		text.append(start, scanner.pos, length);
		return text.last(length);
	}

	/** Passes the rows that the history expects here; gives how many there are. One that is known is no error: it would not have been kept. */
	function expected(): number {
		if (text.tooLarge()) return 0;
		peek(scanner);
		const { rows, length } = table.predict(scanner.bytes, scanner.pos, scanner.end);
		if (rows === 0) return 0;
		text.append(scanner.pos, scanner.pos + length, length);
		scanner.pos += length;
		return rows;
	}

	function row(): 1 {
		const compact = value(true);
		signals.error ??= readError(scanner);
		if (compact !== null) table.add(scanner, compact, text.size() - compact.length);
		return 1;
	}

	function rows(): void {
		table.clear();
		signals.error = null;
		structure(0x5b);
		headBytes = text.size();
		let count = 0;
		if (peek(scanner) !== 0x5d) {
			for (;;) {
				count += expected() || row();
				reader.pause();
				if (count > (limits.maxRows ?? MAX_ROWS)) throw new JsonTextError("size", scanner.pos, "Too many rows");
				if (peek(scanner) === 0x5d) break;
				structure(0x2c);
			}
		}
		rowsEnd = text.size();
		structure(0x5d);
		signals.rowCount = count;
	}

	/** An object without `imdata` is one row: its compact text is scanned once more, as a row. */
	function wholeAsRow(): void {
		table.clear();
		rowsEnd = text.size();
		signals.rowCount = rowsEnd > 2 ? 1 : 0;
		signals.error = null;
		headBytes = signals.rowCount === 0 ? rowsEnd : 0;
		if (signals.rowCount === 0 || text.tooLarge()) return;
		const compact = text.all();
		const inner = createScanner(compact);
		scanValue(inner, true);
		signals.error = readError(inner);
		table.add(inner, compact, 0);
	}

	function members(): void {
		structure(0x7b);
		if (peek(scanner) !== 0x7d) {
			for (;;) {
				member();
				if (peek(scanner) === 0x7d) break;
				structure(0x2c);
			}
		}
		structure(0x7d);
	}

	function member(): void {
		peek(scanner);
		const start = scanner.pos;
		const key = readString(scanner);
		text.append(start, scanner.pos, scanner.pos - start);
		structure(0x3a);
		if (key === "imdata") {
			isEnvelope = peek(scanner) === 0x5b;
			if (isEnvelope) rows();
			else value(false);
			return;
		}
		value(key === "messages" || key === "totalCount");
		if (key === "messages") signals.message = readMessage(scanner);
		else if (key === "totalCount") signals.totalCount = readTotal(scanner);
	}

	// It has all the others around it.
	reader.functions = rows;
	if (!isObject) rows();
	else {
		members();
		if (!isEnvelope) wholeAsRow();
	}
	signals.isEnvelope = isEnvelope;
	const form = isEnvelope ? "envelope" : isObject ? "object" : "array";
	return { form, sizeBytes: text.size(), signals, content: text.tooLarge() ? null : finish() };

	function finish(): DocumentContent {
		return { ...table.finish(), text: text.all(), headBytes, tailBytes: text.size() - rowsEnd };
	}
}
