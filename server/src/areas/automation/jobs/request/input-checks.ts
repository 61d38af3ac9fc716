/**
 * The input of a request against its template: rows, check mode, connection, target; what it
 * becomes, or a 400 by field.
 */
import type { InputData, LaunchPrompt, LaunchPromptValues } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Identity } from "../../../../core/caller.ts";
import { buildFieldError, buildInvalidError } from "../../../../core/errors.ts";
import { findVisibleConnection } from "../../../fabrics/manage-connections.ts";
import { NotRunnable } from "../../../runs/background/index.ts";
import { prepareQueryRun } from "../../../runs/background/start-background-runs.ts";
import { requireConnection } from "../../connections/manage-connections.ts";
import type { GivenPrompts } from "../../templates/rules/prompts.ts";
import { mergePrompts } from "../../templates/rules/prompts.ts";
import type { CheckedRows } from "../../templates/rules/rules.ts";
import type { ShownTemplate } from "../../templates/sql/templates.ts";
import { checkInput } from "../../templates/validate-rows.ts";

/** @throws 400 `{input_data: [errors]}` */
export async function checkInputRows(
	ctx: Context,
	identity: Identity,
	template: ShownTemplate,
	input: InputData,
): Promise<CheckedRows> {
	const checked = await checkInput(ctx, identity, template, input, "input_data");
	if (!checked.result.valid) throw buildInvalidError({ input_data: checked.result.errors });
	const hasColumns = checked.rules.some(({ columns }) => columns.length > 0);
	if (hasColumns && checked.result.row_count === 0)
		throw buildFieldError("input_data", "There must be at least one row.");
	return checked;
}

export function assertCheckMode(template: ShownTemplate, checkMode: boolean): void {
	if (!checkMode) return;
	if (template.kind === "workflow") throw buildFieldError("check_mode", "A workflow cannot be run in check mode.");
	if (!template.allow_check_mode) throw buildFieldError("check_mode", "The template does not allow check mode.");
}

/**
 * The launch prompts of a request: those that it has, with those that are given.
 * @throws 400 under each that the template does not let requests set
 */
export function mergeAllowedPrompts(
	{ askable }: { readonly askable: readonly LaunchPrompt[] },
	stored: LaunchPromptValues,
	given: GivenPrompts,
): LaunchPromptValues {
	const merged = mergePrompts(stored, given);
	const refused = Object.keys(merged).filter((name) => !askable.some((allowed) => allowed === name));
	if (refused.length === 0) return merged;
	const message = "The template does not let requests set it. Leave it out, or ask the template's author.";
	throw buildInvalidError(Object.fromEntries(refused.map((name) => [name, [message]])));
}

export function readLaunchTime(ctx: Context, value: string | null | undefined): Date | null {
	if (value === null || value === undefined) return null;
	const at = new Date(value);
	if (at.getTime() <= ctx.clock.now()) throw buildFieldError("scheduled_for", "Must be in the future.");
	return at;
}

/** The connection that is named, or the template's. */
export async function chooseLaunchConnection(
	ctx: Context,
	identity: Identity,
	template: ShownTemplate,
	id: string | null | undefined,
) {
	if (id !== null && id !== undefined && id !== template.connection_id) {
		return requireConnection(ctx, identity, id, "automation_connection");
	}
	if (template.connection_id === null) {
		throw buildFieldError("automation_connection", "The template's connection was deleted: name another one.");
	}
	return { id: template.connection_id, name: template.connection_name };
}

/** The query whose rows are captured around the job; null: none. */
export async function requireSnapshotQuery(
	ctx: Context,
	identity: Identity,
	queryId: string | null | undefined,
	target: string | null,
): Promise<string | null> {
	if (queryId === null || queryId === undefined) return null;
	if (target === null) throw buildFieldError("watch_query_id", "Name the target_controller on which the query runs.");
	await prepareQueryRun(ctx, identity, queryId, target).catch((error: unknown) => {
		throw error instanceof NotRunnable ? buildFieldError("watch_query_id", error.message) : error;
	});
	return queryId;
}

export async function requireController(ctx: Context, identity: Identity, id: string | null | undefined) {
	if (id === null || id === undefined) return { id: null, name: "" };
	const found = await findVisibleConnection(ctx, identity, id);
	if (found === null) throw buildFieldError("target_controller", "There is no such connection that you can see.");
	return found;
}
