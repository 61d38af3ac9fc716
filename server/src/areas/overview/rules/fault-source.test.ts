import { describe, expect, it } from "vitest";
import { readContent } from "../../queries/flow/index.ts";
import { findFaultSource } from "./fault-source.ts";

interface Drawn {
	readonly classes?: readonly Record<string, unknown>[];
	readonly filter?: Record<string, unknown>;
	readonly steps?: readonly unknown[];
}

function findIn({ classes = [{ className: "faultInst" }], filter, steps = [] }: Drawn) {
	const nodes: unknown[] = classes.map((data, at) => ({ id: `c${at}`, type: "classNode", data }));
	const edges: unknown[] = classes.slice(1).map((_, at) => ({ id: `e${at}`, source: `c${at}`, target: `c${at + 1}` }));
	if (filter !== undefined) {
		nodes.push({ id: "f", type: "filterNode", data: { filterType: "property", ...filter } });
		edges.push({ id: "ef", source: "c0", target: "f" });
	}
	return findFaultSource(readContent({ flow_data: { nodes, edges }, post_processors: steps, variables: [] }));
}

const COUNT = { value: "count", field: null, groupBy: "faultInst.severity", isWhole: true };
const notCleared = { property: "severity", operator: "ne", value: "cleared" };

describe("the faults of a query", () => {
	it("are its rows where it reads fault objects, and sums where it reads summaries", () => {
		expect(findIn({})).toEqual(COUNT);
		expect(findIn({ filter: notCleared })).toEqual(COUNT);
		expect(findIn({ steps: [{ type: "array-sort", config: { field: "severity" } }] })).toEqual(COUNT);
		expect(findIn({ classes: [{ className: "faultSummary" }] })).toEqual({
			value: "sum",
			field: "faultSummary.count",
			groupBy: "faultSummary.severity",
			isWhole: true,
		});
	});

	it("are the counts of an aggregate by severity", () => {
		const config = { groupBy: ["severity", "domain"], aggregations: [{ function: "count", as: "faults" }] };
		const aggregate = { type: "aggregate", config };
		expect(findIn({ filter: notCleared, steps: [aggregate] })).toEqual({
			value: "sum",
			field: "faults",
			groupBy: "severity",
			isWhole: true,
		});
		const plain = { type: "aggregate", config: { groupBy: ["severity"] } };
		expect(findIn({ steps: [plain] })).toMatchObject({ field: "count" });
		expect(findIn({ steps: [{ type: "aggregate", config: { groupBy: ["domain"] } }] })).toBeNull();
		expect(findIn({ steps: [plain, { type: "aggregate", config: { groupBy: [] } }] })).toBeNull();
	});

	it("are not all faults of the fabric where the query leaves some out", () => {
		expect(findIn({ filter: { property: "severity", operator: "eq", value: "critical" } })?.isWhole).toBe(false);
		expect(findIn({ classes: [{ className: "faultInst", limit: 5 }] })?.isWhole).toBe(false);
		expect(findIn({ classes: [{ className: "fvTenant" }, { className: "faultInst" }] })?.isWhole).toBe(false);
	});

	it("are none where rows are filtered, or another class is read", () => {
		const rows = { type: "filter_rows", config: { field: "severity", value: "major" } };
		expect(findIn({ steps: [rows] })).toBeNull();
		expect(findIn({ steps: [{ ...rows, enabled: false }] })).toEqual(COUNT);
		expect(findIn({ classes: [{ className: "fvBD" }] })).toBeNull();
	});
});
