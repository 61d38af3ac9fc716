/**
 * Checking rows against a template: in the background for those who want to know, at once for a
 * request.
 */
import { setImmediate } from "node:timers/promises";
import type { InputData, ValidationStatus } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../../core/errors.ts";
import { isStoreDown } from "../../../core/ports/store.ts";
import { runInShare, type WorkShare } from "../../../core/work-share.ts";
import { findIdentity } from "../../accounts/sign-in/create-sessions.ts";
import { readFreshValues, ValuesProblem } from "./fresh-values.ts";
import { findVisibleTemplate } from "./manage-templates.ts";
import { presentValidation } from "./present.ts";
import { loadReferences } from "./references.ts";
import {
	type CheckedRows,
	compileRules,
	listValueSources,
	type SheetRule,
	type TemplateForm,
	type ValueSource,
	withValues,
} from "./rules/rules.ts";
import {
	beginValidation,
	endValidation,
	findValidation,
	insertValidation,
	purgeValidations,
} from "./sql/validations.ts";
import { checkRows } from "./workers/work.ts";

export const VALIDATE_QUEUE = "automation.validate";
const POLL_SECONDS = 2;
/** For so long a check can be looked up. */
const KEPT_MS = 24 * 3_600_000;

/** What of the rules does not change between the start of a check and the check. */
interface Prepared {
	readonly rules: readonly SheetRule[];
	readonly sources: readonly ValueSource[];
}

export const buildRowsContext = (id: string): string => `automation_validation:${id}:rows`;

/** The rules as far as they are known without a query, and which columns wait for one. */
async function prepareRules(ctx: Context, form: TemplateForm): Promise<Prepared> {
	const known = await loadReferences(ctx.store.db, null, form);
	return { rules: compileRules(form, known), sources: listValueSources(form, known) };
}

/** @throws ValuesProblem */
async function completeRules(
	ctx: Context,
	identity: Identity,
	{ rules, sources }: Prepared,
): Promise<readonly SheetRule[]> {
	return sources.length === 0 ? rules : withValues(rules, await readFreshValues(ctx, identity, sources));
}

/**
 * Checks at once. @throws 400 under `field` where the input has the wrong form or values of a
 * query cannot be had
 */
export async function checkInput(
	ctx: Context,
	identity: Identity,
	form: TemplateForm,
	input: InputData,
	field: string,
): Promise<CheckedRows> {
	const rules = await completeRules(ctx, identity, await prepareRules(ctx, form)).catch((error: unknown) => {
		throw error instanceof ValuesProblem ? buildFieldError(field, error.message) : error;
	});
	const answer = await checkRows(ctx.automationPool, rules, JSON.stringify(input));
	if (answer.problem !== null) throw buildFieldError(field, answer.problem);
	if (answer.result === null) throw new Error("a check of rows gave no result");
	const rows = answer.result.valid ? JSON.parse(Buffer.from(answer.rows).toString("utf8")) : [];
	return { rules, result: answer.result, rows };
}

export async function startValidation(ctx: Context, identity: Identity, templateId: string, input: InputData) {
	const template = await findVisibleTemplate(ctx, identity, templateId);
	const prepared = await prepareRules(ctx, template);
	const id = ctx.ids.uuid();
	// Of many rows each of these takes its time: others have their turn between them.
	await setImmediate();
	const text = JSON.stringify(input);
	await setImmediate();
	const rows_sealed = ctx.secrets.seal(text, buildRowsContext(id));
	await setImmediate();
	await ctx.store.transaction(async (tx) => {
		await insertValidation(tx, {
			id,
			user_id: identity.userId,
			state: "PENDING",
			rules: JSON.stringify(prepared),
			rows_sealed,
			result: null,
			error: null,
			created_at: getNow(ctx),
			finished_at: null,
		});
		await ctx.jobs.enqueue(tx, VALIDATE_QUEUE, { id });
	});
	return { task_id: id, status: "PENDING" as const, polling_interval: POLL_SECONDS };
}

export async function readValidation(ctx: Context, identity: Identity, id: string): Promise<ValidationStatus> {
	const row = await findValidation(ctx.store.db, identity.userId, id);
	if (row === undefined) throw buildNotFoundError();
	return presentValidation(row);
}

/** Carries a check out; safe to be called any number of times. */
export async function runValidation(ctx: Context, data: unknown, signal: AbortSignal): Promise<void> {
	const { id } = data as { id: string };
	const row = await beginValidation(ctx.store.db, id);
	if (row === undefined || row.rows_sealed === null) return;
	const check = async () => {
		const input = ctx.secrets.open(row.rows_sealed ?? "", buildRowsContext(id));
		const identity = await findIdentity(ctx, row.user_id);
		if (identity === null) return { error: "The user is not active any more." };
		const rules = await completeRules(ctx, identity, row.rules as Prepared);
		const { problem, result } = await checkRows(ctx.automationPool, rules, input, { signal });
		return result === null ? { error: problem ?? "The rows could not be checked." } : { result };
	};
	const share: WorkShare = { userId: row.user_id, lane: "recording" };
	const end = await runInShare(share, check).catch((error: unknown) => {
		if (signal.aborted || isStoreDown(error)) throw error;
		if (error instanceof ValuesProblem) return { error: error.message };
		ctx.log.error({ err: error, validation: id }, "rows could not be checked");
		return { error: "The rows could not be checked because of an internal error." };
	});
	await endValidation(ctx.store.db, id, getNow(ctx), end);
}

export const purgeOldValidations = (ctx: Context) =>
	purgeValidations(ctx.store.db, new Date(ctx.clock.now() - KEPT_MS));
