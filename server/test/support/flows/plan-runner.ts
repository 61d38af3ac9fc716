/** Carries a plan out against the in-memory controller, as the service does against a real one. */
import type { InputValues, Plan, StagePlan } from "../../../src/areas/runs/pipelines/rules/plan.ts";
import { buildSteps, type RequestOptions } from "../../../src/areas/runs/pipelines/rules/requests.ts";
import { type Fetched, mergeStageRows, readNodeRows } from "../../../src/areas/runs/pipelines/rules/stage-rows.ts";
import { extractValues } from "../../../src/areas/runs/pipelines/rules/values.ts";
import { getDn, type Row } from "../../../src/core/rows/rows.ts";
import { answerQuery } from "./fabric-controller.ts";
import type { Mo } from "./random-fabric.ts";

const PAGE = 3;

/** Rows of each class node of each stage, and every path that was asked for. */
export function runPlan(
	plan: Plan,
	fabric: readonly Mo[],
	options: RequestOptions,
): { getRows: (nodeId: string) => Row[]; paths: string[] } {
	const paths: string[] = [];
	const byNode = new Map<string, Row[]>();
	for (const stage of plan.stages) {
		const values = new Map(
			stage.inputs.map((input) => {
				const source = plan.stages[input.sourceStage];
				const all = source ? mergeStageRows(source, (id) => byNode.get(id) ?? []) : [];
				const rows = input.sourceNode === undefined ? all : (byNode.get(input.sourceNode) ?? []);
				return [input.edgeId, extractValues(rows, input.extractField)] as const;
			}),
		);
		for (const nodeId of new Set(stage.branches.map((branch) => branch.nodeId))) {
			byNode.set(nodeId, readNodeRows(stage, nodeId, fetchNode(stage, nodeId, values, fabric, options, paths)));
		}
	}
	return { getRows: (nodeId) => byNode.get(nodeId) ?? [], paths };
}

function fetchNode(
	stage: StagePlan,
	nodeId: string,
	values: InputValues,
	fabric: readonly Mo[],
	options: RequestOptions,
	paths: string[],
): Fetched[] {
	return stage.branches
		.filter((branch) => branch.nodeId === nodeId)
		.flatMap((branch) => {
			let dns: string[] = [];
			let fetched: Fetched[] = [];
			for (const step of buildSteps(branch, stage, values, options)) {
				const { fetches, keep } = step.requests(dns);
				fetched = fetches.map((fetch): Fetched => {
					paths.push(fetch.path);
					if (fetch.count === true) return { fetch, rows: [], count: answerQuery(fabric, fetch.path).total };
					const rows: Row[] = [];
					for (let index = 0; ; index += 1) {
						const part = answerQuery(fabric, fetch.path, fetch.paged ? { index, size: PAGE } : undefined);
						rows.push(...part.rows.filter(keep));
						const enough = fetch.stopAfter !== undefined && rows.length >= fetch.stopAfter;
						if (!fetch.paged || enough || (index + 1) * PAGE >= part.total) break;
					}
					return { fetch, rows };
				});
				dns = [...new Set(fetched.flatMap(({ rows }) => rows.flatMap((row) => getDn(row) ?? [])))];
			}
			return fetched;
		});
}
