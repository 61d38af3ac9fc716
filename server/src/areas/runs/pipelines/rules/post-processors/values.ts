/**
 * Processors that compute values of each row and write them back, or beside them. A row without the
 * field stays as it is; where the field has several values, each is computed.
 */
import type { PostProcessorConfig } from "@weft/contracts";
import { getText } from "../../../../../core/rows/json.ts";
import { changeBelow, type Row, readManagedObject, readValuesAt } from "../../../../../core/rows/rows.ts";
import { getParentDn, splitDn } from "../dn.ts";
import type { NameReader, RnName } from "../dn-names.ts";
import { compileRegex } from "./regex.ts";
import { applySteps } from "./text-steps.ts";

export function createDnExtract(config: PostProcessorConfig<"dn-extract">, reader: NameReader): (row: Row) => Row[] {
	return createFieldWriter(config.field, config.target, (dn) => getParts(dn, config, reader));
}

export function createRegexTransform(config: PostProcessorConfig<"regex-transform">): (row: Row) => Row[] {
	const { replace } = compileRegex(config.pattern, config.caseSensitive);
	return createFieldWriter(config.field, config.target ?? config.field, (text) => [replace(text, config.replacement)]);
}

export function mapTransform(config: PostProcessorConfig<"map-transform">): (row: Row) => Row[] {
	const mapping = new Map(Object.entries(config.mapping));
	return createFieldWriter(config.field, config.target ?? config.field, (text) => [
		mapping.get(text) ?? config.default ?? text,
	]);
}

export function createTextOperations(config: PostProcessorConfig<"text-operations">): (row: Row) => Row[] {
	return createFieldWriter(config.field, config.target ?? config.field, (text) => [
		applySteps(text, config.operations),
	]);
}

type Value = string | number | boolean;

/**
 * A field of children that is its own target is changed in each child; else the values go into the
 * row, as a list where there are several.
 */
function createFieldWriter(
	field: string,
	target: string,
	compute: (text: string) => readonly Value[],
): (row: Row) => Row[] {
	const computed = (value: unknown): readonly Value[] => {
		const text = getText(value);
		return text === undefined ? [] : compute(text);
	};
	return (row) => {
		const changed =
			target === field
				? changeBelow(row, field, (value) => {
						const [first, ...more] = computed(value).map(String);
						return more.length > 0 ? [first, ...more] : (first ?? value);
					})
				: undefined;
		if (changed !== undefined) return [changed];
		const values = readValuesAt(row, field).flatMap(computed);
		const [first, ...more] = values;
		return [first === undefined ? row : withValue(row, target, more.length > 0 ? values : first)];
	};
}

/**
 * On an object of a class the value becomes an attribute (as text, like all of them), on a flat row
 * a field.
 */
export function withValue(row: Row, target: string, value: Value | readonly Value[]): Row {
	const object = readManagedObject(row);
	if (!object) return { ...row, [target]: value };
	const { className, attributes } = object;
	const prefix =
		[`${className}.attributes.`, `${className}.`, "attributes."].find((start) => target.startsWith(start)) ?? "";
	const name = target.slice(prefix.length);
	const attribute = typeof value === "object" ? value.map(String) : String(value);
	return { [className]: { ...(row[className] as object), attributes: { ...attributes, [name]: attribute } } };
}

function getParts(dn: string, config: PostProcessorConfig<"dn-extract">, reader: NameReader): string[] {
	const { part, rnPrefix, index = 0 } = config;
	const rns = splitDn(dn);
	const rn = rnPrefix === undefined ? rns.at(-1) : rns.findLast((candidate) => candidate.startsWith(`${rnPrefix}-`));
	const one = (value: string | undefined) => (value === undefined ? [] : [value]);
	switch (part) {
		case "parent":
			return one(getParentDn(dn));
		case "rn":
			return one(rn);
		case "value":
			return rn === undefined ? [] : pickValues(reader.getNames(rn, rnPrefix, config.property), config);
		case "segment":
			return one(rns.at(index));
	}
}

/** The values of a name, or those that the config asks for. */
function pickValues(names: readonly RnName[], { property, index }: PostProcessorConfig<"dn-extract">): string[] {
	const named = property === undefined ? names : names.filter((name) => name.property === property);
	const wanted = index === undefined ? named : named.slice(index, index + 1 || undefined);
	return wanted.map(({ value }) => value);
}
