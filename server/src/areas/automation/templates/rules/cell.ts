/** Checks one cell against its column. The result is the parsed value or a problem. */
import { DIRECTION_CONTROLS, DIRECTION_CONTROLS_MESSAGE } from "@weft/contracts";
import { isCidr, isIp, isMac } from "./formats.ts";
import type { CellRule } from "./rules.ts";

/** A problem of a cell; for enumerations with the allowed values. */
interface CellProblem {
	readonly message: string;
	readonly allowed?: readonly string[];
}

/** A column with its patterns and lists made ready. */
export interface ReadyColumn {
	readonly rule: CellRule;
	readonly choices: ReadonlySet<string> | null;
	readonly list: ReadonlySet<string> | null;
	readonly patterns: readonly {
		readonly name: string | null;
		readonly source: string;
		matches(text: string): boolean;
	}[];
}

type CellResult = { readonly value: unknown } | { readonly problem: CellProblem };

const CELL_MAX = 32_768;
const JINJA = /\{\{|\{%/;
/** Line ends in a text of one line have a message of their own. */
const CONTROL = /(?![\r\n])\p{Cc}/u;
const CONTROL_IN_LINES = /(?![\r\n\t])\p{Cc}/u;
const ALLOWED_SHOWN = 10;
const VLAN = { min: 1, max: 4094 } as const;
const WORDS: ReadonlyMap<string, boolean> = new Map([
	["true", true],
	["yes", true],
	["false", false],
	["no", false],
]);

export const isEmpty = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(typeof value === "string" && value.trim() === "") ||
	(Array.isArray(value) && value.length === 0);

const buildProblem = (message: string, allowed?: readonly string[]): CellResult => ({
	problem: { message, ...(allowed ? { allowed: allowed.slice(0, ALLOWED_SHOWN) } : {}) },
});
/** The column's own words, where it has some. */
const buildRuleProblem = (rule: CellRule, message: string, allowed?: readonly string[]): CellResult =>
	buildProblem(rule.message || message, allowed);

/** Reads a cell. An empty one is its column's default, or stays empty. */
export function readCell(column: ReadyColumn, given: unknown): CellResult {
	const { rule } = column;
	if (isEmpty(given)) {
		if (rule.fallback !== null) return { value: rule.fallback };
		if (rule.required) return buildProblem("A value is required.");
		return { value: given === undefined ? undefined : isTextual(rule) && given === "" ? "" : null };
	}
	for (const text of formatTexts(given)) {
		if (text.length > CELL_MAX) return buildProblem(`Must be at most ${CELL_MAX} characters.`);
		if (!rule.allowJinja && JINJA.test(text)) {
			return buildProblem("Must not contain {{ or {%, which the automation server may run as a template.");
		}
		if ((hasLines(rule) ? CONTROL_IN_LINES : CONTROL).test(text)) {
			return buildProblem("Must not contain control characters.");
		}
		if (rule.type !== "password" && DIRECTION_CONTROLS.test(text)) return buildProblem(DIRECTION_CONTROLS_MESSAGE);
	}
	return readTypedValue(column, given);
}

const formatTexts = (value: unknown): readonly string[] =>
	typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

const hasLines = ({ type }: CellRule): boolean => type === "textarea" || type === "password";

const isTextual = ({ type }: CellRule): boolean => type === "text" || type === "textarea" || type === "password";

function readTypedValue(column: ReadyColumn, given: unknown): CellResult {
	const { rule } = column;
	switch (rule.type) {
		case "number":
		case "vlan":
			return readNumber(column, given);
		case "boolean": {
			const word = typeof given === "string" || typeof given === "number" ? String(given) : "";
			const value = typeof given === "boolean" ? given : WORDS.get(word.trim().toLowerCase());
			return value === undefined ? buildRuleProblem(rule, "Must be true or false.") : { value };
		}
		case "multi_enum":
			return readMany(column, given);
		default:
			return readText(column, given);
	}
}

function readNumber(column: ReadyColumn, given: unknown): CellResult {
	const { rule } = column;
	const vlan = rule.type === "vlan";
	const text = typeof given === "string" ? given.trim() : "";
	const value =
		typeof given === "number" ? given : /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
	if (!Number.isFinite(value) || (vlan && !Number.isInteger(value))) {
		return buildRuleProblem(rule, vlan ? "Must be a VLAN id, a whole number from 1 to 4094." : "Must be a number.");
	}
	const min = Math.max(rule.min ?? Number.NEGATIVE_INFINITY, vlan ? VLAN.min : Number.NEGATIVE_INFINITY);
	const max = Math.min(rule.max ?? Number.POSITIVE_INFINITY, vlan ? VLAN.max : Number.POSITIVE_INFINITY);
	if (value < min) return buildRuleProblem(rule, `Must be at least ${min}.`);
	if (value > max) return buildRuleProblem(rule, `Must be at most ${max}.`);
	return checkContent(column, String(value), value);
}

function readMany(column: ReadyColumn, given: unknown): CellResult {
	const { rule, choices } = column;
	const parts = Array.isArray(given) ? given : typeof given === "string" ? given.split(/[,;\n]/) : [given];
	const values = parts.map((one) =>
		typeof one === "string" ? one.trim() : typeof one === "number" ? String(one) : null,
	);
	if (values.includes(null)) return buildRuleProblem(rule, "Must be a list of texts.");
	const texts = [...new Set(values as string[])].filter((text) => text !== "");
	const other = texts.find((text) => !choices?.has(text));
	if (other !== undefined)
		return buildRuleProblem(rule, `"${shortenText(other)}" is not one of the choices.`, rule.choices ?? []);
	for (const text of texts) {
		const result = checkContent(column, text, text);
		if ("problem" in result) return result;
	}
	return { value: texts };
}

function readText(column: ReadyColumn, given: unknown): CellResult {
	const { rule, choices } = column;
	const textual = isTextual(rule);
	const raw = typeof given === "number" && Number.isFinite(given) ? String(given) : given;
	if (typeof raw !== "string") return buildRuleProblem(rule, "Must be a text.");
	const text = textual ? raw : raw.trim();
	if (rule.type === "enum" && !choices?.has(text))
		return buildRuleProblem(rule, "Must be one of the choices.", rule.choices ?? []);
	if (rule.type === "ip" && !isIp(text)) return buildRuleProblem(rule, "Must be an IPv4 or IPv6 address.");
	if (rule.type === "cidr" && !isCidr(text))
		return buildRuleProblem(rule, "Must be a network such as 10.0.0.0/24 or 2001:db8::/64.");
	if (rule.type === "mac" && !isMac(text))
		return buildRuleProblem(rule, "Must be a MAC address such as 00:1b:44:11:3a:b7.");
	if (rule.type === "text" && /[\r\n]/.test(text)) return buildRuleProblem(rule, "Must be one line.");
	const length = rule.minLength !== null || rule.maxLength !== null ? [...text].length : 0;
	if (rule.minLength !== null && length < rule.minLength) {
		return buildRuleProblem(rule, `Must be at least ${rule.minLength} characters.`);
	}
	if (rule.maxLength !== null && length > rule.maxLength) {
		return buildRuleProblem(rule, `Must be at most ${rule.maxLength} characters.`);
	}
	return checkContent(column, text, text);
}

/** Patterns and lists, which every type may have. */
function checkContent({ rule, list, patterns }: ReadyColumn, text: string, value: unknown): CellResult {
	for (const { name, source, matches } of patterns) {
		if (!matches(text))
			return buildRuleProblem(rule, name === null ? `Must match ${source}` : `Must match the pattern "${name}".`);
	}
	if (list !== null && rule.list !== null) {
		const known = list.has(rule.list.caseSensitive ? text : text.toLowerCase());
		if (!known) {
			return buildProblem(rule.message || rule.list.message || "Must be one of the allowed values.", rule.list.values);
		}
	}
	return { value };
}

const shortenText = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
