/** Rolls a request back: a new request of the rollback's template with the same rows. */
import type { AutomationRequestDetail, AutomationRollback } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Caller } from "../../../../core/caller.ts";
import { buildRefusedError } from "../../../../core/errors.ts";
import { findAnyTemplate } from "../../templates/sql/templates.ts";
import type { ShownRequest } from "../sql/requests.ts";
import { NO_CHANGE } from "./choose-change.ts";
import { readWholeRows, type TemplateSnapshot } from "./content.ts";
import { makeRequest } from "./create-request.ts";
import { findVisibleRequest } from "./read-requests.ts";
import { assertAction, assertRequestOwner } from "./request-guards.ts";

/** The rows as the rollback's template takes them: columns that it does not have are left out. */
function buildRollbackInput(
	ctx: Context,
	row: ShownRequest,
	rollback: {
		readonly schema: readonly { name: string }[];
		readonly sheets: readonly { name: string; columns: readonly { name: string }[] }[];
	},
) {
	const { columns } = row.template_snapshot as TemplateSnapshot;
	const rows = readWholeRows(ctx, row);
	const only = (names: readonly string[], list: readonly Record<string, unknown>[]) =>
		list.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name))));
	if (rollback.sheets.length === 0) {
		const names = rollback.schema.map(({ name }) => name);
		return names.length === 0 ? [] : only(names, rows[0] ?? []);
	}
	return Object.fromEntries(
		rollback.sheets.map((sheet) => {
			const at = columns.findIndex(({ name }) => name === sheet.name);
			return [
				sheet.name,
				only(
					sheet.columns.map(({ name }) => name),
					rows[at] ?? [],
				),
			];
		}),
	);
}

export async function rollBackRequest(
	ctx: Context,
	caller: Caller,
	id: string,
	input: AutomationRollback,
	/** The change window whose verdict asks for it; absent: a person does. */
	windowId?: string,
): Promise<AutomationRequestDetail> {
	const row = await findVisibleRequest(ctx, caller, id);
	assertRequestOwner(caller, row);
	assertAction(row, "rollback");
	const current = row.template_id === null ? null : await findAnyTemplate(ctx.store.db, row.template_id);
	const rollbackId = current?.rollback_template_id ?? (row.template_snapshot as TemplateSnapshot).rollback_template;
	const template = rollbackId === null ? null : await findAnyTemplate(ctx.store.db, rollbackId);
	if (template === null) throw buildRefusedError("The template has no rollback, or it was deleted.");
	return makeRequest(
		ctx,
		caller,
		{
			template,
			input: buildRollbackInput(ctx, row, template),
			source: null,
			watchQueryId: null,
			change: NO_CHANGE,
			checkMode: false,
			scheduledFor: null,
			title: input.title ?? `Rollback of ${row.title}`.slice(0, 200),
			description: input.description ?? "",
			connection: { id: row.connection_id, name: row.connection_name },
			target: { id: row.target_controller_id, name: row.target_controller_name },
			credentialId: row.credential_id,
			credentialName: row.credential_name,
			idempotencyKey: null,
			prompts: Object.fromEntries(
				Object.entries(row.prompts).filter(([name]) => template.askable.some((allowed) => allowed === name)),
			),
			warnings: [],
			rollback: { of: row.id, job: row.automation_job_id, ...(windowId === undefined ? {} : { windowId }) },
			origin: { id: row.id, version: row.version, rows_digest: row.rows_digest, isRolledBack: true },
		},
		"asked for the rollback",
	);
}
