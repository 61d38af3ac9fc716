/**
 * Processor time of inputs of n, 2n and 4n, beside the time that the same bytes take in JSON.parse
 * or a plain loop. It complements the counted work (test/security/growth.test.ts), which does not
 * see regular expressions, compression and other code of the engine.
 */
import { allRoutes } from "@weft/contracts";
import { writeXlsx } from "hucre/xlsx";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTables } from "../../src/areas/automation/templates/workers/spreadsheets.ts";
import { queryFileTasks } from "../../src/areas/files/workers/tasks.ts";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { createInlinePool } from "../support/inline-pool.ts";
import { createWorld, NEEDS_MORE, VALID_CALLS, type World } from "../support/valid-calls.ts";

/** Four times the input takes four times the time, sixteen times if it is quadratic. */
const RATIO_MAX = 9;
/** Milliseconds of timers, statements and garbage collection. */
const NOISE_MS = 40;
const ROUNDS = 3;
const ROWS_MAX = 200_000;
/** Characters of a text that is sent to every route. */
const SIZE = 16_000;

let t: TestApp;
let user: TestUser;
let world: World;
beforeAll(async () => {
	t = await startTestApp({ deps: { queryFilePool: createInlinePool(queryFileTasks) } });
	world = await createWorld(t);
	user = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

const buildLines = (n: number, line: (i: number) => string): string =>
	Array.from({ length: n }, (_, i) => line(i)).join("");

/** The smallest processor time of several rounds, in milliseconds. */
async function measureTime(work: () => unknown): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const before = process.cpuUsage();
		await work();
		const { user: own, system } = process.cpuUsage(before);
		times.push((own + system) / 1_000);
	}
	return Math.min(...times);
}

/** A plain reader of the same bytes: each character once. */
function readPlainly(input: string | Uint8Array): number {
	let sum = 0;
	for (let at = 0; at < input.length; at++) sum += typeof input === "string" ? input.charCodeAt(at) : (input[at] ?? 0);
	return sum;
}

interface Input<Content> {
	build(n: number): Content | Promise<Content>;
	read(content: Content): unknown;
	/** The content for the baseline. */
	bytes(content: Content): string | Uint8Array;
}

async function expectProportion<Content>(
	name: string,
	n: number,
	{ build, read, bytes }: Input<Content>,
): Promise<void> {
	const times: number[] = [];
	const plain: number[] = [];
	for (const size of [n, 2 * n, 4 * n]) {
		const content = await build(size);
		times.push(await measureTime(() => read(content)));
		plain.push(await measureTime(() => readPlainly(bytes(content))));
	}
	const show = (list: readonly number[]) => list.map((ms) => ms.toFixed(1)).join(", ");
	process.stdout.write(`${name}: ${show(times)} ms at n, 2n and 4n; a plain reader: ${show(plain)} ms\n`);
	const [one = 0, , four = 0] = times;
	expect(four, `${name}: ${show(times)} ms`).toBeLessThan(RATIO_MAX * one + NOISE_MS);
}

/** A body that is sent to a route. */
const buildBodyInput = (path: string, build: (n: number) => unknown): Input<string> => ({
	build: (n) => JSON.stringify(build(n)),
	async read(body) {
		const answer = await user.api.send("POST", path, body, { "content-type": "application/json" });
		expect([500, 503, 504], answer.text.slice(0, 300)).not.toContain(answer.status);
	},
	bytes: (body) => body,
});

/** A file whose tables are read; a refused one takes its time, too. */
const buildFileInput = (build: (n: number) => Uint8Array | Promise<Uint8Array>): Input<Uint8Array> => ({
	build,
	read: (bytes) => readTables(bytes, ROWS_MAX).catch((error: unknown) => error),
	bytes: (bytes) => bytes,
});
const buildCsvInput = (build: (n: number) => string) => buildFileInput((n) => Buffer.from(build(n)));
const buildXlsxInput = (rows: (n: number) => unknown[][]) =>
	buildFileInput(async (n) => writeXlsx({ sheets: [{ name: "Rows", rows: rows(n) as string[][] }] }));

const IMPORT = "/api/queries/import-requests/";
const VALIDATE = "/api/queries/validate-files/";
const query = "kind: query\nname: a\n";
const buildYamlInput = (build: (n: number) => string) =>
	buildBodyInput(VALIDATE, (n) => ({ files: [{ path: "queries/a.yaml", content: build(n) }] }));

