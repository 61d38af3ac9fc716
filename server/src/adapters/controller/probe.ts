/** The connection test: one login on its own socket, with a message that says where to look. */

import { ControllerError, type ControllerTarget, type ControllerTestResult } from "../../ports/controller.ts";
import type { ConnectionDeps } from "./connection.ts";
import { createExchange } from "./exchange.ts";
import { login } from "./login.ts";
import { createMetering } from "./meter.ts";
import { createTransport } from "./transport.ts";

export type ProbeDeps = Pick<
	ConnectionDeps,
	"clock" | "deadline" | "parseJson" | "inspect" | "maxBodyBytes" | "targets"
>;

/** The longest that a test waits for its session to be ended on the controller. */
const LOGOUT_TIMEOUT_MS = 2_000;

export async function probe(
	target: ControllerTarget,
	{ clock, deadline, parseJson, inspect, maxBodyBytes, targets }: ProbeDeps,
	signal: AbortSignal,
): Promise<ControllerTestResult> {
	const transport = createTransport({ target, sockets: 1, maxBodyBytes, deadline, targets });
	const exchange = createExchange({ target, transport, parseJson, inspect, clock });
	const meter = createMetering(clock)();
	try {
		const start = clock.now();
		const outcome = await login({ target, exchange }, signal, meter);
		const latencyMs = Math.max(0, clock.now() - start);
		if (!outcome.ok) return { ok: false, kind: outcome.error.kind, message: outcome.error.message };
		await logOut(outcome.answer.token);
		return { ok: true, version: outcome.answer.version, latencyMs };
	} finally {
		await transport.destroy();
	}

	/**
	 * Controllers limit the sessions of a user; a test must not use them up. Its success does not
	 * change the result.
	 */
	async function logOut(token: string): Promise<void> {
		const body = JSON.stringify({ aaaUser: { attributes: { name: target.username } } });
		const giveUp = new AbortController();
		const cancelDeadline = deadline(LOGOUT_TIMEOUT_MS, () => giveUp.abort());
		try {
			await exchange({ method: "POST", path: "/api/aaaLogout.json", body, token, signal: giveUp.signal, meter });
		} catch (error) {
			if (!(error instanceof ControllerError)) throw error;
		} finally {
			cancelDeadline();
		}
	}
}
