/** The first setup: steps that are done, and steps that an administrator skipped. */
import { SETUP_STEPS, type Setup, type SetupPatch } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { getStepState } from "./rules/setup.ts";
import { findSetupFacts, listSkippedSteps, setSkippedSteps } from "./sql.ts";

export async function readSetup(ctx: Context): Promise<Setup> {
	const { db } = ctx.store;
	const [facts, skipped] = await Promise.all([findSetupFacts(db), listSkippedSteps(db)]);
	const done = { ...facts, mail: ctx.mailer !== null };
	const steps = SETUP_STEPS.map((step) => ({ step, state: getStepState(done[step], skipped.includes(step)) }));
	return { steps, is_complete: steps.every(({ state }) => state !== "open") };
}

export async function changeSetup(ctx: Context, caller: Caller, { skipped }: SetupPatch): Promise<Setup> {
	await ctx.store.transaction(async (tx) => {
		const rows = [...new Set(skipped)].map((step) => ({
			step,
			skipped_by_id: caller.userId,
			skipped_at: getNow(ctx),
		}));
		await setSkippedSteps(tx, rows);
		await ctx.events.changed(tx, caller, {
			targetType: "setup",
			targetId: 1,
			description: `${caller.username} set the skipped steps of the first setup to: ${skipped.join(", ") || "none"}`,
			metadata: { skipped },
		});
	});
	return readSetup(ctx);
}
