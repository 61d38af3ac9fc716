/**
 * Inputs of double and fourfold size. The counted work of every route grows in proportion, and
 * answers stay bounded.
 */
import { allRoutes } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { automationTasks } from "../../src/features/automation/templates/workers/tasks.ts";
import { checkTasks } from "../../src/features/checks/workers/tasks.ts";
import { pipelineTasks } from "../../src/features/pipelines/workers/tasks.ts";
import { queryFileTasks } from "../../src/features/query-files/workers/tasks.ts";
import { type Counter, startCounter } from "../support/count-work.ts";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { type Answer, startTestApp, type TestApp } from "../support/harness.ts";
import { createInlinePool } from "../support/inline-pool.ts";
import { createWorld, NEEDS_MORE, VALID_CALLS, type World } from "../support/valid-calls.ts";

const IMPORT = "/api/queries/import-requests/";
const VALIDATE = "/api/queries/validate-files/";
/** Bytes of any answer to one of these requests. */
const ANSWER_MAX = 9 * 1024 * 1024;
/** Bytes of the errors of one file. */
const ERRORS_MAX = 40_000;
/** Doubling adds twice the work of the doubling before; four times as much is quadratic. */
const RATIO_MAX = 2.7;
/** Work of timers and statements, which varies. */
const NOISE = 60_000;

let t: TestApp;
let world: World;
let counter: Counter;
beforeAll(async () => {
	t = await startTestApp({
		deps: {
			pipelinePool: createInlinePool(pipelineTasks),
			queryFilePool: createInlinePool(queryFileTasks),
			checkPool: createInlinePool(checkTasks),
			automationPool: createInlinePool(automationTasks),
		},
	});
	world = await createWorld(t);
	counter = await startCounter();
});
afterAll(async () => {
	counter.close();
	await t.close();
});

/** Measurements of one input: timers and statements in between add to each, so the least counts. */
const MEASUREMENTS = 3;

const isProportionate = ([one = 0, two = 0, four = 0]: readonly number[], noise: number): boolean =>
	four - two < RATIO_MAX * Math.max(0, two - one) + noise;

/** Fails where work or answer grow out of proportion from n to 2n to 4n. */
async function expectProportion(
	n: number,
	send: (n: number) => Promise<Answer>,
	answerMax = ANSWER_MAX,
): Promise<void> {
	let works = [Infinity, Infinity, Infinity];
	let sizes: number[] = [];
	for (let measured = 0; measured < MEASUREMENTS; measured += 1) {
		const [least, bytes]: [number[], number[]] = [[], []];
		for (const [i, size] of [n, 2 * n, 4 * n].entries()) {
			const { value, work } = await counter.count(() => send(size));
			// A controller of the valid calls does not listen: 502.
			expect([500, 503, 504], value.text.slice(0, 500)).not.toContain(value.status);
			least.push(Math.min(work, works[i] ?? work));
			bytes.push(Buffer.byteLength(value.text));
		}
		[works, sizes] = [least, bytes];
		if (isProportionate(works, NOISE)) break;
	}
	expect(isProportionate(works, NOISE), `work at n, 2n and 4n: ${works.join(", ")}`).toBe(true);
	expect(isProportionate(sizes, 10_000), `bytes of the answer at n, 2n and 4n: ${sizes.join(", ")}`).toBe(true);
	expect(Math.max(...sizes)).toBeLessThan(answerMax);
}

const repeatText = (text: string, n: number): string => text.repeat(n);

const buildUrl = (query: string): string => `/api/class/fvBD.json?${query}`;
const request = { method: "GET", url: buildUrl("") };

/** A folder with a folder in it, and so on. */
function nestFolders(depth: number, name: string): unknown {
	let item: unknown = { name: "last", request };
	for (let level = 0; level < depth; level += 1) item = { name, item: [item] };
	return item;
}

