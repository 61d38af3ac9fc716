/**
 * Values that a stage passes to the next one, through the API and against the simulated controller.
 * The results must equal the controller's own objects.
 */
import { describe, expect, it } from "vitest";
import {
	attributes,
	canvas,
	classNode,
	edge,
	listDns,
	type Node,
	named,
	output,
	pipe,
	type Row,
	RUNS,
} from "../support/canvases.ts";
import { createHeldController } from "../support/held-controller.ts";
import { useRuns } from "../support/runs.ts";

const held = createHeldController();
const runs = useRuns({ driver: held.driver });

const stage = async (id: string, index: number): Promise<Row[]> =>
	(await runs.ada.api.get(`${RUNS}${id}/results/?stage=${index}&page_size=200`)).body.results;
/** A run to its end: its job, its rows and their dns. */
async function run(flow: unknown) {
	const { job, rows } = await runs.run(flow);
	return { job, rows, dns: listDns(rows) };
}
/** What the controller itself answers. */
const ask = (className: string) => runs.ask(`/api/class/${className}.json`);
const getValues = (rows: readonly Row[], property: string) =>
	new Set(rows.map((row) => attributes(row)[property] ?? ""));
/** Of rows whose property is one of the values, the dns. */
const matching = (rows: readonly Row[], property: string, values: ReadonlySet<string>) => {
	const found = listDns(rows.filter((row) => values.has(attributes(row)[property] ?? "")));
	expect(found.length, "an expectation of nothing would prove nothing").toBeGreaterThan(0);
	expect(found.length, "and one of everything neither").toBeLessThan(rows.length);
	return found;
};
const below = (dn: string, parents: Iterable<string>) => [...parents].some((parent) => dn.startsWith(`${parent}/`));

/** The first bridge domains, by name. */
async function someBds(count: number) {
	const bds = (await ask("fvBD")).sort((a, b) => ((attributes(a).dn ?? "") < (attributes(b).dn ?? "") ? -1 : 1));
	const names = [...getValues(bds, "name")].slice(0, count);
	const patterns = names.map((pattern) => ({ property: "name", pattern, type: "exact" }));
	const filter: Node = {
		id: "bds",
		type: "filterNode",
		data: { filterType: "query-target-filter", patternGroups: [{ logicalOperator: "or", patterns }] },
	};
	return { filter, chosen: bds.filter((row) => names.includes(attributes(row).name ?? "")) };
}

