/** Refuses changes of fabrics during a freeze, unless the caller overrides it. */
import type { FreezeOverride, FreezeRef } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import { type Identity, isAllowed } from "../../core/caller.ts";
import { buildConflictError, buildForbiddenError } from "../../core/errors.ts";
import type { Db } from "../../core/ports/store.ts";
import { type Freeze, findFreeze } from "./find-freeze.ts";

/** A freeze that the caller overrode, for the audit log. */
export interface OverriddenFreeze {
	readonly id: string;
	readonly title: string;
	readonly reason: string;
}

export const presentFreeze = ({ id, title, endsAt }: Freeze): FreezeRef => ({
	id,
	title,
	ends_at: endsAt.toISOString(),
});

/** Returns the comment of a launch; empty if no freeze was overridden. */
export const describeOverride = (overridden: OverriddenFreeze | null): string =>
	overridden === null ? "" : `Launched during the freeze "${overridden.title}": ${overridden.reason}`;

/**
 * Returns the freeze that the caller overrides; null if none is on.
 * @param connectionIds null if the change may be of any connection: then each freeze counts
 * @throws 409 during a freeze, 403 for an override without the permission
 */
export async function passFreeze(
	ctx: Context,
	db: Db,
	caller: Identity,
	connectionIds: readonly string[] | null,
	override: FreezeOverride,
): Promise<OverriddenFreeze | null> {
	if (override !== undefined && !isAllowed(caller, "override_freeze")) {
		throw buildForbiddenError("You need the permission override_freeze to do this during a freeze.");
	}
	const freeze = await findFreeze(db, connectionIds, getNow(ctx));
	if (freeze === null) return null;
	const { id, title } = freeze;
	if (override !== undefined) return { id, title, reason: override.reason };
	const shown = presentFreeze(freeze);
	throw buildConflictError(
		`The freeze "${title}" refuses changes until ${shown.ends_at}. Wait for its end, or ask a person with the ` +
			"permission override_freeze.",
		{ freeze: shown },
	);
}
