/** Reads command lines: words as a POSIX shell makes them, and the options of moquery. */
import { buildTest, type FilterTest, type FilterTree, UnsupportedFilter } from "./import-filter.ts";

/** The prompt of a shell that was copied with its command. A lone `#` begins a comment. */
const PROMPT = /^(?:[$>]|[\w.@:~-]{1,100}[$#>])\s+/;

/** Lines of a script. A line that ends in a backslash continues on the next one. */
export const splitCommandLines = (text: string): string[] =>
	text
		.replace(/\\\r?\n[ \t]*/g, " ")
		.split(/\r?\n/)
		.map((line) => line.trim().replace(PROMPT, ""))
		.filter((line) => line !== "" && !line.startsWith("#"));

/** The words of a command, without quotes and escapes; null where a quote is not closed. */
export function splitShellWords(line: string): string[] | null {
	const words: string[] = [];
	let word: string | null = null;
	for (let at = 0; at < line.length; at += 1) {
		const char = line[at] ?? "";
		if (char === "'" || char === '"') {
			let end = at + 1;
			let quoted = "";
			for (; end < line.length && line[end] !== char; end += 1) {
				if (char === '"' && line[end] === "\\" && /["\\$`]/.test(line[end + 1] ?? "")) end += 1;
				quoted += line[end];
			}
			if (end >= line.length) return null;
			word = (word ?? "") + quoted;
			at = end;
		} else if (char === "\\") {
			word = (word ?? "") + (line[at + 1] ?? "");
			at += 1;
		} else if (/\s/.test(char)) {
			if (word !== null) words.push(word);
			word = null;
		} else if (/[|;<>]/.test(char) || (char === "&" && /\s|&|$/.test(line[at + 1] ?? ""))) {
			break;
		} else word = (word ?? "") + char;
	}
	return word === null ? words : [...words, word];
}

export interface Moquery {
	readonly classNames: readonly string[];
	readonly dn: string | null;
	readonly filter: string | null;
	/** Query options as in a URL. */
	readonly options: readonly string[];
	readonly unsupported: readonly string[];
}

const LONG: Readonly<Record<string, string>> = {
	"--klass": "-c",
	"--class": "-c",
	"--dn": "-d",
	"--filter": "-f",
	"--options": "-x",
	"--attrs": "-a",
	"--output": "-o",
	"--host": "-i",
	"--port": "-p",
	"--user": "-u",
};
/** Options that concern where moquery asks and how it prints. */
const IGNORED: ReadonlySet<string> = new Set(["-o", "-i", "-p", "-u"]);

/** @param words after `moquery` */
export function readMoquery(words: readonly string[]): Moquery {
	const given = new Map<string, string[]>();
	const unsupported: string[] = [];
	let current = "";
	const add = (...values: string[]): void => {
		const known = given.get(current);
		if (known === undefined) given.set(current, values);
		else known.push(...values);
	};
	for (const word of words) {
		const [, name, attached] = /^(--[a-z]+|-[a-z])(?:=?(.+))?$/is.exec(word) ?? [];
		if (name === undefined) add(word);
		else {
			current = LONG[name] ?? name;
			add(...(attached === undefined ? [] : [attached]));
		}
	}
	for (const [name, values] of given) {
		if (["-c", "-d", "-f", "-x"].includes(name) || IGNORED.has(name)) continue;
		if (name === "-a" && values.every((value) => value === "all")) continue;
		unsupported.push(`${[name, ...values].join(" ").trim()} is not represented.`);
	}
	return {
		classNames: (given.get("-c") ?? []).flatMap((text) => text.split(",")).map(isPlainClass),
		dn: given.get("-d")?.[0] ?? null,
		filter: given.get("-f")?.join(" ") ?? null,
		options: (given.get("-x") ?? []).flatMap((option) => option.replace(/^\?/, "").split("&")),
		unsupported,
	};
}

/** `fv.Tenant` is `fvTenant`. */
const isPlainClass = (name: string): string => name.trim().replace(".", "");

const OPERATORS: Readonly<Record<string, FilterTest["op"]>> = {
	"==": "eq",
	"!=": "ne",
	"<=": "le",
	">=": "ge",
	"<": "lt",
	">": "gt",
	"*": "wcard",
};
const CONDITION = /^\s*([A-Za-z][\w.]*)\s*(==|!=|<=|>=|<|>|\*)\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'&|]+))/;
const JOIN = /^\s*(and|or|&&|\|\|)(?=\s|$)/i;

/**
 * The filter of moquery, such as `fv.Tenant.name=="prod" and fv.Tenant.descr*"x"`. `and` binds
 * tighter than `or`. @throws UnsupportedFilter
 */
export function readMoqueryFilter(text: string): FilterTree {
	const alternatives: FilterTree[][] = [[]];
	let rest = text.trim();
	for (;;) {
		const [all, name = "", operator = "", quoted, single, bare] = CONDITION.exec(rest) ?? [];
		if (all === undefined)
			throw new UnsupportedFilter(`The filter has ${JSON.stringify(rest)}, which is no condition.`);
		const value = quoted?.replace(/\\(["\\])/g, "$1") ?? single ?? bare ?? "";
		alternatives.at(-1)?.push(buildTest(OPERATORS[operator] ?? "eq", isPlainProperty(name), [value]));
		rest = rest.slice(all.length);
		const [join, word] = JOIN.exec(rest) ?? [];
		if (word === undefined) break;
		if (/^(or|\|\|)$/i.test(word)) alternatives.push([]);
		rest = rest.slice(join?.length ?? 0);
	}
	if (rest.trim() !== "")
		throw new UnsupportedFilter(`The filter has ${JSON.stringify(rest.trim())}, which is no condition.`);
	return joinConditions(
		"or",
		alternatives.map((tests) => joinConditions("and", tests)),
	);
}

/** `fv.Tenant.name` is `fvTenant.name`. */
function isPlainProperty(name: string): string {
	const parts = name.split(".");
	return parts.length === 3 ? `${parts[0]}${parts[1]}.${parts[2]}` : name;
}

function joinConditions(op: "and" | "or", args: readonly FilterTree[]): FilterTree {
	const [first] = args;
	return args.length === 1 && first !== undefined ? first : { op, args };
}
