/** Values are text on the wire; their property's type says how to check, normalise and rank them. */
import type { PropType } from "../model/types.ts";

/** A value in comparable form: a number where the type has an order of its own, else the text. */
export type Rank = number | string;

/** Milliseconds since 1970 of an ISO time (UTC when it names no offset) or of epoch seconds; `never` is 0; NaN when it is none. */
export function parseTime(text: string): number {
	if (text === "never" || text === "") return 0;
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	return Date.parse(/[Zz]$|[+-]\d\d:\d\d$/.test(text) || !text.includes("T") ? text : `${text}Z`);
}

/** A stored value's rank. */
export function rankOf(type: PropType, value: string): Rank {
	if (type.kind === "number") return type.names.get(value) ?? (value === "" ? 0 : Number(value));
	if (type.kind === "enum") return type.literals.get(value) ?? -1;
	if (type.kind === "date") return parseTime(value);
	if (type.kind === "auto") return autoRank(value);
	return value;
}

/** Learned properties have no declared type: what looks like a number or a time is ranked as one. */
function autoRank(value: string): Rank {
	if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
	return /^\d{4}-\d\d-\d\dT/.test(value) ? parseTime(value) : value;
}

/** The value as the controller stores it, or `null` when the type refuses it. */
export function normalize(type: PropType, value: string): string | null {
	switch (type.kind) {
		case "bool":
			return value === "yes" || value === "true" ? "yes" : value === "no" || value === "false" ? "no" : null;
		case "enum":
			return type.literals.has(value) ? value : null;
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

/** Bits come back in declared order, each once. */
function normalizeMask(bits: ReadonlyMap<string, number>, value: string): string | null {
	const given = value.split(",").map((bit) => bit.trim());
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
