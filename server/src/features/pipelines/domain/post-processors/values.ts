/** Processors that compute a value of each row and write it back, or beside it. A row without the field stays as it is. */
import type { PostProcessorConfig } from "@weft/contracts";
import { parentDn, splitDn } from "../dn.ts";
import { textOf } from "../json.ts";
import { managedObject, type Row, valueAt } from "../rows.ts";
import { compileRegex } from "./regex.ts";

export function dnExtract(config: PostProcessorConfig<"dn-extract">): (row: Row) => Row[] {
	return writing(config.field, config.target, (dn) => partOf(dn, config));
}

export function regexTransform(config: PostProcessorConfig<"regex-transform">): (row: Row) => Row[] {
	const { replace } = compileRegex(config.pattern, config.caseSensitive);
	return writing(config.field, config.target ?? config.field, (text) => replace(text, config.replacement));
}

export function mapTransform(config: PostProcessorConfig<"map-transform">): (row: Row) => Row[] {
	const mapping = new Map(Object.entries(config.mapping));
	return writing(config.field, config.target ?? config.field, (text) => mapping.get(text) ?? config.default ?? text);
}

export function textOperations(config: PostProcessorConfig<"text-operations">): (row: Row) => Row[] {
	return writing(config.field, config.target ?? config.field, (text) => config.operations.reduce(applyStep, text));
}

type Value = string | number | boolean;

function writing(field: string, target: string, compute: (text: string) => Value | undefined): (row: Row) => Row[] {
	return (row) => {
		const text = textOf(valueAt(row, field));
		const value = text === undefined ? undefined : compute(text);
		return [value === undefined ? row : withValue(row, target, value)];
	};
}

/** On an object of a class the value becomes an attribute (as text, like all of them), on a flat row a field. */
function withValue(row: Row, target: string, value: Value): Row {
	const object = managedObject(row);
	if (!object) return { ...row, [target]: value };
	const { className, attributes } = object;
	const prefix =
		[`${className}.attributes.`, `${className}.`, "attributes."].find((start) => target.startsWith(start)) ?? "";
	const name = target.slice(prefix.length);
	return { [className]: { ...(row[className] as object), attributes: { ...attributes, [name]: String(value) } } };
}

function partOf(dn: string, { part, rnPrefix, index }: PostProcessorConfig<"dn-extract">): string | undefined {
	const rns = splitDn(dn);
	const rn = rnPrefix === undefined ? rns.at(-1) : rns.findLast((candidate) => candidate.startsWith(`${rnPrefix}-`));
	switch (part) {
		case "parent":
			return parentDn(dn);
		case "rn":
			return rn;
		case "value":
			return rn === undefined ? undefined : namingValue(rn, rnPrefix);
		case "segment":
			return rns.at(index ?? 0);
	}
}

/** What stands after the RN's prefix, without the brackets around the whole of it. */
function namingValue(rn: string, prefix: string | undefined): string | undefined {
	const dash = prefix === undefined ? rn.indexOf("-") : prefix.length;
	if (dash < 0) return undefined;
	const value = rn.slice(dash + 1);
	return value.startsWith("[") && value.endsWith("]") ? value.slice(1, -1) : value;
}

type TextStep = PostProcessorConfig<"text-operations">["operations"][number];

function applyStep(text: string, step: TextStep): string {
	switch (step.operation) {
		case "trim":
			return text.trim();
		case "upper":
			return text.toUpperCase();
		case "lower":
			return text.toLowerCase();
		case "title":
			return text.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
		case "prefix":
			return step.text + text;
		case "suffix":
			return text + step.text;
		case "replace":
			return text.replaceAll(step.search, () => step.text);
		case "substring":
			return text.slice(step.start, step.end);
		case "split":
			return text.split(step.separator).at(step.index) ?? "";
	}
}
