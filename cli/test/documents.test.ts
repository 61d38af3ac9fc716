/** Every call of the command line in a document is one that the program takes. */
import { relative } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { expect, it } from "vitest";
import { documents, getCalls, getText, root } from "../../server/test/support/documents.ts";
import { registerAll } from "../src/commands/index.ts";
import { createProgram } from "../src/frame.ts";

const program: CommandUnknownOpts = createProgram("0.0.0", {});
registerAll(program as never, () => async () => {});

/** What the program does not know of a call; null: nothing. */
function findUnknown(words: readonly string[]): string | null {
	let command = program;
	const known = new Set(["--help", "--version", "-h", "-"]);
	const learn = () => {
		for (const { long, short } of command.options) for (const name of [long, short]) if (name) known.add(name);
	};
	learn();
	for (const word of words) {
		// Behind -- stands a command of another program.
		if (word === "COMMAND" || word === "--") return null;
		const next = command.commands.find((one) => one.name() === word);
		if (next !== undefined) command = next;
		else if (command.commands.length > 0 && !word.startsWith("-")) return word;
		learn();
		const [option = ""] = word.split("=");
		if (option.startsWith("-") && !known.has(option)) return option;
	}
	return null;
}

it("knows the commands and options that documents name", () => {
	// Those who contribute read of the program's parts.
	const read = documents.filter((path) => !path.endsWith("CONTRIBUTING.md"));
	const calls = read.flatMap((path) => getCalls(getText(path), "weft").map((words) => ({ path, words })));
	expect(calls.length).toBeGreaterThan(80);
	expect(findUnknown(["query", "run", "tenants", "--conection", "fab-1"])).toBe("--conection");
	expect(findUnknown(["query", "rum"])).toBe("rum");
	const wrong = calls.flatMap(({ path, words }) => {
		const unknown = findUnknown(words);
		return unknown === null ? [] : [`${relative(root, path)}: weft ${words.join(" ")}: ${unknown}`];
	});
	expect(wrong).toEqual([]);
});
