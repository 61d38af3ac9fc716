/** The history of requests, comments, and the facts for approvers. */
import {
	REQUEST_HISTORY_LIMITS,
	type RequestHistoryEntry,
	type RequestHistoryList,
	type RequestReview,
	type RequestVersionContent,
} from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller, Identity } from "../../../../core/caller.ts";
import { buildConflictError, buildForbiddenError, buildNotFoundError } from "../../../../core/errors.ts";
import { paginateRows } from "../../../../core/http/paging.ts";
import { createLargeMask } from "../../../../core/mask.ts";
import { AutomationError } from "../../../../integrations/awx/port.ts";
import { findServer } from "../../connections/manage-connections.ts";
import { buildJobTemplateUrl } from "../../connections/rules/server-pages.ts";
import { canDecideRequest, isRequesterOrAdmin } from "../policy.ts";
import { presentEvent } from "../present.ts";
import { allowsCause } from "../rules/states.ts";
import type { VersionContent } from "../rules/version-changes.ts";
import {
	countRequestComments,
	findSupersededVersion,
	insertRequestEvent,
	listParticipants,
	listRequestEvents,
} from "../sql/request-events.ts";
import { findDryRun, listApprovers, listGroupNames, listUsernames, type ShownRequest } from "../sql/requests.ts";
import { describeVersion, readContent, type TemplateSnapshot } from "./content.ts";
import { notifyOfComment, publishRequest } from "./notices.ts";
import { buildRequestTarget, findVisibleRequest } from "./read-requests.ts";
import { lockVisibleRequest } from "./request-guards.ts";

/** Timeout of the automation server in a review, in milliseconds. */
const SERVER_MS = 5_000;
/** Upper bound of the approvers that a review names. */
const SHOWN_APPROVERS = 20;

/** The job template as the server has it now, or the reason why it cannot be read. */
async function readJobTemplate(ctx: Context, row: ShownRequest) {
	const { kind, automation_job_template_id: id } = row.template_snapshot as TemplateSnapshot;
	const found = await findServer(ctx, row.connection_id);
	if (!("target" in found)) return { template: null, problem: found.message };
	try {
		return { template: await ctx.automation.template(found.target, kind, id, SERVER_MS), problem: null };
	} catch (error) {
		if (!(error instanceof AutomationError)) throw error;
		const mask = await createLargeMask([found.target.token]);
		return { template: null, problem: `The automation server "${row.connection_name}": ${mask(error.message)}` };
	}
}

async function readDryRun(ctx: Context, row: ShownRequest): Promise<RequestReview["dry_run"]> {
	const found = await findDryRun(ctx.store.db, row);
	if (found === undefined) return null;
	return {
		request: found.id,
		title: found.title,
		status: found.status,
		automation_job_id: found.automation_job_id,
		finished_at: found.finished_at?.toISOString() ?? null,
		playbook_counts: { ok: found.ok_count, changed: found.changed_count, failed: found.failed_count },
		row_counts: found.row_counts,
		launch_error: found.launch_error,
	};
}

export async function listRequestHistory(
	ctx: Context,
	caller: Identity,
	id: string,
	query: RequestHistoryList,
	url: string,
) {
	await findVisibleRequest(ctx, caller, id);
	return paginateRows(url, query, await listRequestEvents(ctx.store.db, caller, id, query), presentEvent);
}

/** @throws 404 for a version that there is not, or that was too large to be stored */
export async function readRequestVersion(
	ctx: Context,
	caller: Identity,
	id: string,
	version: number,
): Promise<RequestVersionContent> {
	const row = await findVisibleRequest(ctx, caller, id);
	if (version === row.version) return { version, ...describeVersion(row) } as RequestVersionContent;
	const found = await findSupersededVersion(ctx.store.db, id, version);
	if (found === undefined) throw buildNotFoundError("The request has no such version.");
	if (found === null) throw buildNotFoundError(`The rows of version ${version} were too large to be stored.`);
	return { version, ...(found as VersionContent) } as RequestVersionContent;
}

/** @throws 403, 404, 409 */
export async function addRequestComment(
	ctx: Context,
	caller: Caller,
	id: string,
	text: string,
): Promise<RequestHistoryEntry> {
	return ctx.store.transaction(async (tx) => {
		const row = await lockVisibleRequest(tx, caller, id);
		const isRequester = row.requested_by_id === caller.userId;
		if (!isRequesterOrAdmin(caller, row) && !canDecideRequest(caller, row)) {
			throw buildForbiddenError("Only the requester and those who decide may comment.");
		}
		if ((await countRequestComments(tx.db, id)) >= REQUEST_HISTORY_LIMITS.comments) {
			throw buildConflictError(`The request has ${REQUEST_HISTORY_LIMITS.comments} comments, and takes no more.`);
		}
		const comment = text.trim();
		const at = getNow(ctx);
		const { username } = caller;
		const { version, rows_digest: digest } = row;
		const entry = { requestId: id, at, username, action: "commented", version, digest, comment } as const;
		const added = await insertRequestEvent(tx, entry);
		await ctx.events.changed(tx, caller, {
			...buildRequestTarget(row),
			description: `${username} commented on the automation request "${row.title}"`,
			metadata: { comment },
		});
		const others = await listParticipants(tx.db, id, caller.userId);
		const readers = isRequester ? others : [...others, ...(row.requested_by_id ? [row.requested_by_id] : [])];
		await notifyOfComment(ctx, tx, row, { at, by: username, comment, readers: [...new Set(readers)] });
		publishRequest(ctx, tx, id);
		return presentEvent(added);
	});
}

/** Reads the names of those who decide on a request; no users once it is decided. */
async function readApprovers(
	ctx: Context,
	row: ShownRequest,
): Promise<Pick<RequestReview, "approver_groups" | "approvers">> {
	const { db } = ctx.store;
	const approver_groups = await listGroupNames(db, row.approver_group_ids);
	if (!allowsCause("request", row.status, "approve")) return { approver_groups, approvers: [] };
	const ids = (await listApprovers(db, row)).filter((id) => id !== row.edited_by_id);
	return { approver_groups, approvers: await listUsernames(db, ids, SHOWN_APPROVERS) };
}

/** Reads the job template from the server; an unreachable server is no error. */
export async function readRequestReview(ctx: Context, caller: Identity, id: string): Promise<RequestReview> {
	const row = await findVisibleRequest(ctx, caller, id);
	const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
	const content = readContent(ctx, row);
	const [{ template, problem }, dryRun, approvers] = await Promise.all([
		readJobTemplate(ctx, row),
		readDryRun(ctx, row),
		readApprovers(ctx, row),
	]);
	return {
		server: { id: row.connection_id, name: row.connection_name },
		job: {
			id: automation_job_template_id,
			kind,
			name: template?.name ?? null,
			url: buildJobTemplateUrl(row, kind, automation_job_template_id),
			playbook: template?.playbook ?? null,
			project: template?.project?.name ?? null,
			inventory: template?.inventory?.name ?? null,
			organization: template?.organization?.name ?? null,
			credentials: template?.credentials.map(({ name }) => name) ?? [],
		},
		constants: content.variables,
		prompts: content.prompts,
		fabric:
			row.target_controller_id === null ? null : { id: row.target_controller_id, name: row.target_controller_name },
		problem,
		...approvers,
		dry_run: dryRun,
	};
}
