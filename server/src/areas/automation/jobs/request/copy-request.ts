/** Copies of requests: a new request with all of the rows, or with those that a job left open. */
import type { AutomationRequestCopy, AutomationRequestDetail, InputRow } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Caller } from "../../../../core/caller.ts";
import { buildConflictError, buildFieldError, buildForbiddenError } from "../../../../core/errors.ts";
import { findAnyTemplate } from "../../templates/sql/templates.ts";
import { isRequesterOrAdmin } from "../policy.ts";
import { shapeInput } from "../rules/row-forms.ts";
import { FAILED_FROM } from "../rules/rows.ts";
import { listRequestExecutions, listRowRanks } from "../sql/executions.ts";
import type { ShownRequest } from "../sql/requests.ts";
import { chooseChange } from "./choose-change.ts";
import { readWholeRows, type TemplateSnapshot } from "./content.ts";
import { makeRequest, requireTemplate } from "./create-request.ts";
import {
	chooseLaunchConnection,
	mergeAllowedPrompts,
	requireController,
	requireSnapshotQuery,
} from "./input-checks.ts";
import { findVisibleRequest } from "./read-requests.ts";

type CopiedRows = AutomationRequestCopy["rows"];
/** The rows of each sheet. */
type Sheets = readonly (readonly InputRow[])[];

const TITLE_MAX = 200;
const TITLES: Readonly<Record<string, string>> = { failed: "Failed rows of", unknown: "Unknown rows of" };

/** @throws 400, 409 */
async function pickRows(ctx: Context, row: ShownRequest, sheets: Sheets, picked: CopiedRows): Promise<Sheets> {
	if (picked === "all") return sheets;
	const chosen = Array.isArray(picked) ? pickIndexes(sheets, picked) : await pickRowsByResult(ctx, row, sheets, picked);
	if (chosen.every((rows) => rows.length === 0)) {
		throw buildFieldError("rows", Array.isArray(picked) ? "Name at least one row." : `No row is ${picked}.`);
	}
	return chosen;
}

async function pickRowsByResult(
	ctx: Context,
	row: ShownRequest,
	sheets: Sheets,
	picked: "failed" | "unknown",
): Promise<Sheets> {
	const newest = (await listRequestExecutions(ctx.store.db, row.id)).at(-1);
	if (newest === undefined) throw buildConflictError("The request has no job yet, and its rows no results.");
	if (newest.finished_at === null) {
		throw buildConflictError("The job of the request is not over: wait for its end, or cancel it.", {
			status: row.status,
		});
	}
	const { columns } = row.template_snapshot as TemplateSnapshot;
	const found = await listRowRanks(ctx.store.db, newest.id);
	const ranks = new Map(found.map(({ sheet, row_index, rank }) => [`${sheet}|${row_index}`, rank]));
	return sheets.map((rows, at) =>
		rows.filter((_, index) => {
			const rank = ranks.get(`${columns[at]?.name ?? ""}|${index}`) ?? -1;
			return picked === "failed" ? rank >= FAILED_FROM : rank < 0;
		}),
	);
}

/**
 * Copies a request for the caller, with the present version of its template.
 * @throws 400, 403, 404, 409
 */
export async function copyRequest(
	ctx: Context,
	caller: Caller,
	id: string,
	picked: CopiedRows,
): Promise<AutomationRequestDetail> {
	const row = await findVisibleRequest(ctx, caller, id);
	const isOwner = isRequesterOrAdmin(caller, row);
	if (!isOwner && (row.secrets_sealed !== null || row.rollback_of !== null)) {
		const reason = row.rollback_of === null ? "The rows hold passwords" : "The request is a rollback";
		throw buildForbiddenError(`${reason}: only its requester may copy it. Make a request of your own.`);
	}
	const { columns, rollback_of_job } = row.template_snapshot as TemplateSnapshot;
	const rows = await pickRows(ctx, row, readWholeRows(ctx, row), picked);
	if (row.template_id === null) throw buildConflictError("The template does not exist any more.");
	// A rollback was allowed with the request that it undoes, even if its template is hidden.
	const hidden = row.rollback_of === null ? null : await findAnyTemplate(ctx.store.db, row.template_id);
	const template = hidden ?? (await requireTemplate(ctx, caller, row.template_id));
	const target = await requireController(ctx, caller, row.target_controller_id);
	const what = Array.isArray(picked) ? "Some rows of" : (TITLES[picked] ?? "Copy of");
	return makeRequest(
		ctx,
		caller,
		{
			template,
			title: `${what} ${row.title}`.slice(0, TITLE_MAX).toWellFormed(),
			description: row.description,
			connection: await chooseLaunchConnection(ctx, caller, template, row.connection_id),
			target,
			input: shapeInput(columns, rows),
			source: null,
			credentialId: row.credential_id,
			credentialName: row.credential_name,
			checkMode: row.check_mode,
			scheduledFor: null,
			watchQueryId: await requireSnapshotQuery(ctx, caller, row.watch_query_id, target.id),
			change: await chooseChange(ctx, caller, { change_plan: row.change_plan_id }, target.id),
			idempotencyKey: null,
			prompts: mergeAllowedPrompts(template, row.prompts, {}),
			warnings: [],
			rollback: row.rollback_of === null ? null : { of: row.rollback_of, job: rollback_of_job ?? null },
			origin: { id: row.id, version: row.version, rows_digest: row.rows_digest, isRolledBack: false },
		},
		`copied rows of the request ${id} to`,
	);
}

/** Rows at some places of the only sheet. @throws 400 */
function pickIndexes(sheets: Sheets, indexes: readonly number[]): Sheets {
	const [rows, ...others] = sheets;
	if (rows === undefined || others.length > 0) {
		throw buildFieldError("rows", 'The request has several sheets: choose "all", "failed" or "unknown".');
	}
	const wrong = indexes.find((index) => index >= rows.length);
	if (wrong !== undefined) {
		throw buildFieldError("rows", `There is no row ${wrong}: the request has ${rows.length}, from 0 on.`);
	}
	const chosen = new Set(indexes);
	return [rows.filter((_, index) => chosen.has(index))];
}
