/** `weft change run`: a command of the user within a change window. */
import type { Context, EndedProgram } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import { requireDuration } from "../../times.ts";
import { endWork } from "./change-finish.ts";
import { createWindow, noteNextCommand, openWindow, type WindowOptions } from "./open-window.ts";
import { awaitVerdict, chooseExit, describeVerdict } from "./verdict.ts";
import { addVerdictOptions, addWindowOptions, type VerdictOptions } from "./window-options.ts";
import { findWindow, NOUN } from "./windows.ts";

interface RunOptions extends WindowOptions, VerdictOptions {
	readonly gateWait: string;
}

/** Greatest exit code that a report has. */
const CODE_MAX = 255;

export const registerChangeRun: Register = (program, run) => {
	const command = getNoun(program, "change", NOUN)
		.command("run")
		.description(
			"Open a change window, run a command, and print the report. The command is not started where the window is " +
				"blocked. Ends with 0 if the command ended with 0 and the change passed, else with 1.",
		)
		.argument("<plan>", "name or id of the change plan")
		.argument("<command...>", "command with its arguments, after --");
	const start = addVerdictOptions(addWindowOptions(command))
		.requiredOption("--ticket <number>", "ticket of the change")
		.option("--gate-wait <time>", "longest wait for the gate, such as 90s, 20m or 2h", "10m")
		.action(run(runChange));
	addExamples(
		start,
		'weft change run "New bridge domains" --connection fab-1 --ticket CHG0031337 -- ansible-playbook site.yml',
	);
};

async function runChange(context: Context, plan: string, words: readonly string[], options: RunOptions): Promise<void> {
	const { gateWait, overrideFreeze } = options;
	const gate = { wait: gateWait, waitMs: requireDuration("--gate-wait", gateWait), overrideFreeze };
	const waitMs = requireDuration("--wait", options.wait);
	const client = await context.client();
	const made = createWindow(context, client, plan, options);
	let isInterrupted = false;
	let running: Promise<unknown> = Promise.resolve();
	// A terminal sends Ctrl-C to the command, too. Its end is awaited.
	context.onInterrupt(async () => {
		isInterrupted = true;
		await running;
	});
	noteNextCommand(context, client, made);
	const window = await openWindow(context, client, await made, gate);
	context.note(`Change window ${window.id} is open.`);
	const [command = "", ...args] = words;
	const launched = context.launch(command, args);
	running = launched;
	const ended = await launched;
	if (isInterrupted) throw new CliError(EXIT.interrupted);
	const line = describeEnd(command, ended);
	context.note(line);
	const exitCode = Math.min(ended.code, CODE_MAX);
	await endWork(client, await findWindow(client, window.id), { now: false, exitCode });
	const judged = await awaitVerdict(context, client, window.id, { ...options, waitMs, lateExit: EXIT.finding });
	const hasPassed = chooseExit(judged, options.failOnWarning === true) === EXIT.ok;
	if (!hasPassed || ended.code !== 0) throw new CliError(EXIT.finding, `${line}\n${describeVerdict(judged)}`);
}

const describeEnd = (command: string, { code, problem }: EndedProgram): string =>
	`The command ${command} ended with ${code}.${problem === null ? "" : ` ${problem}`}`;
