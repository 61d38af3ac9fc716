/** Creates requests: from a body, or as the copy or the rollback of another request. */
import {
	type AutomationRequestCreate,
	type AutomationRequestDetail,
	type AutomationWarning,
	automationRequestCreate,
	type InputData,
	type InputSource,
	type LaunchPromptValues,
} from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller, Identity } from "../../../../core/caller.ts";
import { buildConflictError, buildFieldError } from "../../../../core/errors.ts";
import { markUnchanged } from "../../../../core/events.ts";
import { findBrokenUnique, type Tx } from "../../../../core/ports/store.ts";
import { readApprovalRules } from "../../connections/approval.ts";
import { isApprovalRequired } from "../../connections/rules/approval-rules.ts";
import type { PlanContent } from "../../tables.ts";
import {
	countTemplateRequest,
	findShownTemplate,
	lockTemplate,
	type ShownTemplate,
} from "../../templates/sql/templates.ts";
import { presentDetail } from "../present.ts";
import type { FirstRequestStatus } from "../rules/states.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import {
	findRequestIdByKey,
	findRequestRow,
	insertRequest,
	insertWindowRollback,
	KEY,
	type RequestRow,
} from "../sql/requests.ts";
import { buildChangeColumns, type ChosenChange, chooseChange } from "./choose-change.ts";
import { buildRowColumns, buildSnapshot } from "./content.ts";
import {
	assertCheckMode,
	checkInputRows,
	chooseLaunchConnection,
	mergeAllowedPrompts,
	readLaunchTime,
	requireController,
	requireSnapshotQuery,
} from "./input-checks.ts";
import { notifyApprovers } from "./notices.ts";
import { buildRequestTarget, findVisibleRequest, readRequestDetail } from "./read-requests.ts";
import { readSourceRows } from "./row-source.ts";

/** The content of a new request, whatever its origin. */
export interface NewRequest {
	readonly template: ShownTemplate;
	readonly title: string;
	readonly description: string;
	readonly connection: { readonly id: string; readonly name: string };
	readonly target: { readonly id: string | null; readonly name: string };
	readonly input: InputData;
	readonly source: InputSource | null;
	readonly credentialId: number | null;
	readonly credentialName: string;
	readonly checkMode: boolean;
	readonly scheduledFor: Date | null;
	readonly watchQueryId: string | null;
	readonly change: ChosenChange;
	readonly idempotencyKey: string | null;
	readonly prompts: LaunchPromptValues;
	readonly warnings: readonly AutomationWarning[];
	readonly rollback: {
		readonly of: string;
		readonly job: number | null;
		/** The change window whose verdict asks for it, which then waits for approval. */
		readonly windowId?: string;
	} | null;
	/** The request of which it is a copy or the rollback; null for a new one. */
	readonly origin: (Pick<RequestRow, "id" | "version" | "rows_digest"> & { readonly isRolledBack: boolean }) | null;
}

export const TO_APPROVAL = { status: "awaiting_approval", requires_approval: true } as const;

export async function requireTemplate(ctx: Context, identity: Identity, id: string): Promise<ShownTemplate> {
	const template = await findShownTemplate(ctx.store.db, identity, id);
	if (template === undefined) throw buildFieldError("template", "There is no such template that you can see.");
	return template;
}

/** Whether the template, the plan or the server requires approval, and the status that follows. */
export async function findApproval(
	tx: Tx,
	template: ShownTemplate,
	connectionId: string,
	plan: PlanContent | null | undefined,
) {
	const requires_approval =
		template.requires_approval ||
		plan?.requires_approval === true ||
		isApprovalRequired(await readApprovalRules(tx.db), connectionId, template.server_template_id);
	const status: FirstRequestStatus = requires_approval ? "awaiting_approval" : "pending";
	return { requires_approval, status };
}

