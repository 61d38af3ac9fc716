/** Deciding on requests: approve, reject. */
import type { AutomationRequestDetail } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { conflict, forbidden } from "../../platform/errors.ts";
import { type Move, mayMove, refusal } from "./domain/moves.ts";
import { decides } from "./policy.ts";
import type { ShownRequest } from "./repo.ts";
import { about, type RequestDeps, type Requests } from "./service.ts";

export type DecideDeps = Pick<RequestDeps, "store" | "clock" | "events" | "requests" | "notices"> & {
	readonly service: Pick<Requests, "locked" | "show">;
};

export function createDecisions({ store, clock, events, requests, notices, service }: DecideDeps) {
	function mustDecide(caller: Caller, row: ShownRequest, move: Move): void {
		if (!decides(caller, row)) {
			throw forbidden(
				row.requested_by_id === caller.userId
					? "Nobody decides on what they asked for themselves."
					: "You are not among those who decide on this request.",
			);
		}
		if (!mayMove(row.status, move)) throw conflict(refusal(row.status, move), { status: row.status });
	}

	async function decide(
		caller: Caller,
		id: string,
		approved: boolean,
		words: string,
	): Promise<AutomationRequestDetail> {
		return store.transaction(async (tx) => {
			const row = await service.locked(tx, caller, id);
			mustDecide(caller, row, approved ? "approve" : "reject");
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
		approve: (caller: Caller, id: string, comment: string) => decide(caller, id, true, comment.trim()),
		reject: (caller: Caller, id: string, reason: string) => decide(caller, id, false, reason.trim()),
	};
}
export type Decisions = ReturnType<typeof createDecisions>;
