/** Deciding on requests: approve, reject. */
import type { AutomationRequestDetail } from "@weft/contracts";
import type { Caller } from "../../../platform/caller.ts";
import { conflict, forbidden } from "../../../platform/errors.ts";
import { canTransition, refusal, type Transition } from "./domain/transitions.ts";
import { decides } from "./policy.ts";
import type { ShownRequest } from "./repo.ts";
import { about, type RequestDeps, type Requests } from "./service.ts";

export type DecideDeps = Pick<RequestDeps, "store" | "clock" | "events" | "requests" | "notices" | "state"> & {
	readonly service: Pick<Requests, "show">;
};

export function createDecisions({ store, clock, events, requests, notices, state, service }: DecideDeps) {
	function mustDecide(caller: Caller, row: ShownRequest, transition: Transition): void {
		if (!decides(caller, row)) {
			throw forbidden(
				row.requested_by_id === caller.userId
					? "You cannot decide on your own request. Ask another approver."
					: row.edited_by_id === caller.userId
						? "You changed this request last, so you cannot decide on it. Ask another approver."
						: "You are not among those who decide on this request.",
			);
		}
		if (!canTransition(row.status, transition)) throw conflict(refusal(row.status, transition), { status: row.status });
	}

	async function decide(
		caller: Caller,
		id: string,
		approved: boolean,
		words: string,
		readAt: Date | null,
	): Promise<AutomationRequestDetail> {
		return store.transaction(async (tx) => {
			const row = await state.lockVisible(tx, caller, id);
			mustDecide(caller, row, approved ? "approve" : "reject");
			state.assertRead(row, readAt);
			const at = new Date(clock.now());
			await requests.update(tx, id, {
				...(approved
					? { status: "approved", approved_by: caller.username, approved_at: at, approval_comment: words || null }
					: {
							status: "rejected",
							rejected_by: caller.username,
							rejected_at: at,
							rejection_reason: words,
							finished_at: at,
						}),
				updated_at: at,
			});
			await events.changed(tx, caller, {
				...about(row),
				description: `${caller.username} ${approved ? "approved" : "rejected"} the automation request "${row.title}" of ${row.requested_by}`,
				metadata: {
					...(approved ? { comment: words } : { reason: words }),
					rows: row.row_count,
					check_mode: row.check_mode,
				},
			});
			await notices.decided(tx, { ...row, updated_at: at }, caller.username, approved, words);
			notices.tell(tx, id);
			return service.show(tx, caller, id);
		});
	}

	return {
		/** `readAt`: `updated_at` of the request that the caller read; null if it is not known. */
		approve: (caller: Caller, id: string, comment: string, readAt: Date | null) =>
			decide(caller, id, true, comment.trim(), readAt),
		reject: (caller: Caller, id: string, reason: string, readAt: Date | null) =>
			decide(caller, id, false, reason.trim(), readAt),
	};
}
export type Decisions = ReturnType<typeof createDecisions>;