/** Writes it, with all that follows from it. */
export async function makeRequest(
	ctx: Context,
	caller: Caller,
	input: NewRequest,
	what: string,
): Promise<AutomationRequestDetail> {
	const { template } = input;
	assertCheckMode(template, input.checkMode);
	const checked = await checkInputRows(ctx, caller, template, input.input);
	const snapshot = buildSnapshot(template, checked, input.rollback ? { rollback_of_job: input.rollback.job } : {});
	return ctx.store.transaction(async (tx) => {
		await ctx.quotas.check(caller, "can_use_automation", tx);
		await ctx.quotas.check(caller, "automation_requests_daily", tx);
		// A template that was changed meanwhile is not the one that the rows were checked against.
		const current = await lockTemplate(tx, template.id);
		if (current === undefined || current.updated_at.getTime() !== template.updated_at.getTime()) {
			throw buildConflictError("The template was changed at the same time. Try again.");
		}
		const id = ctx.ids.uuid();
		const at = getNow(ctx);
		const found = await findApproval(tx, template, input.connection.id, input.change.plan?.content);
		const { status, requires_approval } = input.rollback?.windowId === undefined ? found : TO_APPROVAL;
		const stored = buildRowColumns(ctx, id, snapshot, checked.rows);
		await insertRequest(tx, {
			id,
			title: input.title,
			description: input.description,
			status,
			template_id: template.id,
			template_name: template.name,
			template_snapshot: JSON.stringify(snapshot),
			connection_id: input.connection.id,
			connection_name: input.connection.name,
			target_controller_id: input.target.id,
			target_controller_name: input.target.name,
			credential_id: input.credentialId,
			credential_name: input.credentialName,
			...stored,
			check_mode: input.checkMode,
			input_source: input.source === null ? null : JSON.stringify(input.source),
			watch_query_id: input.watchQueryId,
			...buildChangeColumns(ctx, input.change, {
				queryId: input.watchQueryId,
				target: input.target.id,
				isDeclared: template.expects.length > 0,
			}),
			rollback_window_id: input.rollback?.windowId ?? null,
			scheduled_for: input.scheduledFor,
			idempotency_key: input.idempotencyKey,
			prompts: JSON.stringify(input.prompts),
			warnings: JSON.stringify(input.warnings),
			requires_approval,
			approver_group_ids: template.approver_groups,
			requested_by_id: caller.userId,
			requested_by: caller.username,
			requested_at: at,
			rollback_of: input.rollback?.of ?? null,
			created_at: at,
			updated_at: at,
		});
		if (input.rollback?.windowId !== undefined)
			await insertWindowRollback(tx, input.rollback.of, input.rollback.windowId);
		await countTemplateRequest(tx, template.id);
		const { username } = caller;
		const digest = stored.rows_digest;
		const created = { requestId: id, at, username, version: 1, digest, relatedId: input.origin?.id ?? null };
		await insertRequestEvent(tx, { ...created, action: "created" });
		if (input.origin?.isRolledBack) {
			const { id: requestId, version, rows_digest } = input.origin;
			const entry = { requestId, at, username, version, digest: rows_digest, relatedId: id };
			await insertRequestEvent(tx, { ...entry, action: "rolled_back" });
		}
		await ctx.events.changed(tx, caller, {
			...buildRequestTarget({ id }),
			description: `${caller.username} ${what} "${input.title}" with the template "${template.name}"`,
			metadata: {
				template: template.id,
				rows: checked.result.row_count,
				check_mode: input.checkMode,
				status,
				digest,
				...(input.source ? { input_source: input.source.type } : {}),
				...(input.rollback ? { rollback_of: input.rollback.of } : {}),
			},
		});
		const row = await findRequestRow(tx.db, id);
		if (row && status === "awaiting_approval") await notifyApprovers(ctx, tx, row);
		return readRequestDetail(tx, caller, id);
	});
}

async function findRequestByKey(
	ctx: Context,
	caller: Caller,
	key: string | null | undefined,
): Promise<AutomationRequestDetail | null> {
	if (key === null || key === undefined) return null;
	const id = await findRequestIdByKey(ctx.store.db, caller.userId, key);
	return id === undefined ? null : presentDetail(await findVisibleRequest(ctx, caller, id), caller);
}

/** `isNew` is false if the user has already sent a request with this key. */
export async function createRequest(ctx: Context, caller: Caller, input: AutomationRequestCreate, signal: AbortSignal) {
	const known = await findRequestByKey(ctx, caller, input.idempotency_key);
	if (known !== null) {
		markUnchanged(caller);
		return { isNew: false, request: known };
	}
	const template = await requireTemplate(ctx, caller, input.template);
	const source = input.input_source ?? null;
	const rows = source && (await readSourceRows(ctx, caller, template, source, input.input_data, signal));
	const target = await requireController(ctx, caller, input.target_controller);
	const wanted: NewRequest = {
		template,
		title: input.title,
		description: input.description,
		input: rows ?? input.input_data,
		source,
		connection: await chooseLaunchConnection(ctx, caller, template, input.automation_connection),
		target,
		watchQueryId: await requireSnapshotQuery(ctx, caller, input.watch_query_id, target.id),
		change: await chooseChange(ctx, caller, input, target.id),
		credentialId: input.automation_credential_id ?? null,
		credentialName: input.automation_credential_name,
		checkMode: input.check_mode,
		scheduledFor: readLaunchTime(ctx, input.scheduled_for),
		idempotencyKey: input.idempotency_key ?? null,
		prompts: mergeAllowedPrompts(template, {}, input),
		warnings: warnUnknown(input, automationRequestCreate.shape),
		rollback: null,
		origin: null,
	};
	try {
		return { isNew: true, request: await makeRequest(ctx, caller, wanted, "asked for") };
	} catch (error) {
		// A concurrent call with the same key has made the request.
		const same = findBrokenUnique(error) === KEY ? await findRequestByKey(ctx, caller, input.idempotency_key) : null;
		if (same === null) throw error;
		markUnchanged(caller);
		return { isNew: false, request: same };
	}
}

/** Unknown fields that a warning names. */
const NAMED_FIELDS = 10;

/** Names the fields of a body that its schema does not have: they are ignored. */
export function warnUnknown(body: Readonly<Record<string, unknown>>, schema: object): AutomationWarning[] {
	const names = Object.keys(body).filter((name) => !Object.hasOwn(schema, name));
	if (names.length === 0) return [];
	const shown = names.slice(0, NAMED_FIELDS).map((name) => name.slice(0, 100).toWellFormed());
	const rest = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
	return [
		{
			code: "unknown_fields",
			message: `A request does not have these fields, which were ignored: ${shown.join(", ")}${rest}.`,
		},
	];
}
