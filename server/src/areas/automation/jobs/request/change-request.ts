/** Changes requests: they are checked against the template of now, and wait for approval again. */
import {
	type AutomationRequestDetail,
	type AutomationRequestPatch,
	automationRequestPatch,
	type InputData,
	REQUEST_HISTORY_LIMITS,
} from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Caller } from "../../../../core/caller.ts";
import { buildConflictError, buildNotFoundError } from "../../../../core/errors.ts";
import { markUnchanged } from "../../../../core/events.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { findAnyTemplate, type ShownTemplate } from "../../templates/sql/templates.ts";
import { canEdit } from "../policy.ts";
import { presentDetail } from "../present.ts";
import { restoreMasked, shapeInput } from "../rules/row-forms.ts";
import { explainRefusal } from "../rules/states.ts";
import { type ComparedVersion, listChanges } from "../rules/version-changes.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import { findRequestRow, type RequestRow, setRequestStatus } from "../sql/requests.ts";
import { buildEditedColumns, chooseEditedChange } from "./choose-change.ts";
import {
	buildRowColumns,
	buildSnapshot,
	describeVersion,
	readSecrets,
	readWholeRows,
	type TemplateSnapshot,
} from "./content.ts";
import { findApproval, TO_APPROVAL, warnUnknown } from "./create-request.ts";
import {
	assertCheckMode,
	checkInputRows,
	chooseLaunchConnection,
	mergeAllowedPrompts,
	readLaunchTime,
	requireController,
	requireSnapshotQuery,
} from "./input-checks.ts";
import { notifyApprovers, publishRequest } from "./notices.ts";
import { buildRequestTarget, findVisibleRequest, readRequestDetail } from "./read-requests.ts";
import { assertAction, assertRequestOwner, assertRequestUnchanged, lockVisibleRequest } from "./request-guards.ts";
import { addRequestWarnings } from "./request-progress.ts";

/** Changes that an audit entry lists; the history has more of them. */
const AUDITED_CHANGES = 50;

const NOT_REJECTED = {
	rejected_by: null,
	rejected_at: null,
	rejection_reason: null,
	changes_requested: false,
	finished_at: null,
} as const;

/**
 * Builds the rows after a change: those that are given, or those that are stored, checked against
 * the template of now.
 */
async function buildChangedRows(
	ctx: Context,
	caller: Caller,
	row: RequestRow,
	template: ShownTemplate,
	input: InputData | undefined,
) {
	const before = row.template_snapshot as TemplateSnapshot;
	const stored = { sheets: before.columns, secrets: readSecrets(ctx, row) };
	const given =
		input === undefined
			? shapeInput(before.columns, readWholeRows(ctx, row))
			: restoreMasked(before.columns, input, stored);
	const checked = await checkInputRows(ctx, caller, template, given);
	const rollback = before.rollback_of_job === undefined ? {} : { rollback_of_job: before.rollback_of_job };
	const snapshot = buildSnapshot(template, checked, rollback);
	return { ...buildRowColumns(ctx, row.id, snapshot, checked.rows), template_snapshot: JSON.stringify(snapshot) };
}

const buildComparedVersion = (ctx: Context, row: RequestRow): ComparedVersion => ({
	content: describeVersion(row),
	sheets: (row.template_snapshot as TemplateSnapshot).columns,
	secrets: readSecrets(ctx, row),
});

/** Adds the change to the history; returns the metadata of its audit entry. */
async function recordChange(ctx: Context, tx: Tx, caller: Caller, before: RequestRow, after: RequestRow) {
	const [old, now] = [buildComparedVersion(ctx, before), buildComparedVersion(ctx, after)];
	const found = listChanges(old, now);
	const json = JSON.stringify(old.content);
	const { version, rows_digest: digest } = after;
	await insertRequestEvent(tx, {
		requestId: after.id,
		at: after.updated_at,
		username: caller.username,
		action: "changed",
		version,
		digest,
		changes: found,
		superseded: json.length > REQUEST_HISTORY_LIMITS.version ? null : json,
	});
	return { version, digest, changes: found.changes.slice(0, AUDITED_CHANGES), changes_total: found.total };
}

/**
 * Whatever changes, the request is checked against the template of now, and waits for approval
 * again.
 * @param readAt `updated_at` of the request that the caller read; null if it is not known
 */
