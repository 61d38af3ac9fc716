/**
 * Values that a stage passes to the next one, through the API and against the simulated controller.
 * The results must equal the controller's own objects.
 */
import { describe, expect, it } from "vitest";
import {
	buildClassNode,
	createCanvas,
	createEdge,
	createNameFilter,
	createPipelineEdge,
	getAttributes,
	listDns,
	type Node,
	output,
	type Row,
	RUNS,
} from "../support/canvases.ts";
import { createHeldController } from "../support/held-controller.ts";
import { useRuns } from "../support/runs.ts";

const held = createHeldController();
const runs = useRuns({ driver: held.driver });

const readStage = async (id: string, index: number): Promise<Row[]> =>
	(await runs.ada.api.get(`${RUNS}${id}/results/?stage=${index}&page_size=200`)).body.results;
/** A run to its end: its job, its rows and their dns. */
async function runFlow(flow: unknown) {
	const { job, rows } = await runs.run(flow);
	return { job, rows, dns: listDns(rows) };
}
/** What the controller itself answers. */
const queryController = (className: string) => runs.ask(`/api/class/${className}.json`);
const getValues = (rows: readonly Row[], property: string) =>
	new Set(rows.map((row) => getAttributes(row)[property] ?? ""));
/** Of rows whose property is one of the values, the dns. */
const findMatchingDns = (rows: readonly Row[], property: string, values: ReadonlySet<string>) => {
	const found = listDns(rows.filter((row) => values.has(getAttributes(row)[property] ?? "")));
	expect(found.length, "an expectation of nothing would prove nothing").toBeGreaterThan(0);
	expect(found.length, "and one of everything neither").toBeLessThan(rows.length);
	return found;
};
const isBelow = (dn: string, parents: Iterable<string>) => [...parents].some((parent) => dn.startsWith(`${parent}/`));

/** The first bridge domains, by name. */
async function buildSomeDomains(count: number) {
	const bds = (await queryController("fvBD")).sort((a, b) =>
		(getAttributes(a).dn ?? "") < (getAttributes(b).dn ?? "") ? -1 : 1,
	);
	const names = [...getValues(bds, "name")].slice(0, count);
	const patterns = names.map((pattern) => ({ property: "name", pattern, type: "exact" }));
	const filter: Node = {
		id: "bds",
		type: "filterNode",
		data: { filterType: "query-target-filter", patternGroups: [{ logicalOperator: "or", patterns }] },
	};
	return { filter, chosen: bds.filter((row) => names.includes(getAttributes(row).name ?? "")) };
}

