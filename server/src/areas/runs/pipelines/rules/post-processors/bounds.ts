/**
 * Bounds of what post-processors make. They are checked before or while a value is built, so that a
 * few small rows cannot fill the memory.
 */
import type { Row } from "../../../../../core/rows/rows.ts";

const MB = 1024 ** 2;
/** Bytes of a value that a processor computes; a longer value may stay as long as it is. */
const VALUE_BYTES = MB;
/** Bytes of a row that a processor changed. */
export const ROW_BYTES = 16 * MB;
/** Bytes of rows between two processors that need all rows. */
export const LIST_BYTES = 256 * MB;
/** Groups of one row in an aggregation, where its fields have several values. */
export const GROUPS_OF_ROW = 1_000;
/** Partners of a join in groups that are made for bases with several values. */
export const PAIRS = 5_000_000;

/** A row or value that exceeds a bound. The run's owner reads the message. */
export class ProcessorError extends Error {
	override readonly name = "ProcessorError";
	/** Survives the way from a worker thread, where the name does not. */
	readonly code = PROCESSOR_ERROR;
}
export const PROCESSOR_ERROR = "E_PROCESSOR";

/** Bytes that a value made from `input` may have. */
export const computeValueRoom = (input: string): number => Math.max(VALUE_BYTES, Buffer.byteLength(input));

export const buildTooLongValueError = (): ProcessorError =>
	new ProcessorError(
		`A post-processor makes a value of more than ${VALUE_BYTES / MB} MB, which is the limit. Use a shorter replacement, or replace less.`,
	);

/** @throws ProcessorError where the value has more bytes than `room` */
export function limitValue(value: string, room: number): string {
	// A UTF-16 unit takes at most three bytes.
	if (value.length * 3 > room && Buffer.byteLength(value) > room) throw buildTooLongValueError();
	return value;
}

/** The texts in one. @throws ProcessorError where they have more bytes than a value may have */
export function joinBounded(texts: readonly string[], separator: string): string {
	let length = -separator.length;
	for (const text of texts) {
		length += text.length + separator.length;
		if (length > VALUE_BYTES) throw buildTooLongJoinedError();
	}
	const joined = texts.join(separator);
	if (Buffer.byteLength(joined) > VALUE_BYTES) throw buildTooLongJoinedError();
	return joined;
}

/** @throws ProcessorError where the row has more bytes than `ROW_BYTES` */
export function limitRow(row: Row): Row {
	getSize(row);
	return row;
}

/** The rows as a list. @throws ProcessorError where they have more bytes than `LIST_BYTES` */
export function limitList(rows: Iterable<Row>): Row[] {
	const list: Row[] = [];
	let size = 0;
	for (const row of rows) {
		size += getSize(row);
		if (size > LIST_BYTES) {
			throw buildTooLongListError();
		}
		list.push(row);
	}
	return list;
}

/**
 * Bytes of a row's names and texts in UTF-8, and an entry of a list as one more; lists that occur
 * several times count as often. @throws ProcessorError above `ROW_BYTES`
 */
function getSize(row: Row): number {
	let size = 0;
	const stack: unknown[] = [row];
	while (stack.length > 0) {
		const value = stack.pop();
		if (typeof value === "string") size += Buffer.byteLength(value);
		else if (Array.isArray(value)) {
			size += value.length;
			if (size <= ROW_BYTES) for (const entry of value) stack.push(entry);
		} else if (typeof value === "object" && value !== null) {
			for (const [name, entry] of Object.entries(value)) {
				size += Buffer.byteLength(name);
				stack.push(entry);
			}
		}
		if (size > ROW_BYTES) throw buildTooLongRowError();
	}
	return size;
}

const buildTooLongJoinedError = (): ProcessorError =>
	new ProcessorError(
		`A join makes a list of more than ${VALUE_BYTES / MB} MB, which is the limit. Attach rows, a count or the ` +
			"first, or narrow the attached class with a filter.",
	);

export const buildTooManyPairsError = (): ProcessorError =>
	new ProcessorError(
		`A join pairs more than ${PAIRS.toLocaleString("en")} objects by several values each, which is the limit. ` +
			"Join by fields with one value, or narrow the classes with filters.",
	);

export const buildTooLongListError = (): ProcessorError =>
	new ProcessorError(
		`Rows that post-processors sort, aggregate or join together take more than ${LIST_BYTES / MB} MB, which ` +
			"is the limit. Keep fewer fields, or fewer rows.",
	);

export const buildTooLongRowError = (): ProcessorError =>
	new ProcessorError(
		`A row of the post-processors has more than ${ROW_BYTES / MB} MB, which is the limit. Keep fewer fields, or shorter values.`,
	);
