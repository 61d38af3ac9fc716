/**
 * The connection test: one login or signed read on its own socket, with a message that says where
 * to look.
 */

import {
	type CertificateLogin,
	ControllerError,
	type ControllerTarget,
	type ControllerTestResult,
} from "../../ports/controller.ts";
import type { Outcome } from "./answer.ts";
import type { ConnectionDeps } from "./connection.ts";
import { createExchange } from "./exchange.ts";
import { login, notAController } from "./login.ts";
import { createMetering } from "./meter.ts";
import { createSigner, signedFailure, WHOAMI_PATH } from "./signature.ts";
import { createTransport } from "./transport.ts";
import { hostOf } from "./transport-error.ts";

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
		const outcome: Outcome<{ readonly version: string | null; readonly token?: string }> =
			"privateKey" in target ? await readSigned(target) : await login({ target, exchange }, signal, meter);
		const latencyMs = Math.max(0, clock.now() - start);
		if (!outcome.ok) return { ok: false, kind: outcome.error.kind, message: outcome.error.message };
		const { version, token } = outcome.answer;
		if (token !== undefined) await logOut(token);
		return { ok: true, version, latencyMs };
	} finally {
		await transport.destroy();
	}

	async function readSigned(
		signed: ControllerTarget & CertificateLogin,
	): Promise<Outcome<{ readonly version: string | null }>> {
		const signature = await createSigner(signed)("GET", WHOAMI_PATH);
		const outcome = await exchange({ method: "GET", path: WHOAMI_PATH, signature, signal, meter });
		const host = hostOf(new URL(target.url));
		if (!outcome.ok) {
			const { kind, status } = outcome.error;
			return kind === "bad_answer" ? notAController(host, status) : signedFailure(outcome, target);
		}
		const { objects, status } = outcome.answer;
		if (objects === null) return notAController(host, status);
		// A user may lack the right to read it.
		const version = objects.rows()[0]?.topSystem?.attributes.version;
		return { ok: true, answer: { version: version === undefined || version === "" ? null : version } };
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
