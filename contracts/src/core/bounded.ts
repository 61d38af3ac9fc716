/**
 * Lists and dictionaries of requests. Their size is checked before their elements, and errors of
 * elements are reported up to a maximum, so that neither the work nor the answer grows with input
 * that is refused.
 */
import * as z from "zod";

/** Wrong elements of one list or dictionary after which the others are not checked. */
const MAX_WRONG_ELEMENTS = 20;

interface ListOptions {
	/** Most elements. */
	readonly max: number;
	/** For a value that is no list. */
	readonly error?: string;
	/** For more than `max` elements; names the maximum where absent. */
	readonly tooMany?: string;
}

const initArray: (inst: z.ZodArray, def: z.core.$ZodArrayDef) => void = z.ZodArray.init;
const initRecord: (inst: z.ZodRecord, def: z.core.$ZodRecordDef) => void = z.ZodRecord.init;

/** See https://zod.dev/library-authors: a type of its own survives `.refine()` and `.meta()`. */
const BoundedArray: z.core.$constructor<z.ZodArray> = z.core.$constructor("BoundedArray", (inst, def) => {
	initArray(inst, def as z.core.$ZodArrayDef);
	const checkType = inst._zod.parse;
	const max = findMaximum(inst) ?? 0;
	inst._zod.parse = (payload, context) => {
		const input = payload.value;
		if (!Array.isArray(input) || input.length > max) return checkType(payload, context);
		const values: unknown[] = [];
		let wrong = 0;
		for (const [index, value] of input.entries()) {
			const element = def.element._zod.run({ value, issues: [] }, context);
			if (element instanceof Promise) throw new z.core.$ZodAsyncError();
			values.push(element.value);
			if (element.issues.length === 0) continue;
			payload.issues.push(...z.core.util.prefixIssues(index, element.issues.slice(0, MAX_WRONG_ELEMENTS)));
			if (++wrong === MAX_WRONG_ELEMENTS) break;
		}
		payload.value = values;
		return payload;
	};
});

/** Most characters or elements that a schema accepts; null where it has no maximum. */
export function findMaximum({ _zod: { def } }: z.core.$ZodType): number | null {
	const checks = (def.checks ?? []).map((check) => check._zod.def as { maximum?: number; length?: number });
	const maxima = checks.map(({ maximum, length }) => maximum ?? length).filter((max) => max !== undefined);
	return maxima.length === 0 ? null : Math.min(...maxima);
}

/** A list of a request: its length is checked first, then its elements up to 20 wrong ones. */
export function defineList<Item extends z.ZodType>(item: Item, { max, error, tooMany }: ListOptions): z.ZodArray<Item> {
	const made = new BoundedArray({
		type: "array",
		element: item,
		...(error === undefined ? {} : { error: () => error }),
	});
	return made.max(max, tooMany ?? `Must have at most ${max} entries.`) as unknown as z.ZodArray<Item>;
}

interface DictionaryOptions {
	/** Most entries. */
	readonly max: number;
	/** What a key must be; text of up to 200 characters where absent. */
	readonly key?: z.ZodString;
	/** For a value that is no object. */
	readonly error?: string;
	/** For more than `max` entries; names the maximum where absent. */
	readonly tooMany?: string;
}

/** Most characters of a key. */
const KEY_MAX = 200;

interface BoundedRecordDef extends z.core.$ZodRecordDef {
	/** Most entries. */
	readonly entriesMax?: number;
	readonly tooMany?: string;
	/** Values are any JSON and keys any text: there is nothing to check but their size. */
	readonly isOpen?: boolean;
}

/** A copy of an object without `__proto__`; null where a key is too long. */
function copyOpen(input: Record<string, unknown>): Record<string, unknown> | null {
	const copy: Record<string, unknown> = {};
	for (const key of Object.keys(input)) {
		if (key.length > KEY_MAX) return null;
		if (key !== "__proto__") copy[key] = input[key];
	}
	return copy;
}

const BoundedRecord = z.core.$constructor<z.ZodRecord, BoundedRecordDef>("BoundedRecord", (inst, def) => {
	initRecord(inst, def);
	const { entriesMax = 0, tooMany = `Must have at most ${entriesMax} entries.` } = def;
	const checkEntries = inst._zod.parse;
	inst._zod.parse = (payload, context) => {
		const { value: input, issues } = payload;
		// The keys of a list would be as many texts.
		if (z.core.util.isPlainObject(input) && Object.keys(input).length > entriesMax) {
			issues.push({ code: "custom", input, inst, message: tooMany, continue: false });
			return payload;
		}
		const copy = def.isOpen && z.core.util.isPlainObject(input) ? copyOpen(input) : null;
		if (copy !== null) {
			payload.value = copy;
			return payload;
		}
		const before = issues.length;
		const checked = checkEntries(payload, context);
		if (issues.length > before + MAX_WRONG_ELEMENTS) issues.length = before + MAX_WRONG_ELEMENTS;
		return checked;
	};
});

/** An object of a request with keys of its own: at most `max`, of up to 200 characters each. */
export function defineDictionary<Value extends z.ZodType>(
	value: Value,
	{ max, key, error, tooMany }: DictionaryOptions,
): z.ZodRecord<z.ZodString, Value> {
	const made = new BoundedRecord({
		type: "record",
		keyType: key ?? z.string().max(KEY_MAX, `A name must have at most ${KEY_MAX} characters.`),
		valueType: value,
		entriesMax: max,
		isOpen: key === undefined && value instanceof z.ZodUnknown,
		...(tooMany === undefined ? {} : { tooMany }),
		...(error === undefined ? {} : { error: () => error }),
	});
	return made.meta({ maxProperties: max }) as unknown as z.ZodRecord<z.ZodString, Value>;
}

/** Whether a schema is a list or a dictionary of this file. */
export const isBounded = (schema: z.core.$ZodType): boolean =>
	schema instanceof BoundedArray || schema instanceof BoundedRecord;

/** Text of a form: its length is checked first, and one message describes both. */
export const definePatternText = (form: RegExp, max: number, message: string) =>
	z.string().max(max, { error: message, abort: true }).regex(form, message);
