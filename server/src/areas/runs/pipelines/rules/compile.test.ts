import { describe, expect, it } from "vitest";
import { readFlow } from "../../../queries/flow/rules/validation.ts";
import { compileFlow } from "./compile.ts";
import { buildSteps, type RequestOptions } from "./requests.ts";

const createClassNode = (id: string, className: string, data = {}) => ({
	id,
	type: "classNode",
	data: { className, ...data },
});
const createFilterNode = (id: string, property: string, value: unknown, operator = "eq") => ({
	id,
	type: "filterNode",
	data: { property, operator, value },
});
const createEdges = (...pairs: string[]) =>
	pairs.map((pair) => {
		const [source, target] = pair.split(">");
		return { id: pair, source, target };
	});
const compileCanvas = (nodes: unknown[], list: unknown[] = []) => {
	const read = readFlow({ nodes, edges: list });
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	return compileFlow(read.value);
};
/** Strategy and decoded paths of a one-branch canvas's first step. */
const describeFirstStep = (nodes: unknown[], list: unknown[] = [], options: RequestOptions = {}) => {
	const [stage] = compileCanvas(nodes, list).stages;
	const [branch] = stage?.branches ?? [];
	if (!stage || !branch) throw new Error("no branch");
	const steps = buildSteps(branch, stage, new Map(), options);
	const { strategy, fetches } = steps[0]?.requests([]) ?? { strategy: "", fetches: [] };
	return [steps.length, strategy, ...fetches.map(({ path }) => decodeURIComponent(path))];
};

