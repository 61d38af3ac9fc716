/** Previews the findings of a change plan between the two latest snapshots of its queries. */
import { driftRules, expectationInput, type PlanItem, type PlanPreview } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../../core/errors.ts";
import { findVisibleConnection } from "../../fabrics/manage-connections.ts";
import { isQueryVisible, readDriftRules } from "../../queries/saved/visible-query.ts";
import { buildQueryTask, readDifferences } from "../read-differences.ts";
import { findShownPlan } from "../sql/plans.ts";
import { listLatestTwo } from "../sql/preview.ts";

/** Upper bound of the findings of one item and connection. */
const SHOWN = 20;
const JUDGE_MS = 30_000;
const COUNTS = "The numbers of rows are not compared: only a change window counts them.";

export async function previewPlan(
	ctx: Context,
	caller: Caller,
	id: string,
	connectionIds: readonly string[],
	signal: AbortSignal,
): Promise<PlanPreview> {
	const plan = await findShownPlan(ctx.store.db, caller, id);
	if (plan === undefined) throw buildNotFoundError();
	for (const connectionId of connectionIds)
		if ((await findVisibleConnection(ctx, caller, connectionId)) === null)
			throw buildFieldError("connection_ids", `There is no connection ${connectionId} that you can see.`);
	const expectations = plan.expectations.map((input, at) => ({
		...expectationInput.parse(input),
		id: String(at),
		late: false,
	}));
	const judging = { failOn: plan.gate.fail_on, expectations, implementers: [] };
	const results: PlanPreview["results"] = [];
	for (const connectionId of [...new Set(connectionIds)])
		for (const [item, planned] of plan.items.entries())
			if ("query" in planned)
				results.push(await previewItem(ctx, caller, { planned, item, connectionId, judging }, signal));
	return { results };
}

interface ItemPreview {
	readonly planned: Extract<PlanItem, { query: string }>;
	readonly item: number;
	readonly connectionId: string;
	readonly judging: Parameters<Context["judgePool"]["run"]>[1]["judging"];
}

async function previewItem(
	ctx: Context,
	caller: Caller,
	{ planned, item, connectionId, judging }: ItemPreview,
	signal: AbortSignal,
): Promise<PlanPreview["results"][number]> {
	const { db } = ctx.store;
	const isVisible = await isQueryVisible(db, caller, planned.query);
	const [to, from] = isVisible ? await listLatestTwo(db, planned.query, connectionId) : [];
	const present = (row: { id: string; executed_at: Date } | undefined) =>
		row === undefined ? null : { snapshot_id: row.id, at: row.executed_at.toISOString() };
	const place = { item, connection_id: connectionId, from: present(from), to: present(to) };
	const refuse = (error: string) => ({ ...place, error, total: 0, findings: [] });
	if (!isVisible) return refuse("There is no such query that you can see.");
	if (from === undefined || to === undefined) return refuse("The query has fewer than two snapshots there.");
	const rules = driftRules.parse((await readDriftRules(db, planned.query)) ?? {});
	const wanted = { from: from.id, to: to.id, rules, match: planned.match, identity: null };
	const differences = await readDifferences(ctx, wanted, signal);
	if (differences === null) return refuse("A snapshot was deleted meanwhile.");
	const one = buildQueryTask(planned, item, differences, []);
	const judged = await ctx.judgePool.run(
		"judge",
		{ judging, connectionId, items: [one] },
		{ signal, timeoutMs: JUDGE_MS },
	);
	const findings = judged.items.flatMap((each) => each.findings);
	return {
		...place,
		error: planned.tolerance?.count === undefined ? null : COUNTS,
		total: findings.length,
		findings: findings.slice(0, SHOWN).map((finding, at) => ({
			...finding,
			id: `${item}-${at}`,
			accepted_by: null,
			accepted_at: null,
			reason: "",
		})),
	};
}
