/** Attributes of an object: what kind each is, their order, and which differ. */
import { ATTRIBUTE_KINDS, type AttributeKind, type ObjectAttribute } from "@weft/contracts";
import { isIdentityAttribute } from "../../../../core/rows/identity-attributes.ts";
import { createIgnore } from "../../../history/rules/ignore.ts";

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

/** @param naming the naming properties of the class; null if the model is not loaded or lacks it */
function getAttributeKind(className: string, name: string, naming: readonly string[] | null): AttributeKind {
	if (naming === null ? NAMING.test(name) : name === "dn" || name === "rn" || naming.includes(name)) return "naming";
	if (TIME.test(name)) return "time";
	if (isIdentityAttribute(className, name)) return "identity";
	if (isState(name) || isVolatile?.(className, name, null, null) === true) return "operational";
	return "configurable";
}

/** By kind, then by name; the DN first. */
export function sortAttributes(className: string, values: Values, naming: readonly string[] | null): ObjectAttribute[] {
	return Object.entries(values)
		.map(([name, value]) => ({ name, value, kind: getAttributeKind(className, name, naming) }))
		.sort(
			(a, b) =>
				ATTRIBUTE_KINDS.indexOf(a.kind) - ATTRIBUTE_KINDS.indexOf(b.kind) ||
				Number(b.name === "dn") - Number(a.name === "dn") ||
				(a.name < b.name ? -1 : 1),
		);
}

interface Difference {
	readonly name: string;
	/** Null where the attribute is absent. */
	readonly before: unknown;
	readonly after: unknown;
}

/** Attributes that differ and are no clocks, measured values or counters, by name. */
export function listDifferences(className: string, before: Values, after: Values): Difference[] {
	return [...new Set([...Object.keys(before), ...Object.keys(after)])]
		.filter((name) => isVolatile?.(className, name, null, null) !== true)
		.filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
		.sort()
		.map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }));
}

/** Names of attributes that differ between two fabrics, without identity attributes. */
export function listFabricDifferences(className: string, one: Values, other: Values): string[] {
	return listDifferences(className, one, other)
		.map(({ name }) => name)
		.filter((name) => !isIdentityAttribute(className, name) && !TIME.test(name));
}