describe("a canvas of one stage", () => {
	const t = createClassNode("t", "fvTenant");
	const bd = createClassNode("b", "fvBD");
	const cases: [string, unknown[], unknown[], unknown[]][] = [
		["a class", [bd], [], [1, "class", "/api/class/fvBD.json?order-by=fvBD.dn"]],
		[
			"a class by name",
			[t, createFilterNode("f", "name", "prod")],
			createEdges("t>f"),
			[1, "mo", "/api/mo/uni/tn-prod.json"],
		],
		[
			"a class by something else",
			[t, createFilterNode("f", "descr", 'a "b"')],
			createEdges("t>f"),
			[1, "class", '/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"a \\"b\\"")&order-by=fvTenant.dn'],
		],
		[
			"a name that no DN can hold",
			[t, createFilterNode("f", "name", "a/b")],
			createEdges("t>f"),
			[1, "class", '/api/class/fvTenant.json?query-target-filter=eq(fvTenant.name,"a/b")&order-by=fvTenant.dn'],
		],
		[
			"all of a chain by name",
			[t, createFilterNode("f", "name", "x"), bd, createFilterNode("g", "name", "y")],
			createEdges("t>f", "f>b", "b>g"),
			[1, "mo", "/api/mo/uni/tn-x/BD-y.json"],
		],
		[
			"a bracketed name",
			[
				t,
				createFilterNode("f", "name", "x"),
				bd,
				createFilterNode("g", "name", "y"),
				createClassNode("s", "fvSubnet"),
				createFilterNode("h", "ip", "10.0.0.1/24"),
			],
			createEdges("t>f", "f>b", "b>g", "g>s", "s>h"),
			[1, "mo", "/api/mo/uni/tn-x/BD-y/subnet-[10.0.0.1/24].json"],
		],
		[
			"below a name",
			[t, createFilterNode("f", "name", "x"), bd],
			createEdges("t>f", "f>b"),
			[1, "mo", "/api/mo/uni/tn-x.json?query-target=subtree&target-subtree-class=fvBD&order-by=fvBD.dn"],
		],
		[
			"below any, where it is always below one",
			[t, bd],
			createEdges("t>b"),
			[1, "class", "/api/class/fvBD.json?order-by=fvBD.dn"],
		],
		[
			"below any, where it is not always",
			[bd, createClassNode("s", "fvSubnet")],
			createEdges("b>s"),
			[
				1,
				"class",
				'/api/class/fvSubnet.json?query-target-filter=wcard(fvSubnet.dn,"^uni/tn-[^/]+/BD-[^/]+/")&order-by=fvSubnet.dn',
			],
		],
		[
			"below part of a name",
			[t, createFilterNode("f", "name", "pr.od", "contains"), bd, createFilterNode("g", "name", "web", "contains")],
			createEdges("t>f", "f>b", "b>g"),
			[
				1,
				"class",
				'/api/class/fvBD.json?query-target-filter=and(wcard(fvBD.name,"web"),wcard(fvBD.dn,"^uni/tn-[^/]*pr[.]od[^/]*/"))&order-by=fvBD.dn',
			],
		],
		[
			"below another filter",
			[t, createFilterNode("f", "descr", "x"), bd],
			createEdges("t>f", "f>b"),
			[
				2,
				"class",
				'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"x")&rsp-prop-include=naming-only&order-by=fvTenant.dn',
			],
		],
		[
			"one switch's ports",
			[
				createClassNode("p", "fabricPod"),
				createFilterNode("f", "id", 1),
				createClassNode("n", "fabricNode"),
				createFilterNode("g", "id", 101),
				createClassNode("i", "l1PhysIf"),
			],
			createEdges("p>f", "f>n", "n>g", "g>i"),
			[1, "node-class", "/api/node/class/topology/pod-1/node-101/l1PhysIf.json?order-by=l1PhysIf.dn"],
		],
		[
			"a range",
			[t, createFilterNode("f", "name", ["a", "b"], "bw")],
			createEdges("t>f"),
			[1, "class", '/api/class/fvTenant.json?query-target-filter=bw(fvTenant.name,"a","b")&order-by=fvTenant.dn'],
		],
		[
			"options",
			[
				createClassNode("b", "fvBD", {
					propertyInclude: "config-only",
					orderBy: "-name",
					limit: 5,
					supplementalData: { health: true, faults: true, required: true },
					timeRange: "24h",
				}),
			],
			[],
			[
				1,
				"class",
				"/api/class/fvBD.json?rsp-subtree-include=health,faults,required&rsp-prop-include=config-only&time-range=24h&order-by=fvBD.name|desc,fvBD.dn",
			],
		],
		[
			"a wider scope of one object",
			[createClassNode("t", "fvTenant", { scope: "subtree" }), createFilterNode("f", "name", "x")],
			createEdges("t>f"),
			[1, "mo", "/api/mo/uni/tn-x.json?query-target=subtree"],
		],
		[
			"a wider scope of some",
			[createClassNode("t", "fvTenant", { scope: "children" }), createFilterNode("f", "descr", "x")],
			createEdges("t>f"),
			[
				2,
				"class",
				'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"x")&rsp-prop-include=naming-only&order-by=fvTenant.dn',
			],
		],
		[
			"a wider scope of all",
			[createClassNode("t", "fvTenant", { scope: "children" })],
			[],
			[1, "class", "/api/class/fvTenant.json?query-target=children"],
		],
		[
			"a count",
			[createClassNode("b", "fvBD", { supplementalData: { countOnly: true } })],
			[],
			[1, "class", "/api/class/fvBD.json?order-by=fvBD.dn"],
		],
	];
	it.each(cases)("asks for %s", (_, nodes, list, expected) => {
		expect(describeFirstStep(nodes, list)).toEqual(expected);
	});

	it("writes pattern groups", () => {
		const groups = {
			filterType: "query-target-filter",
			groupCombineOperator: "or",
			patternGroups: [
				{
					logicalOperator: "and",
					patterns: [
						{ property: "name", pattern: "a", type: "starts" },
						{ property: "name", pattern: "z", type: "ends", negate: true },
					],
				},
				{
					logicalOperator: "xor",
					patterns: [
						{ property: "descr", pattern: "x", type: "exact" },
						{ property: "descr", pattern: "y" },
						{ property: "descr", pattern: "z", operator: "ne" },
					],
				},
			],
		};
		const [, , path] = describeFirstStep([bd, { id: "f", type: "filterNode", data: groups }], createEdges("b>f"));
		expect(path).toContain(
			'or(and(wcard(fvBD.name,"^a"),not(wcard(fvBD.name,"z$"))),xor(xor(eq(fvBD.descr,"x"),wcard(fvBD.descr,"y")),ne(fvBD.descr,"z")))',
		);
	});

	it("goes on below the objects that a first step found", () => {
		const [stage] = compileCanvas([t, createFilterNode("f", "descr", "x"), bd], createEdges("t>f", "f>b")).stages;
		const [branch] = stage?.branches ?? [];
		const second = stage && branch && buildSteps(branch, stage, new Map())[1];
		const paths = (dns: string[]) => second?.requests(dns).fetches.map(({ path }) => decodeURIComponent(path));
		expect(paths([])).toEqual([]);
		expect(paths(["uni/tn-a"])).toEqual([
			"/api/mo/uni/tn-a.json?query-target=subtree&target-subtree-class=fvBD&order-by=fvBD.dn",
		]);
		expect(paths(["uni/tn-a", "uni/tn-b"])).toEqual([
			'/api/class/fvBD.json?query-target-filter=or(wcard(fvBD.dn,"^uni/tn-a/"),wcard(fvBD.dn,"^uni/tn-b/"))&order-by=fvBD.dn',
		]);
	});

	it("never puts a value into a path that would lead elsewhere", () => {
		const piped = [{ id: "e", source: "t", target: "b", data: { edgeType: "pipeline", injectAs: "dn_scope" } }];
		const [, stage] = compileCanvas([t, bd], piped).stages;
		const [branch] = stage?.branches ?? [];
		const paths = (...values: string[]) =>
			stage &&
			branch &&
			buildSteps(branch, stage, new Map([["e", values]]))[0]
				?.requests([])
				.fetches.map(({ path }) => path);
		expect(paths("uni/tn-a")).toEqual([expect.stringMatching(/^\/api\/mo\/uni\/tn-a\.json/)]);
		for (const value of ["../../../x", "/uni", "a/./b", ""]) {
			expect(paths(value)).toEqual([expect.stringMatching(/^\/api\/class\/fvBD\.json/)]);
		}
	});

	it("holds rows against the values that it did not send", () => {
		const pipe = (id: string, source: string) => ({ id, source, target: "b", data: { edgeType: "pipeline" } });
		const stage = compileCanvas([t, createClassNode("a", "fvAp"), bd], [pipe("p", "t"), pipe("q", "a")]).stages[2];
		const [branch] = stage?.branches ?? [];
		const values = new Map([
			["p", ["uni/tn-a/BD-1", "uni/tn-a/BD-2"]],
			["q", ["uni/tn-a/BD-2", "uni/tn-a/BD-3", "uni/tn-a/BD-4"]],
		]);
		const requests = stage && branch && buildSteps(branch, stage, values)[0]?.requests([]);
		expect(requests?.fetches.map(({ path }) => decodeURIComponent(path))).toEqual([
			expect.stringContaining('"uni/tn-a/BD-1"'),
		]);
		const kept = ["1", "2"].filter((n) => requests?.keep({ fvBD: { attributes: { dn: `uni/tn-a/BD-${n}` } } }));
		expect(kept).toEqual(["2"]);
	});

	it("checks the classes above before it reads what is under a settled DN", () => {
		const wide = createClassNode("b", "fvBD", { scope: "subtree" });
		const filters = [
			createFilterNode("f", "name", "x"),
			createFilterNode("g", "descr", "y"),
			createFilterNode("h", "name", "z"),
		];
		const [stage] = compileCanvas([t, wide, ...filters], createEdges("t>b", "t>f", "t>g", "b>h")).stages;
		const [branch] = stage?.branches ?? [];
		const steps = stage && branch ? buildSteps(branch, stage, new Map()) : [];
		expect(steps.map(({ kind, className }) => `${kind} ${className}`)).toEqual([
			"gate fvTenant",
			"gate fvBD",
			"expand fvBD",
		]);
		expect(decodeURIComponent(steps[0]?.requests([]).fetches[0]?.path ?? "")).toBe(
			'/api/mo/uni/tn-x.json?query-target-filter=eq(fvTenant.descr,"y")&rsp-prop-include=naming-only',
		);
		expect(steps[2]?.requests(["uni/tn-x/BD-z"]).fetches.map(({ path }) => path)).toEqual([
			"/api/mo/uni/tn-x/BD-z.json?query-target=subtree",
		]);
	});

	it("keeps rows exactly, whatever the controller made of a pattern", () => {
		const [stage] = compileCanvas(
			[t, createFilterNode("f", "name", "a.c", "contains"), bd, createFilterNode("g", "descr", "x", "contains")],
			createEdges("t>f", "f>b", "b>g"),
		).stages;
		const [branch] = stage?.branches ?? [];
		const keep = stage && branch && buildSteps(branch, stage, new Map())[0]?.requests([]).keep;
		const row = (dn: string, descr?: string) => ({
			fvBD: { attributes: { dn, ...(descr === undefined ? {} : { descr }) } },
		});
		expect(keep?.(row("uni/tn-a.c/BD-1", "xy"))).toBe(true);
		expect(keep?.(row("uni/tn-abc/BD-1", "xy"))).toBe(false);
		expect(keep?.(row("uni/tn-a.c/BD-1", "yy"))).toBe(false);
		expect(keep?.(row("uni/tn-a.c/BD-1"))).toBe(true);
	});

	it("orders its parts", () => {
		const compiled = compileCanvas(
			[
				{ id: "s", type: "startNode" },
				t,
				bd,
				createClassNode("a", "fvAp"),
				{ id: "p", type: "postProcessorNode", data: { processorType: "flatten" } },
				{
					id: "q",
					type: "postProcessorNode",
					data: { processorType: "array-sort", config: { field: "name" }, isPaused: true },
				},
				{ id: "o", type: "outputNode", data: { pageSize: 50 } },
				{ id: "alone", type: "startNode" },
			],
			createEdges("s>t", "t>b", "t>a", "b>p", "p>q", "q>o"),
		);
		expect(compiled.stages).toHaveLength(1);
		expect(compiled.stages[0]).toMatchObject({
			classes: [{ nodeId: "t" }, { nodeId: "b" }, { nodeId: "a" }],
			className: "fvBD",
			processors: [{ type: "flatten" }],
		});
		expect(compiled.stages[0]?.branches.map(({ nodeId, answer }) => [nodeId, answer])).toEqual([
			["b", true],
			["a", true],
		]);
	});

	it("warns of what has no effect or takes long", () => {
		const { warnings } = compileCanvas(
			[
				createClassNode("t", "fvTenant", { scope: "subtree", limit: 2 }),
				createClassNode("e", "fvCEp"),
				createFilterNode("f", "ip", "10", "contains"),
				createClassNode("r", "faultRecord"),
			],
			createEdges("t>e", "e>f"),
		);
		expect(warnings.map(({ nodeId }) => nodeId)).toEqual(["t", "e", "r"]);
	});

	it("warns of classes whose rows do not reach the output", () => {
		const nodes = [createClassNode("t", "fvTenant"), createClassNode("c", "fvCtx"), { id: "o", type: "outputNode" }];
		const warn = (...edges: string[]) =>
			compileCanvas(nodes, createEdges(...edges)).warnings.map(({ nodeId }) => nodeId);
		expect(warn("c>o")).toEqual(["t"]);
		expect(warn("c>o", "t>o")).toEqual([]);
		expect(warn("t>c", "c>o")).toEqual([]);
		expect(warn()).toEqual([]);
	});
});
