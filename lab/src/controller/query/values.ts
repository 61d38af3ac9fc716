/** Values are text on the wire. The property's type checks, normalises and ranks them. */
import type { PropType } from "../model/types.ts";

/** A value in comparable form: a number where the type has an order of its own, else the text. */
export type Rank = number | string;

/**
 * Milliseconds since 1970 of an ISO time (UTC by default) or epoch seconds; `never` is 0; NaN if
 * invalid.
 */
export function parseTime(text: string): number {
	if (text === "never" || text === "") return 0;
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	return Date.parse(/[Zz]$|[+-]\d\d:\d\d$/.test(text) || !text.includes("T") ? text : `${text}Z`);
}

/** A stored value's rank. */
export function getRank(type: PropType, value: string): Rank {
	if (type.kind === "number") return type.names.get(value) ?? (value === "" ? 0 : Number(value));
	if (type.kind === "enum") return type.literals.get(value) ?? -1;
	if (type.kind === "mask") return sumOfBits(type.bits, value);
	if (type.kind === "code") return /^F\d+$/.test(value) ? Number(value.slice(1)) : value;
	if (type.kind === "date") return parseTime(value);
	if (type.kind === "auto") return rankAutomatically(value);
	return value;
}

/** Ranks values of learned properties, which have no type: numbers and times by their value. */
function rankAutomatically(value: string): Rank {
	if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
	return /^\d{4}-\d\d-\d\dT/.test(value) ? parseTime(value) : value;
}

/** The value as the controller stores it, or `null` when the type refuses it. */
export function normalizeValue(type: PropType, value: string): string | null {
	switch (type.kind) {
		case "bool":
			return BOOLEANS.get(value) ?? null;
		case "enum":
			return type.literals.has(value) ? value : (compareByNumber(type.literals, value) ?? null);
		case "code":
			return isFaultCode(value) || type.more.has(value) ? value : null;
		case "mask":
			return normalizeMask(type.bits, value);
		case "number":
			return normalizeNumber(type, value);
		case "date":
			return Number.isNaN(parseTime(value)) ? null : value;
		default:
			return value;
	}
}

const BOOLEANS: ReadonlyMap<string, "yes" | "no"> = new Map([
	["yes", "yes"],
	["true", "yes"],
	["1", "yes"],
	["no", "no"],
	["false", "no"],
	["0", "no"],
]);

/**
 * Whether a release may have a fault of this code: `F` and a number of four digits or more. F999999
 * is the number of no fault.
 */
function isFaultCode(value: string): boolean {
	return /^F(\d{4}|[1-9]\d{4,5})$/.test(value) && value !== "F999999";
}

/** The word of an enumeration with this number. */
function compareByNumber(literals: ReadonlyMap<string, number>, value: string): string | undefined {
	if (!/^\d+$/.test(value)) return undefined;
	for (const [word, number] of literals) if (number === Number(value)) return word;
	return undefined;
}

function sumOfBits(bits: ReadonlyMap<string, number>, value: string): number {
	return value.split(",").reduce((sum, bit) => sum + (bits.get(bit) ?? 0), 0);
}

/** The words of a sum of bits; null if a bit has no word. */
function splitSum(bits: ReadonlyMap<string, number>, sum: number): string[] | null {
	const found: string[] = [];
	let left = sum;
	for (const [word, bit] of [...bits].sort((one, other) => other[1] - one[1])) {
		if (bit > left || bit === 0) continue;
		left -= bit;
		found.push(word);
	}
	return left === 0 ? found : null;
}

/** Bits come back in declared order, each once; a number is the sum of its bits. */
function normalizeMask(bits: ReadonlyMap<string, number>, value: string): string | null {
	const isSum = /^\d{1,15}$/.test(value) && !bits.has(value);
	const given = (isSum ? splitSum(bits, Number(value)) : null) ?? value.split(",").map((bit) => bit.trim());
	if (given.length === 1 && given[0] === "") return "";
	if (given.some((bit) => !bits.has(bit))) return null;
	return [...new Set(given)].sort((a, b) => (bits.get(a) ?? 0) - (bits.get(b) ?? 0)).join(",");
}

/** A number that has a name reads back as its name (port 80 as `http`). */
function normalizeNumber(type: PropType & { kind: "number" }, value: string): string | null {
	if (type.names.has(value)) return value;
	if (!/^-?\d+(\.\d+)?$/.test(value)) return null;
	const number = Number(value);
	for (const [name, named] of type.names) if (named === number) return name;
	return number >= type.min && number <= type.max ? value : null;
}
