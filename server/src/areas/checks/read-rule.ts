/** Reads what a check expects, and holds the fields that it names against the class model. */
import { type CheckRule, type CheckType, checkConfigs, type PostProcessor } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { AppError, buildInvalidError, type FieldErrors } from "../../core/errors.ts";
import { createPatternCompiler, PatternError } from "../../core/regex.ts";
import { readTemplate } from "../queries/flow/index.ts";
import type { VisibleQuery } from "../queries/saved/index.ts";
import { getResultClasses } from "../runs/pipelines/rules/stages.ts";
import type { FieldKinds, RowRule } from "./rules/evaluate.ts";
import { createFieldReader, type FieldReader, getFields, keepsFields } from "./rules/fields.ts";

type Content = Pick<VisibleQuery, "flowData" | "postProcessors" | "variables">;

/** Null where nothing is known of the rows' fields. */
async function makeFieldReader(ctx: Context, query: Content): Promise<FieldReader | null> {
	try {
		const model = await ctx.classModel();
		if (model === null) return null;
		const flow = readTemplate({ flow_data: query.flowData, variables: query.variables });
		const onCanvas = flow.nodes.flatMap(({ data }) =>
			"processorType" in data && data.isPaused !== true ? [{ type: data.processorType as PostProcessor["type"] }] : [],
		);
		if (!keepsFields([...(query.postProcessors as PostProcessor[]), ...onCanvas])) return null;
		return createFieldReader(model, getResultClasses(flow));
	} catch (error) {
		if (!(error instanceof AppError)) {
			ctx.log.warn({ err: error }, "the class model cannot be read; fields of checks are not held against it");
		}
		return null;
	}
}

/** @throws 400 under `config` */
export async function readRule(ctx: Context, type: CheckType, config: unknown, query: Content): Promise<CheckRule> {
	const rule = parseRule(type, config);
	const reader = await makeFieldReader(ctx, query);
	const errors: FieldErrors = {};
	for (const { path, field } of reader === null ? [] : getFields(rule)) {
		const problem = reader?.problem(field) ?? null;
		if (problem !== null) errors[`config.${path}`] = [problem];
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
	return rule;
}

/** How the model orders the fields of each rule. */
export async function readFieldKinds(
	ctx: Context,
	rules: readonly RowRule[],
	query: Content | null,
): Promise<FieldKinds[]> {
	const compares = rules.some(({ type }) => type === "each_row");
	const reader = query === null || !compares ? null : await makeFieldReader(ctx, query);
	return rules.map((rule) =>
		reader === null || rule.type !== "each_row"
			? {}
			: Object.fromEntries(getFields(rule).map(({ field }) => [field, reader.kind(field)])),
	);
}

function parseRule(type: CheckType, config: unknown): CheckRule {
	const parsed = checkConfigs[type].safeParse(config);
	const errors: FieldErrors = {};
	for (const { path, message } of parsed.error?.issues ?? []) {
		const field = ["config", ...path].join(".");
		errors[field] = [...(errors[field] ?? []), message];
	}
	if (!parsed.success) throw buildInvalidError(errors);
	const rule = { type, config: parsed.data } as CheckRule;
	const compile = createPatternCompiler();
	for (const [i, condition] of (rule.type === "each_row" ? rule.config.conditions : []).entries()) {
		if (condition.operator !== "regex") continue;
		try {
			compile(String(condition.value ?? ""), condition.caseSensitive ? "" : "i");
		} catch (error) {
			if (!(error instanceof PatternError)) throw error;
			errors[`config.conditions.${i}.value`] = [error.message];
		}
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
	return rule;
}
