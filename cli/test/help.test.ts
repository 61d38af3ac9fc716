/** Every command has a help text with an example, and completions know every command. */
import { execFileSync, spawnSync } from "node:child_process";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { registerAll } from "../src/commands/index.ts";
import { createProgram, type Run } from "../src/frame.ts";
import { BIN } from "./support/cli.ts";

const runWeft = (...args: string[]): string => execFileSync(process.execPath, [BIN, ...args], { encoding: "utf8" });

/** The words that call each command, and its help text. */
function* iterateHelp(command: CommandUnknownOpts, path: readonly string[] = []): Generator<readonly [string, string]> {
	let text = "";
	command.configureOutput({
		writeOut: (part) => {
			text += part;
		},
	});
	command.outputHelp();
	yield [path.join(" "), text];
	for (const below of command.commands) yield* iterateHelp(below, [...path, below.name()]);
}

function readEveryHelp(): (readonly [string, string])[] {
	const program = createProgram("0.0.0", {});
	const run: Run = () => async () => {};
	registerAll(program, run);
	return [...iterateHelp(program)];
}

describe("help", () => {
	it("has an example for every command that calls it", () => {
		const all = readEveryHelp();
		expect(all.map(([name]) => name)).toContain("connection add");
		for (const [name, text] of all) {
			const [, examples = ""] = text.split("\nExamples:\n");
			const calls = examples.split("\n").filter((line) => line.includes(`weft ${name}`.trimEnd()));
			expect(calls.length, `${name}: ${text}`).toBeGreaterThan(0);
		}
	});

	it("is printed by the program, and named after an error", () => {
		const known = new Map(readEveryHelp());
		expect(runWeft("connection", "add", "--help")).toBe(known.get("connection add"));
		const { status, stderr } = spawnSync(process.execPath, [BIN, "query", "rum"], { encoding: "utf8" });
		expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining("Did you mean run?") });
	});
});

describe("completions", () => {
	it("offer commands, options and values", () => {
		const words = (...given: string[]): string[] =>
			runWeft("completion", "words", "--", ...given)
				.trim()
				.split("\n");
		expect(words()).toEqual(expect.arrayContaining(["connection", "login", "--format", "--help"]));
		expect(words("connection")).toEqual(expect.arrayContaining(["list", "test", "add"]));
		expect(words("connection", "list", "--format")).toEqual(["table", "json", "csv", "ndjson", "junit", "yaml"]);
		expect(words("connection", "add")).toContain("--password-stdin");
	});

	it("work in bash, and are there for zsh and fish", () => {
		const script = [
			`weft() { "${process.execPath}" "${BIN}" "$@"; }`,
			runWeft("completion", "bash"),
			'COMP_WORDS=(weft connection te); COMP_CWORD=2; _weft; echo "$' + '{COMPREPLY[*]}"',
		].join("\n");
		expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("test\n");
		expect(runWeft("completion", "zsh")).toContain("#compdef weft");
		expect(runWeft("completion", "fish")).toContain("complete -c weft");
	});
});
