/** Limits of a user's checks and baselines of one query: each run evaluates all of them. */
import { CHECK_LIMITS } from "@weft/contracts";
import { buildFieldError, buildRefusedError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { getBaseline } from "./preview-baselines.ts";
import { isSameJson } from "./rules/same-json.ts";
import type { CheckRow } from "./sql/checks.ts";
import { countQueryChecks, listQueryBaselines } from "./sql/checks.ts";

const CHECKS_PER_QUERY = 200;

/** @throws 400 where the owner has no room for another check of the query */
export async function assertCheckRoom(tx: Tx, queryId: string, ownerId: number): Promise<void> {
	if ((await countQueryChecks(tx, queryId, ownerId)) < CHECKS_PER_QUERY) return;
	throw buildRefusedError(
		`You have ${CHECKS_PER_QUERY} checks of the query, which is the limit. Delete one, or check another query.`,
	);
}

/** @throws 400 where the check would bring a baseline too many */
export async function assertBaselineRoom(
	tx: Tx,
	after: Pick<CheckRow, "type" | "config" | "saved_query_id">,
	ownerId: number,
	before: Pick<CheckRow, "id"> | null,
): Promise<void> {
	const baseline = getBaseline(after);
	if (baseline === null || baseline.kind === "previous") return;
	const others = await listQueryBaselines(tx, after.saved_query_id, ownerId, before?.id ?? null);
	if (others.length < CHECK_LIMITS.baselines || others.some((other) => isSameJson(other, baseline))) return;
	throw buildFieldError(
		"config.baseline",
		`Your checks of this query compare with ${others.length} different baselines, which is the limit. ` +
			"Use one of them, or change another check.",
	);
}
