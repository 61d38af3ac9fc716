/**
 * The filter grammar as an expression tree: comparisons, ranges, bit tests, combinations. Does not
 * check names.
 */
import { ApiError } from "../errors.ts";

type Comparison = "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "wcard";

export interface Property {
	readonly cls: string;
	readonly prop: string;
}

export type Expression =
	| { readonly kind: "compare"; readonly fn: Comparison; readonly on: Property; readonly value: string }
	| { readonly kind: "between"; readonly on: Property; readonly low: string; readonly high: string }
	| { readonly kind: "bits"; readonly all: boolean; readonly on: Property; readonly bits: readonly string[] }
	| { readonly kind: "logic"; readonly fn: "and" | "or" | "xor"; readonly args: readonly Expression[] }
	| { readonly kind: "not"; readonly arg: Expression }
	| { readonly kind: "constant"; readonly value: boolean };

/** Deeper nesting than this is refused rather than run out of stack. */
const MAX_DEPTH = 200;

const COMPARISONS: ReadonlySet<string> = new Set(["eq", "ne", "lt", "gt", "le", "ge", "wcard"]);
/** `pholder` and `passive` are in the documents but in no public use: they keep everything. */
const CONSTANTS: ReadonlyMap<string, boolean> = new Map([
	["true", true],
	["false", false],
	["pholder", true],
	["passive", true],
]);

/** @throws ApiError 301 when the text is not a filter. */
export function parseFilter(text: string): Expression {
	const reader = createReader(text);
	const expression = readExpression(reader, 0);
	reader.skip();
	if (!reader.atEnd()) throw reader.refuse();
	return expression;
}

type Reader = ReturnType<typeof createReader>;

function createReader(text: string) {
	let at = 0;
	const refuse = () => new ApiError(301, `Incorrect filter format, '${text}' is not valid near position ${at}`);
	const skip = () => {
		while (text[at] === " " || text[at] === "\t" || text[at] === "\n") at++;
	};
	return {
		skip,
		refuse,
		atEnd: () => at >= text.length,
		peek: () => text[at],
		expect(char: string) {
			skip();
			if (text[at] !== char) throw refuse();
			at++;
		},
		/** Takes the character when it comes next. */
		take(char: string) {
			skip();
			if (text[at] !== char) return false;
			at++;
			return true;
		},
		word() {
			skip();
			const start = at;
			while (at < text.length && /[A-Za-z0-9_]/.test(text[at] ?? "")) at++;
			if (at === start) throw refuse();
			return text.slice(start, at);
		},
		/** A quoted string with escapes, or bare text up to a comma or closing parenthesis. */
		value() {
			skip();
			if (text[at] !== '"') {
				const start = at;
				while (at < text.length && text[at] !== "," && text[at] !== ")") at++;
				return text.slice(start, at).trim();
			}
			let value = "";
			for (at++; text[at] !== '"'; at++) {
				if (at >= text.length) throw refuse();
				// Only \" is an escape. Other backslashes belong to the value, as regular expressions need.
				if (text[at] === "\\" && text[at + 1] === '"') at++;
				value += text[at];
			}
			at++;
			return value;
		},
	};
}

function readExpression(reader: Reader, depth: number): Expression {
	if (depth > MAX_DEPTH) throw reader.refuse();
	const fn = reader.word();
	reader.expect("(");
	const expression = readArguments(reader, fn, depth);
	reader.expect(")");
	return expression;
}

function readArguments(reader: Reader, fn: string, depth: number): Expression {
	const constant = CONSTANTS.get(fn);
	if (constant !== undefined) return { kind: "constant", value: constant };
	if (fn === "and" || fn === "or" || fn === "xor") {
		// One argument is enough: the controller's own user interface sends and(ne(…)).
		const args = [readExpression(reader, depth + 1)];
		while (reader.take(",")) args.push(readExpression(reader, depth + 1));
		return { kind: "logic", fn, args };
	}
	if (fn === "not") return { kind: "not", arg: readExpression(reader, depth + 1) };
	if (COMPARISONS.has(fn)) {
		const on = readProperty(reader);
		return { kind: "compare", fn: fn as Comparison, on, value: readNext(reader) };
	}
	if (fn === "bw") return { kind: "between", on: readProperty(reader), low: readNext(reader), high: readNext(reader) };
	if (fn === "anybit" || fn === "allbits") {
		const on = readProperty(reader);
		const bits = readNext(reader).split(",");
		while (reader.take(",")) bits.push(reader.value());
		return { kind: "bits", all: fn === "allbits", on, bits: bits.map((bit) => bit.trim()) };
	}
	throw new ApiError(301, `Incorrect filter format, '${fn}': no such filter type`);
}

function readNext(reader: Reader): string {
	reader.expect(",");
	return reader.value();
}

function readProperty(reader: Reader): Property {
	const cls = reader.word();
	reader.expect(".");
	return { cls, prop: reader.word() };
}
