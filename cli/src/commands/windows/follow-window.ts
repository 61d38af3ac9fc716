/** Waiting for a change window: for its gate, and for its verdict. */
import type { ChangeWindow, WindowState } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { computeNextPause, FIRST_PAUSE_MS, retryRead } from "../runs/runs.ts";
import { formatWindowName, readWindow } from "./windows.ts";

/**
 * Waits while the window is in one of the states, for `waitMs` milliseconds at the longest.
 * @returns the window at the end of the wait
 */
export async function awaitWindow(
	context: Context,
	client: WeftClient,
	id: string,
	{ states, waitMs }: { readonly states: readonly WindowState[]; readonly waitMs: number },
): Promise<ChangeWindow> {
	const { clock } = context;
	const deadline = clock.now() + waitMs;
	let noted = "";
	for (let pause = FIRST_PAUSE_MS; ; pause = computeNextPause(pause)) {
		const window = await retryRead(context, () => readWindow(client, id));
		const left = deadline - clock.now();
		if (!states.includes(window.state) || left <= 0) return window;
		const line = `${formatWindowName(window)}: ${describeStep(window)}`;
		if (noted === line) context.progress(`${line} …`);
		else context.note(`${line}.`);
		noted = line;
		await clock.sleep(Math.min(pause, left));
	}
}

function describeStep({ state, phases }: ChangeWindow): string {
	if (state === "settling" && phases.after !== null) return `round ${phases.after.round} after the work`;
	return state.replaceAll("_", " ");
}
