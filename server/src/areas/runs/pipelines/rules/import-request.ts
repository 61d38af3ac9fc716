/** One request to a controller as a canvas, with what the canvas does not represent. */
import { type ImportedRequest, PROPERTY_INCLUDES, REQUEST_IMPORT_LIMITS, TIME_RANGES } from "@weft/contracts";
import { shortenText } from "../../../../core/errors.ts";
import { readFlow } from "../../../queries/flow/index.ts";
import { builtInClasses, findBuiltInFacts } from "./class-table.ts";
import { createRnReader, splitDn } from "./dn.ts";
import { addFilter, buildCanvas, type RequestClasses, readClassPart } from "./import-canvas.ts";
import { type FilterTree, readFilter, UnsupportedFilter } from "./import-filter.ts";
import { readMoquery, readMoqueryFilter, splitShellWords } from "./import-shell.ts";
import { INCLUDES } from "./urls.ts";

/** A request as given. */
export interface GivenRequest {
	readonly source: string;
	/** Null: made from the class. */
	readonly name: string | null;
	readonly method: string;
}

interface Address {
	readonly classNames: readonly string[];
	/** The object asked for, or the one above the objects of the classes. */
	readonly dn: string | null;
	readonly options: ReadonlyMap<string, string>;
	readonly filter: FilterTree | null;
}

/** Why a request has no canvas. */
class NoCanvas extends Error {}

const SOURCE_MAX = 8_000;
/** Characters of a result's name. */
export const NAME_MAX = 200;
const LIMIT_MAX = 1_000_000;

/** A line of a script: a command, a URL, or a path. */
export function importLine(line: string): ImportedRequest {
	const unsupported: string[] = [];
	return buildImportedRequest({ source: line, name: null }, unsupported, () => {
		const [, verb, url] = /^(?:(GET|POST|PUT|PATCH|DELETE)\s+)?((?:https?:\/\/|\/?api\/).*)$/i.exec(line) ?? [];
		if (url !== undefined) return readUrl(requireGet(url, verb ?? "GET"));
		const words = splitShellWords(line.replace(/^(sudo|time)\s+/, ""));
		if (words === null) throw new NoCanvas("A quote is not closed.");
		requireAtMost("words", words.length, REQUEST_IMPORT_LIMITS.words);
		const [command = "", ...rest] = words;
		if (command.endsWith("moquery")) return readMoqueryAddress(rest, unsupported);
		const quoted = words.find((word) => word.includes("/api/"));
		if (quoted === undefined) throw new NoCanvas("This is no URL, moquery, icurl or curl of the controller's API.");
		return readUrl(requireGet(quoted, getMethod(rest)));
	});
}

/** A request of a collection. `{{name}}` becomes a variable. */
export function importGiven({ source, name, method }: GivenRequest): ImportedRequest {
	return buildImportedRequest({ source, name }, [], () => {
		return readUrl(requireGet(source, method).replace(/\{\{([A-Za-z_][\w-]{0,63})\}\}/g, "$${$1}"));
	});
}

function buildImportedRequest(
	{ source, name }: { source: string; name: string | null },
	unsupported: string[],
	read: () => Address,
): ImportedRequest {
	const shown = source.slice(0, SOURCE_MAX).toWellFormed();
	try {
		requireAtMost("characters", source.length, REQUEST_IMPORT_LIMITS.request);
		const address = read();
		requireAtMost("characters in its DN", address.dn?.length ?? 0, REQUEST_IMPORT_LIMITS.dn);
		const classes = listRequestClasses(address, unsupported);
		const flow_data = buildCanvas(classes);
		const checked = readFlow(flow_data);
		if (!checked.ok) throw new NoCanvas(Object.values(checked.errors).flat().map(String).join(" "));
		const variables = getVariables(JSON.stringify(flow_data));
		const title = (name ?? getName(classes, address)).slice(0, NAME_MAX).toWellFormed();
		return { name: title, source: shown, flow_data, variables, unsupported: limitSentences(unsupported) };
	} catch (error) {
		if (!(error instanceof NoCanvas || error instanceof UnsupportedFilter)) throw error;
		const reasons = limitSentences([error.message, ...unsupported]);
		const title = (name ?? "").slice(0, NAME_MAX).toWellFormed();
		return { name: title, source: shown, flow_data: null, variables: [], unsupported: reasons };
	}
}

function requireAtMost(what: string, count: number, most: number): void {
	if (count > most) {
		throw new NoCanvas(
			`The request has ${count.toLocaleString("en")} ${what}, and may have ${most.toLocaleString("en")}.`,
		);
	}
}

/** The first sentences, cut where they repeat long input, and how many more there are. */
function limitSentences(sentences: readonly string[]): string[] {
	const { sentences: most, sentence: length } = REQUEST_IMPORT_LIMITS;
	const shown = sentences.slice(0, most).map((text) => shortenText(text, length));
	const more = sentences.length - shown.length;
	return more > 0 ? [...shown, `${more.toLocaleString("en")} more parts are not represented.`] : shown;
}

