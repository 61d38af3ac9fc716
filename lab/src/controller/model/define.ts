/**
 * A short notation for classes. A property is `[*][+]name[:type][=initial]`: `*` naming, `+`
 * configurable; types are `num`, `num(0..64|word~64)`, `bool`, `date`, `code`, `enum(a|b~4)`,
 * `mask(a|b~4)`, `name`, `descr`, `alias` or a named type `@prio`.
 */
import { parseRnFormat } from "../dn.ts";
import { NAMED_TYPES } from "./named-types.ts";
import type { ClassInfo, Facet, PropInfo, PropType, RelationInfo } from "./types.ts";

const STRING: PropType = { kind: "string", pattern: null, max: 0 };

/** Property sets that many classes share. */
const MIXINS: Record<string, string> = {
	base: "childAction status modTs:date=never",
	own: "lcOwn:@owner=local monPolDn",
	config: "lcOwn:@owner=local monPolDn +annotation:name extMngdBy:mask(msc) uid:num=0 +userdom=:all:",
	named: "*+name:name +descr:descr +nameAlias:alias",
	owner: "+ownerKey:descr +ownerTag:descr",
	relation:
		"forceResolve:bool=yes rType:enum(mo|local|service)=mo state:@relState=formed stateQual:@relQual=none tCl +tDn tType:enum(name|mo|all)=mo",
	namedRelation:
		"forceResolve:bool=yes rType:enum(mo|local|service)=mo state:@relState=formed stateQual:@relQual=none tCl tContextDn tDn tRn tType:enum(name|mo|all)=name",
	backRelation: "tCl tDn",
};

export interface ClassDefinition {
	readonly name: string;
	readonly label: string;
	readonly rn: string;
	/** Space separated. */
	readonly under?: string;
	readonly isa?: string;
	/** Mixins, space separated; `base` is always there. */
	readonly has?: string;
	readonly props?: string;
	readonly facet?: Facet;
	readonly relation?: RelationInfo;
	readonly implied?: string;
	/** Defaults to true; the published model lacks some classes of the controller. */
	readonly published?: boolean;
	/** Defaults to true for classes with the `config` mixin that are not back-relations. */
	readonly configurable?: boolean;
}

/** Cache of types, so that many properties share few. One per registry: loading may widen enums. */
export type TypeMemo = Map<string, PropType>;

export function buildClass(d: ClassDefinition, memo: TypeMemo): ClassInfo {
	const mixins = splitWords(d.has);
	const found = new Map<string, PropInfo>();
	for (const mixin of ["base", ...mixins]) addProps(found, MIXINS[mixin] ?? "", memo);
	addProps(found, d.props ?? "", memo);
	const supers = splitWords(d.isa);
	return {
		name: d.name,
		label: d.label,
		supers,
		supersSet: new Set(supers),
		abstract: false,
		rn: parseRnFormat(d.rn),
		under: splitWords(d.under),
		props: new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
		configurable: d.configurable ?? (mixins.includes("config") && !mixins.includes("backRelation")),
		facet: d.facet ?? "plain",
		relation: d.relation ?? null,
		implied: splitWords(d.implied),
		published: d.published ?? true,
		open: false,
	};
}

/** An abstract class: it has the properties that a filter on it may name, and no objects. */
export function buildAbstract(name: string, props: string, memo: TypeMemo): ClassInfo {
	return { ...buildClass({ name, label: name, rn: name, props, configurable: false }, memo), abstract: true };
}

function addProps(into: Map<string, PropInfo>, text: string, memo: TypeMemo): void {
	for (const word of splitWords(text)) {
		const found = /^(\*?)(\+?)([A-Za-z_][A-Za-z0-9_]*)(?::([^=(]+(?:\([^)]*\))?))?(?:=(.*))?$/.exec(word);
		if (found === null) throw new Error(`the property ${word} is not written as it should be`);
		const [, naming, configurable, name = "", type, initial = ""] = found;
		into.set(name, {
			name,
			type: type === undefined ? STRING : findPropType(type, memo),
			naming: naming === "*",
			configurable: configurable === "+",
			initial,
		});
	}
}

function findPropType(text: string, memo: TypeMemo): PropType {
	const existing = memo.get(text);
	if (existing !== undefined) return existing;
	const made = makeType(text, memo);
	memo.set(text, made);
	return made;
}

function makeType(text: string, memo: TypeMemo): PropType {
	if (text.startsWith("@")) {
		const target = NAMED_TYPES[text.slice(1)];
		if (target === undefined) throw new Error(`no type is called ${text}`);
		return findPropType(target, memo);
	}
	const [, head = "", list = ""] = /^([a-z]+)(?:\((.*)\))?$/.exec(text) ?? [];
	const items = list === "" ? [] : list.split("|");
	if (head === "bool" || head === "date") return { kind: head };
	if (head === "code") return { kind: "code", more: new Set() };
	if (head === "enum") return { kind: "enum", literals: assignNumbers(items) };
	if (head === "mask") return { kind: "mask", bits: assignNumbers(items, (at) => 2 ** at) };
	if (head === "name") return { kind: "string", pattern: /^[a-zA-Z0-9_.:-]*$/, max: 64 };
	if (head === "alias") return { kind: "string", pattern: /^[a-zA-Z0-9_.-]*$/, max: 63 };
	if (head === "descr") return { kind: "string", pattern: /^[a-zA-Z0-9\\!#$%()*,\-./:;@ _{|}~?&+]*$/, max: 128 };
	if (head === "num") return defineNumberType(items);
	throw new Error(`no type is called ${text}`);
}

/**
 * `enum(none|low~4|high)`.
 *
 * @param numberAt the number of a word without one, by its place in the list
 */
function assignNumbers(items: readonly string[], numberAt = (at: number) => at): Map<string, number> {
	return new Map(
		items.map((item, at) => {
			const [word = "", number] = item.split("~");
			return [word, number === undefined ? numberAt(at) : Number(number)];
		}),
	);
}

/** `num(0..64|unspecified~64)`: a range and named values. */
function defineNumberType(items: readonly string[]): PropType {
	let min = Number.NEGATIVE_INFINITY;
	let max = Number.POSITIVE_INFINITY;
	const names = new Map<string, number>();
	for (const item of items) {
		const range = /^(\d+)\.\.(\d+)$/.exec(item);
		if (range !== null) [min, max] = [Number(range[1]), Number(range[2])];
		else names.set(item.slice(0, item.indexOf("~")), Number(item.slice(item.indexOf("~") + 1)));
	}
	return { kind: "number", min, max, names };
}

function splitWords(text: string | undefined): string[] {
	return text === undefined ? [] : text.split(/\s+/).filter((word) => word !== "");
}
