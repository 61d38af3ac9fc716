/** `weft change finish` and `weft change recheck`: the verdict of a change window. */
import type { ChangeWindow } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import { requireDuration } from "../../times.ts";
import { noteNextCommand } from "./open-window.ts";
import { awaitVerdict, chooseExit, describeVerdict } from "./verdict.ts";
import { addVerdictOptions, type VerdictOptions } from "./window-options.ts";
import { findWindow, formatWindowName, NOUN } from "./windows.ts";

interface FinishOptions extends VerdictOptions {
	readonly now?: true | undefined;
}

const CODES = "Ends with 0 if the change passed, with 1 if it failed, and with 5 if the verdict is inconclusive.";

export const registerChangeFinish: Register = (program, run) => {
	const noun = getNoun(program, "change", NOUN);
	const finish = addVerdictOptions(
		noun
			.command("finish")
			.description(`Say that the work has ended, wait until the fabric has settled, and print the report. ${CODES}`)
			.argument("<window>", "ticket or id"),
	)
		.option("--now", "judge the next round, settled or not")
		.action(run(finishChange));
	addExamples(finish, "weft change finish CHG0031337 --wait 20m --report report/");
	const recheck = addVerdictOptions(
		noun
			.command("recheck")
			.description(`Take the rounds after the work of a judged window again, and print the new report. ${CODES}`)
			.argument("<window>", "ticket or id"),
	).action(run(recheckChange));
	addExamples(recheck, "weft change recheck CHG0031337");
};

async function finishChange(context: Context, name: string, options: FinishOptions): Promise<void> {
	const waitMs = requireDuration("--wait", options.wait);
	const client = await context.client();
	const window = await findWindow(client, name);
	noteNextCommand(context, client, Promise.resolve(window));
	await endWork(client, window, { now: options.now === true });
	requirePassed(await awaitVerdict(context, client, window.id, { ...options, waitMs }), options);
}

/**
 * Ends the work of a window, unless it settles or has its verdict already.
 * @param end.exitCode of the command that did the work
 */
export async function endWork(
	client: WeftClient,
	window: ChangeWindow,
	{ now, exitCode }: { readonly now: boolean; readonly exitCode?: number },
): Promise<void> {
	const { id, state } = window;
	const body = { now, ...(exitCode === undefined ? {} : { exit_code: exitCode }) };
	if (state === "judged" || state === "closed" || (state === "settling" && !now)) return;
	if (state !== "open" && state !== "settling")
		throw buildInputError(`${formatWindowName(window)} (${id}) is ${state}: only an open window can be finished.`);
	await client.call(changeWindowRoutes.finish, { params: { id }, body });
}

async function recheckChange(context: Context, name: string, options: VerdictOptions): Promise<void> {
	const waitMs = requireDuration("--wait", options.wait);
	const client = await context.client();
	const { id } = await findWindow(client, name);
	noteNextCommand(context, client, Promise.resolve({ id }));
	await client.call(changeWindowRoutes.recheck, { params: { id } });
	requirePassed(await awaitVerdict(context, client, id, { ...options, waitMs }), options);
}

/** @throws CliError with the code of a verdict that has not passed */
function requirePassed(window: ChangeWindow, { failOnWarning }: Pick<VerdictOptions, "failOnWarning">): void {
	const code = chooseExit(window, failOnWarning === true);
	if (code !== EXIT.ok) throw new CliError(code, describeVerdict(window));
}
