/** Options of the commands that make a change window, or await its verdict. */
import type { Command, OptionValues } from "@commander-js/extra-typings";
import { appendValue, type ExtendedCommand } from "../../frame.ts";
import type { WindowOptions } from "./open-window.ts";

/** Adds the options of a new window to a command. */
export function addWindowOptions<Arguments extends unknown[], Options extends OptionValues>(
	command: Command<Arguments, Options>,
): ExtendedCommand<Arguments, Options, Omit<WindowOptions, "ticket">> {
	command
		.option("--connection <name>", "connection that is changed; may be given several times", appendValue, [])
		.option("--group <name>", "group whose present connections are changed; likewise", appendValue, [])
		.option("--title <text>", "title; the plan with the ticket where it is absent")
		.option("--ticket-url <address>", "address of the ticket")
		.option("--implementer <user>", "controller user whose changes are not foreign; likewise", appendValue, [])
		.option("--expect <file>", "YAML list of the expected changes; likewise", appendValue, [])
		.option("--override-freeze <reason>", "start during a freeze, for the reason; needs the permission override_freeze")
		.option("--expect-plan <file>", "output of terraform show -json; likewise", appendValue, []);
	return command as ExtendedCommand<Arguments, Options, Omit<WindowOptions, "ticket">>;
}

export interface VerdictOptions {
	readonly wait: string;
	readonly report?: string | undefined;
	readonly failOnWarning?: true | undefined;
}

/** Adds the options of the wait for a verdict to a command. */
export function addVerdictOptions<Arguments extends unknown[], Options extends OptionValues>(
	command: Command<Arguments, Options>,
): ExtendedCommand<Arguments, Options, VerdictOptions> {
	command
		.option("--wait <time>", "longest wait for the verdict, such as 90s, 20m or 2h", "20m")
		.option("--report <folder>", "folder for report.html, report.md, report.json and junit.xml")
		.option("--fail-on-warning", "end with 1 for the verdict passed_with_warnings, too");
	return command as ExtendedCommand<Arguments, Options, VerdictOptions>;
}
