/** Classes that are known by name only, and the properties and values that objects teach. */
import { type RnFormat, splitDn } from "../dn.ts";
import { buildClass, type TypeMemo } from "./define.ts";
import { getRnFormat } from "./rn-formats.ts";
import type { ClassInfo, PropInfo, PropType } from "./types.ts";

/** Properties that a class remembers at most; objects may have more. */
const MOST_PROPERTIES = 1000;
/** Values that a type remembers at most. */
const MOST_VALUES = 10_000;

/** Nearly every policy has these. */
const COMMON = "+descr +name +nameAlias +ownerKey +ownerTag";

const OF_PORTS =
	"infraRsHIfPol infraRsCdpIfPol infraRsLldpIfPol infraRsMcpIfPol infraRsStpIfPol infraRsL2IfPol infraRsStormctrlIfPol";

/** Children that come into being with an object. */
const IMPLIED: Readonly<Record<string, string>> = {
	commPol: "commHttp commHttps commSsh commTelnet",
	fvESg: "fvRsScope fvRsCustQosPol healthInst",
	infraAccBndlGrp: `${OF_PORTS} infraRsLacpPol`,
	l2extInstP: "fvRsCustQosPol healthInst",
	l2extOut: "l2extRsEBd healthInst",
	mgmtInB: "fvRsCustQosPol healthInst",
};

/** Set by the controller itself, on objects of every class. */
const OPERATIONAL: ReadonlySet<string> = new Set([
	"childAction",
	"dn",
	"lcOwn",
	"modTs",
	"monPolDn",
	"rn",
	"status",
	"uid",
]);

/**
 * A class without a property table. Its name says whether it is a relation or a statistic.
 *
 * @param rn the RN of an object of it, if there is one: `CD…` and `HD…` belong to statistics
 */
export function openClass(name: string, rn: string, memo: TypeMemo): ClassInfo {
	const relation = /^[a-z][a-z0-9]*R([st])[A-Z]/.exec(name)?.[1];
	const stats = isStatistic(name, rn);
	const format = getRnFormat(name) ?? "";
	const naming = [...format.matchAll(/\{(\w+)\}/g)].map(([, prop]) => `*+${prop}`).join(" ");
	const isa = stats ? "statsItem" : relation === "s" ? "relnTo relnInst" : relation === "t" ? "relnFrom relnInst" : "";
	return {
		...buildClass(
			{
				name,
				label: name,
				rn: format,
				isa,
				has: stats ? "own" : relation === undefined ? "config" : "config relation",
				props: stats || relation !== undefined ? naming : `${COMMON} ${naming}`,
				facet: stats ? "stats" : "plain",
				implied: IMPLIED[name] ?? "",
				configurable: !stats,
			},
			memo,
		),
		open: true,
	};
}

/** `CD<class>` is the RN of the running interval, `HD<class>-<n>` of a past one. */
function isStatistic(name: string, rn: string): boolean {
	const interval = "(5min|15min|1h|1d|1w|1mo|1qtr|1year)";
	return (
		new RegExp(`^[CH]D[a-z][A-Za-z0-9]*${interval}(-\\d+)?$`).test(rn) ||
		new RegExp(`[a-zA-Z0-9]${interval}$`).test(name)
	);
}

/** A property outside the tables. */
function openProp(name: string, configurable = !OPERATIONAL.has(name)): PropInfo {
	return { name, type: { kind: "auto" }, naming: false, configurable, initial: "" };
}

/** The property, for a class that may have it: an open class has every property. */
export function getProp(cls: ClassInfo, name: string): PropInfo | undefined {
	return cls.props.get(name) ?? (cls.open ? openProp(name) : undefined);
}

/**
 * Adds the attributes of an object to its class, and their values to the properties' types.
 *
 * @param posted attributes that a client posted are configurable; those of a recorded object are if
 * it looks like configuration
 */
export function learnAttributes(cls: ClassInfo, attributes: Readonly<Record<string, string>>, posted: boolean): void {
	let configurable: boolean | null = posted ? true : null;
	for (const [name, value] of Object.entries(attributes)) {
		if (name === "dn" || name === "rn") continue;
		const known = cls.props.get(name);
		if (known !== undefined) {
			if (!posted) rememberValue(known.type, value);
			continue;
		}
		if (cls.props.size >= MOST_PROPERTIES) continue;
		configurable ??= cls.open && looksConfigured(attributes);
		cls.props.set(name, openProp(name, configurable && !OPERATIONAL.has(name)));
	}
}

function looksConfigured(attributes: Readonly<Record<string, string>>): boolean {
	return attributes.annotation !== undefined || attributes.userdom !== undefined || attributes.modTs === undefined;
}