function requireGet(url: string, method: string): string {
	if (method.toUpperCase() === "GET") return url;
	throw new NoCanvas(`A ${method.toUpperCase()} request changes objects. Canvases only read.`);
}

function getMethod(words: readonly string[]): string {
	const at = words.findIndex((word) => word === "-X" || word === "--request");
	if (at >= 0) return (words[at + 1] ?? "").toUpperCase();
	const attached = words.find((word) => /^(-X\w+|--request=)/.test(word));
	if (attached !== undefined) return attached.replace(/^(-X|--request=)/, "").toUpperCase();
	return words.some((word) => /^(-d|--data(-\w+)?)$/.test(word)) ? "POST" : "GET";
}

function readUrl(url: string): Address {
	const start = url.indexOf("api/");
	const [path = "", ...query] = url.slice(start).trim().split("?");
	const options = getOptions(query.join("?").split("&").map(decodeText));
	const [, kind, rest = ""] = /^api\/(?:node\/)?(class|mo)\/(.+?)\.(?:json|xml)$/.exec(path) ?? [];
	if (kind === undefined) throw new NoCanvas("This is no query of a class (/api/class/) or an object (/api/mo/).");
	if (kind === "mo") return { classNames: [], dn: decodeText(rest), options, filter: null };
	const parts = splitDn(decodeText(rest));
	const dn = parts.length > 1 ? parts.slice(0, -1).join("/") : null;
	return { classNames: (parts.at(-1) ?? "").split(","), dn, options, filter: null };
}

function readMoqueryAddress(words: readonly string[], unsupported: string[]): Address {
	const { classNames, dn, filter, options, unsupported: more } = readMoquery(words);
	unsupported.push(...more);
	if (classNames.length === 0 && dn === null) throw new NoCanvas("moquery needs a class (-c) or a DN (-d).");
	const tree = filter === null ? null : readMoqueryFilter(filter);
	return { classNames, dn, options: getOptions(options.map(decodeText)), filter: tree };
}

const getOptions = (texts: readonly string[]): ReadonlyMap<string, string> =>
	new Map(
		texts.flatMap((text): [string, string][] => {
			const at = text.indexOf("=");
			return at < 1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
		}),
	);

