/** Reads the releases of controllers, and whether their answers may lack objects. */
import type { Context } from "../../context.ts";
import { runWithTimeout } from "../../core/run-with-timeout.ts";
import type { ControllerTestResult } from "../../integrations/apic/port-test-result.ts";
import { findTarget } from "../fabrics/manage-connections.ts";
import type { ConnectionRow } from "./sql/windows.ts";

/** Timeout of the requests to one controller. */
const READ_MS = 5_000;
/** Number of controllers that are queried concurrently. */
const AT_ONCE = 8;

export interface ControllerState {
	/** Null if the controller does not answer in time. */
	readonly release: string | null;
	/** Why its answers may lack objects; null if nothing is known against them. */
	readonly defect: string | null;
}

const UNKNOWN: ControllerState = { release: null, defect: null };

/** The states by connection. */
export async function readControllers(
	ctx: Context,
	connections: readonly ConnectionRow[],
	signal: AbortSignal,
): Promise<ReadonlyMap<string, ControllerState>> {
	const states = new Map<string, ControllerState>();
	for (let at = 0; at < connections.length; at += AT_ONCE)
		await Promise.all(
			connections.slice(at, at + AT_ONCE).map(async ({ connection_id: id }) => {
				states.set(id, await readController(ctx, id, signal));
			}),
		);
	return states;
}

async function readController(ctx: Context, id: string, signal: AbortSignal): Promise<ControllerState> {
	const found = await findTarget(ctx, id);
	if (!("target" in found)) return UNKNOWN;
	try {
		const tested = await runWithTimeout(ctx.clock, READ_MS, signal, (stop) => ctx.controllers.test(found.target, stop));
		return tested.ok ? { release: tested.version, defect: findDefect(tested) } : UNKNOWN;
	} catch {
		signal.throwIfAborted();
		return UNKNOWN;
	}
}

/** Of several addresses only those are asked that are fit. */
function findDefect({ members }: Extract<ControllerTestResult, { ok: true }>): string | null {
	const [own, ...others] = members.filter(({ url }) => url !== null);
	if (own === undefined || others.length > 0) return null;
	return own.state === "partial" || own.state === "standby" ? own.error : null;
}
