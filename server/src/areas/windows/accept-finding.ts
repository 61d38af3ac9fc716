/** Findings of a change window: lists and accepts them, and adds them to rules and plans. */
import {
	type ChangePlan,
	type DriftRules,
	type ExpectationInput,
	expectationInput,
	type FindingList,
	type WindowFinding,
} from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../core/errors.ts";
import { paginateRows } from "../../core/http/paging.ts";
import { updateSavedQuery } from "../queries/saved/manage-queries.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import { moveWindow } from "./move-window.ts";
import { changePlan } from "./plans/manage-plans.ts";
import { presentFinding } from "./present.ts";
import { findVisibleWindow, lockForMove } from "./read-window.ts";
import { acceptFindingRow, type FindingRow, findFinding, listAllFindings, listFindingPage } from "./sql/findings.ts";
import { findShownPlan } from "./sql/plans.ts";
import type { ShownWindow } from "./sql/windows.ts";

export async function listFindings(ctx: Context, caller: Caller, id: string, filter: FindingList, url: string) {
	const window = await findVisibleWindow(ctx.store.db, caller, id);
	const page = await listFindingPage(ctx.store.db, id, window.visible_ids, filter);
	return paginateRows(url, filter, page, presentFinding);
}

/** All findings that the caller sees, one JSON object a line. */
export async function* streamFindings(
	ctx: Context,
	caller: Caller,
	id: string,
	{ class: kind, connection, item }: FindingList,
): AsyncGenerator<string, void> {
	const window = await findVisibleWindow(ctx.store.db, caller, id);
	for (const row of await listAllFindings(ctx.store.db, id, window.visible_ids)) {
		if (kind !== undefined && row.class !== kind) continue;
		if (connection !== undefined && row.connection_id !== connection) continue;
		if (item !== undefined && row.item !== item) continue;
		yield `${JSON.stringify(presentFinding(row))}\n`;
	}
}

async function findShownFinding(ctx: Context, caller: Caller, id: string, findingId: string) {
	const window = await findVisibleWindow(ctx.store.db, caller, id);
	const finding = await findFinding(ctx.store.db, id, findingId);
	if (finding === undefined || !window.visible_ids.includes(finding.connection_id)) throw buildNotFoundError();
	return { window, finding };
}

/** Stores who accepts a finding, and why. The verdict stays. */
export async function acceptFinding(
	ctx: Context,
	caller: Caller,
	{ id, finding_id }: { readonly id: string; readonly finding_id: string },
	{ reason }: { readonly reason: string },
): Promise<WindowFinding> {
	return ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "accept", role: "decider" });
		const finding = await findFinding(tx.db, id, finding_id);
		if (finding === undefined) throw buildNotFoundError();
		await acceptFindingRow(tx, finding_id, { by: caller.username, at: getNow(ctx), reason });
		await moveWindow(ctx, tx, window, caller, {
			event: "accept",
			detail: `${finding.class} ${finding.data.dn ?? finding.data.detail}: ${reason}`,
			verb: "accepted a finding of",
			metadata: { finding: finding_id, reason },
		});
		const accepted = await findFinding(tx.db, id, finding_id);
		if (accepted === undefined) throw buildNotFoundError();
		return presentFinding(accepted);
	});
}

function getQueryId(window: ShownWindow, { item }: FindingRow): string {
	const planned = item === null ? undefined : window.plan.items[item];
	if (planned === undefined || !("query" in planned))
		throw buildRefusedError("Only a finding of a query can be ignored by drift rules; this one has no query.");
	return planned.query;
}

/** Escapes the characters that have a meaning in a regular expression. */
const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** Adds the attributes of a modified object, or the DN of an added or deleted one, to the rules. */
function addRule(rules: DriftRules, { data }: FindingRow): DriftRules {
	if (data.dn === null) throw buildRefusedError("The finding names no object.");
	if (data.change !== "modified" || data.attributes.length === 0)
		return { ...rules, ignore_dns: [...new Set([...rules.ignore_dns, `^${escapeRegex(data.dn)}$`])] };
	const names = data.attributes.map(({ name }) => (data.class_name === null ? name : `${data.class_name}.${name}`));
	return { ...rules, ignore: [...new Set([...rules.ignore, ...names])] };
}

/** Adds a finding to the drift rules of its query, if the caller may edit the query. */
export async function addDriftRule(
	ctx: Context,
	caller: Caller,
	{ id, finding_id }: { readonly id: string; readonly finding_id: string },
): Promise<WindowFinding> {
	const { window, finding } = await findShownFinding(ctx, caller, id, finding_id);
	const queryId = getQueryId(window, finding);
	const rules = await readDriftRules(ctx.store.db, queryId);
	if (rules === null) throw buildRefusedError("The query no longer exists.");
	await updateSavedQuery(ctx, caller, queryId, { drift_rules: addRule(rules, finding) });
	return presentFinding(finding);
}

/** The expectation that the finding matches. */
function buildExpectation({ item, data }: FindingRow): ExpectationInput {
	const attributes =
		data.change === "modified" && data.attributes.length > 0
			? Object.fromEntries(data.attributes.map(({ name, after }) => [name, { to: after }]))
			: null;
	return expectationInput.parse({
		item,
		change: data.change ?? "any",
		class_name: data.class_name,
		dn: data.dn,
		attributes,
		source: "comparison",
	});
}

/** Adds a finding to the expectations of the plan, for its next window. */
export async function addPlanExpectation(
	ctx: Context,
	caller: Caller,
	{ id, finding_id }: { readonly id: string; readonly finding_id: string },
): Promise<WindowFinding> {
	const { window, finding } = await findShownFinding(ctx, caller, id, finding_id);
	if (finding.data.dn === null) throw buildRefusedError("The finding names no object.");
	const plan = window.plan_id === null ? undefined : await findShownPlan(ctx.store.db, caller, window.plan_id);
	if (plan === undefined) throw buildForbiddenError("The plan no longer exists, or you do not see it.");
	const expectations: ChangePlan["expectations"] = [...plan.expectations, buildExpectation(finding)];
	await changePlan(ctx, caller, plan.id, { expectations });
	return presentFinding(finding);
}
