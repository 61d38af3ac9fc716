/** All classes by name, descendants of abstract ones, and open classes. One per controller. */
import { parseRnFormat } from "../dn.ts";
import { ACCESS_CLASSES } from "./access-classes.ts";
import { createClassNames } from "./class-names.ts";
import { CONTRACT_CLASSES } from "./contract-classes.ts";
import { buildAbstract, buildClass, type TypeMemo } from "./define.ts";
import { FABRIC_CLASSES } from "./fabric-classes.ts";
import { learnAttributes, learnFormat, openClass } from "./open-classes.ts";
import { POLICY_RELATIONS } from "./policy-relations.ts";
import { ABSTRACT_PROPS, RECORD_CLASSES } from "./record-classes.ts";
import { STATS_CLASSES } from "./stats-classes.ts";
import { SYSTEM_CLASSES } from "./system-classes.ts";
import { TENANT_CLASSES } from "./tenant-classes.ts";
import type { ClassInfo, PropInfo } from "./types.ts";

interface LearnOptions {
	/** The RN, if it is the object's own and not one that the simulator chose. */
	readonly rn: string | null;
	/** A client posted the attributes, so they are configuration. */
	readonly posted: boolean;
}

export interface Registry {
	/** The class of this name; an open one for a name without a table. */
	find(name: string): ClassInfo | undefined;
	/** Concrete classes that are, or descend from, `name`; empty when the class is unknown. */
	concrete(name: string): readonly ClassInfo[];
	/** True when `cls` is `name` or descends from it. */
	isA(cls: ClassInfo, name: string): boolean;
	/**
	 * The class of an object, with the object's attributes, values and RN format added. A class that
	 * no release has becomes an open class.
	 */
	learn(name: string, attributes: Readonly<Record<string, string>>, options: LearnOptions): ClassInfo;
	/** Whether the tables have a class for such an RN under a parent of this class. */
	isTabled(rn: string, parent: string): boolean;
	/** Classes of the tables, and the open ones that were used. */
	readonly classes: ReadonlyMap<string, ClassInfo>;
}

export function createRegistry(): Registry {
	const classes = new Map<string, ClassInfo>();
	const descendants = new Map<string, ClassInfo[]>();
	const memo: TypeMemo = new Map();
	const names = createClassNames();

	function addClass(cls: ClassInfo): ClassInfo {
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
		SYSTEM_CLASSES,
		POLICY_RELATIONS,
	]) {
		for (const definition of list) addClass(buildClass(definition, memo));
	}
	// What filters may name on an abstract class: the properties that all its descendants share.
	for (const [name, list] of descendants) {
		const cls = classes.get(name);
		if (cls?.abstract === true)
			for (const prop of listSharedProps(list)) if (!cls.props.has(prop.name)) cls.props.set(prop.name, prop);
	}

	function findClass(name: string): ClassInfo | undefined {
		return classes.get(name) ?? (names.has(name) ? addClass(openClass(name, "", memo)) : undefined);
	}

	return {
		classes,
		find: findClass,
		concrete(name) {
			findClass(name);
			return descendants.get(name) ?? [];
		},
		isA: (cls, name) => cls.name === name || cls.supersSet.has(name),
		learn(name, attributes, { rn, posted }) {
			// Without a look at the names: an object shows that its class exists.
			const existing = classes.get(name);
			const cls = existing === undefined || existing.abstract ? addClass(openClass(name, rn ?? "", memo)) : existing;
			learnAttributes(cls, attributes, posted);
			if (rn !== null) learnFormat(cls, rn, attributes, parseRnFormat);
			return cls;
		},
		isTabled(rn, parent) {
			for (const cls of classes.values())
				if (!cls.open && cls.under.includes(parent) && cls.rn.pattern.test(rn)) return true;
			return false;
		},
	};
}

function listSharedProps(list: readonly ClassInfo[]): PropInfo[] {
	const [first, ...others] = list;
	return first === undefined
		? []
		: [...first.props.values()].filter((prop) => others.every((cls) => cls.props.has(prop.name)));
}
