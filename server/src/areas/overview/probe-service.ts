/** Probes the health of the parts of the service, each within a time limit. */
import type { ServiceHealth } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { getHealth } from "./rules/health.ts";

/** A part that does not answer within this time is down. */
const PROBE_TIMEOUT_MS = 2_000;

export async function probeService(ctx: Context, name: string, ask: () => Promise<unknown>): Promise<ServiceHealth> {
	return (await examineService(ctx, name, ask)).health;
}

/** @returns the health, and the message of the error; null if the part answers */
export async function examineService(
	ctx: Context,
	name: string,
	ask: () => Promise<unknown>,
): Promise<{ health: ServiceHealth; error: string | null }> {
	const began = performance.now();
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`No answer within ${PROBE_TIMEOUT_MS} ms.`)), PROBE_TIMEOUT_MS);
	});
	try {
		await Promise.race([ask(), late]);
		return { health: getHealth(performance.now() - began), error: null };
	} catch (error) {
		ctx.log.warn({ err: error, name }, "a part of the service does not answer");
		return { health: "down", error: error instanceof Error ? error.message : String(error) };
	} finally {
		clearTimeout(timer);
	}
}
