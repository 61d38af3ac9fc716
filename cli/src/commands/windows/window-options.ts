/** Options of the commands that make a change window. */
import type { Command, OptionValues } from "@commander-js/extra-typings";
import { appendValue } from "../../frame.ts";

/** Adds the options to a command. */
export const addWindowOptions = <Arguments extends unknown[], Options extends OptionValues>(
	command: Command<Arguments, Options>,
) =>
	command
		.option("--connection <name>", "connection that is changed; may be given several times", appendValue, [])
		.option("--group <name>", "group whose present connections are changed; likewise", appendValue, [])
		.option("--title <text>", "title; the plan with the ticket where it is absent")
		.option("--ticket-url <address>", "address of the ticket")
		.option("--implementer <user>", "controller user whose changes are not foreign; likewise", appendValue, [])
		.option("--expect <file>", "YAML list of the expected changes; likewise", appendValue, [])
		.option("--expect-plan <file>", "output of terraform show -json; likewise", appendValue, []);
