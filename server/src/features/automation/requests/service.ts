/** Automation requests: list, one, create, change. */
import {
	type AutomationRequestCreate,
	type AutomationRequestDetail,
	type AutomationRequestList,
	type AutomationRequestPatch,
	type AutomationWarning,
	automationRequestCreate,
	automationRequestPatch,
	type InputData,
	type InputSource,
	type LaunchPromptValues,
	REQUEST_HISTORY_LIMITS,
	type RequestStatus,
} from "@weft/contracts";
import type { Caller, Identity } from "../../../platform/caller.ts";
import { buildConflictError, invalidField, notFound } from "../../../platform/errors.ts";
import { markUnchanged } from "../../../platform/events.ts";
import { paginateRows } from "../../../platform/http/paging.ts";
import { brokenUnique, type Tx } from "../../../ports/store.ts";
import { readApprovalRules } from "../connections/index.ts";
import type { ShownTemplate } from "../templates/index.ts";
import type { InputChecks } from "./checking.ts";
import { describeVersion, getSecrets, getSnapshot, storedRows, type TemplateSnapshot, wholeRows } from "./content.ts";
import type { RequestDependencies } from "./dependencies.ts";
import { type ComparedVersion, listChanges } from "./domain/changes.ts";
import { restoreMasked, shapeInput } from "./domain/content.ts";
import { canTransition, explainRefusedTransition } from "./domain/transitions.ts";
import type { Notices } from "./notices.ts";
import { canEdit } from "./policy.ts";
import { presentDetail, presentRequest } from "./present.ts";
import {
	findRequestIdByKey,
	findRequestRow,
	findShownRequest,
	insertRequest,
	KEY,
	listRequestPage,
	type RequestRow,
	type ShownRequest,
	updateRequest,
} from "./repo.ts";
import { insertRequestEvent } from "./repo-events.ts";
import type { Sourcing } from "./sourcing.ts";
import type { RequestState } from "./state.ts";

export type RequestDeps = RequestDependencies & {
	readonly checks: InputChecks;
	readonly rowsFrom: Sourcing;
	readonly notices: Notices;
	readonly state: RequestState;
};

export const buildRequestTarget = ({ id }: { readonly id: string }) => ({
	targetType: "automation_request",
	targetId: id,
});

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
	readonly idempotencyKey: string | null;
	readonly prompts: LaunchPromptValues;
	readonly warnings: readonly AutomationWarning[];
	readonly rollback: { readonly of: string; readonly job: number | null } | null;
}

/** Changes that an audit entry lists; the history has more of them. */
const AUDITED_CHANGES = 50;
const TO_APPROVAL = { status: "awaiting_approval", requires_approval: true } as const;
const NOT_REJECTED = {
	rejected_by: null,
	rejected_at: null,
	rejection_reason: null,
	changes_requested: false,
	finished_at: null,
} as const;

