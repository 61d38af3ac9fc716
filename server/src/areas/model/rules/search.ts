/**
 * Ranked search. Order of matches: exact name, DN, beginning of a name, another name of the class,
 * label, part of a name, description, typing error. Among equal matches configurable classes come
 * first, then shorter names.
 */
import type { Match } from "@weft/contracts";
import { readDn, splitDn } from "./dn.ts";
import { flag } from "./flags.ts";
import { computeEditDistance, countSetBits, getTypoLimit } from "./fuzzy.ts";
import type { Model } from "./model.ts";
import { findExactText, findPrefixRange, findSimilarTexts, findTextsContaining } from "./scan.ts";
import { computeLetterMask } from "./search-sections.ts";
import { createSuggester } from "./suggest.ts";
import { splitWords } from "./terms.ts";
import { createTopList } from "./top.ts";

export type Kind = "class" | "property" | "package";

export interface Hit {
	readonly kind: Kind;
	/** The class; of a property the class that has it; of a package its place among the packages. */
	readonly id: number;
	/** Of a property its number among the names of properties; else -1. */
	readonly property: number;
	readonly match: Match;
	readonly score: number;
}

/** What each kind of match is worth; below it no finer difference reaches the next one. */
const WORTH: Readonly<Record<Match, number>> = {
	exact: 1,
	dn: 0.93,
	prefix: 0.86,
	alias: 0.78,
	label: 0.68,
	substring: 0.56,
	description: 0.42,
	fuzzy: 0.28,
};
/** Properties and packages come behind classes that fit as well. */
const LESS: Readonly<Record<Kind, number>> = { class: 1, property: 0.9, package: 0.95 };
const FINE = 0.06;
/**
 * A name that begins so behind its package: better than a label, not better than what the field
 * calls it.
 */
const SHORT_PREFIX = 0.73;
/** Classes listed per matching property name, unless the search is for properties. */
const OWNERS = 3;
/** Names of properties that one way of fitting may bring. */
const PROPERTIES = 200;
/** Shorter pieces are in nearly everything. */
const SHORTEST_INSIDE = 2;
const SHORTEST_DESCRIBED = 3;

/** A class that fits, and how long what it fits is. */
type Note = (id: number, match: Match, length: number, worth?: number) => void;

/** Texts and lists of a model, as the search reads them: views that hold no memory of their own. */
function readSearchIndex(model: Model) {
	return {
		model,
		names: model.texts("find.name"),
		labels: model.texts("find.label"),
		descriptions: model.texts("find.description"),
		propertyNames: model.texts("find.property"),
		owners: model.list("find.owners"),
		propertyLabels: model.texts("find.property_label"),
		labelled: model.list("find.labelled"),
		aliases: model.texts("find.alias"),
		aliased: model.list("find.aliased"),
		masks: model.image.u32("find.mask"),
		packageLengths: model.image.bytes("find.package"),
		packages: Array.from(model.image.u32("package.name"), (id) => model.strings.text(id)),
		suggester: createSuggester(model),
	};
}
type SearchIndex = ReturnType<typeof readSearchIndex>;

export function createSearch(model: Model) {
	const index = readSearchIndex(model);
	return {
		/** @param only one kind of hit instead of all */
		search: (query: string, limit: number, only?: Kind) => searchModel(index, query, limit, only),
		suggest: index.suggester.suggest,
		packages: index.packages,
	};
}
export type Search = ReturnType<typeof createSearch>;

const getLength = (texts: { at: Uint32Array }, id: number): number => (texts.at[id + 1] ?? 0) - (texts.at[id] ?? 0) - 1;

/** Small differences within one kind of match: 0 to 1. */
function scoreFineMatch(index: SearchIndex, id: number, given: number, length: number): number {
	return (
		(index.model.is(id, flag.configurable) ? 0.4 : 0) +
		(index.model.is(id, flag.relation) ? 0 : 0.15) +
		(index.model.is(id, flag.abstract) ? 0 : 0.1) +
		0.35 * Math.min(1, given / Math.max(1, length))
	);
}

