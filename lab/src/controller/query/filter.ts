/** Checks a filter against the class model and turns it into a predicate. */
import { ApiError, unknownClass } from "../errors.ts";
import { getProp } from "../model/open-classes.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo, PropInfo } from "../model/types.ts";
import { getDn, type Mo, type Shape } from "../store/mo.ts";
import { type Expression, type Property, parseFilter } from "./filter-parse.ts";
import { getRank, normalizeValue, parseTime } from "./values.ts";

export type Predicate = (mo: Mo) => boolean;

/** What a check on the filter's properties may refuse, e.g. one that is not of a nested class. */
export type PropertyCheck = (cls: ClassInfo, property: Property) => void;

const DN: PropInfo = {
	name: "dn",
	type: { kind: "string", pattern: null, max: 0 },
	naming: false,
	configurable: false,
	initial: "",
};

/**
 * @throws ApiError 122 for an unknown class, 121 for an unknown property, 301 for a value that the
 * property's type refuses. Values are checked first, so an unknown literal is an error and not an
 * empty answer.
 */
export function compileFilter(text: string, registry: Registry, check: PropertyCheck = () => undefined): Predicate {
	return compileExpression(parseFilter(text), registry, check);
}

function compileExpression(expression: Expression, registry: Registry, check: PropertyCheck): Predicate {
	switch (expression.kind) {
		case "constant":
			return () => expression.value;
		case "not": {
			const arg = compileExpression(expression.arg, registry, check);
			return (mo) => !arg(mo);
		}
		case "logic":
			return combinePredicates(
				expression.fn,
				expression.args.map((arg) => compileExpression(arg, registry, check)),
			);
		default: {
			const prop = resolveProperty(expression.on, registry, check);
			return testProperty(expression.on, registry, buildValueTest(expression, prop));
		}
	}
}

function combinePredicates(fn: "and" | "or" | "xor", args: readonly Predicate[]): Predicate {
	if (fn === "and") return (mo) => args.every((arg) => arg(mo));
	if (fn === "or") return (mo) => args.some((arg) => arg(mo));
	return (mo) => args.filter((arg) => arg(mo)).length % 2 === 1;
}

function resolveProperty(on: Property, registry: Registry, check: PropertyCheck): PropInfo {
	const cls = registry.find(on.cls);
	if (cls === undefined) throw unknownClass.inFilter(on.cls);
	check(cls, on);
	const prop =
		on.prop === "dn" || on.prop === "rn" ? DN : (getProp(cls, on.prop) ?? readDescendants(cls, on.prop, registry));
	if (prop === undefined) throw new ApiError(121, `Prop '${on.prop}' not found in class '${on.cls}' property table`);
	return prop;
}

/** An abstract class answers for the properties of its descendants. */
function readDescendants(cls: ClassInfo, prop: string, registry: Registry): PropInfo | undefined {
	if (!cls.abstract) return undefined;
	return registry
		.concrete(cls.name)
		.find((below) => below.props.has(prop))
		?.props.get(prop);
}

/** Objects without the property do not match. The property's position is cached per shape. */
function testProperty(on: Property, registry: Registry, test: (value: string) => boolean): Predicate {
	if (on.prop === "dn") return (mo) => matchesClass(mo, on.cls, registry) && test(getDn(mo));
	if (on.prop === "rn") return (mo) => matchesClass(mo, on.cls, registry) && test(mo.rn);
	let seen: Shape | null = null;
	let slot = -1;
	let constant = false;
	return (mo) => {
		if (mo.shape !== seen) {
			seen = mo.shape;
			const at = matchesClass(mo, on.cls, registry) ? seen.position.get(on.prop) : undefined;
			slot = at === undefined ? -1 : (seen.slots[at] ?? -1);
			constant = at !== undefined && slot < 0 && test(seen.constants[at] ?? "");
		}
		return slot < 0 ? constant : test(mo.values[slot] ?? "");
	};
}

function matchesClass(mo: Mo, cls: string, registry: Registry): boolean {
	return mo.shape.cls !== null && registry.isA(mo.shape.cls, cls);
}

type Leaf = Exclude<Expression, { kind: "constant" | "not" | "logic" }>;

function buildValueTest(leaf: Leaf, prop: PropInfo): (value: string) => boolean {
	if (leaf.kind === "bits") return buildBitsTest(leaf, prop);
	if (leaf.kind === "between") {
		const low = normalizeOperand(leaf.on, prop, leaf.low);
		const high = normalizeOperand(leaf.on, prop, leaf.high);
		return (value) => {
			const rank = getRank(prop.type, value);
			return rank >= getRank(prop.type, low) && rank <= getRank(prop.type, high);
		};
	}
	if (leaf.fn === "wcard") return buildWildcardTest(leaf.on, leaf.value);
	const wanted = normalizeOperand(leaf.on, prop, leaf.value);
	if (leaf.fn === "eq") return createEqualityTest(prop, wanted);
	if (leaf.fn === "ne") {
		const same = createEqualityTest(prop, wanted);
		return (value) => !same(value);
	}
	const rank = getRank(prop.type, wanted);
	switch (leaf.fn) {
		case "lt":
			return (value) => getRank(prop.type, value) < rank;
		case "gt":
			return (value) => getRank(prop.type, value) > rank;
		case "le":
			return (value) => getRank(prop.type, value) <= rank;
		default:
			return (value) => getRank(prop.type, value) >= rank;
	}
}

/** Times are equal when they are the same moment, and words of bits in any order. */
function createEqualityTest(prop: PropInfo, wanted: string): (value: string) => boolean {
	if (prop.type.kind === "mask" && wanted.includes(",")) {
		const sorted = (value: string) => value.split(",").sort().join(",");
		const bits = sorted(wanted);
		return (value) => value === wanted || sorted(value) === bits;
	}
	if (prop.type.kind !== "date") return (value) => value === wanted;
	const moment = parseTime(wanted);
	return (value) => value === wanted || parseTime(value) === moment;
}

function normalizeOperand(on: Property, prop: PropInfo, value: string): string {
	const normal = normalizeValue(prop.type, value);
	if (normal === null) throw buildValueError(on, value);
	return normal;
}

function buildBitsTest(leaf: Leaf & { kind: "bits" }, prop: PropInfo): (value: string) => boolean {
	const { type } = prop;
	if (type.kind === "mask") for (const bit of leaf.bits) if (!type.bits.has(bit)) throw buildValueError(leaf.on, bit);
	return (value) => {
		const has = new Set(value.split(","));
		return leaf.all ? leaf.bits.every((bit) => has.has(bit)) : leaf.bits.some((bit) => has.has(bit));
	};
}

/** `wcard` is an unanchored regular expression, not a glob: `*prod*` is refused. */
function buildWildcardTest(on: Property, value: string): (value: string) => boolean {
	let pattern: RegExp;
	try {
		pattern = new RegExp(value);
	} catch {
		throw buildValueError(on, value);
	}
	return (text) => pattern.test(text);
}

function buildValueError(on: Property, value: string): ApiError {
	return new ApiError(301, `Incorrect filter format for ${on.cls}.${on.prop}, value '${value}' is not valid`);
}
