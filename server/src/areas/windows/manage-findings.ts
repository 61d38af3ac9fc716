/** Findings of a change window: lists and accepts them, and adds them to rules and plans. */
import {
	type DriftRules,
	driftRules,
	type ExpectationInput,
	expectationInput,
	type FindingList,
	WINDOW_LIMITS,
	type WindowFinding,
} from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import { isSameJson } from "../checks/rules/same-json.ts";
import { requireEditableQuery } from "../queries/saved/add-queries.ts";
import { writeQueryFields } from "../queries/saved/manage-queries.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import { moveWindow } from "./move-window.ts";
import { lockPlan, writePlanFields } from "./plans/manage-plans.ts";
import { canEditPlan } from "./policy.ts";
import { presentFinding } from "./present.ts";
import { findVisibleWindow, lockForMove } from "./read-window.ts";
import { acceptFindingRow, type FindingRow, findFinding, listAllFindings, listFindingPage } from "./sql/findings.ts";
import { findShownPlan, type PlanRow } from "./sql/plans.ts";
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
		await acceptFindingRow(tx, finding, { by: caller.username, at: getNow(ctx), reason });
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

/**
 * Asserts that the finding is about an object that differs.
 * @throws 400 for a check, a group of rows, and a declared change that did not happen
 */
function assertDiffers(data: FindingRow["data"]): asserts data is FindingRow["data"] & { readonly dn: string } {
	const isMissing = data.class === "missing" && data.attributes.length === 0;
	if (data.dn === null || isMissing) throw buildRefusedError("The finding names no object that differs.");
}

/** Adds the attributes of a modified object, or the DN of an added or deleted one, to the rules. */
function addFindingToRules(rules: DriftRules, { data }: FindingRow): DriftRules {
	assertDiffers(data);
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
	await ctx.store.transaction(async (tx) => {
		if ((await readDriftRules(tx.db, queryId)) === null) throw buildRefusedError("The query no longer exists.");
		const row = await requireEditableQuery(tx, caller, queryId);
		const rules = (await readDriftRules(tx.db, queryId)) ?? driftRules.parse({});
		const { data } = driftRules.safeParse(addFindingToRules(rules, finding));
		if (data === undefined)
			throw buildRefusedError(
				"The drift rules of the query have no room for this object. Remove a rule, or ignore its class.",
			);
		await writeQueryFields(ctx, tx, caller, row, { drift_rules: data });
	});
	return presentFinding(finding);
}

/** The place that the item of a finding has in the present plan. */
function findPresentItem(plan: PlanRow, window: ShownWindow, { item }: FindingRow): number | null {
	if (item === null) return null;
	const place = plan.items.findIndex((one) => isSameJson(one, window.plan.items[item]));
	if (place === -1) throw buildRefusedError("The plan no longer has the item of this finding as it was.");
	return place;
}

/** Builds an expectation that matches the finding. */
function buildExpectation({ data }: FindingRow, item: number | null): ExpectationInput {
	const attributes =
		data.change === "modified" && data.attributes.length > 0
			? Object.fromEntries(data.attributes.map(({ name, after }) => [name, { to: after }]))
			: null;
	const { data: built } = expectationInput.safeParse({
		item,
		change: data.change ?? "any",
		class_name: data.class_name,
		dn: data.dn,
		attributes,
		source: "comparison",
	});
	if (built === undefined)
		throw buildRefusedError("The finding is too large to be an expectation. Add one with a pattern to the plan.");
	return built;
}

/** Adds a finding to the expectations of the plan, for its next window. */
export async function addPlanExpectation(
	ctx: Context,
	caller: Caller,
	{ id, finding_id }: { readonly id: string; readonly finding_id: string },
): Promise<WindowFinding> {
	const { window, finding } = await findShownFinding(ctx, caller, id, finding_id);
	assertDiffers(finding.data);
	await ctx.store.transaction(async (tx) => {
		const shown = window.plan_id === null ? undefined : await findShownPlan(tx.db, caller, window.plan_id);
		if (shown === undefined) throw buildForbiddenError("The plan no longer exists, or you do not see it.");
		const plan = await lockPlan(tx, caller, shown.id, canEditPlan);
		const expectation = buildExpectation(finding, findPresentItem(plan, window, finding));
		if (plan.expectations.some((one) => isSameJson(expectationInput.parse(one), expectation)))
			return markUnchanged(caller);
		if (plan.expectations.length >= WINDOW_LIMITS.expectations)
			throw buildRefusedError(`The plan has ${WINDOW_LIMITS.expectations} expectations, which is the limit.`);
		const expectations = [...plan.expectations, expectation];
		await writePlanFields(ctx, tx, caller, plan, { expectations }, ["expectations"]);
	});
	return presentFinding(finding);
}
