/** Approval that belongs to an automation server: no template can switch it off. */
import { type Context, getNow } from "../../../context.ts";
import { buildForbiddenError } from "../../../core/errors.ts";
import type { Db } from "../../../core/ports/store.ts";
import { type ApprovalRow, type ApprovalRules, buildApprovalRules, readHost } from "./rules/approval-rules.ts";

export async function readApprovalRules(db: Db): Promise<ApprovalRules> {
	const columns = ["id", "base_url", "approval", "free_job_template_ids"] as const;
	return buildApprovalRules(await db.selectFrom("automation_connections").select(columns).execute());
}

/** The fields of a create or change that concern approval; an absent one was not given. */
type ApprovalFields = Readonly<Record<string, unknown>>;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * @param before the row that changes; null for a new one
 * @throws 403 if a caller who is no administrator sets or weakens the approval of a server
 */
export function assertApprovalRight(
	caller: { readonly isAdmin: boolean },
	given: ApprovalFields,
	before: ApprovalRow | null,
): void {
	if (caller.isAdmin) return;
	const { approval, free_job_template_ids: free } = before ?? { approval: "by_template", free_job_template_ids: [] };
	const changes = !isSame(given.approval ?? approval, approval) || !isSame(given.free_job_template_ids ?? free, free);
	if (changes)
		throw buildForbiddenError("Only administrators write approval and free_job_template_ids of a connection.");
	if (before === null || given.base_url === undefined) return;
	if (readHost(String(given.base_url)) !== readHost(before.base_url)) assertRemovable(caller, before);
}

/** @throws 403 unless the caller may take the rule of this connection away from its server */
export function assertRemovable(caller: { readonly isAdmin: boolean }, { approval }: ApprovalRow): void {
	if (caller.isAdmin || approval !== "always") return;
	throw buildForbiddenError(
		"Launches through this connection always need approval: only administrators delete it or move it to another host.",
	);
}

/** Tells administrators, once for each connection, that it leaves approval to templates. */
export async function reportOpenConnections(ctx: Context): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const rows = await tx.db
			.updateTable("automation_connections")
			.set({ approval_reported_at: getNow(ctx) })
			.where("approval", "=", "by_template")
			.where("approval_reported_at", "is", null)
			.returning(["id", "name", "base_url"])
			.execute();
		for (const { id, name, base_url } of rows) {
			await ctx.events.emit(tx, {
				type: "notification_due",
				audience: "administrators",
				category: "system",
				severity: "warning",
				title: `Launches through "${name}" need no approval`.slice(0, 300),
				body:
					`The authors of templates decide whether jobs on ${base_url} need approval. Set approval to always on the ` +
					"connection, and list in free_job_template_ids the job templates that need no approval.",
				link: `/api/automation/connections/${id}/`,
				facts: { event: "approval_not_required", objects: [{ kind: "automation_connection", id, name }] },
				key: `approval_by_template:${id}`,
			});
		}
	});
}
