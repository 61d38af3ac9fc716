/**
 * Explaining a canvas of 100 nodes with 15,000 classes: CPU time of pure code, and whole requests.
 */
import { readFileSync } from "node:fs";
import { planningRoutes } from "@weft/contracts";
import { readFlow } from "../../server/dist/areas/queries/flow/rules/validation.js";
import { builtInClasses, findBuiltInFacts } from "../../server/dist/areas/runs/pipelines/rules/class-table.js";
import { compileFlow } from "../../server/dist/areas/runs/pipelines/rules/compile.js";
import { explainPlan, listClassesToCount } from "../../server/dist/areas/runs/pipelines/rules/explain.js";
import { type ModelFacts, readModelFacts } from "../../server/dist/areas/runs/pipelines/rules/model-facts.js";
import type { ModelClass, ModelGraph } from "../../server/dist/core/ports/class-model.js";
import { computeMedian, printFigure, startService } from "./tools.ts";

const CLASSES = 15_000;
const ROUNDS = 200;
const GOAL_MS = 10;
const WAY = ["fvTenant", "fvAp", "fvAEPg", "fvRsPathAtt"];

/** Ten stages of four classes with six filters; each stage uses values of the previous one. */
const nodes: object[] = [];
const edges: object[] = [];
for (let stage = 0; stage < 10; stage++) {
	for (const [i, className] of WAY.entries()) {
		nodes.push({ id: `${stage}${className}`, type: "classNode", data: { className } });
		if (i > 0) edges.push({ id: `${stage}e${i}`, source: `${stage}${WAY[i - 1]}`, target: `${stage}${className}` });
	}
	for (let i = 0; i < 6; i++) {
		const data = { filterType: "property", property: "name", operator: i < 3 ? "contains" : "eq", value: `web-${i}` };
		nodes.push({ id: `${stage}f${i}`, type: "filterNode", data });
		edges.push({ id: `${stage}x${i}`, source: `${stage}${WAY[i % 3]}`, target: `${stage}f${i}` });
	}
	if (stage > 0) {
		const data = { edgeType: "pipeline", injectAs: "dn_scope" };
		edges.push({ id: `p${stage}`, source: `${stage - 1}fvRsPathAtt`, target: `${stage}fvAEPg`, data });
	}
}
const flow_data = { nodes, edges, post_processors: [] };

/**
 * The built-in classes in a model of 15,000: a tree of six levels in which a class has up to three
 * containers, some through abstract super classes. Some classes are nearly everywhere, some contain
 * themselves.
 */
function buildLargeModel(): ModelGraph {
	const classes = new Map<string, ModelClass & { contains: string[]; subClasses: string[] }>();
	const names: string[] = [];
	const add = (name: string, rnFormat: string, containers: readonly string[], superClasses: readonly string[] = []) => {
		if (classes.has(name)) return;
		const naming = [...rnFormat.matchAll(/\{([^{}]+)\}/g)].map(([, property = ""]) => property);
		const abstract = rnFormat === "" && name !== "topRoot";
		const facts = { hasProperty: () => true, isConfigurable: () => true, properties: () => new Map() };
		const more = { contains: [], subClasses: [], ...facts };
		classes.set(name, { name, rnFormat, naming, abstract, containers, superClasses, ...more });
		names.push(name);
		for (const container of containers) classes.get(container)?.contains.push(name);
		for (const above of superClasses) classes.get(above)?.subClasses.push(name);
	};
	add("topRoot", "", []);
	add("xxNamed", "", ["fvTenant"]);
	for (const name of builtInClasses) {
		const { rnFormat = "", parents } = findBuiltInFacts(name) ?? {};
		if (EVERYWHERE.includes(name)) continue;
		const containers = parents ?? ["fvTenant", "fvAp", "fvAEPg"];
		add(name, rnFormat, containers.length > 0 ? containers : ["topRoot"], ["xxNamed"]);
	}
	for (let i = names.length; i < CLASSES - EVERYWHERE.length; i++) {
		const above = [3, 4, 5].map((n) => names[Math.floor(i / n)] ?? "fvTenant").slice(0, 1 + (i % 3));
		const containers = i % 10 === 0 ? [...above, `xxClass${i}`] : above;
		add(`xxClass${i}`, i % 40 === 0 ? "" : `x${i}-{name}`, containers, i % 5 === 0 ? ["xxNamed"] : []);
	}
	const all = [...names];
	for (const name of EVERYWHERE) add(name, `${name}-{key}`, all);
	return { version: "6.0(9c)", find: (name) => classes.get(name), names: () => classes.values() };
}
const EVERYWHERE = ["tagTag", "tagAnnotation", "aaaRbacAnnotation"];
const graph = buildLargeModel();

const readCpuMs = (): number => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
};
function measureGeneration({ model, graph }: ModelFacts): number {
	const began = readCpuMs();
	const read = readFlow(flow_data);
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	const plan = compileFlow(read.value, model);
	const counts = Object.fromEntries(listClassesToCount(plan).map((name) => [name, 5_000]));
	if (!explainPlan(plan, { counts, graph }).ok) throw new Error("it was refused");
	return readCpuMs() - began;
}
const loaded = readModelFacts(graph);
const first = measureGeneration(loaded);
// The second figure is about the work, not about a program that has just begun.
for (let i = 0; i < ROUNDS; i++) measureGeneration(loaded);
const times = Array.from({ length: ROUNDS }, () => measureGeneration(loaded));
// Without the cache of facts derived from the model.
const fresh = computeMedian(Array.from({ length: ROUNDS }, () => measureGeneration(readModelFacts(graph))));
printFigure("nodes", String(nodes.length));
printFigure("classes", String(CLASSES));
printFigure("reading, compiling, explaining: the first time", `${first.toFixed(1)} ms`);
const usual = computeMedian(times);
printFigure("with a model just loaded, median of 200", `${fresh.toFixed(1)} ms`, {
	met: fresh <= GOAL_MS,
	text: `≤ ${GOAL_MS} ms`,
});
printFigure("with a model asked before, median of 200", `${usual.toFixed(1)} ms`, {
	met: usual <= GOAL_MS,
	text: `≤ ${GOAL_MS} ms`,
});

const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
try {
	/** Processor time of the service's process, milliseconds (Linux). */
	const used = (): number => {
		const stat = readFileSync(`/proc/${service.process.pid}/stat`, "utf8");
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return 10 * (Number(fields[11]) + Number(fields[12]));
	};
	const body = { flow_data: flow_data as unknown as { nodes: []; edges: [] } };
	const ask = () => service.client.call(planningRoutes.plan, { body });
	for (let i = 0; i < 50; i++) await ask();
	const before = used();
	for (let i = 0; i < ROUNDS; i++) await ask();
	const each = (used() - before) / ROUNDS;
	printFigure("a request, all of it", `${each.toFixed(1)} ms`, { met: each <= GOAL_MS, text: `≤ ${GOAL_MS} ms` });
	if (usual > GOAL_MS || fresh > GOAL_MS || each > GOAL_MS) process.exitCode = 1;
} finally {
	await service.stop();
}
