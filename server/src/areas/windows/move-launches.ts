/** The launches that wait for a change window follow its state, in the transaction of its step. */
import type { WindowState } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import {
	cancelWindowLaunches,
	markWindowLaunches,
	releaseWindowLaunches,
} from "../automation/jobs/launch/held-launch.ts";

/** Call it with the window locked, after its state has changed. */
export async function moveLaunches(
	ctx: Context,
	tx: Tx,
	window: { readonly id: string; readonly title: string },
	state: WindowState,
): Promise<void> {
	const name = `The change window "${window.title}"`;
	switch (state) {
		case "checking_before":
			return markWindowLaunches(ctx, tx, window.id, "waiting_before");
		case "blocked":
			return markWindowLaunches(ctx, tx, window.id, "blocked");
		case "open":
			return releaseWindowLaunches(ctx, tx, window.id);
		case "cancelled":
			return cancelWindowLaunches(ctx, tx, window.id, `${name} was cancelled. Nothing was sent.`);
		case "expired":
			return cancelWindowLaunches(ctx, tx, window.id, `${name} expired before it opened. Nothing was sent.`);
	}
}
