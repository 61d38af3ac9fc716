/** Every command has a help text with an example, and completions know every command. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createProgram, type Run } from "../src/frame.ts";
import { BIN } from "./support/cli.ts";

interface CommandLike {
	name(): string;
	readonly commands: readonly CommandLike[];
}

const weft = (...args: string[]): string => execFileSync(process.execPath, [BIN, ...args], { encoding: "utf8" });

/** The words that call each command. */
function* pathsOf(command: CommandLike, path: readonly string[] = []): Generator<string[]> {
	yield [...path];
	for (const below of command.commands) yield* pathsOf(below, [...path, below.name()]);
}

async function everyPath(): Promise<string[][]> {
	const { registerAll } = await import("../src/commands/index.ts");
	const program = createProgram("0.0.0", {});
	const run: Run = () => async () => {};
	registerAll(program, run);
	return [...pathsOf(program)];
}

describe("help", () => {
	it("has an example for every command, which calls a command that there is", async () => {
		const paths = await everyPath();
		const known = new Set(paths.map((path) => path.join(" ")));
		expect(known).toContain("connection add");
		for (const path of paths) {
			const text = weft(...path, "--help");
			const [, ...examples] = text.split("\nExamples:\n").flatMap((part) => part.split("\n"));
			const calls = [...text.matchAll(/\bweft ((?:[a-z][\w-]* ?)+)/g)].map(([, words = ""]) => words.trim().split(" "));
			expect(examples.length, path.join(" ")).toBeGreaterThan(0);
			expect(text, path.join(" ")).toContain("\nExamples:\n  $ ");
			const isKnown = calls.some((words) => words.slice(0, path.length).join(" ") === path.join(" "));
			expect(isKnown, `${path.join(" ")}: ${text}`).toBe(true);
		}
	});
});

describe("completions", () => {
	it("offer commands, options and values", () => {
		const words = (...given: string[]): string[] =>
			weft("completion", "words", "--", ...given)
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
			weft("completion", "bash"),
			'COMP_WORDS=(weft connection te); COMP_CWORD=2; _weft; echo "$' + '{COMPREPLY[*]}"',
		].join("\n");
		expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("test\n");
		expect(weft("completion", "zsh")).toContain("#compdef weft");
		expect(weft("completion", "fish")).toContain("complete -c weft");
	});
});
