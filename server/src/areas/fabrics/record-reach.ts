/** Records whether runs reach the controllers of a connection. */
import { type Context, getNow } from "../../context.ts";
import type { ControllerTarget } from "../../integrations/apic/port.ts";
import type { Reach } from "./rules/reach.ts";
import { updateReach } from "./sql/reach.ts";

/** A failure to write it does not matter to the run: the next run of the connection writes it. */
export async function recordReach(
	ctx: Context,
	{ id, revision }: Pick<ControllerTarget, "id" | "revision">,
	reach: Reach,
): Promise<void> {
	await updateReach(ctx.store.db, { id, revision: Number(revision) }, reach, getNow(ctx)).catch((error: unknown) =>
		ctx.log.warn({ err: error, connectionId: id }, "the state of a connection could not be stored"),
	);
}