function decodeText(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

const splitList = (text: string | undefined): string[] => (text ?? "").split(",").filter((item) => item !== "");

function listRequestClasses(address: Address, unsupported: string[]): RequestClasses {
	const { options } = address;
	const targets = splitList(options.get("target-subtree-class"));
	const target = options.get("query-target") ?? (targets.length > 0 ? "subtree" : "self");
	const subtree = options.get("rsp-subtree") ?? "no";
	const nested = subtree === "no" ? [] : splitList(options.get("rsp-subtree-class"));
	const below = targets.length > 0 ? targets : nested;
	requireAtMost("classes", address.classNames.length + below.length, REQUEST_IMPORT_LIMITS.classes);
	const classes = placeClasses(address, below, target, unsupported);
	const scope = target !== "self" ? target : subtree === "full" ? "subtree" : subtree;
	if (below.length === 0 && scope !== "no" && scope !== "self") {
		for (const { data } of classes.rows) data.scope = scope;
	}
	if (subtree !== "no" && targets.length === 0) {
		unsupported.push(
			`rsp-subtree=${subtree}: The controller nests the objects below. The canvas returns them as rows.`,
		);
	}
	if (address.filter !== null) addConditions(classes, address.filter, unsupported);
	for (const [key, value] of options) {
		const apply = OPTIONS[key];
		if (apply === undefined) unsupported.push(`${key}=${value} is not represented.`);
		else apply(classes, value, unsupported, options);
	}
	return classes;
}

/** The classes with the conditions on the DN that the address has. */
function placeClasses(
	{ classNames, dn }: Address,
	below: readonly string[],
	target: string,
	unsupported: string[],
): RequestClasses {
	const [first, ...others] = classNames;
	if (dn !== null) {
		const named = below.length > 0 ? below : classNames;
		if (named.length > 0) {
			const rows = named.map(readClassPart);
			for (const { filters } of rows) filters.push(readBelowDn(dn));
			if (target === "children") {
				unsupported.push("query-target=children: Objects of the class further below are included, too.");
			}
			return { above: null, rows };
		}
		const className = findClassOfDn(dn);
		if (className === null) {
			throw new NoCanvas(`The class of ${dn} is not known. Add query-target=subtree&target-subtree-class=CLASS.`);
		}
		const part = readClassPart(className);
		part.filters.push({ filterType: "property", property: "dn", operator: "eq", value: dn });
		return { above: null, rows: [part] };
	}
	if (first === undefined) throw new NoCanvas("The request names no class.");
	if (below.length === 0) return { above: null, rows: classNames.map(readClassPart) };
	if (others.length > 0) throw new NoCanvas("Several classes with classes below them need a canvas for each.");
	return { above: readClassPart(first), rows: below.map(readClassPart) };
}

const readBelowDn = (dn: string): Record<string, unknown> => ({
	filterType: "query-target-filter",
	groupCombineOperator: "and",
	patternGroups: [{ logicalOperator: "and", patterns: [{ property: "dn", type: "starts", pattern: `${dn}/` }] }],
});

function addConditions(classes: RequestClasses, tree: FilterTree, unsupported: string[]): void {
	const names = classes.rows.map(({ className }) => className).join(", ");
	for (const foreign of addFilter(classes, tree)) {
		unsupported.push(`The filter names ${foreign}. The canvas applies it to ${names}.`);
	}
}

type Apply = (
	classes: RequestClasses,
	value: string,
	unsupported: string[],
	options: ReadonlyMap<string, string>,
) => void;

const ignoreOption: Apply = () => undefined;
const filterOption: Apply = (classes, value, unsupported) => addConditions(classes, readFilter(value), unsupported);
const pickOne =
	(key: string, field: string, known: readonly string[]): Apply =>
	({ rows }, value, unsupported) => {
		if (known.includes(value)) for (const { data } of rows) data[field] = value;
		else unsupported.push(`${key}=${value} is not represented.`);
	};

/** What each query option means to a canvas. */
const OPTIONS: Readonly<Record<string, Apply>> = {
	"query-target": ignoreOption,
	"target-subtree-class": ignoreOption,
	"rsp-subtree": ignoreOption,
	"rsp-subtree-class": ignoreOption,
	"query-target-filter": filterOption,
	"rsp-subtree-filter": filterOption,
	"rsp-prop-include": pickOne("rsp-prop-include", "propertyInclude", PROPERTY_INCLUDES),
	"time-range": pickOne("time-range", "timeRange", TIME_RANGES),
	"rsp-subtree-include"({ rows }, value, unsupported) {
		for (const name of new Set(splitList(value))) {
			const key = name === "count" ? "countOnly" : INCLUDES.find(([, text]) => text === name)?.[0];
			if (key === undefined) unsupported.push(`rsp-subtree-include=${name} is not represented.`);
			else {
				for (const { data } of rows) data.supplementalData = { ...Object(data.supplementalData), [key]: true };
			}
		}
	},
	"order-by"({ rows }, value, unsupported) {
		const [first = "", ...others] = splitList(value);
		const [name = "", direction = "asc"] = first.split("|");
		const property = name.slice(name.indexOf(".") + 1);
		for (const { data } of rows) data.orderBy = `${direction === "desc" ? "-" : ""}${property}`;
		const more = others.filter((key) => !/\.dn(\|asc)?$/.test(key));
		if (more.length > 0) unsupported.push(`order-by: Only ${first} is represented, and not ${more.join(", ")}.`);
	},
	page(_classes, value, unsupported) {
		if (value !== "0") unsupported.push(`page=${value}: Weft reads all pages.`);
	},
	"page-size"({ rows }, value, unsupported, options) {
		const limit = Number(value);
		const isLimit = Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX;
		if (options.get("page") === "0" && isLimit) for (const { data } of rows) data.limit = limit;
		else if (options.get("page") === undefined) {
			unsupported.push(`page-size=${value}: Weft chooses the size of pages and reads all of them.`);
		}
	},
	challenge: ignoreOption,
	_dc: ignoreOption,
};

/** The class of an object by its DN, from the built-in classes; null where it is not certain. */
function findClassOfDn(dn: string): string | null {
	let above: readonly string[] = [];
	for (const [index, rn] of splitDn(dn).entries()) {
		const matching = builtInClasses.filter((name) => {
			const facts = findBuiltInFacts(name);
			if (facts === undefined || createRnReader(facts.rnFormat)(rn) === undefined) return false;
			if (facts.parents === undefined) return index > 0;
			return index === 0
				? facts.parents.length === 0 || name === "polUni"
				: facts.parents.some((one) => above.includes(one));
		});
		const certain = matching.filter((name) => findBuiltInFacts(name)?.parents !== undefined);
		above = certain.length > 0 ? certain : matching;
	}
	const [only, ...others] = above;
	return others.length === 0 ? (only ?? null) : null;
}

function getName({ above, rows }: RequestClasses, { dn }: Address): string {
	const names = rows.map(({ className }) => className).join(", ");
	if (dn !== null) return `${names} of ${dn}`;
	return above === null ? names : `${names} of ${above.className}`;
}

function getVariables(text: string): unknown[] {
	const ids = new Set([...text.matchAll(/\$\{([A-Za-z_][\w-]{0,63})\}/g)].map(([, id]) => id));
	return [...ids].map((id) => ({ id, label: id, type: "text", required: true }));
}
