/** `weft change start`: opens a change window. */
import type { ChangeWindow } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { buildInputError, CliError } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import { requireDuration } from "../../times.ts";
import { createWindow, noteNextCommand, openWindow, type WindowOptions } from "./open-window.ts";
import { addWindowOptions } from "./window-options.ts";
import { findWindow, NOUN, readWindow, WINDOW_DETAIL } from "./windows.ts";

interface StartOptions extends Omit<WindowOptions, "ticket"> {
	readonly ticket?: string | undefined;
	readonly window?: string | undefined;
	readonly wait: string;
}

export const registerChangeStart: Register = (program, run) => {
	const start = addWindowOptions(
		getNoun(program, "change", NOUN)
			.command("start")
			.description(
				"Make a change window of a plan, take the round before the work, and wait until the window is open. Prints " +
					"its id. Ends with 1 if the window is blocked or awaits approval.",
			)
			.argument("[plan]", "name or id of the change plan"),
	)
		.option("--ticket <number>", "ticket of the change")
		.option("--window <window>", "start a planned window, or check a blocked one again; ticket or id")
		.option("--wait <time>", "longest wait for the gate, such as 90s, 20m or 2h", "10m")
		.action(run(startChange));
	addExamples(
		start,
		'weft change start "New bridge domains" --group production --ticket CHG0031337 --expect expected.yaml',
		"weft change start --window CHG0031337",
	);
};

async function startChange(context: Context, plan: string | undefined, options: StartOptions): Promise<void> {
	const { ticket, overrideFreeze } = options;
	const wait = { wait: options.wait, waitMs: requireDuration("--wait", options.wait), overrideFreeze };
	if ((plan === undefined) === (options.window === undefined))
		throw buildInputError("Give either a change plan, or a window with --window.");
	if (plan !== undefined && ticket === undefined) throw buildInputError("Give the ticket of the change with --ticket.");
	const client = await context.client();
	const made =
		plan !== undefined
			? createWindow(context, client, plan, { ...options, ticket: ticket ?? "" })
			: findWindow(client, options.window ?? "");
	noteNextCommand(context, client, made);
	const window = await made;
	try {
		await printStarted(context, await openWindow(context, client, window, wait));
	} catch (error) {
		if (error instanceof CliError) await printStarted(context, await readWindow(client, window.id));
		throw error;
	}
}

/** Prints the id alone in the format for readers, so that a shell can assign it to a variable. */
async function printStarted({ output }: Context, window: ChangeWindow): Promise<void> {
	if (output.format === "table") await output.sink.write(`${window.id}\n`);
	else await output.one(window, WINDOW_DETAIL);
}
