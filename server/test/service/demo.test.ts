/** `npm run demo`: on an empty folder, again over what the first one left, and anew. */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../support/harness.ts";
import { DEMO_DIST, run } from "../support/process.ts";

interface Login {
	readonly role: string;
	readonly username: string;
	readonly password: string;
}

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft demo "));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (args: string[]) => run("main", folder, { WEFT_PORT: "0" }, args, DEMO_DIST);
const memory = () => join(folder, "demo.json");
const loginsOf = async (): Promise<Login[]> => JSON.parse(await readFile(memory(), "utf8")).logins;

/** The output of a demo that ends after its story. */
async function tell(...args: string[]): Promise<string> {
	const { ended, output } = start(["--exit", ...args]);
	expect(await ended, output.stderr).toBe(0);
	expect(output.stderr).toBe("");
	return output.stdout;
}

/** Runs the demo to the end of its story, asks its service, and ends it as Ctrl-C does. */
async function meet<T>(ask: (url: string) => Promise<T>): Promise<T> {
	const { child, ended, output } = start([]);
	try {
		const url = await Promise.race([
			until("the demo is ready", () => /Open +(http:\S+?)\/\n/.exec(output.stdout)?.[1]),
			ended.then((code) => {
				throw new Error(`The demo ended with ${code}: ${output.stderr}`);
			}),
		]);
		for (const { username, password } of await loginsOf()) {
			expect(output.stdout).toContain(`${username} / ${password}`);
		}
		return await ask(url);
	} finally {
		child.kill("SIGINT");
		expect(await ended).toBe(0);
	}
}

async function json(url: string, token?: string, body?: unknown) {
	const response = await fetch(url, {
		headers: {
			"content-type": "application/json",
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
		},
		...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
	});
	expect(response.status, url).toBe(200);
	return response.json();
}

/** Ids of what a person sees, by the address of its list. */
async function idsOf(url: string, { username, password }: Login): Promise<Record<string, string[]>> {
	const { access } = await json(`${url}/api/auth/login/`, undefined, { username, password });
	const lists = ["queries/saved-queries", "queries/scheduled-tasks", "checks", "controller/connections"];
	const found = lists.map(async (list): Promise<[string, string[]]> => {
		const { results } = await json(`${url}/api/${list}/?page_size=200`, access);
		return [list, results.map(({ id }: { id: string }) => id).sort()];
	});
	return Object.fromEntries(await Promise.all(found));
}

const bridgeDomainOf = (number: number): RegExp =>
	new RegExp(` 2 added, 0 deleted, 0 modified\\n {5}\\+ uni/tn-Retail-01/BD-bd-demo-${number} {2}\\(by automation\\)`);

it("tells eight steps, from two fabrics to a change", async () => {
	const shown = await tell();
	expect([...shown.matchAll(/^ {2}(\d) {2}\S/gm)].map(([, number]) => number).join("")).toBe("12345678");
	expect(shown).toMatch(/The class model 5\.2\(1\) has 1\d{3} classes\./);
	expect(shown).toMatch(/\d+ objects; of \d+ DNs \d+ are in one fabric only/);
	expect(shown).toContain("14 executions, 14 successful");
	expect(shown).toMatch(/~ uni\/tn-\S+ {2}\(by (admin|operator|automation)\)/);
	expect(shown).toMatch(/failing {2}Every bridge domain routes \(\d+ violations\)/);
	expect(shown).toMatch(/error {4}As approved in the audit/);
	expect(shown).toMatch(/pending {2}No critical fault stays/);
	expect(shown).toMatch(/ok {7}There are bridge domains/);
	expect(shown).toMatch(/awaiting_approval {2}Bridge domains for the web shop/);
	expect(shown).toMatch(/successful {9}Bridge domains for the branch offices \(3 rows, by olga\)/);
	expect(shown).toMatch(bridgeDomainOf(1));
	expect((await stat(memory())).mode & 0o777).toBe(0o600);
});

it("goes on with the same data: ids, passwords and the state of the fabrics", async () => {
	const logins = await loginsOf();
	const [admin, , viewer] = logins as [Login, Login, Login];
	const first = await meet((url) => idsOf(url, viewer));
	expect(Object.values(first).map((ids) => ids.length)).toEqual([6, 1, 4, 2]);
	const again = await meet(async (url) => {
		expect((await json(`${url}/api/auth/health/`)).demo_logins).toEqual(logins);
		expect(await idsOf(url, admin)).toEqual(first);
		return idsOf(url, viewer);
	});
	expect(again).toEqual(first);
	expect(await loginsOf()).toEqual(logins);
	expect(await tell()).toMatch(bridgeDomainOf(4));
});

it("starts anew when asked to", async () => {
	const before = await loginsOf();
	expect(await tell("--reset")).toMatch(bridgeDomainOf(1));
	const after = await loginsOf();
	expect(after.map(({ role }) => role)).toEqual(["Admin", "Operator", "Viewer"]);
	for (const [at, { password }] of after.entries()) expect(password).not.toBe(before[at]?.password);
});

it("starts anew by itself when it was killed while it made its data", async () => {
	await rm(memory());
	const { child, ended, output } = start(["--exit"]);
	await until("it makes its data", () => output.stdout.includes("Makes a week of data"));
	child.kill("SIGKILL");
	await ended;
	const unfinished = await loginsOf();
	expect(await tell()).toMatch(bridgeDomainOf(1));
	expect(await loginsOf()).not.toEqual(unfinished);
});

it("ends with a sentence and the exit code 2 at an argument that it does not know", async () => {
	const { ended, output } = start(["--restart"]);
	expect(await ended).toBe(2);
	expect(output.stderr).toBe('The demo does not know the argument "--restart". It knows --exit and --reset.\n');
	expect(output.stdout).toBe("");
});