describe("importing requests", () => {
	it.each<[string, number, (n: number) => unknown]>([
		["words of moquery", 3_500, (n) => ({ text: `moquery ${repeatText("a ", n)}` })],
		["options of moquery", 2_000, (n) => ({ text: `moquery -c fvBD ${repeatText("-x a=b ", n)}` })],
		["classes of moquery", 2_000, (n) => ({ text: `moquery -c ${repeatText("fvBD,", n)}fvBD -d uni/tn-a` })],
		["conditions of moquery", 1_000, (n) => ({ text: `moquery -c fvBD -f 'a==1${repeatText(" and a==1", n)}'` })],
		["quotes", 3_500, (n) => ({ text: `moquery ${repeatText('""', n)}` })],
		["lines", 125, (n) => ({ text: repeatText("moquery -c fvBD\n", n) })],
		["continued lines", 3_500, (n) => ({ text: `moquery ${repeatText("\\\n ", n)}` })],
		[
			"classes below with a DN",
			40,
			(n) => ({
				text: `/api/mo/uni/tn-${repeatText("a", n)}.json?target-subtree-class=${repeatText("fvBD,", n)}`,
			}),
		],
		[
			"conditions for many classes",
			40,
			(n) => ({
				text: `${buildUrl(`query-target-filter=and(${repeatText('eq(fvCtx.a,"1"),', n)}eq(fvCtx.a,"1"))`)}&target-subtree-class=${repeatText("fvBD,", n)}`,
			}),
		],
		[
			"foreign classes",
			500,
			(n) => ({
				text: buildUrl(`query-target-filter=and(${Array.from({ length: n }, (_, i) => `eq(c${i}.a,"1")`).join(",")})`),
			}),
		],
		["parts of a DN", 500, (n) => ({ text: `/api/mo/uni${repeatText("/tn-a", n)}.json` })],
		["brackets of a DN", 500, (n) => ({ text: `/api/mo/uni/tn-${repeatText("[", n)}${repeatText("]-", n)}.json` })],
		["options of a URL", 1_000, (n) => ({ text: buildUrl(Array.from({ length: n }, (_, i) => `o${i}=1`).join("&")) })],
		["extras of a URL", 1_000, (n) => ({ text: buildUrl(`rsp-subtree-include=${repeatText("health,x,", n)}`) })],
		["order of a URL", 1_000, (n) => ({ text: buildUrl(`order-by=${repeatText("fvBD.name,", n)}`) })],
		["nested filters", 1_000, (n) => ({ text: buildUrl(`query-target-filter=${repeatText("not(", n)}`) })],
		[
			"a long name of a folder",
			75_000,
			(n) => ({
				collection: {
					item: [{ name: repeatText("x", n), item: Array.from({ length: 500 }, () => ({ name: "a", request })) }],
				},
			}),
		],
		[
			"a long name of a request that changes objects",
			75_000,
			(n) => ({
				collection: { item: [{ name: repeatText("x", n), request: { ...request, method: "POST" } }] },
			}),
		],
		["nested folders", 10, (n) => ({ collection: { item: [nestFolders(n, repeatText("x", 20_000))] } })],
		["items without a request", 2_000, (n) => ({ collection: { item: Array.from({ length: n }, () => ({})) } })],
		[
			"parts of a query",
			1_000,
			(n) => ({
				collection: {
					item: [
						{ request: { url: { path: ["api"], query: Array.from({ length: n }, (_, i) => ({ key: `k${i}` })) } } },
					],
				},
			}),
		],
	])("grows in proportion to %s", (_, n, body) =>
		expectProportion(n, (size) => world.user.api.post(IMPORT, body(size))),
	);
});

describe("reading query files", () => {
	const file = (content: string) => ({ files: [{ path: "queries/a.yaml", content }] });
	const numbered = (n: number, line: (i: number) => string): string =>
		Array.from({ length: n }, (_, i) => line(i)).join("");
	const query = "kind: query\nname: a\n";
	it.each<[string, (n: number) => string]>([
		["unknown keys", (n) => query + numbered(n, (i) => `k${i}: 1\n`)],
		["equal keys", (n) => query + numbered(n, () => "k: 1\n")],
		["keys that are no texts", (n) => query + numbered(n, (i) => `? [${i}]\n: 1\n`)],
		["aliases", (n) => `${query}a: &a 1\n${numbered(n, (i) => `k${i}: *a\n`)}`],
		[
			"nodes",
			(n) => `${query}flow_data:\n  edges: []\n  nodes:\n${numbered(n, (i) => `    - {id: n${i}, type: classNode}\n`)}`,
		],
		[
			"layouts",
			(n) =>
				`${query}flow_data: {nodes: [], edges: []}\nlayout:\n  nodes:\n${numbered(n, (i) => `    n${i}: {x: 1}\n`)}`,
		],
		["long keys", (n) => query + numbered(20, (i) => `k${i}${repeatText("x", 10 * n)}: 1\n`)],
		["long equal keys", (n) => query + numbered(20, () => `k${repeatText("x", 10 * n)}: 1\n`)],
		["tags", (n) => `${query}tags:\n${numbered(n, (i) => `  - t${i}\n`)}`],
		["text in quotes", (n) => `${query}description: "${repeatText("\\n", n)}"\n`],
		["lines of a block", (n) => `${query}description: |\n${repeatText("  a\n", n)}`],
		["an open flow", (n) => `${query}tags: ${repeatText("[", n)}`],
	])("grows in proportion to %s", (_, content) =>
		expectProportion(1_000, (n) => world.user.api.post(VALIDATE, file(content(n))), ERRORS_MAX),
	);
});

/** The body with every text, list and object of it grown. */
function growBody(value: unknown, kind: "texts" | "lists" | "keys", n: number): unknown {
	if (typeof value === "string")
		return kind === "texts" ? value.repeat(Math.ceil(n / Math.max(1, value.length))) : value;
	if (Array.isArray(value)) {
		const grown = value.map((item) => growBody(item, kind, n));
		return kind === "lists" && value.length > 0 ? Array.from({ length: n }, (_, i) => grown[i % grown.length]) : grown;
	}
	if (typeof value !== "object" || value === null) return value;
	const extra = kind === "keys" ? Array.from({ length: n }, (_, i) => [`key${i}`, i]) : [];
	return Object.fromEntries([
		...Object.entries(value).map(([key, field]) => [key, growBody(field, kind, n)]),
		...extra,
	]);
}

describe("every route with a body", () => {
	const writable = allRoutes.filter(({ id, body }) => body && NEEDS_MORE[id] === undefined);

	it.each(["texts", "lists", "keys"] as const)(
		"grows in proportion to its %s",
		(kind) =>
			expectOfEachRoute(writable, async (route) => {
				const call = await VALID_CALLS[route.id]?.(world);
				if (call === undefined) throw new Error("has no valid call");
				const api = { admin: t.admin.api, user: world.user.api, nobody: t.anonymous }[call.as];
				await expectProportion(400, (n) =>
					api.send(route.method, call.path, JSON.stringify(growBody(call.body, kind, n)), {
						"content-type": "application/json",
					}),
				);
			}),
		ALL_ROUTES_TIMEOUT_MS,
	);
});
