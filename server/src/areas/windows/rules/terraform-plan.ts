/** Reads plans of Terraform as `terraform show -json` prints them, and follows their references. */
import * as z from "zod";
import { isRecord } from "../../../core/rows/json.ts";
import { ImportError } from "./import-result.ts";

const values = z.record(z.string(), z.unknown()).nullish();

const resourceChange = z.looseObject({
	address: z.string(),
	/** Such as `module.tenants["prod"]`; absent at the root. */
	module_address: z.string().optional(),
	mode: z.string().default("managed"),
	type: z.string(),
	name: z.string(),
	/** A text for `for_each`, a number for `count`. */
	index: z.union([z.string(), z.number()]).optional(),
	provider_name: z.string().default(""),
	change: z.looseObject({
		actions: z.array(z.string()),
		before: values,
		after: values,
		after_unknown: z.unknown().optional(),
		before_sensitive: z.unknown().optional(),
		after_sensitive: z.unknown().optional(),
	}),
});
export type ResourceChange = z.output<typeof resourceChange>;

const planDocument = z.looseObject({
	format_version: z.string(),
	resource_changes: z.array(resourceChange).default([]),
	configuration: z.looseObject({ root_module: z.unknown().optional() }).optional(),
});
export type TerraformPlan = z.output<typeof planDocument>;

/** @throws ImportError for a text that is no plan */
export function readTerraformPlan(content: string): TerraformPlan {
	let parsed: unknown;
	try {
		parsed = JSON.parse(content.replace(/^\ufeff/, ""));
	} catch {
		throw new ImportError("Not valid JSON. Write the plan with: terraform show -json plan.out");
	}
	if (isRecord(parsed) && parsed.resource_changes === undefined && parsed.values !== undefined)
		throw new ImportError("This is a state, not a plan. Write the plan with: terraform show -json plan.out");
	const plan = planDocument.safeParse(parsed);
	if (!plan.success) throw new ImportError("Not a plan of Terraform. Write it with: terraform show -json plan.out");
	const [major] = plan.data.format_version.split(".");
	if (major !== "0" && major !== "1")
		throw new ImportError(`The plan has the unknown format ${plan.data.format_version}.`);
	return plan.data;
}

/** Finds a module of the configuration; undefined if the plan lacks it. */
function findModule(plan: TerraformPlan, names: readonly string[]): Record<string, unknown> | undefined {
	let found: unknown = plan.configuration?.root_module;
	for (const name of names) {
		const calls = isRecord(found) ? found.module_calls : undefined;
		const call = isRecord(calls) ? calls[name] : undefined;
		found = isRecord(call) ? call.module : undefined;
	}
	return isRecord(found) ? found : undefined;
}

/** The key of an instance: a quoted text or a number. */
const KEY = String.raw`"(?:[^"\\]|\\.)*"|\d+`;
const INDEX = new RegExp(String.raw`\[(?:${KEY})\]`, "g");
const LAST_INDEX = new RegExp(String.raw`\[(${KEY})\]$`);
const INNER_MODULE = new RegExp(String.raw`^(.*)\.module\.[\w-]+(?:\[(?:${KEY})\])?$`);
const REFERENCE = new RegExp(String.raw`^([\w-]+)\.([\w-]+)(?:\[(${KEY})\])?`);

/** Lists the names of an address: `module.a["x"].module.b` → `a`, `b`. */
const listModuleNames = (address: string): string[] =>
	address
		.replace(INDEX, "")
		.split(".")
		.filter((_, i) => i % 2 === 1);

/** Returns the address of the module around a module; empty for the root. */
const getOuterAddress = (address: string): string => INNER_MODULE.exec(address)?.[1] ?? "";

const listReferences = (expression: unknown): string[] =>
	isRecord(expression) && Array.isArray(expression.references)
		? expression.references.filter((one) => typeof one === "string")
		: [];

/** Upper bound of the variables and outputs of modules through which a reference is followed. */
const DEPTH_MAX = 20;

/**
 * Finds the resource to which an attribute of another one refers, through variables and outputs of
 * modules. Undefined if there is none, or more than one.
 */
export function findReferredResource(
	plan: TerraformPlan,
	{ module_address: module = "", type, name, index }: ResourceChange,
	attribute: string,
): ResourceChange | undefined {
	const resources = findModule(plan, listModuleNames(module))?.resources;
	const own = (Array.isArray(resources) ? resources : []).find(
		(one) => isRecord(one) && one.type === type && one.name === name && one.mode !== "data",
	);
	const expressions = isRecord(own) && isRecord(own.expressions) ? own.expressions : {};
	return followReferences(plan, module, listReferences(expressions[attribute]), index, DEPTH_MAX);
}

function followReferences(
	plan: TerraformPlan,
	module: string,
	references: readonly string[],
	index: ResourceChange["index"],
	depth: number,
): ResourceChange | undefined {
	if (depth === 0) return undefined;
	for (const reference of references) {
		const [, kind = "", name = "", key] = REFERENCE.exec(reference) ?? [];
		if (kind === "var") {
			const outer = getOuterAddress(module);
			const call = listModuleNames(module).at(-1);
			const calls = findModule(plan, listModuleNames(outer))?.module_calls;
			const own = isRecord(calls) && call !== undefined ? calls[call] : undefined;
			const given = isRecord(own) && isRecord(own.expressions) ? own.expressions[name] : undefined;
			const found = followReferences(plan, outer, listReferences(given), getModuleIndex(module), depth - 1);
			if (found !== undefined) return found;
		} else if (kind === "module") {
			const inner = `${module === "" ? "" : `${module}.`}module.${name}${key === undefined ? "" : `[${key}]`}`;
			const output = reference.replace(INDEX, "").split(".")[2] ?? "";
			const outputs = findModule(plan, listModuleNames(inner))?.outputs;
			const own = isRecord(outputs) ? outputs[output] : undefined;
			const expression = isRecord(own) ? own.expression : undefined;
			const found = followReferences(plan, inner, listReferences(expression), index, depth - 1);
			if (found !== undefined) return found;
		} else if (kind.startsWith("aci_")) {
			const found = pickInstance(
				plan,
				module,
				{ type: kind, name },
				key === undefined ? undefined : JSON.parse(key),
				index,
			);
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

function getModuleIndex(address: string): ResourceChange["index"] {
	const key = LAST_INDEX.exec(address)?.[1];
	return key === undefined ? undefined : (JSON.parse(key) as string | number);
}

/**
 * Picks the instance of a resource.
 * @param key key of the reference; undefined if it has none, or if it depends on the instance
 * @param index key of the referring instance, which is used if the reference has none
 */
function pickInstance(
	{ resource_changes: changes }: TerraformPlan,
	module: string,
	{ type, name }: Pick<ResourceChange, "type" | "name">,
	key: unknown,
	index: ResourceChange["index"],
): ResourceChange | undefined {
	const found = changes.filter(
		(one) => one.mode === "managed" && one.type === type && one.name === name && (one.module_address ?? "") === module,
	);
	if (key !== undefined) return found.find((one) => one.index === key);
	const [only, ...others] = found;
	return others.length === 0 ? only : found.find((one) => index !== undefined && one.index === index);
}
