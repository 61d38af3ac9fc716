/** All classes by name, the descendants of abstract ones, and classes learned from loaded answers. One per controller. */
import { parseRnFormat } from "../dn.ts";
import { ACCESS_CLASSES } from "./access-classes.ts";
import { BARE_CLASSES } from "./bare-classes.ts";
import { CONTRACT_CLASSES } from "./contract-classes.ts";
import { buildAbstract, buildClass, type TypeMemo } from "./define.ts";
import { FABRIC_CLASSES } from "./fabric-classes.ts";
import { ABSTRACT_PROPS, RECORD_CLASSES } from "./record-classes.ts";
import { STATS_CLASSES } from "./stats-classes.ts";
import { TENANT_CLASSES } from "./tenant-classes.ts";
import type { ClassInfo, Facet, PropInfo } from "./types.ts";

export interface Registry {
	find(name: string): ClassInfo | undefined;
	/** Concrete classes that are, or descend from, `name`; empty when the class is unknown. */
	concrete(name: string): readonly ClassInfo[];
	/** True when `cls` is `name` or descends from it. */
	isA(cls: ClassInfo, name: string): boolean;
	/** The class of a loaded object, made up from what the object shows when it is not defined here. */
	learn(name: string, attributes: Readonly<Record<string, string>>, rn: string): ClassInfo;
	/** Adds a literal to an enumeration, so that generated and loaded fault codes are known and others are not. */
	addLiteral(cls: string, prop: string, literal: string): void;
	readonly classes: ReadonlyMap<string, ClassInfo>;
}

export function createRegistry(): Registry {
	const classes = new Map<string, ClassInfo>();
	const descendants = new Map<string, ClassInfo[]>();
	const memo: TypeMemo = new Map();

	function add(cls: ClassInfo): ClassInfo {
		classes.set(cls.name, cls);
		if (cls.abstract) return cls;
		for (const name of [cls.name, ...cls.supers]) {
			const list = descendants.get(name);
			if (list === undefined) descendants.set(name, [cls]);
			else list.push(cls);
			if (!classes.has(name)) classes.set(name, buildAbstract(name, ABSTRACT_PROPS[name] ?? "", memo));
		}
		return cls;
	}

	for (const list of [
		TENANT_CLASSES,
		CONTRACT_CLASSES,
		FABRIC_CLASSES,
		ACCESS_CLASSES,
		RECORD_CLASSES,
		STATS_CLASSES,
	]) {
		for (const definition of list) add(buildClass(definition, memo));
	}
	const bare = new Set(BARE_CLASSES.filter((name) => !classes.has(name)));
	for (const name of bare) add({ ...buildClass({ name, label: name, rn: name }, memo), learned: true });
	// What filters may name on an abstract class: the properties that all its descendants share.
	for (const [name, list] of descendants) {
		const cls = classes.get(name);
		if (cls?.abstract === true)
			for (const prop of shared(list)) if (!cls.props.has(prop.name)) cls.props.set(prop.name, prop);
	}

	return {
		classes,
		find: (name) => classes.get(name),
		concrete: (name) => descendants.get(name) ?? [],
		isA: (cls, name) => cls.name === name || cls.supersSet.has(name),
		learn(name, attributes, rn) {
			const existing = classes.get(name);
			// A class known by name only becomes what its first object shows.
			if (bare.delete(name)) descendants.delete(name);
			else if (existing !== undefined && !existing.abstract) {
				for (const prop of Object.keys(attributes)) {
					if (prop !== "dn" && prop !== "rn" && !existing.props.has(prop)) existing.props.set(prop, learnedProp(prop));
				}
				return existing;
			}
			return add(learnedClass(name, attributes, rn));
		},
		addLiteral(cls, prop, literal) {
			const type = classes.get(cls)?.props.get(prop)?.type;
			if (type?.kind === "enum" && !type.literals.has(literal)) type.literals.set(literal, type.literals.size);
		},
	};
}

function shared(list: readonly ClassInfo[]): PropInfo[] {
	const [first, ...others] = list;
	return first === undefined
		? []
		: [...first.props.values()].filter((prop) => others.every((cls) => cls.props.has(prop.name)));
}

function learnedProp(name: string): PropInfo {
	return { name, type: { kind: "auto" }, naming: false, configurable: false, initial: "" };
}

function learnedClass(name: string, attributes: Readonly<Record<string, string>>, rn: string): ClassInfo {
	const facet = learnedFacet(rn);
	const supers = facet === "stats" ? ["statsItem"] : [];
	const names = Object.keys(attributes).filter((prop) => prop !== "dn" && prop !== "rn");
	return {
		name,
		label: name,
		supers,
		supersSet: new Set(supers),
		abstract: false,
		rn: parseRnFormat(rn),
		under: [],
		props: new Map(names.sort().map((prop) => [prop, learnedProp(prop)])),
		configurable: false,
		facet,
		relation: null,
		implied: [],
		learned: true,
	};
}

/** Statistics are told by their RN: `CD<class>` for the running interval, `HD<class>-<n>` for kept ones. */
function learnedFacet(rn: string): Facet {
	return /^[CH]D[a-z][A-Za-z0-9]*(5min|15min|1h|1d|1w|1mo|1qtr|1year)(-\d+)?$/.test(rn) ? "stats" : "plain";
}
