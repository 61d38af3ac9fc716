import { describe, expect, it } from "vitest";
import { readFlow } from "../../flow/domain/validation.ts";
import { compile } from "./compile.ts";
import { buildSteps, type RequestOptions } from "./requests.ts";

const cls = (id: string, className: string, data = {}) => ({ id, type: "classNode", data: { className, ...data } });
const filter = (id: string, property: string, value: unknown, operator = "eq") => ({
	id,
	type: "filterNode",
	data: { property, operator, value },
});
const edges = (...pairs: string[]) =>
	pairs.map((pair) => {
		const [source, target] = pair.split(">");
		return { id: pair, source, target };
	});
const plan = (nodes: unknown[], list: unknown[] = []) => {
	const read = readFlow({ nodes, edges: list });
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	return compile(read.value);
};
/** Strategy and decoded paths of a one-branch canvas's first step. */
const ask = (nodes: unknown[], list: unknown[] = [], options: RequestOptions = {}) => {
	const [stage] = plan(nodes, list).stages;
	const [branch] = stage?.branches ?? [];
	if (!stage || !branch) throw new Error("no branch");
	const steps = buildSteps(branch, stage, new Map(), options);
	const { strategy, fetches } = steps[0]?.requests([]) ?? { strategy: "", fetches: [] };
	return [steps.length, strategy, ...fetches.map(({ path }) => decodeURIComponent(path))];
};

