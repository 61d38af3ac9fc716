/** YAML with the line of each value, and without what files must not have. */
import {
	Document,
	isAlias,
	isMap,
	isScalar,
	isSeq,
	LineCounter,
	type Pair,
	parseDocument,
	visit,
	type YAMLMap,
} from "yaml";

export interface LineError {
	/** From 1 on. */
	readonly line: number;
	readonly message: string;
}

export interface ParsedYaml {
	readonly value: unknown;
	/** The line of the value at a path, or of the nearest value above it. */
	getLine(path: readonly (string | number)[]): number;
}

/** Messages in place of the parser's, by its codes. */
const OWN_MESSAGES: Readonly<Partial<Record<string, string>>> = {
	MULTIPLE_DOCS: "A file holds one document. Put what follows the line --- into a file of its own.",
	RESOURCE_EXHAUSTION: "The value is nested too deeply.",
};

type YamlResult = { readonly ok: true; readonly yaml: ParsedYaml } | { readonly ok: false; errors: LineError[] };

/** Texts that a reader of YAML 1.1 or of another YAML 1.2 takes for something else. */
const OTHERWISE_READ = /^(?:=|<<|yes|no|on|off|[-+]0[box]?[0-9a-f_]+)$/i;
/** Few readers take these for booleans. Every layout has a key `y`: only values are quoted. */
const RARELY_READ = /^[yn]$/i;
/** The types of YAML 1.1 that are quoted, without the booleans of above. */
const compat = new Document(null, { schema: "yaml-1.1" }).schema.tags.filter(({ tag }) => !tag.endsWith(":bool"));

/**
 * Long texts stay on one line, and equal values are written out: both keep a diff small. Texts that
 * readers of YAML 1.1 take for another type (`no`, `12:30`, `1_000`, dates) are quoted.
 */
export function writeYaml(value: unknown): string {
	const document = new Document(value, { compat, aliasDuplicateObjects: false });
	visit(document, {
		Scalar(place, node) {
			const { value } = node;
			if (typeof value !== "string") return;
			const isQuoted = OTHERWISE_READ.test(value) || (place !== "key" && RARELY_READ.test(value));
			if (isQuoted) node.type = "QUOTE_DOUBLE";
		},
	});
	return document.toString({ lineWidth: 0 });
}

/**
 * Reads one document of YAML 1.2. Refuses aliases, tags and keys that occur twice. A scalar that
 * would be written otherwise than it is (`012`, `5.20`, `1e3`, `0x1F`, `True`) is read as its text.
 */
export function readYaml(text: string): YamlResult {
	const lines = new LineCounter();
	// Keys are compared below: the parser's comparison takes quadratic time.
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
	const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
	const broken = [...document.errors, ...document.warnings].map(({ pos: [offset], code, message }) => ({
		line: lineAt(offset),
		message: OWN_MESSAGES[code] ?? formatParserMessage(message),
	}));
	keepSourceTexts(document);
	const errors = broken.length > 0 ? broken : findRefusedParts(document, lineAt);
	if (errors.length > 0) return { ok: false, errors };
	const findPair = createPairIndex();
	const getLine = (path: readonly (string | number)[]): number => lineAt(getOffset(document, path, findPair));
	return { ok: true, yaml: { value: document.toJS({ maxAliasCount: 0 }), getLine } };
}

/**
 * The parser reads `012` as 12. Readers of files make a text of a number where they need one, which
 * must be the text of the file. Keys are texts always.
 */
function keepSourceTexts(document: Document.Parsed): void {
	visit(document, {
		Scalar(place, node) {
			const { value, source } = node;
			if (source === undefined || typeof value === "string") return;
			if (place === "key" || (value !== null && String(value) !== source)) node.value = source;
		},
	});
}

function findRefusedParts(document: Document.Parsed, lineAt: (offset: number) => number): LineError[] {
	const errors: LineError[] = [];
	const add = (node: { range?: readonly number[] | null | undefined }, message: string) =>
		errors.push({ line: lineAt(node.range?.[0] ?? 0), message });
	visit(document, {
		Alias: (_key, node) => void add(node, "Aliases are not supported. Write the value out."),
		Map(_key, { items }) {
			const keys = new Set<string>();
			for (const { key } of items) {
				const text = isScalar(key) ? String(key.value) : null;
				if (text === null) {
					add(isAlias(key) || isMap(key) || isSeq(key) ? key : {}, "A key must be a text.");
				} else if (keys.has(text)) {
					add(key as { range?: readonly number[] }, `The key ${JSON.stringify(text)} occurs twice.`);
				} else keys.add(text);
			}
		},
	});
	return errors;
}

type FindPair = (map: YAMLMap, key: string) => Pair | undefined;

/** Finds pairs by key. Reads the keys of a mapping once, however often it is asked. */
function createPairIndex(): FindPair {
	const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
	return (map, key) => {
		const index =
			indexes.get(map) ??
			new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])));
		indexes.set(map, index);
		return index.get(key);
	};
}

/** Where the value at a path begins; of a missing one, where its key, list or mapping begins. */
function getOffset(document: Document.Parsed, path: readonly (string | number)[], findPair: FindPair): number {
	let node: unknown = document.contents;
	let offset = document.contents?.range[0] ?? 0;
	for (const step of path) {
		if (isMap(node)) {
			const pair = findPair(node, String(step));
			if (pair === undefined) break;
			node = pair.value;
			offset = findStart(pair.key) ?? offset;
		} else if (isSeq(node)) {
			node = node.items[Number(step)];
			offset = findStart(node) ?? offset;
		} else break;
	}
	return offset;
}

const findStart = (node: unknown): number | undefined =>
	(node as { range?: readonly number[] } | null | undefined)?.range?.[0];

/** The parser's message as a sentence, without what it quotes of the file. */
function formatParserMessage(message: string): string {
	const [line = ""] = message.split(/ at line \d+/);
	const text = line.trim();
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
