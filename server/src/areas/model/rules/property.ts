/** A property of a class document as Weft shows it. */
import type { ModelProperty } from "@weft/contracts";
import { isEmptyValue, isRecord, readRemark, readScalarText, readStrings } from "./values.ts";

/** Keys that have a place of their own, or say nothing new. */
export const PROPERTY_KEYS = [
	...(["isConfigurable", "readWrite", "readOnly", "createOnly", "isNaming", "secure", "implicit"] as const),
	...(["mandatory", "isOverride", "isLike", "needsPropDelimiters", "isNxosConverged", "isDeprecated"] as const),
	...(["isHidden", "label", "propGlobalId", "propLocalId", "baseType", "modelType", "uitype", "versions"] as const),
	...(["comment", "validValues", "default", "validators", "likeProp", "platformFlavors"] as const),
];
const KNOWN = new Set<string>(PROPERTY_KEYS);

/** Where the interface's own word for a type says nothing (`auto`), the base type tells. */
const BY_BASE: readonly (readonly [RegExp, string])[] = [
	[/^scalar:(U?Byte|[US]int\d+|Float|Double)/, "number"],
	[/^scalar:Bool/, "boolean"],
	[/^scalar:Date/, "date"],
	[/^scalar:Enum/, "enum"],
	[/^scalar:Bitmask/, "bitmask"],
	[/^address:MAC/, "mac"],
	[/^address:/, "ip"],
	[/^base:Encap/, "encap"],
	[/^reference:/, "reference"],
	[/^string:Password/, "password"],
	[/^string:/, "string"],
];

export function readProperty(name: string, value: unknown): ModelProperty {
	const doc = isRecord(value) ? value : {};
	const naming = doc.isNaming === true;
	const configurable = doc.isConfigurable === true;
	const base = readScalarText(doc.baseType);
	const type = getType(readScalarText(doc.uitype), base);
	const validators = getValidators(doc.validators);
	const initial = doc.default === undefined || doc.default === null ? null : readScalarText(doc.default);
	// Documents rarely say so: also what names an object, and texts that must not be empty where
	// nothing is filled in.
	const needed = configurable && type === "string" && initial === null && validators.some(({ min }) => (min ?? 0) >= 1);
	const property: ModelProperty = {
		name,
		label: readScalarText(doc.label).trim(),
		required: doc.mandatory === true || naming || needed,
		naming,
		configurable,
		type,
		description: readRemark(doc.comment),
		default: initial,
		valid_values: getValues(doc.validValues),
		validators,
		read_only: doc.readOnly === true,
		create_only: doc.createOnly === true,
		secure: doc.secure === true,
		deprecated: doc.isDeprecated === true,
		hidden: doc.isHidden === true,
		base_type: base,
		model_type: readScalarText(doc.modelType),
		versions: readScalarText(doc.versions),
		like: typeof doc.likeProp === "string" ? doc.likeProp : null,
		platforms: readStrings(doc.platformFlavors),
	};
	const other = collectOthers(doc);
	if (other !== null) property.other = other;
	return property;
}

function collectOthers(doc: Record<string, unknown>): Record<string, unknown> | null {
	let other: Record<string, unknown> | null = null;
	for (const key of Object.keys(doc)) {
		if (KNOWN.has(key)) continue;
		const value = doc[key];
		if (value === false || isEmptyValue(value)) continue;
		other ??= {};
		other[key] = value;
	}
	return other;
}

/** What the interface shows it as. */
function getType(uitype: string, base: string): string {
	if (uitype !== "" && uitype !== "auto") return uitype;
	return BY_BASE.find(([pattern]) => pattern.test(base))?.[1] ?? "other";
}

/** Without the pseudo value that repeats the default. */
function getValues(value: unknown): ModelProperty["valid_values"] {
	if (!Array.isArray(value)) return [];
	const found: ModelProperty["valid_values"] = [];
	for (const item of value) {
		const name = isRecord(item) ? readScalarText(item.localName) : "defaultValue";
		if (name === "defaultValue") continue;
		const choice = { value: readScalarText(item.value), local_name: name, label: readScalarText(item.label).trim() };
		const description = readRemark(item.comment);
		found.push(description === "" ? choice : { ...choice, description });
	}
	return found;
}

/** Long form `{min, max, regexs}`, or short form `{regex, type}`. */
function getValidators(value: unknown): ModelProperty["validators"] {
	if (!Array.isArray(value) || value.length === 0) return [];
	return value.filter(isRecord).map((item) => ({
		min: readBound(item.min),
		max: readBound(item.max),
		regexs: (Array.isArray(item.regexs) ? item.regexs : "regex" in item ? [item] : [])
			.filter(isRecord)
			.map((rule) => ({ regex: readScalarText(rule.regex), type: readScalarText(rule.type) || "include" })),
	}));
}

function readBound(value: unknown): number | null {
	const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	return typeof number === "number" && Number.isFinite(number) ? number : null;
}
