/** `npm run demo` again over the data of the first one, and anew. */
import { rm } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { type DemoLogin, findBridgeDomainLine, useDemo } from "../support/demo.ts";
import { waitUntil } from "../support/harness.ts";

const demo = useDemo();
beforeAll(async () => {
	await demo.runStory();
});

/** Runs the demo to the end of its story, asks its service, and ends it as Ctrl-C does. */
async function runDemo<T>(ask: (url: string) => Promise<T>): Promise<T> {
	const { child, ended, output } = demo.start([]);
	try {
		const url = await Promise.race([
			waitUntil("the demo is ready", () => /Open +(http:\S+?)\/\n/.exec(output.stdout)?.[1]),
			ended.then((code) => {
				throw new Error(`The demo ended with ${code}: ${output.stderr}`);
			}),
		]);
		for (const { username, password } of await demo.readLogins()) {
			expect(output.stdout).toContain(`${username} / ${password}`);
		}
		return await ask(url);
	} finally {
		child.kill("SIGINT");
		expect(await ended).toBe(0);
	}
}

async function fetchJson(url: string, token?: string, body?: unknown) {
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
async function getIds(url: string, { username, password }: DemoLogin): Promise<Record<string, string[]>> {
	const { access } = await fetchJson(`${url}/api/auth/login/`, undefined, { username, password });
	const lists = [
		"queries/saved-queries",
		"queries/scheduled-tasks",
		"checks",
		"controller/connections",
		"change-windows",
	];
	const found = lists.map(async (list): Promise<[string, string[]]> => {
		const { results } = await fetchJson(`${url}/api/${list}/?page_size=200`, access);
		return [list, results.map(({ id }: { id: string }) => id).sort()];
	});
	return Object.fromEntries(await Promise.all(found));
}

it("goes on with the same data: ids, passwords and the state of the fabrics", async () => {
	const logins = await demo.readLogins();
	const [admin, , viewer] = logins as [DemoLogin, DemoLogin, DemoLogin];
	const first = await runDemo((url) => getIds(url, viewer));
	expect(Object.values(first).map((ids) => ids.length)).toEqual([10, 5, 4, 2, 2]);
	const again = await runDemo(async (url) => {
		expect((await fetchJson(`${url}/api/auth/health/`)).demo_logins).toEqual(logins);
		expect(await getIds(url, admin)).toEqual(first);
		return getIds(url, viewer);
	});
	expect(again).toEqual(first);
	expect(await demo.readLogins()).toEqual(logins);
	expect(await demo.runStory()).toMatch(findBridgeDomainLine(4));
});

it("starts anew when asked to", async () => {
	const before = await demo.readLogins();
	expect(await demo.runStory("--reset")).toMatch(findBridgeDomainLine(1));
	const after = await demo.readLogins();
	expect(after.map(({ role }) => role)).toEqual(["Admin", "Operator", "Viewer"]);
	for (const [at, { password }] of after.entries()) expect(password).not.toBe(before[at]?.password);
});

it("starts anew by itself when it was killed while it made its data", async () => {
	await rm(demo.getMemoryPath());
	const { child, ended, output } = demo.start(["--exit"]);
	await waitUntil("it makes its data", () => output.stdout.includes("Makes a week of data"));
	child.kill("SIGKILL");
	await ended;
	const unfinished = await demo.readLogins();
	expect(await demo.runStory()).toMatch(findBridgeDomainLine(1));
	expect(await demo.readLogins()).not.toEqual(unfinished);
});