describe("a canvas of one stage", () => {
	const t = cls("t", "fvTenant");
	const bd = cls("b", "fvBD");
	const cases: [string, unknown[], unknown[], unknown[]][] = [
		["a class", [bd], [], [1, "class", "/api/class/fvBD.json?order-by=fvBD.dn"]],
		["a class by name", [t, filter("f", "name", "prod")], edges("t>f"), [1, "mo", "/api/mo/uni/tn-prod.json"]],
		[
			"a class by something else",
			[t, filter("f", "descr", 'a "b"')],
			edges("t>f"),
			[1, "class", '/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"a \\"b\\"")&order-by=fvTenant.dn'],
		],
		[
			"a name that no DN can hold",
			[t, filter("f", "name", "a/b")],
			edges("t>f"),
			[1, "class", '/api/class/fvTenant.json?query-target-filter=eq(fvTenant.name,"a/b")&order-by=fvTenant.dn'],
		],
		[
			"all of a chain by name",
			[t, filter("f", "name", "x"), bd, filter("g", "name", "y")],
			edges("t>f", "f>b", "b>g"),
			[1, "mo", "/api/mo/uni/tn-x/BD-y.json"],
		],
		[
			"a bracketed name",
			[
				t,
				filter("f", "name", "x"),
				bd,
				filter("g", "name", "y"),
				cls("s", "fvSubnet"),
				filter("h", "ip", "10.0.0.1/24"),
			],
			edges("t>f", "f>b", "b>g", "g>s", "s>h"),
			[1, "mo", "/api/mo/uni/tn-x/BD-y/subnet-[10.0.0.1/24].json"],
		],
		[
			"below a name",
			[t, filter("f", "name", "x"), bd],
			edges("t>f", "f>b"),
			[1, "mo", "/api/mo/uni/tn-x.json?query-target=subtree&target-subtree-class=fvBD&order-by=fvBD.dn"],
		],
		[
			"below any, where it is always below one",
			[t, bd],
			edges("t>b"),
			[1, "class", "/api/class/fvBD.json?order-by=fvBD.dn"],
		],
		[
			"below any, where it is not always",
			[bd, cls("s", "fvSubnet")],
			edges("b>s"),
			[
				1,
				"class",
				'/api/class/fvSubnet.json?query-target-filter=wcard(fvSubnet.dn,"^uni/tn-[^/]+/BD-[^/]+/")&order-by=fvSubnet.dn',
			],
		],
		[
			"below part of a name",
			[t, filter("f", "name", "pr.od", "contains"), bd, filter("g", "name", "web", "contains")],
			edges("t>f", "f>b", "b>g"),
			[
				1,
				"class",
				'/api/class/fvBD.json?query-target-filter=and(wcard(fvBD.name,"web"),wcard(fvBD.dn,"^uni/tn-[^/]*pr[.]od[^/]*/"))&order-by=fvBD.dn',
			],
		],
		[
			"below another filter",
			[t, filter("f", "descr", "x"), bd],
			edges("t>f", "f>b"),
			[
				2,
				"class",
				'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"x")&rsp-prop-include=naming-only&order-by=fvTenant.dn',
			],
		],
		[
			"one switch's ports",
			[
				cls("p", "fabricPod"),
				filter("f", "id", 1),
				cls("n", "fabricNode"),
				filter("g", "id", 101),
				cls("i", "l1PhysIf"),
			],
			edges("p>f", "f>n", "n>g", "g>i"),
			[1, "node-class", "/api/node/class/topology/pod-1/node-101/l1PhysIf.json?order-by=l1PhysIf.dn"],
		],
		[
			"a range",
			[t, filter("f", "name", ["a", "b"], "bw")],
			edges("t>f"),
			[1, "class", '/api/class/fvTenant.json?query-target-filter=bw(fvTenant.name,"a","b")&order-by=fvTenant.dn'],
		],
		[
			"options",
			[
				cls("b", "fvBD", {
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
			[cls("t", "fvTenant", { scope: "subtree" }), filter("f", "name", "x")],
			edges("t>f"),
			[1, "mo", "/api/mo/uni/tn-x.json?query-target=subtree"],
		],
		[
			"a wider scope of some",
			[cls("t", "fvTenant", { scope: "children" }), filter("f", "descr", "x")],
			edges("t>f"),
			[
				2,
				"class",
				'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"x")&rsp-prop-include=naming-only&order-by=fvTenant.dn',
			],
		],
		[
			"a wider scope of all",
			[cls("t", "fvTenant", { scope: "children" })],
			[],
			[1, "class", "/api/class/fvTenant.json?query-target=children"],
		],
		[
			"a count",
			[cls("b", "fvBD", { supplementalData: { countOnly: true } })],
			[],
			[1, "class", "/api/class/fvBD.json?order-by=fvBD.dn"],
		],
	];
	it.each(cases)("asks for %s", (_, nodes, list, expected) => {
		expect(ask(nodes, list)).toEqual(expected);
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
		const [, , path] = ask([bd, { id: "f", type: "filterNode", data: groups }], edges("b>f"));
		expect(path).toContain(
			'or(and(wcard(fvBD.name,"^a"),not(wcard(fvBD.name,"z$"))),xor(xor(eq(fvBD.descr,"x"),wcard(fvBD.descr,"y")),ne(fvBD.descr,"z")))',
		);
	});

	it("goes on below the objects that a first step found", () => {
		const [stage] = plan([t, filter("f", "descr", "x"), bd], edges("t>f", "f>b")).stages;
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
		const [, stage] = plan([t, bd], piped).stages;
		const [branch] = stage?.branches ?? [];
		const paths = (...values: string[]) =>
			stage &&
			branch &&
			buildSteps(branch, stage, new Map([["e", values]]))[0]
				?.requests([])
				.fetches.map(({ path }) => path);
		expect(paths("uni/tn-a")).toEqual([expect.stringMatching(/^\/api\/mo\/uni\/tn-a\.json/)]);
		for (const value of ["../../x", "/uni", "a/./b", ""]) {
			expect(paths(value)).toEqual([expect.stringMatching(/^\/api\/class\/fvBD\.json/)]);
		}
	});

	it("holds rows against the values that it did not send", () => {
		const pipe = (id: string, source: string) => ({ id, source, target: "b", data: { edgeType: "pipeline" } });
		const stage = plan([t, cls("a", "fvAp"), bd], [pipe("p", "t"), pipe("q", "a")]).stages[2];
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
		const wide = cls("b", "fvBD", { scope: "subtree" });
		const filters = [filter("f", "name", "x"), filter("g", "descr", "y"), filter("h", "name", "z")];
		const [stage] = plan([t, wide, ...filters], edges("t>b", "t>f", "t>g", "b>h")).stages;
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
		const [stage] = plan(
			[t, filter("f", "name", "a.c", "contains"), bd, filter("g", "descr", "x", "contains")],
			edges("t>f", "f>b", "b>g"),
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
		const compiled = plan(
			[
				{ id: "s", type: "startNode" },
				t,
				bd,
				cls("a", "fvAp"),
				{ id: "p", type: "postProcessorNode", data: { processorType: "flatten" } },
				{
					id: "q",
					type: "postProcessorNode",
					data: { processorType: "array-sort", config: { field: "name" }, isPaused: true },
				},
				{ id: "o", type: "outputNode", data: { pageSize: 50 } },
				{ id: "alone", type: "startNode" },
			],
			edges("s>t", "t>b", "t>a", "b>p", "p>q", "q>o"),
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
		const { warnings } = plan(
			[
				cls("t", "fvTenant", { scope: "subtree", limit: 2 }),
				cls("e", "fvCEp"),
				filter("f", "ip", "10", "contains"),
				cls("r", "faultRecord"),
			],
			edges("t>e", "e>f"),
		);
		expect(warnings.map(({ nodeId }) => nodeId)).toEqual(["t", "e", "r"]);
	});
});