/** @param only one kind of hit instead of all */
function searchModel(index: SearchIndex, query: string, limit: number, only?: Kind): readonly Hit[] {
	const top = createTopList<Hit>(limit);
	// Ways of fitting are tried from the best on: a class that was found does not have to be looked
	// at again.
	const seen = new Uint8Array(index.model.count);
	const text = query.toLowerCase();
	const piece = Buffer.from(text);

	function addHit(
		kind: Kind,
		id: number,
		property: number,
		match: Match,
		fine: number,
		worth: number = WORTH[match],
	): void {
		const score = (worth - FINE * (1 - Math.min(1, Math.max(0, fine)))) * LESS[kind];
		if (top.takes(score)) top.put({ kind, id, property, match, score });
	}
	const note: Note = (id, match, length, worth) => {
		if (seen[id] === 1) return;
		seen[id] = 1;
		addHit("class", id, -1, match, scoreFineMatch(index, id, text.length, length), worth);
	};
	const wants = (kind: Kind) => only === undefined || only === kind;

	if (wants("package"))
		for (const [at, name] of index.packages.entries())
			if (name.startsWith(text))
				addHit("package", at, -1, name === text ? "exact" : "prefix", text.length / name.length);
	if (wants("property"))
		visitProperties(index, text, piece, only === "property" ? limit : OWNERS, (property, match, length) => {
			// The likeliest owners come first; each next one counts a little less.
			const most = only === "property" ? limit : OWNERS;
			for (const [i, id] of index.owners(property).subarray(0, most).entries())
				addHit("property", id, property, match, text.length / Math.max(1, length) - i / 1_000);
		});
	if (!wants("class")) return top.all();

	const behind = noteNames(index, query, text, note);
	noteDns(index, query, note);
	const alias = findExactText(index.aliases, piece);
	if (alias >= 0) for (const id of index.aliased(alias)) note(id, "alias", getLength(index.labels, id));
	for (const id of behind) note(id, "prefix", getLength(index.names, id), SHORT_PREFIX);
	if (text.length >= SHORTEST_INSIDE) {
		for (const id of findTextsContaining(index.labels, piece)) note(id, "label", getLength(index.labels, id));
		if (!top.full)
			for (const id of findTextsContaining(index.names, piece)) note(id, "substring", getLength(index.names, id));
	}
	if (text.length >= SHORTEST_DESCRIBED && !top.full)
		for (const id of findTextsContaining(index.descriptions, piece)) note(id, "description", 200);
	// A text written like a DN is not searched by words.
	if (/[/[\]]/.test(text)) return top.all();
	if (!top.full) noteWords(index, text, limit, note);
	if (!top.full) noteTypos(index, piece, note);
	return top.all();
}

/**
 * The name as a whole, or without its package, or from its beginning. Gives the classes whose
 * name begins so behind the package.
 */
function noteNames(index: SearchIndex, query: string, text: string, note: Note): number[] {
	const { model, names, packageLengths } = index;
	const flat = query.replace(":", "");
	const exact = model.find(flat);
	if (exact >= 0 && model.is(exact, flag.published)) note(exact, "exact", 1);
	const piece = Buffer.from(text.replace(":", ""));
	const prefixed: number[] = [];
	const behind: number[] = [];
	for (let id = 0; id < model.count; id++) {
		const start = names.at[id] ?? 0;
		const length = getLength(names, id);
		if (length < piece.length) continue;
		const pkg = packageLengths[id] ?? 0;
		if (startsAt(names.bytes, start, piece)) {
			if (length === piece.length) note(id, "exact", length);
			else prefixed.push(id);
		} else if (length - pkg >= piece.length && startsAt(names.bytes, start + pkg, piece)) {
			if (length - pkg === piece.length) note(id, "exact", length * 2);
			else behind.push(id);
		}
	}
	for (const id of prefixed) note(id, "prefix", getLength(names, id));
	return behind;
}