describe("processor time grows in proportion", () => {
	it.each<[string, number, Input<string>]>([
		["lines of a text with requests", 125, buildBodyInput(IMPORT, (n) => ({ text: "moquery -c fvBD\n".repeat(n) }))],
		["spaces of a text", 60_000, buildBodyInput(IMPORT, (n) => ({ text: `moquery -c fvBD${" ".repeat(n)}` }))],
		["quotes of a text", 60_000, buildBodyInput(IMPORT, (n) => ({ text: `moquery ${'"'.repeat(n)}` }))],
		["backslashes of a text", 60_000, buildBodyInput(IMPORT, (n) => ({ text: `moquery ${"\\".repeat(n)}` }))],
		["keys of a YAML file", 10_000, buildYamlInput((n) => query + buildLines(n, (i) => `k${i}: 1\n`))],
		["items of a YAML list", 10_000, buildYamlInput((n) => `${query}tags:\n${buildLines(n, (i) => `  - t${i}\n`)}`)],
		["spaces of a YAML file", 200_000, buildYamlInput((n) => `${query}description: a${" ".repeat(n)}b\n`)],
		["quotes of a YAML text", 200_000, buildYamlInput((n) => `${query}description: "${'\\"'.repeat(n)}"\n`)],
		["digits of a YAML number", 200_000, buildYamlInput((n) => `${query}name: ${"0".repeat(n)}x\n`)],
	])("to %s", (name, n, input) => expectProportion(name, n, input));

	it.each<[string, number, Input<Uint8Array>]>([
		["rows of a CSV", 40_000, buildCsvInput((n) => `a,b\n${buildLines(n, (i) => `${i},x\n`)}`)],
		["columns of a CSV", 10_000, buildCsvInput((n) => `${buildLines(n, (i) => `c${i},`)}z\n1\n`)],
		["quotes of a CSV", 200_000, buildCsvInput((n) => `a\n"${'""'.repeat(n)}"\n`)],
		["an open quote of a CSV", 200_000, buildCsvInput((n) => `a\n${'"x\n'.repeat(n)}`)],
		["empty lines of a CSV", 200_000, buildCsvInput((n) => `a\n${"\n".repeat(n)}`)],
		[
			"rows of a workbook",
			2_000,
			buildXlsxInput((n) => [["a", "b"], ...Array.from({ length: n }, (_, i) => [i, `x${i}`])]),
		],
		["columns of a workbook", 1_500, buildXlsxInput((n) => [Array.from({ length: n }, (_, i) => `c${i}`), ["1"]])],
	])("to %s", (name, n, input) => expectProportion(name, n, input));
});

/** The body with each of its texts replaced. */
function replaceTexts(value: unknown, text: string): unknown {
	if (typeof value === "string") return text;
	if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, replaceTexts(field, text)]));
}

describe("processor time of every route with a body", () => {
	const writable = allRoutes.filter(({ id, body }) => body && NEEDS_MORE[id] === undefined);

	it.each([
		["digits", "0", "x"],
		["spaces", " ", "x"],
		["backslashes", "\\", ""],
		["quotes", '"', ""],
		["brackets", "[", ""],
		["line ends", "\n", "x"],
		["slashes", "/", "x"],
		["letters", "a", "!"],
	])(
		"grows in proportion to texts of %s",
		(_, pump, end) =>
			expectOfEachRoute(writable, async (route) => {
				const call = await VALID_CALLS[route.id]?.(world);
				if (call === undefined) throw new Error("has no valid call");
				const api = { admin: t.admin.api, user: world.user.api, nobody: t.anonymous }[call.as];
				const send = (size: number) => {
					const body = JSON.stringify(replaceTexts(call.body, pump.repeat(size) + end));
					return measureTime(() => api.send(route.method, call.path, body, { "content-type": "application/json" }));
				};
				const [one, four] = [await send(SIZE), await send(4 * SIZE)];
				expect(four, `${one} ms, with four times the text ${four} ms`).toBeLessThan(RATIO_MAX * one + NOISE_MS);
			}),
		ALL_ROUTES_TIMEOUT_MS,
	);
});