function rememberValue(type: PropType, value: string): void {
	if (value === "") return;
	if (type.kind === "enum") {
		if (!type.literals.has(value) && type.literals.size < MOST_VALUES) type.literals.set(value, type.literals.size);
	} else if (type.kind === "mask") {
		for (const bit of value.split(","))
			if (!type.bits.has(bit) && type.bits.size < MOST_VALUES) type.bits.set(bit, drawBit(type.bits));
	} else if (type.kind === "number") {
		// A word whose number is unknown equals itself only.
		if (Number.isNaN(Number(value)) && !type.names.has(value) && type.names.size < MOST_VALUES)
			type.names.set(value, Number.NaN);
	} else if (type.kind === "code" && type.more.size < MOST_VALUES) type.more.add(value);
}

/** The bit above all known ones; words beyond the exact numbers are only in order. */
function drawBit(bits: ReadonlyMap<string, number>): number {
	const top = Math.max(0, ...bits.values());
	return top === 0 ? 1 : top < 2 ** 50 ? top * 2 : top + 1;
}

/** Takes the format of the class from the RN of an object, while none is known. */
export function learnFormat(
	cls: ClassInfo,
	rn: string,
	attributes: Readonly<Record<string, string>>,
	parse: (text: string) => RnFormat,
): void {
	if (!cls.open || hasFormat(cls)) return;
	const text = getFormat(rn, attributes);
	if (text === null) return;
	cls.rn = parse(text);
	for (const prop of cls.rn.props) {
		const known = cls.props.get(prop);
		if (known !== undefined) cls.props.set(prop, { ...known, naming: true });
	}
}

/** False for an open class of which no RN was seen. */
export function hasFormat(cls: ClassInfo): boolean {
	return cls.rn.text !== "";
}

/** `leaves-sel-typ-range` with name `sel` and type `range` is `leaves-{name}-typ-{type}`. */
function getFormat(rn: string, attributes: Readonly<Record<string, string>>): string | null {
	const values = Object.entries(attributes).filter(
		([name, value]) => value !== "" && (!OPERATIONAL.has(name) || name === "uid"),
	);
	const used = new Set<string>();
	let text = rn[0] ?? "";
	for (let at = 1; at < rn.length; ) {
		const before = rn[at - 1];
		const [name, value = ""] =
			before === "-" || before === "["
				? (values
						.filter(
							([prop, found]) => !used.has(prop) && rn.startsWith(found, at) && isEnd(rn, at + found.length, before),
						)
						.sort((a, b) => b[1].length - a[1].length || rankOfNaming(a[0]) - rankOfNaming(b[0]))[0] ?? [])
				: [];
		if (name === undefined) text += rn[at++];
		else {
			used.add(name);
			text += `{${name}}`;
			at += value.length;
		}
	}
	return used.size > 0 || !rn.includes("-") ? text : null;
}

function isEnd(rn: string, at: number, before: string): boolean {
	return before === "[" ? rn[at] === "]" : at === rn.length || rn[at] === "-";
}

/** Properties that name objects, the most usual ones first. */
const NAMING = "name key id tDn ip addr host mac code from to type side order community index prio serial".split(" ");

function rankOfNaming(prop: string): number {
	const at = NAMING.indexOf(prop);
	return at < 0 ? NAMING.length : at;
}

/**
 * The RN of an object of an open class without a format, by the habits of the model: relations are
 * `rs…`, with their target in brackets if they hold its DN; others are named by their first naming
 * property.
 */
export function buildHabitualRn(cls: ClassInfo, attributes: Readonly<Record<string, string>>): string {
	const [, , kind, relation = ""] = /^([a-z][a-z0-9]*)(R[st])([A-Z]\w*)$/.exec(cls.name) ?? [];
	const short = cls.name.replace(/^[a-z0-9]*/, "");
	const prefix = kind === undefined ? lowerFirst(short) : kind.toLowerCase() + lowerFirst(relation);
	const value = kind === undefined ? buildNamingValue(attributes) : (attributes.tDn ?? "");
	return value === "" ? prefix : withValue(prefix, value);
}

/** The RN itself, or one with a naming value or a number behind it that no sibling has. */
export function buildDistinctRn(
	rn: string,
	attributes: Readonly<Record<string, string>>,
	isTaken: (rn: string) => boolean,
): string {
	if (!isTaken(rn)) return rn;
	const named = Object.entries(attributes).find(([name, value]) => /^tn[A-Z]\w*Name$/.test(name) && value !== "")?.[1];
	const value = named ?? buildNamingValue(attributes);
	const byValue = value === "" ? rn : withValue(rn, value);
	for (let number = 2; ; number++) {
		const candidate = number === 2 ? byValue : `${rn}-${number - 1}`;
		if (!isTaken(candidate)) return candidate;
	}
}

function buildNamingValue(attributes: Readonly<Record<string, string>>): string {
	return NAMING.map((prop) => attributes[prop] ?? "").find((value) => value !== "") ?? "";
}

function withValue(prefix: string, value: string): string {
	const isPlain = /^[^[\]/]*$/.test(value);
	const rn = isPlain ? `${prefix}-${value}` : `${prefix}-[${value}]`;
	return splitDn(rn)?.length === 1 ? rn : `${prefix}-${encodeURIComponent(value)}`;
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}