export function createRequests(deps: RequestDeps) {
	const { store, clock, ids, secrets, events, quotas, templates, checks, notices } = deps;
	const now = () => new Date(clock.now());

	async function findVisibleRequest(identity: Identity, id: string): Promise<ShownRequest> {
		const row = await findShownRequest(store.db, identity, id);
		if (row === undefined) throw notFound();
		return row;
	}

	async function readRequestDetail(tx: Tx, identity: Identity, id: string): Promise<AutomationRequestDetail> {
		const row = await findShownRequest(tx.db, identity, id);
		if (row === undefined) throw notFound();
		return presentDetail(row, identity);
	}

	async function requireTemplate(identity: Identity, id: string): Promise<ShownTemplate> {
		const template = await templates.find(identity, id);
		if (template === null) throw invalidField("template", "There is no such template that you can see.");
		return template;
	}

	/** Whether the template or the server requires approval, and the status that follows. */
	async function findApproval(tx: Tx, template: ShownTemplate, connectionId: string) {
		const requires_approval =
			template.requires_approval ||
			(await readApprovalRules(tx.db)).isRequired(connectionId, template.server_template_id);
		const status: RequestStatus = requires_approval ? "awaiting_approval" : "pending";
		return { requires_approval, status };
	}

	/** Writes it, with all that follows from it. */
	async function createRequest(caller: Caller, input: NewRequest, what: string): Promise<AutomationRequestDetail> {
		const { template } = input;
		checks.checkMode(template, input.checkMode);
		const checked = await checks.rows(caller, template, input.input);
		const snapshot = getSnapshot(template, checked, input.rollback ? { rollback_of_job: input.rollback.job } : {});
		return store.transaction(async (tx) => {
			await quotas.check(caller, "can_use_automation", tx);
			await quotas.check(caller, "automation_requests_daily", tx);
			// A template that was changed meanwhile is not the one that the rows were checked against.
			const current = await templates.lock(tx, template.id);
			if (current === undefined || current.updated_at.getTime() !== template.updated_at.getTime()) {
				throw buildConflictError("The template was changed at the same time. Try again.");
			}
			const id = ids.uuid();
			const at = now();
			const { status, requires_approval } = await findApproval(tx, template, input.connection.id);
			const stored = storedRows(id, snapshot, checked.rows, secrets);
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
				scheduled_for: input.scheduledFor,
				idempotency_key: input.idempotencyKey,
				prompts: JSON.stringify(input.prompts),
				warnings: JSON.stringify(input.warnings),
				requires_approval,
				approver_group_ids: template.approver_groups,
				requested_by_id: caller.userId,
				edited_by_id: null,
				requested_by: caller.username,
				requested_at: at,
				rollback_of: input.rollback?.of ?? null,
				created_at: at,
				updated_at: at,
				approved_by: null,
				approved_at: null,
				approval_comment: null,
				automation_job_id: null,
				rejected_by: null,
				rejected_at: null,
				rejection_reason: null,
				launch_error: null,
				started_at: null,
				finished_at: null,
			});
			await templates.count(tx, template.id);
			const { username } = caller;
			const digest = stored.rows_digest;
			await insertRequestEvent(tx, { requestId: id, at, username, action: "created", version: 1, digest });
			await events.changed(tx, caller, {
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
			if (row && status === "awaiting_approval") await notices.approvalNeeded(tx, row);
			return readRequestDetail(tx, caller, id);
		});
	}

	async function findRequestByKey(
		caller: Caller,
		key: string | null | undefined,
	): Promise<AutomationRequestDetail | null> {
		if (key === null || key === undefined) return null;
		const id = await findRequestIdByKey(store.db, caller.userId, key);
		return id === undefined ? null : presentDetail(await findVisibleRequest(caller, id), caller);
	}

	/**
	 * What a change makes of the rows: those that are given, or those that are stored, checked
	 * against the template of now.
	 */
	async function changedRows(caller: Caller, row: RequestRow, template: ShownTemplate, input: InputData | undefined) {
		const before = row.template_snapshot as TemplateSnapshot;
		const stored = { sheets: before.columns, secrets: getSecrets(row, secrets) };
		const given =
			input === undefined
				? shapeInput(before.columns, wholeRows(row, secrets))
				: restoreMasked(before.columns, input, stored);
		const checked = await checks.rows(caller, template, given);
		const rollback = before.rollback_of_job === undefined ? {} : { rollback_of_job: before.rollback_of_job };
		const snapshot = getSnapshot(template, checked, rollback);
		return { ...storedRows(row.id, snapshot, checked.rows, secrets), template_snapshot: JSON.stringify(snapshot) };
	}

	const toCompare = (row: RequestRow): ComparedVersion => ({
		content: describeVersion(row),
		sheets: (row.template_snapshot as TemplateSnapshot).columns,
		secrets: getSecrets(row, secrets),
	});

	/** Adds the change to the history; returns the metadata of its audit entry. */
	async function recordChange(tx: Tx, caller: Caller, before: RequestRow, after: RequestRow) {
		const [old, now] = [toCompare(before), toCompare(after)];
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

	return {
		visible: findVisibleRequest,
		show: readRequestDetail,
		make: createRequest,
		requireTemplate,

		async list(caller: Identity, filter: AutomationRequestList, url: string) {
			const page = await listRequestPage(store.db, caller, filter);
			return paginateRows(url, filter, page, (row) => presentRequest(row, caller));
		},

		async detail(caller: Identity, id: string): Promise<AutomationRequestDetail> {
			return presentDetail(await findVisibleRequest(caller, id), caller);
		},

		/** `made` is false where the same user had asked with the same key before. */
		async create(caller: Caller, input: AutomationRequestCreate, signal: AbortSignal) {
			const known = await findRequestByKey(caller, input.idempotency_key);
			if (known !== null) {
				markUnchanged(caller);
				return { made: false, request: known };
			}
			const template = await requireTemplate(caller, input.template);
			const source = input.input_source ?? null;
			const rows = source && (await deps.rowsFrom(caller, template, source, input.input_data, signal));
			const target = await checks.target(caller, input.target_controller);
			const wanted: NewRequest = {
				template,
				title: input.title,
				description: input.description,
				input: rows ?? input.input_data,
				source,
				connection: await checks.connection(caller, template, input.automation_connection),
				target,
				watchQueryId: await checks.watch(caller, input.watch_query_id, target.id),
				credentialId: input.automation_credential_id ?? null,
				credentialName: input.automation_credential_name,
				checkMode: input.check_mode,
				scheduledFor: checks.scheduledFor(input.scheduled_for),
				idempotencyKey: input.idempotency_key ?? null,
				prompts: checks.prompts(template, {}, input),
				warnings: warnUnknown(input, automationRequestCreate.shape),
				rollback: null,
			};
			try {
				return { made: true, request: await createRequest(caller, wanted, "asked for") };
			} catch (error) {
				// A concurrent call with the same key has made the request.
				const same = brokenUnique(error) === KEY ? await findRequestByKey(caller, input.idempotency_key) : null;
				if (same === null) throw error;
				markUnchanged(caller);
				return { made: false, request: same };
			}
		},

		/**
		 * Whatever changes, the request is checked against the template of now, and waits for approval
		 * again.
		 * @param readAt `updated_at` of the request that the caller read; null if it is not known
		 */
		async update(
			caller: Caller,
			id: string,
			input: AutomationRequestPatch,
			readAt: Date | null,
		): Promise<AutomationRequestDetail> {
			const before = await findVisibleRequest(caller, id);
			deps.state.assertOwner(caller, before);
			deps.state.assertRead(before, readAt);
			if (!canTransition(before.status, "edit"))
				throw buildConflictError(explainRefusedTransition(before.status, "edit"), { status: before.status });
			if (before.version >= REQUEST_HISTORY_LIMITS.versions) {
				throw buildConflictError(`The request has ${before.version} versions, and takes no more. Make a copy of it.`);
			}
			const known = Object.keys(automationRequestPatch.shape).filter((name) => name !== "updated_at");
			const names = known.filter((name) => input[name] !== undefined);
			if (names.length === 0) {
				markUnchanged(caller);
				return presentDetail(before, caller);
			}
			const template = before.template_id === null ? null : await deps.anyTemplate(store.db, before.template_id);
			if (template === null) throw buildConflictError("The template does not exist any more.");
			checks.checkMode(template, input.check_mode ?? before.check_mode);
			const prompts = checks.prompts(template, before.prompts, input);
			const rows = await changedRows(caller, before, template, input.input_data);
			const connection = input.automation_connection
				? await checks.connection(caller, template, input.automation_connection)
				: null;
			const target =
				input.target_controller === undefined ? null : await checks.target(caller, input.target_controller);
			const targetId = target === null ? before.target_controller_id : target.id;
			const watch =
				input.watch_query_id === undefined
					? null
					: { watch_query_id: await checks.watch(caller, input.watch_query_id, targetId) };
			const scheduled =
				input.scheduled_for === undefined ? null : { scheduled_for: checks.scheduledFor(input.scheduled_for) };
			return store.transaction(async (tx) => {
				const row = await deps.state.lockVisible(tx, caller, id);
				if (!canEdit(caller, row))
					throw buildConflictError(explainRefusedTransition(row.status, "edit"), { status: row.status });
				if (row.updated_at.getTime() !== before.updated_at.getTime()) {
					throw buildConflictError("The request was changed at the same time. Try again.");
				}
				const approval = await findApproval(tx, template, connection?.id ?? row.connection_id);
				// Nobody gets around the approver who rejected it.
				const { status, requires_approval } = row.status === "rejected" ? TO_APPROVAL : approval;
				await updateRequest(tx, id, {
					...(row.status === "rejected" ? NOT_REJECTED : {}),
					version: row.version + 1,
					prompts: JSON.stringify(prompts),
					...rows,
					...(input.input_data === undefined ? {} : { input_source: null }),
					status,
					requires_approval,
					approver_group_ids: template.approver_groups,
					template_name: template.name,
					edited_by_id: caller.userId,
					// Later than before, so that who decides on the version of before is refused.
					updated_at: new Date(Math.max(clock.now(), row.updated_at.getTime() + 1)),
					...(input.title === undefined ? {} : { title: input.title }),
					...(input.description === undefined ? {} : { description: input.description }),
					...(input.check_mode === undefined ? {} : { check_mode: input.check_mode }),
					...(input.automation_credential_id === undefined ? {} : { credential_id: input.automation_credential_id }),
					...(input.automation_credential_name === undefined
						? {}
						: { credential_name: input.automation_credential_name }),
					...(connection ? { connection_id: connection.id, connection_name: connection.name } : {}),
					...(target ? { target_controller_id: target.id, target_controller_name: target.name } : {}),
					...scheduled,
					...watch,
				});
				await deps.state.warn(tx, id, warnUnknown(input, automationRequestPatch.shape));
				const changed = await findRequestRow(tx.db, id);
				if (changed === undefined) throw notFound();
				const recorded = await recordChange(tx, caller, row, changed);
				await events.changed(tx, caller, {
					...buildRequestTarget(row),
					description: `${caller.username} changed the automation request "${input.title ?? row.title}"`,
					metadata: { fields: names, status, ...recorded },
				});
				notices.tell(tx, id);
				if (status === "awaiting_approval" && row.status !== status) await notices.approvalNeeded(tx, changed);
				return readRequestDetail(tx, caller, id);
			});
		},
	};
}
export type Requests = ReturnType<typeof createRequests>;

/** Unknown fields that a warning names. */
const NAMED_FIELDS = 10;

/** Names the fields of a body that its schema does not have: they are ignored. */
function warnUnknown(body: Readonly<Record<string, unknown>>, schema: object): AutomationWarning[] {
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
