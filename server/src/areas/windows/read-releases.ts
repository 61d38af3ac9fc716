/** Reads the releases that controllers run, for the report of a change window. */
import type { Context } from "../../context.ts";
import { runWithTimeout } from "../../core/run-with-timeout.ts";
import { findTarget } from "../fabrics/manage-connections.ts";
import type { ConnectionRow } from "./sql/windows.ts";

/** Timeout of one request for a release. */
const RELEASE_MS = 5_000;
/** Number of controllers that are queried concurrently. */
const AT_ONCE = 8;

/** The releases by connection; null if the controller does not answer in time. */
export async function readReleases(
	ctx: Context,
	connections: readonly ConnectionRow[],
	signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
	const releases = new Map<string, string | null>();
	for (let at = 0; at < connections.length; at += AT_ONCE)
		await Promise.all(
			connections.slice(at, at + AT_ONCE).map(async ({ connection_id: id }) => {
				releases.set(id, await readRelease(ctx, id, signal));
			}),
		);
	return releases;
}

async function readRelease(ctx: Context, id: string, signal: AbortSignal): Promise<string | null> {
	const found = await findTarget(ctx, id);
	if (!("target" in found)) return null;
	try {
		const tested = await runWithTimeout(ctx.clock, RELEASE_MS, signal, (stop) =>
			ctx.controllers.test(found.target, stop),
		);
		return tested.ok ? tested.version : null;
	} catch {
		signal.throwIfAborted();
		return null;
	}
}
