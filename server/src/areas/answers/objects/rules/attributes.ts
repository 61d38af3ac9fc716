/** Attributes of an object: what kind each is, their order, and which differ. */
import { ATTRIBUTE_KINDS, type AttributeKind, type ObjectAnswer, type ObjectAttribute } from "@weft/contracts";
import type { ModelClass } from "../../../../core/ports/class-model.ts";
import { isIdentityAttribute } from "../../../../core/rows/identity-attributes.ts";
import { createIgnore } from "../../../history/rules/ignore.ts";
import { nameMatch } from "../../find/rules/names.ts";

/** Values as captured, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Without a loaded model, names and addresses name an object. */
const NAMING = /^(dn|rn|name|ip|addr|mac|id|from|to|tDn)$/;
/** Times of changes and measurements. */
const TIME = /(Ts|Time|TStamp|^lastTransition|^created|^lastCollOffset)$/;
/** States that the fabric reports. A setting has another name. */
const STATES = /^(oper|health)|(OperSt|OperMode|Issues)$/;
const NAMED_STATES: ReadonlySet<string> = new Set([
	..."status childAction state stateQual lcOwn lcC configSt fabricSt triggerSt version epUpSeqNum".split(" "),
	..."resolvedObjDn forceResolve rType tType tCl bdDn vrfDn epgDn".split(" "),
]);

const isState = (name: string): boolean => STATES.test(name) || NAMED_STATES.has(name);

const isVolatile = createIgnore({ names: [], volatile: true, identity: false, rules: null });

/** The class of an object in the loaded model. */
export type ObjectClass = Pick<ModelClass, "naming" | "isConfigurable">;

/** @param model null if no model is loaded, or it lacks the class */
function getAttributeKind(className: string, name: string, model: ObjectClass | null): AttributeKind {
	const isNaming = model === null ? NAMING.test(name) : name === "dn" || name === "rn" || model.naming.includes(name);
	if (isNaming) return "naming";
	if (TIME.test(name)) return "time";
	if (isIdentityAttribute(className, name)) return "identity";
	const isConfigurable = model?.isConfigurable(name);
	if (isConfigurable !== undefined) return isConfigurable ? "configurable" : "operational";
	if (isState(name) || isVolatile?.(className, name, null, null) === true) return "operational";
	return "configurable";
}

/** By kind, then by name; the DN first. */
export function sortAttributes(className: string, values: Values, model: ObjectClass | null): ObjectAttribute[] {
	return Object.entries(values)
		.map(([name, value]) => ({ name, value, kind: getAttributeKind(className, name, model) }))
		.sort(
			(a, b) =>
				ATTRIBUTE_KINDS.indexOf(a.kind) - ATTRIBUTE_KINDS.indexOf(b.kind) ||
				Number(b.name === "dn") - Number(a.name === "dn") ||
				(a.name < b.name ? -1 : 1),
		);
}

const isIgnoredElsewhere = createIgnore({ names: [], volatile: true, identity: true, rules: null }, nameMatch);

export type FabricDifference = ObjectAnswer["elsewhere"][number]["differences"][number];

/**
 * Attributes that differ between two fabrics, by name, as a comparison by name has them: without
 * identity, times, measured values, and numbers of nodes and pods.
 */
export function listFabricDifferences(className: string, here: Values, there: Values): FabricDifference[] {
	return [...new Set([...Object.keys(here), ...Object.keys(there)])]
		.filter((name) => {
			const [own, other] = [formatJson(here[name]), formatJson(there[name])];
			return own !== other && !TIME.test(name) && isIgnoredElsewhere?.(className, name, own, other) !== true;
		})
		.sort()
		.map((name) => ({ name, here: here[name] ?? null, there: there[name] ?? null }));
}

/** Null for an absent value. */
const formatJson = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
