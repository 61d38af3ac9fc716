/** Plans the changes of files of change plans and finds their errors. Reads only. */
import type { ChangePlanContent, ChangePlanCreate, PlanItem } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findOthersChecks, type OwnedCheck } from "../checks/sql/checks.ts";
import type { CheckChange } from "../checks/write-check-file.ts";
import { checkPlanFile, type PlanChange } from "../windows/plans/write-plan-file.ts";
import { listOwnPlans, type PlanRow } from "../windows/sql/plans.ts";
import { addRefusal, type FileErrors } from "./errors.ts";
import {
	type Found,
	findReferences,
	groupByName,
	indexReferences,
	type OtherPlans,
	type References,
	resolveConnection,
	resolveQuery,
} from "./find-references.ts";
import { type PlannedObject, planByName } from "./plan-by-name.ts";
import { listPlanNames, type PlanNames } from "./plan-names.ts";
import type { ObjectPlan } from "./plan-objects.ts";
import type { GivenFile } from "./plan-queries.ts";
import { findLine, type ParsedChangePlan } from "./rules/read-file.ts";

type CheckPlan = ObjectPlan<OwnedCheck, CheckChange>;

/** Ids of the objects that a stored plan names. */
interface PresentIds {
	readonly queries: ReadonlyMap<string, string>;
	readonly checks: ReadonlyMap<string, string>;
	readonly connections: ReadonlyMap<string, string>;
}

function listPresentIds(plan: PlanRow | null, names: PlanNames): PresentIds {
	const name = (known: ReadonlyMap<string, string>, id: string) => [known.get(id) ?? id, id] as const;
	const items = plan?.items ?? [];
	const connections = (plan?.expectations ?? []).flatMap(({ connection_ids }) => connection_ids ?? []);
	return {
		queries: new Map(items.flatMap((item) => ("query" in item ? [name(names.items, item.query)] : []))),
		checks: new Map(items.flatMap((item) => ("check" in item ? [name(names.items, item.check)] : []))),
		connections: new Map(connections.map((id) => name(names.connections, id))),
	};
}

/** Finds checks by name: of the files, of the caller, and of others. */
interface KnownChecks {
	readonly planned: ReadonlyMap<string, string>;
	readonly own: ReadonlyMap<string, readonly { readonly id: string }[]>;
	readonly others: ReadonlyMap<string, readonly { readonly id: string }[]>;
	readonly prune: boolean;
}

function resolveCheck({ planned, own, others, prune }: KnownChecks, name: string, present: string | undefined): Found {
	const inFiles = planned.get(name);
	if (inFiles !== undefined) return { id: inFiles };
	const ownChecks = own.get(name) ?? [];
	if (ownChecks.length > 0 && prune)
		return { problem: `The check "${name}" has no file and would be deleted. Add its file.` };
	const found = ownChecks.length > 0 ? ownChecks : (others.get(name) ?? []);
	const [first, ...more] = found;
	if (present !== undefined && (ownChecks.length !== 1 || more.length > 0)) return { id: present };
	if (first === undefined) return { problem: `There is no check "${name}" that you can see.` };
	if (more.length === 0) return first;
	return { problem: `${more.length + 1} checks have the name "${name}". Rename one of them.` };
}

/** The plan with ids instead of names; null, and errors, where a name stands for no object. */
function resolvePlan(
	{ path, file }: GivenFile<ParsedChangePlan>,
	references: References,
	checks: KnownChecks,
	present: PresentIds,
	errors: FileErrors,
): ChangePlanCreate | null {
	const { lines } = file;
	const document: ChangePlanContent = file.document;
	const read = (field: string, found: Found): string => {
		if ("id" in found) return found.id;
		errors.add(path, findLine(lines, field), `${field}: ${found.problem}`);
		return "";
	};
	const items = document.items.map((item, index): PlanItem => {
		if ("query" in item) {
			const found = resolveQuery(references, item.query, present.queries.get(item.query));
			return { ...item, query: read(`items.${index}.query`, found) };
		}
		const found = resolveCheck(checks, item.check, present.checks.get(item.check));
		return { ...item, check: read(`items.${index}.check`, found) };
	});
	const expectations = document.expectations.map(({ controller_connections, ...expectation }, index) => ({
		...expectation,
		connection_ids:
			controller_connections?.map((name) =>
				read(
					`expectations.${index}.controller_connections`,
					resolveConnection(references, name, present.connections.get(name)),
				),
			) ?? null,
	}));
	return errors.has(path) ? null : { ...document, items, expectations };
}

/** @param checkPlan the plan of the files of checks, which items may name */
export async function planChangePlans(
	ctx: Context,
	tx: Tx,
	caller: Identity,
	files: readonly GivenFile<ParsedChangePlan>[],
	{ checkPlan, ...input }: OtherPlans & { readonly checkPlan: CheckPlan },
	errors: FileErrors,
): Promise<PlannedObject<PlanChange>[]> {
	if (files.length === 0) return [];
	const owned = await listOwnPlans(tx.db, caller.userId);
	const given = new Set(files.map(({ file }) => file.document.name));
	const names = await listPlanNames(
		tx.db,
		caller,
		owned.filter(({ name }) => given.has(name)),
	);
	const items = files.flatMap(({ file }) => file.document.items);
	const expectations = files.flatMap(({ file }) => file.document.expectations);
	const named = {
		queries: items.flatMap((item) => ("query" in item ? [item.query] : [])),
		connections: expectations.flatMap(({ controller_connections }) => controller_connections ?? []),
		groups: [],
	};
	const references = await findReferences(tx, caller, named, input);
	const known = indexReferences(tx, caller, references);
	const checkNames = items.flatMap((item) => ("check" in item ? [item.check] : []));
	const checks = {
		planned: new Map(checkPlan.planned.map(({ name, change }) => [name, change.id])),
		own: groupByName(checkPlan.others.map(({ row }) => row)),
		others: groupByName(await findOthersChecks(tx.db, caller, [...new Set(checkNames)])),
		prune: input.prune,
	};
	return planByName("change_plan", files, owned, errors, async (one, before) => {
		const plan = resolvePlan(one, references, checks, listPresentIds(before, names), errors);
		if (plan === null) return null;
		try {
			return await checkPlanFile(ctx, caller, plan, before, known);
		} catch (error) {
			addRefusal(errors, one.path, one.file.lines, error);
			return null;
		}
	});
}
