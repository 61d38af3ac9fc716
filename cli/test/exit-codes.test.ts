/** Exit codes that all commands share: 2, 3 and 4. */
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { registerAll } from "../src/commands/index.ts";
import { createProgram, type Run } from "../src/frame.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
/** Commands that need no service, or none that is signed in to. */
const LOCAL = ["login", "logout", "completion", "mcp"];
/** A folder with a file that could be applied. */
const FOLDER = join(import.meta.dirname, "fixtures/queries-as-code");
/** Arguments and options without which a command ends before it asks the service. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
	"calendar add": [...["x", "--kind", "freeze", "--from", "2026-01-01T00:00Z", "--to", "2026-01-02T00:00Z", "--all"]],
	"calendar import": ["https://calendar.example.com/a.ics", "--kind", "freeze", "--all"],
	"connection add": ["fab-1", "https://apic.example.com", "--username", "ada", "--password-stdin"],
	"snapshot compare": ["before", "after"],
	"check run": ["--all"],
	"check mute": ["check", "--end"],
	"schedule add": ["query", "--connection", "fab-1", "--every", "daily"],
	"change start": ["plan", "--connection", "fab-1", "--ticket", "CHG1"],
	"change run": ["plan", "true", "--connection", "fab-1", "--ticket", "CHG1"],
	"query validate": [FOLDER],
	"query apply": [FOLDER],
	"query from-url": ["/api/class/fvTenant.json"],
};
/** Commands at the same time. */
const AT_ONCE = 4;

function* listLeafCommands(command: CommandUnknownOpts, path: readonly string[] = []): Generator<readonly string[]> {
	for (const below of command.commands) {
		const name = [...path, below.name()];
		if (below.commands.length > 0) yield* listLeafCommands(below, name);
		else if (!LOCAL.includes(name.join(" "))) yield [...name, ...(GIVEN[name.join(" ")] ?? listNeeded(below))];
	}
}

/** Something for every argument and option that a command requires. */
function listNeeded({ registeredArguments, options }: CommandUnknownOpts): string[] {
	const names = registeredArguments.filter(({ required }) => required).map((_, i) => `name-${i}`);
	return [...names, ...options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? "", "text"])];
}

function listCalls(): (readonly string[])[] {
	const program = createProgram("0.0.0", {});
	const run: Run = () => async () => {};
	registerAll(program, run);
	return [...listLeafCommands(program)];
}

/** The exit code and standard output of every call, by the call. */
async function listEnds(environment: Record<string, string>, ...more: string[]): Promise<Record<string, unknown>> {
	const waiting = listCalls();
	const ends: Record<string, unknown> = {};
	const work = async () => {
		for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
			const { code, stdout, stderr } = await cli.run([...call, ...more], { environment, stdin: "secret" });
			expect(stderr, call.join(" ")).not.toContain("    at ");
			ends[call.join(" ")] = [code, stdout];
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return ends;
}
const buildExpectedResults = (code: number) =>
	Object.fromEntries(listCalls().map((call) => [call.join(" "), [code, ""]]));

describe("every command", () => {
	it("ends with 3 with a refused token", async () => {
		expect(Object.keys(buildExpectedResults(3)).length).toBeGreaterThan(15);
		expect(await listEnds({ WEFT_URL: cli.url, WEFT_TOKEN: "refused" })).toEqual(buildExpectedResults(3));
	});

	it("ends with 4 where there is no Weft", async () => {
		expect(await listEnds({ WEFT_URL: "http://127.0.0.1:9", WEFT_TOKEN: "x" })).toEqual(buildExpectedResults(4));
	});

	it("ends with 2 for an unknown option", async () => {
		expect(await listEnds({}, "--no-such-option")).toEqual(buildExpectedResults(2));
	});
});

describe("settings that were copied wrongly", () => {
	const list = (environment: Record<string, string>) => cli.run(["query", "list"], { environment });

	it("end with 3 for a token with an invisible character, which is named and the token is not", async () => {
		const { code, stderr } = await list({ WEFT_URL: cli.url, WEFT_TOKEN: "weft_pat_secret\u200b_part" });
		expect([code, stderr]).toEqual([
			3,
			"weft: WEFT_TOKEN has a zero width space (U+200B) as character 16 of 21, which no token has. Copy the token again.\n",
		]);
	});

	it("end with 2 for an address with /api, and name the right one", async () => {
		const { code, stderr } = await list({ WEFT_URL: "https://weft.example.com/api/", WEFT_TOKEN: "x" });
		expect([code, stderr]).toEqual([
			2,
			'weft: "https://weft.example.com/api/" ends in /api, which weft adds. Give https://weft.example.com instead.\n',
		]);
	});
});
