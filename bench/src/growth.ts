/**
 * Processor time of the service for hostile inputs of n, 2n and 4n. Baseline: `JSON.parse` of the
 * same bodies in the same run. Four times the input takes four times the time, sixteen times if it
 * is quadratic.
 */
import { PASSWORD, printFigure, readTreeCpu, startService } from "./tools.ts";

/** The most that four times the input may take, in times of n. */
const GOAL = 9;
/** Milliseconds of other work of the service, such as timers. */
const NOISE_MS = 60;
const ROUNDS = 3;

const buildLines = (n: number, line: (i: number) => string): string =>
	Array.from({ length: n }, (_, i) => line(i)).join("");
const buildQueryFile = (lines: string) => ({
	files: [{ path: "queries/a.yaml", content: `kind: query\nname: a\n${lines}` }],
});
const IMPORT = "/api/queries/import-requests/";
const VALIDATE = "/api/queries/validate-files/";

const INPUTS: readonly (readonly [name: string, path: string, n: number, build: (n: number) => unknown])[] = [
	["import: lines", IMPORT, 125, (n) => ({ text: "moquery -c fvBD\n".repeat(n) })],
	["import: words", IMPORT, 4_000, (n) => ({ text: `moquery ${"a ".repeat(n)}` })],
	[
		"import: a long name of a folder",
		IMPORT,
		75_000,
		(n) => ({ collection: { item: [{ name: "x".repeat(n), item: [] }] } }),
	],
	["query file: keys", VALIDATE, 10_000, (n) => buildQueryFile(buildLines(n, (i) => `k${i}: 1\n`))],
	[
		"query file: items of a list",
		VALIDATE,
		10_000,
		(n) => buildQueryFile(`tags:\n${buildLines(n, (i) => `  - t${i}\n`)}`),
	],
	["query file: quotes", VALIDATE, 100_000, (n) => buildQueryFile(`description: "${'\\"'.repeat(n)}"\n`)],
];

const service = await startService();
const { pid } = service.process;
if (pid === undefined) throw new Error("the service has no process id");
const login = await postJson("/api/auth/login/", { username: "admin", password: PASSWORD });
const authorization = `Bearer ${((await login.json()) as { access: string }).access}`;

async function postJson(path: string, body: unknown, more: Record<string, string> = {}): Promise<Response> {
	const headers = { "content-type": "application/json", ...more };
	return fetch(service.url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function measureServiceTime(path: string, body: unknown): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const before = readTreeCpu(pid ?? 0);
		const answer = await postJson(path, body, { authorization });
		await answer.arrayBuffer();
		times.push(readTreeCpu(pid ?? 0) - before);
	}
	return Math.min(...times);
}

function parseTime(body: unknown): number {
	const text = JSON.stringify(body);
	const { user, system } = process.cpuUsage();
	JSON.parse(text);
	const after = process.cpuUsage();
	return (after.user + after.system - user - system) / 1_000;
}

for (const [name, path, n, build] of INPUTS) {
	const times: number[] = [];
	const plain: number[] = [];
	for (const size of [n, 2 * n, 4 * n]) {
		const body = build(size);
		times.push(await measureServiceTime(path, body));
		plain.push(parseTime(body));
	}
	const [one = 0, , four = 0] = times;
	const isMet = four <= GOAL * one + NOISE_MS;
	const show = (list: readonly number[]) => list.map((ms) => ms.toFixed(1)).join(" / ");
	printFigure(name, `${show(times)} ms`, {
		met: isMet,
		text: `4n at most ${GOAL} times n; JSON.parse: ${show(plain)} ms`,
	});
	if (!isMet) process.exitCode = 1;
}
await service.stop();
