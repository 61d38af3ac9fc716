/** The present problems: checks, faults and connections that the caller sees. */
import {
	checkRoutes,
	connectionRoutes,
	dashboardRoutes,
	FINDING_SEVERITIES,
	PROBLEM_LIMITS,
	type Problems,
	timeMachineRoutes,
} from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import { listChecks } from "../checks/manage-checks.ts";
import { type CheckCount, countCheckStates } from "../checks/sql/checks.ts";
import { listReach, type ReachRow } from "../fabrics/sql/reach.ts";
import { readFaults } from "./read-faults.ts";

/** @param url of this route, beside which the list of checks is */
export async function readProblems(ctx: Context, caller: Caller, url: string, signal: AbortSignal): Promise<Problems> {
	const seesConnections = isAllowed(caller, connectionRoutes.list.permission);
	const reach = await listReach(ctx.store.db, caller);
	const [checks, faults, model] = await Promise.all([
		isAllowed(caller, checkRoutes.list.permission) ? readCheckProblems(ctx, caller, url) : null,
		isAllowed(caller, timeMachineRoutes.list.permission) ? readFaults(ctx, caller, reach, signal) : null,
		ctx.areas.model.loaded.current(),
	]);
	return {
		checks,
		faults,
		connections: seesConnections ? presentReach(reach) : null,
		controller_version: model?.version.controller_version ?? null,
	};
}

async function readCheckProblems(ctx: Context, caller: Caller, url: string): Promise<Problems["checks"]> {
	const list = url.replace(dashboardRoutes.problems.path, checkRoutes.list.path);
	const [counts, { results }] = await Promise.all([
		countCheckStates(ctx.store.db, caller),
		listChecks(ctx, caller, { page: 1, page_size: PROBLEM_LIMITS.checks, ordering: "-state" }, list),
	]);
	const count = (matches: (row: CheckCount) => boolean): number =>
		counts.filter(matches).reduce((sum, { checks }) => sum + checks, 0);
	return {
		total: count(() => true),
		ok: count(({ state }) => state === "ok"),
		pending: count(({ state }) => state === "pending"),
		unknown: count(({ state }) => state === "unknown"),
		severities: FINDING_SEVERITIES.toReversed().map((severity) => ({
			severity,
			failing: count((row) => row.severity === severity && row.state === "failing"),
			error: count((row) => row.severity === severity && row.state === "error"),
		})),
		worst: results,
	};
}

function presentReach(rows: readonly ReachRow[]): Problems["connections"] {
	const down = rows.flatMap(({ id, name, down_since, down_error }) =>
		down_since === null ? [] : [{ id, name, since: down_since.toISOString(), error: down_error }],
	);
	return {
		total: rows.length,
		unknown: rows.filter(({ down_since, reached_at }) => down_since === null && reached_at === null).length,
		down: down.slice(0, PROBLEM_LIMITS.connections),
		down_total: down.length,
	};
}