export async function changeRequest(
	ctx: Context,
	caller: Caller,
	id: string,
	input: AutomationRequestPatch,
	readAt: Date | null,
): Promise<AutomationRequestDetail> {
	const before = await findVisibleRequest(ctx, caller, id);
	assertRequestOwner(caller, before);
	assertRequestUnchanged(before, readAt);
	assertAction(before, "edit");
	if (before.version >= REQUEST_HISTORY_LIMITS.versions) {
		throw buildConflictError(`The request has ${before.version} versions, and takes no more. Make a copy of it.`);
	}
	const known = Object.keys(automationRequestPatch.shape).filter((name) => name !== "updated_at");
	const names = known.filter((name) => input[name] !== undefined);
	if (names.length === 0) {
		markUnchanged(caller);
		return presentDetail(before, caller);
	}
	const template = before.template_id === null ? null : await findAnyTemplate(ctx.store.db, before.template_id);
	if (template === null) throw buildConflictError("The template does not exist any more.");
	assertCheckMode(template, input.check_mode ?? before.check_mode);
	const prompts = mergeAllowedPrompts(template, before.prompts, input);
	const rows = await buildChangedRows(ctx, caller, before, template, input.input_data);
	const connection = input.automation_connection
		? await chooseLaunchConnection(ctx, caller, template, input.automation_connection)
		: null;
	const target =
		input.target_controller === undefined ? null : await requireController(ctx, caller, input.target_controller);
	const targetId = target === null ? before.target_controller_id : target.id;
	const watch =
		input.watch_query_id === undefined
			? null
			: { watch_query_id: await requireSnapshotQuery(ctx, caller, input.watch_query_id, targetId) };
	const change = await chooseEditedChange(ctx, caller, before, input, targetId);
	const scheduled =
		input.scheduled_for === undefined
			? null
			: { scheduled_for: readLaunchTime(ctx, input.scheduled_for), held_by_freeze: null };
	return ctx.store.transaction(async (tx) => {
		const row = await lockVisibleRequest(tx, caller, id);
		if (!canEdit(caller, row)) throw buildConflictError(explainRefusal(row.status, "edit"), { status: row.status });
		if (row.updated_at.getTime() !== before.updated_at.getTime()) {
			throw buildConflictError("The request was changed at the same time. Try again.");
		}
		const approval = await findApproval(
			tx,
			template,
			connection?.id ?? row.connection_id,
			change === null ? row.change_plan : change.plan?.content,
		);
		// Nobody gets around the approver who rejected it.
		const { status, requires_approval } = row.status === "rejected" ? TO_APPROVAL : approval;
		await setRequestStatus(tx, row, "edit", status, {
			...(row.status === "rejected" ? NOT_REJECTED : {}),
			version: row.version + 1,
			prompts: JSON.stringify(prompts),
			...rows,
			...(input.input_data === undefined ? {} : { input_source: null }),
			requires_approval,
			approver_group_ids: template.approver_groups,
			template_name: template.name,
			edited_by_id: caller.userId,
			// Later than before, so that who decides on the version of before is refused.
			updated_at: new Date(Math.max(ctx.clock.now(), row.updated_at.getTime() + 1)),
			...(input.title === undefined ? {} : { title: input.title }),
			...(input.description === undefined ? {} : { description: input.description }),
			...(input.check_mode === undefined ? {} : { check_mode: input.check_mode }),
			...(input.automation_credential_id === undefined ? {} : { credential_id: input.automation_credential_id }),
			...(input.automation_credential_name === undefined ? {} : { credential_name: input.automation_credential_name }),
			...(connection ? { connection_id: connection.id, connection_name: connection.name } : {}),
			...(target ? { target_controller_id: target.id, target_controller_name: target.name } : {}),
			...scheduled,
			...watch,
			...buildEditedColumns(ctx, row, change, {
				queryId: watch === null ? row.watch_query_id : watch.watch_query_id,
				target: targetId,
				isDeclared: template.expects.length > 0,
			}),
		});
		await addRequestWarnings(tx, id, warnUnknown(input, automationRequestPatch.shape));
		const changed = await findRequestRow(tx.db, id);
		if (changed === undefined) throw buildNotFoundError();
		const recorded = await recordChange(ctx, tx, caller, row, changed);
		await ctx.events.changed(tx, caller, {
			...buildRequestTarget(row),
			description: `${caller.username} changed the automation request "${input.title ?? row.title}"`,
			metadata: { fields: names, status, ...recorded },
		});
		publishRequest(ctx, tx, id);
		if (status === "awaiting_approval" && row.status !== status) await notifyApprovers(ctx, tx, changed);
		return readRequestDetail(tx, caller, id);
	});
}