describe("values between stages", () => {
	it("filter_values keeps the objects whose property is one of them", async () => {
		const { filter, chosen } = await buildSomeDomains(3);
		const { dns, job } = await runFlow(
			createCanvas(
				[buildClassNode("fvBD"), filter, buildClassNode("fvRsBd"), output],
				createEdge("fvBD", "bds"),
				createPipelineEdge("bds", "fvRsBd", { extractField: "dn", injectAs: "filter_values", injectProperty: "tDn" }),
				createEdge("fvRsBd", "out"),
			),
		);
		expect(dns).toEqual(findMatchingDns(await queryController("fvRsBd"), "tDn", getValues(chosen, "dn")));
		expect(job.stages[1]).toMatchObject({
			inject_mode: "filter_values",
			status: "completed",
			inputs: { source_stages: [0], value_count: chosen.length, sample: listDns(chosen).slice(0, 5) },
		});
	});

	it("dn_scope keeps the objects at or below one of them", async () => {
		const { filter, chosen } = await buildSomeDomains(2);
		const { dns, job } = await runFlow(
			createCanvas(
				[buildClassNode("fvBD"), filter, buildClassNode("fvSubnet"), output],
				createEdge("fvBD", "bds"),
				createPipelineEdge("bds", "fvSubnet", { injectAs: "dn_scope" }),
				createEdge("fvSubnet", "out"),
			),
		);
		const all = listDns(await queryController("fvSubnet"));
		expect(dns).toEqual(all.filter((dn) => isBelow(dn, listDns(chosen))));
		expect(dns.length).toBeGreaterThan(0);
		expect(dns.length).toBeLessThan(all.length);
		expect(job.stages[1].inject_mode).toBe("dn_scope");
	});

	it("iterate asks for each by itself, so that order and limit hold for each", async () => {
		const { filter, chosen } = await buildSomeDomains(3);
		const { rows, job } = await runFlow(
			createCanvas(
				[buildClassNode("fvBD"), filter, buildClassNode("fvRsBd", { orderBy: "-dn", limit: 1 }), output],
				createEdge("fvBD", "bds"),
				createPipelineEdge("bds", "fvRsBd", { injectAs: "iterate", injectProperty: "tDn" }),
				createEdge("fvRsBd", "out"),
			),
		);
		const relations = await queryController("fvRsBd");
		const last = listDns(chosen).flatMap((bd) => {
			const own = listDns(relations.filter((row) => getAttributes(row).tDn === bd));
			return own.at(-1) ?? [];
		});
		expect(last.length).toBeGreaterThan(1);
		expect(listDns(rows)).toEqual(last.sort());
		expect(job.stages[1]).toMatchObject({ inject_mode: "iterate", request_count: chosen.length });
	});

	it("of two stages into one must both hold", async () => {
		const { filter, chosen } = await buildSomeDomains(4);
		const [tenant = ""] = [...getValues(chosen, "dn")].map((dn) => dn.split("/").slice(0, 2).join("/"));
		const { dns, job } = await runFlow(
			createCanvas(
				[
					buildClassNode("fvTenant"),
					createNameFilter(tenant.slice(7), {}, "t"),
					buildClassNode("fvBD"),
					filter,
					buildClassNode("fvRsBd"),
					output,
				],
				...[createEdge("fvTenant", "t"), createEdge("fvBD", "bds"), createEdge("fvRsBd", "out")],
				createPipelineEdge("t", "fvRsBd", { injectAs: "dn_scope" }),
				createPipelineEdge("bds", "fvRsBd", { injectProperty: "tDn" }),
			),
		);
		const byBd = findMatchingDns(await queryController("fvRsBd"), "tDn", getValues(chosen, "dn"));
		expect(dns).toEqual(byBd.filter((dn) => isBelow(dn, [tenant])));
		expect(dns.length).toBeGreaterThan(0);
		expect(dns.length).toBeLessThan(byBd.length);
		expect(job.stages[2].inputs).toMatchObject({ source_stages: [0, 1], value_count: 1 + chosen.length });
	});

	it("of one stage go into several, and branches within a stage give each object once", async () => {
		const { filter, chosen } = await buildSomeDomains(2);
		const { job, dns } = await runFlow(
			createCanvas(
				[
					buildClassNode("fvBD"),
					filter,
					buildClassNode("fvSubnet"),
					buildClassNode("fvRsCtx"),
					buildClassNode("fvRsBd"),
					output,
				],
				...[
					createEdge("fvBD", "bds"),
					createEdge("fvBD", "fvSubnet"),
					createEdge("fvBD", "fvRsCtx"),
					createEdge("fvRsBd", "out"),
				],
				createPipelineEdge("fvBD", "fvRsBd", { injectProperty: "tDn" }),
			),
		);
		const bds = listDns(chosen);
		const branches = [...(await queryController("fvSubnet")), ...(await queryController("fvRsCtx"))].filter((row) =>
			isBelow(getAttributes(row).dn ?? "", bds),
		);
		expect(listDns(await readStage(job.id, 0))).toEqual(listDns(branches));
		expect(getValues(await readStage(job.id, 0), "dn").size).toBe(branches.length);
		expect(dns).toEqual(findMatchingDns(await queryController("fvRsBd"), "tDn", new Set(bds)));
		expect(job.stages[0].outputs.result_count).toBe(branches.length);
	});

	it("that are not there leave all that follows empty, a success without a call", async () => {
		const before = held.asked.length;
		const { job, dns } = await runFlow(
			createCanvas(
				[
					buildClassNode("fvTenant"),
					createNameFilter("none of these"),
					buildClassNode("fvBD"),
					buildClassNode("fvRsBd"),
					output,
				],
				...[createEdge("fvTenant", "f"), createPipelineEdge("f", "fvBD", { injectAs: "dn_scope" })],
				...[createPipelineEdge("fvBD", "fvRsBd", { injectProperty: "tDn" }), createEdge("fvRsBd", "out")],
			),
		);
		expect(dns).toEqual([]);
		expect(job).toMatchObject({ completed_stages: 3, failed_stages: 0, total_rows: 0 });
		expect(job.stages.map(({ request_count }: { request_count: number }) => request_count)).toEqual([1, 0, 0]);
		expect(held.asked.slice(before)).toHaveLength(1);
	});
});
