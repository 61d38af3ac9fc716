/**
 * Inputs of double and fourfold size, to routes that read languages: the counted work grows in
 * proportion, and answers stay bounded. Bodies of every route are in full/growth-routes.
 */
import { describe, it } from "vitest";
import { useGrowth } from "../support/growth.ts";

const IMPORT = "/api/queries/import-requests/";
const VALIDATE = "/api/queries/validate-files/";
/** Bytes of the errors of one file. */
const ERRORS_MAX = 40_000;

const growth = useGrowth();

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
		growth.expectProportion(n, (size) => growth.world.user.api.post(IMPORT, body(size))),
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
		growth.expectProportion(1_000, (n) => growth.world.user.api.post(VALIDATE, file(content(n))), ERRORS_MAX),
	);
});
