/**
 * Applying 5,000 query files: the plan, the first apply, the same files again, and one that changes
 * a hundredth of them. Baseline: the same queries saved by one request each, of which every tenth
 * is sent.
 */
import { queryFileRoutes, savedQueryRoutes } from "@weft/contracts";
import { measureTime, printFigure, readTreeCpu, readTreeMemory, startService } from "./tools.ts";

const FILES = 5_000;
const SAVED_SINGLY = FILES / 10;
const GOAL_MS = 10_000;
const CLASSES = ["fvTenant", "fvBD", "fvSubnet"];

const buildNodes = (i: number) => [
	...CLASSES.map((className) => ({ id: className, type: "classNode", data: { className } })),
	{
		id: "name",
		type: "filterNode",
		data: { filterType: "property", property: "name", operator: "eq", value: `n${i}` },
	},
];
const EDGES: readonly (readonly [string, string])[] = [
	["fvTenant", "fvBD"],
	["fvBD", "fvSubnet"],
	["fvBD", "name"],
];

function buildQueryFile(i: number, description: string): { path: string; content: string } {
	const flow_data = { edges: EDGES.map(([source, target]) => ({ source, target })), nodes: buildNodes(i) };
	const layout = {
		nodes: Object.fromEntries(buildNodes(i).map(({ id }, at) => [id, { position: { x: at * 200, y: i } }])),
	};
	const lines = { description, flow_data, name: `Query ${i}`, tags_list: ["bench"], layout };
	// JSON is YAML: the values of the keys stand on one line each.
	const members = Object.entries(lines).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
	return { path: `queries/query-${i}.yaml`, content: `kind: query\n${members.join("")}` };
}
const generateFiles = (describe: (i: number) => string) =>
	Array.from({ length: FILES }, (_, i) => buildQueryFile(i, describe(i)));

const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
try {
	const { client } = service;
	/** Of the service and its store, milliseconds. */
	const cpu = () => readTreeCpu(service.process.pid ?? 0);
	const counts = (changes: readonly { action: string }[], action: string) =>
		changes.filter((change) => change.action === action).length;
	async function applyFiles(
		files: ReturnType<typeof generateFiles>,
		expected: Record<string, number>,
		dry_run = false,
	) {
		const before = cpu();
		const { ms, result } = await measureTime(() => client.call(queryFileRoutes.apply, { body: { files, dry_run } }));
		for (const [action, count] of Object.entries(expected)) {
			const found = counts(result.changes, action);
			if (found !== count) throw new Error(`${found} queries were ${action} instead of ${count}`);
		}
		return { ms, cpu: cpu() - before };
	}

	const files = generateFiles(() => "first");
	const bytes = JSON.stringify(files).length;
	const { ms: singly } = await measureTime(async () => {
		for (let i = 0; i < SAVED_SINGLY; i++) {
			const edges = EDGES.map(([source, target]) => ({ id: `${source}-${target}`, source, target }));
			await client.call(savedQueryRoutes.create, {
				body: { name: `Single ${i}`, flow_data: { nodes: buildNodes(i), edges } },
			});
		}
	});
	const plan = await applyFiles(files, { created: FILES }, true);
	const first = await applyFiles(files, { created: FILES });
	const again = await applyFiles(files, { unchanged: FILES });
	const changed = await applyFiles(
		generateFiles((i) => (i % 100 === 0 ? "second" : "first")),
		{ updated: FILES / 100, unchanged: FILES - FILES / 100 },
	);
	const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
	const told = (name: string, { ms, cpu }: Awaited<ReturnType<typeof applyFiles>>) => {
		printFigure(name, seconds(ms), { met: ms <= GOAL_MS, text: `≤ ${GOAL_MS / 1_000} s` });
		printFigure("  processor time of service and store", seconds(cpu));
	};
	printFigure("files", `${FILES}, ${(bytes / 1e6).toFixed(1)} MB`);
	printFigure("as many queries saved by one request each, by a tenth", seconds(singly * (FILES / SAVED_SINGLY)));
	told("plan only", plan);
	told("first apply", first);
	told("the same files again", again);
	told("a hundredth changed", changed);
	if (service.process.pid !== undefined)
		printFigure("memory, all processes", `${readTreeMemory(service.process.pid).toFixed(0)} MB`);
	if ([plan, first, again, changed].some(({ ms }) => ms > GOAL_MS)) process.exitCode = 1;
} finally {
	await service.stop();
}