/** `uni/tn-`, `tn-`, `uni/tn-common/BD-web`: the class of the last part. */
function noteDns(index: SearchIndex, query: string, note: Note): void {
	if (!/[-/[]/.test(query)) return;
	const rns = splitDn(query.replace(/\[$/, ""))?.filter((rn) => rn !== "");
	const last = rns === undefined ? undefined : readDn(index.model, rns, true).at(-1);
	if (last !== undefined && last.id >= 0 && index.model.is(last.id, flag.published)) note(last.id, "dn", 1);
	if (rns?.length !== 1) return;
	// Of a beginning alone there may be many.
	const alias = findExactText(index.aliases, Buffer.from(query.toLowerCase().replace(/-?\[?$/, "")));
	if (alias < 0) return;
	for (const id of index.aliased(alias)) {
		if (index.model.rn(id).toLowerCase().startsWith(query.toLowerCase())) note(id, "dn", getLength(index.names, id));
	}
}

function visitProperties(
	index: SearchIndex,
	text: string,
	piece: Buffer,
	most: number,
	visit: (property: number, match: Match, length: number) => void,
): void {
	const many = Math.max(most, PROPERTIES);
	const visited = new Set<number>();
	const once = (id: number, match: Match, length: number) => {
		if (!visited.has(id)) visit(id, match, length);
		visited.add(id);
	};
	const [from, to] = findPrefixRange(index.propertyNames, piece);
	for (let id = from; id < Math.min(to, from + many); id++) {
		const length = getLength(index.propertyNames, id);
		once(id, length === piece.length ? "exact" : "prefix", length);
	}
	if (text.length < SHORTEST_INSIDE) return;
	for (const label of findTextsContaining(index.propertyLabels, piece, many)) {
		for (const id of index.labelled(label)) once(id, "label", getLength(index.propertyLabels, label));
	}
	for (const id of findTextsContaining(index.propertyNames, piece, many))
		once(id, "substring", getLength(index.propertyNames, id));
}

/**
 * Words that do not stand together: classes with all of them, and failing that with most of what
 * they say.
 */
function noteWords(index: SearchIndex, text: string, limit: number, note: Note): void {
	const words = splitWords(text);
	if (words.length < 2) return;
	const found = index.suggester.withAll(words);
	for (const [id, quality] of found) note(id, quality === 3 ? "label" : quality === 2 ? "description" : "fuzzy", 100);
	if (found.size === 0)
		for (const { id, score } of index.suggester.suggest(text, limit))
			note(id, "fuzzy", text.length / Math.max(0.01, score));
}

function noteTypos(index: SearchIndex, piece: Buffer, note: Note): void {
	const { model, names, packageLengths, masks, suggester } = index;
	const bound = getTypoLimit(piece.length);
	if (bound === 0) return;
	const mask = computeLetterMask(piece);
	for (let id = 0; id < model.count; id++) {
		const length = getLength(names, id);
		const pkg = packageLengths[id] ?? 0;
		const [whole, short] = [Math.abs(length - piece.length) <= bound, Math.abs(length - pkg - piece.length) <= bound];
		if (!whole && !short) continue;
		// A typing error adds at most one unknown letter. A letter that the short name lacks may be
		// in the package.
		if (countSetBits((mask & ~(masks[id] ?? 0)) >>> 0) > bound + (whole ? pkg : 0)) continue;
		const start = names.at[id] ?? 0;
		const far = Math.min(
			whole ? computeEditDistance(names.bytes.subarray(start, start + length), piece, bound) : bound + 1,
			short ? computeEditDistance(names.bytes.subarray(start + pkg, start + length), piece, bound) : bound + 1,
		);
		if (far <= bound) note(id, "fuzzy", piece.length * (1 + far));
	}
	for (const { id, far } of findSimilarTexts(suggester.words, piece)) {
		for (const found of suggester.labelledWith(id)) note(found, "fuzzy", piece.length * (2 + far));
	}
}

function startsAt(bytes: Buffer, start: number, piece: Buffer): boolean {
	for (let i = 0; i < piece.length; i++) if (bytes[start + i] !== piece[i]) return false;
	return true;
}