describe("values between stages", () => {
	it("filter_values keeps the objects whose property is one of them", async () => {
		const { filter, chosen } = await someBds(3);
		const { dns, job } = await run(
			canvas(
				[classNode("fvBD"), filter, classNode("fvRsBd"), output],
				edge("fvBD", "bds"),
				pipe("bds", "fvRsBd", { extractField: "dn", injectAs: "filter_values", injectProperty: "tDn" }),
				edge("fvRsBd", "out"),
			),
		);
		expect(dns).toEqual(matching(await ask("fvRsBd"), "tDn", getValues(chosen, "dn")));
		expect(job.stages[1]).toMatchObject({
			inject_mode: "filter_values",
			status: "completed",
			inputs: { source_stages: [0], value_count: chosen.length, sample: listDns(chosen).slice(0, 5) },
		});
	});

	it("dn_scope keeps the objects at or below one of them", async () => {
		const { filter, chosen } = await someBds(2);
		const { dns, job } = await run(
			canvas(
				[classNode("fvBD"), filter, classNode("fvSubnet"), output],
				edge("fvBD", "bds"),
				pipe("bds", "fvSubnet", { injectAs: "dn_scope" }),
				edge("fvSubnet", "out"),
			),
		);
		const all = listDns(await ask("fvSubnet"));
		expect(dns).toEqual(all.filter((dn) => below(dn, listDns(chosen))));
		expect(dns.length).toBeGreaterThan(0);
		expect(dns.length).toBeLessThan(all.length);
		expect(job.stages[1].inject_mode).toBe("dn_scope");
	});

	it("iterate asks for each by itself, so that order and limit hold for each", async () => {
		const { filter, chosen } = await someBds(3);
		const { rows, job } = await run(
			canvas(
				[classNode("fvBD"), filter, classNode("fvRsBd", { orderBy: "-dn", limit: 1 }), output],
				edge("fvBD", "bds"),
				pipe("bds", "fvRsBd", { injectAs: "iterate", injectProperty: "tDn" }),
				edge("fvRsBd", "out"),
			),
		);
		const relations = await ask("fvRsBd");
		const last = listDns(chosen).flatMap((bd) => {
			const own = listDns(relations.filter((row) => attributes(row).tDn === bd));
			return own.at(-1) ?? [];
		});
		expect(last.length).toBeGreaterThan(1);
		expect(listDns(rows)).toEqual(last.sort());
		expect(job.stages[1]).toMatchObject({ inject_mode: "iterate", request_count: chosen.length });
	});

	it("of two stages into one must both hold", async () => {
		const { filter, chosen } = await someBds(4);
		const [tenant = ""] = [...getValues(chosen, "dn")].map((dn) => dn.split("/").slice(0, 2).join("/"));
		const { dns, job } = await run(
			canvas(
				[
					classNode("fvTenant"),
					named(tenant.slice(7), {}, "t"),
					classNode("fvBD"),
					filter,
					classNode("fvRsBd"),
					output,
				],
				...[edge("fvTenant", "t"), edge("fvBD", "bds"), edge("fvRsBd", "out")],
				pipe("t", "fvRsBd", { injectAs: "dn_scope" }),
				pipe("bds", "fvRsBd", { injectProperty: "tDn" }),
			),
		);
		const byBd = matching(await ask("fvRsBd"), "tDn", getValues(chosen, "dn"));
		expect(dns).toEqual(byBd.filter((dn) => below(dn, [tenant])));
		expect(dns.length).toBeGreaterThan(0);
		expect(dns.length).toBeLessThan(byBd.length);
		expect(job.stages[2].inputs).toMatchObject({ source_stages: [0, 1], value_count: 1 + chosen.length });
	});

	it("of one stage go into several, and branches within a stage give each object once", async () => {
		const { filter, chosen } = await someBds(2);
		const { job, dns } = await run(
			canvas(
				[classNode("fvBD"), filter, classNode("fvSubnet"), classNode("fvRsCtx"), classNode("fvRsBd"), output],
				...[edge("fvBD", "bds"), edge("fvBD", "fvSubnet"), edge("fvBD", "fvRsCtx"), edge("fvRsBd", "out")],
				pipe("fvBD", "fvRsBd", { injectProperty: "tDn" }),
			),
		);
		const bds = listDns(chosen);
		const branches = [...(await ask("fvSubnet")), ...(await ask("fvRsCtx"))].filter((row) =>
			below(attributes(row).dn ?? "", bds),
		);
		expect(listDns(await stage(job.id, 0))).toEqual(listDns(branches));
		expect(getValues(await stage(job.id, 0), "dn").size).toBe(branches.length);
		expect(dns).toEqual(matching(await ask("fvRsBd"), "tDn", new Set(bds)));
		expect(job.stages[0].outputs.result_count).toBe(branches.length);
	});

	it("that are not there leave all that follows empty, a success without a call", async () => {
		const before = held.asked.length;
		const { job, dns } = await run(
			canvas(
				[classNode("fvTenant"), named("none of these"), classNode("fvBD"), classNode("fvRsBd"), output],
				...[edge("fvTenant", "f"), pipe("f", "fvBD", { injectAs: "dn_scope" })],
				...[pipe("fvBD", "fvRsBd", { injectProperty: "tDn" }), edge("fvRsBd", "out")],
			),
		);
		expect(dns).toEqual([]);
		expect(job).toMatchObject({ completed_stages: 3, failed_stages: 0, total_rows: 0 });
		expect(job.stages.map(({ request_count }: { request_count: number }) => request_count)).toEqual([1, 0, 0]);
		expect(held.asked.slice(before)).toHaveLength(1);
	});
});
