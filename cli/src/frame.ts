/** What all commands share: global options, nouns, and the way from arguments to a context. */
import { Command, type CommandUnknownOpts, Option, type OptionValues } from "@commander-js/extra-typings";
import type { Context } from "./context.ts";
import { FORMATS, type Format } from "./output.ts";

export interface GlobalOptions {
	readonly format: Format;
	readonly quiet: boolean;
	readonly url?: string | undefined;
	readonly profile: string;
	readonly color: boolean;
}

/** Gives a handler of a command its context. */
export type Run = <Args extends unknown[]>(
	handler: (context: Context, ...args: Args) => Promise<void>,
) => (...args: Args) => Promise<void>;

/** Adds commands to the program. */
export type Register = (program: CommandUnknownOpts, run: Run) => void;

export function createProgram(version: string, environment: Readonly<Record<string, string | undefined>>) {
	const program = new Command("weft")
		.description("Query controllers, keep and compare snapshots, and run schedules with Weft.")
		.version(version)
		.addOption(new Option("--format <format>", "format of standard output").choices(FORMATS).default("table" as const))
		.option("--quiet", "no progress and no notes on standard error", false)
		.addOption(new Option("--url <url>", "address of Weft; before WEFT_URL and the profile's address"))
		.option("--profile <name>", "profile of weft login; before WEFT_PROFILE", environment.WEFT_PROFILE || "default")
		.option("--no-color", "no colours on a terminal")
		.helpCommand("help [command]", "show the help of a command")
		.showHelpAfterError("Run the command with --help for its options and an example.");
	addExamples(
		program,
		"weft login --url https://weft.example.com --username ada",
		"weft query run tenants --connection fab-1",
	);
	return program;
}

/** The command that groups others, made by the first that needs it. */
export function getNoun(program: CommandUnknownOpts, name: string, description: string): CommandUnknownOpts {
	const known = program.commands.find((command) => command.name() === name);
	if (known !== undefined) return known;
	return program.command(name).description(description).helpCommand(false) as unknown as CommandUnknownOpts;
}

/** Lines with which a user can begin, at the end of the command's help. */
export function addExamples(command: CommandUnknownOpts, ...lines: readonly string[]): void {
	command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`);
}

/**
 * A command with the options of another type besides its own. Functions that add options to any
 * command return it: the type that is inferred from their calls grows sixfold with each option.
 */
export type ExtendedCommand<Arguments extends unknown[], Options extends OptionValues, Added> = Command<
	Arguments,
	Options & { [Name in keyof Added]: Added[Name] }
>;

/** For an option that may be given several times. */
export const appendValue = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];
