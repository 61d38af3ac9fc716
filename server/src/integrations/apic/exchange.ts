/**
 * One request and its classified answer, measured. The layer that session, calls and the connection
 * test stand on.
 */

import { buildFailure, type Outcome } from "./answer.ts";
import { type ClassifyContext, classifyAnswer } from "./classify.ts";
import { measureClockSkew } from "./clock-skew.ts";
import type { Inspect } from "./inspect.ts";
import type { Meter } from "./meter.ts";
import { scanPage } from "./page-scan.ts";
import type { ControllerTarget } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import type { Signature } from "./signature.ts";
import type { RawRequest, Transport } from "./transport.ts";
import { getHost } from "./transport-error.ts";

interface ExchangeRequest extends Omit<RawRequest, "cookie"> {
	/** Of a session. */
	readonly token?: string;
	/** Instead of a session. */
	readonly signature?: Signature;
	readonly meter: Meter;
	/** The objects of the answer are most likely not read. */
	readonly unread?: boolean;
	/** The answer is passed through as it is. */
	readonly whole?: boolean;
}

export type Exchange = (request: ExchangeRequest) => Promise<Outcome>;

export interface ExchangeParts {
	readonly target: ControllerTarget;
	readonly transport: Pick<Transport, "send">;
	readonly parseJson: ClassifyContext["parseJson"];
	readonly inspect: Inspect;
	readonly clock: { now(): number };
	/** Called with each request's outcome and duration in milliseconds. */
	readonly onRequest?: ((outcome: "answered" | "failed", ms: number) => void) | undefined;
	/** Called with the clock skew that an answer shows, in milliseconds. */
	readonly onClockSkew?: ((ms: number) => void) | undefined;
}

/** Rejects only with `cancelled`; every other failure is an outcome. */
export function createExchange(deps: ExchangeParts): Exchange {
	const { target, transport, parseJson, inspect, clock, onRequest, onClockSkew } = deps;
	const host = getHost(new URL(target.url));
	const password = "password" in target ? target.password : "";
	return async ({ token, signature, meter, unread = false, whole = false, ...request }) => {
		const clean = createCleaner([password, token ?? "", signature?.secret ?? ""]);
		// The session's cookie stands alone: a repeated one silently breaks subscriptions.
		const cookie = token === undefined ? signature?.cookie : `APIC-cookie=${token}`;
		const timedParse = async (body: Buffer) => {
			const start = clock.now();
			try {
				return await parseJson(body);
			} finally {
				meter.local(clock.now() - start);
			}
		};
		const began = clock.now();
		const timedScan = (body: Buffer) => {
			const start = clock.now();
			try {
				return scanPage(body);
			} finally {
				meter.local(clock.now() - start);
			}
		};
		try {
			meter.sent();
			const raw = await transport.send({ ...request, ...(cookie === undefined ? {} : { cookie }) });
			meter.received(raw.body.length);
			const ended = clock.now();
			onRequest?.("answered", ended - began);
			const skew = measureClockSkew(raw.date, began, ended);
			if (skew !== null) onClockSkew?.(skew);
			const { method, path } = request;
			const scan = unread ? timedScan : null;
			return await classifyAnswer(raw, {
				host,
				method,
				path,
				clean,
				parseJson: timedParse,
				scan,
				inspect: whole ? inspect : null,
				now: clock.now,
			});
		} catch (error) {
			if (!(error instanceof ControllerError) || error.kind === "cancelled") throw error;
			onRequest?.("failed", clock.now() - began);
			return buildFailure(error, error.kind === "reset" ? "yes" : "never");
		}
	};
}

/**
 * Controllers quote the request in their texts: a password, token or signature in it must not get
 * into messages and logs.
 */
function createCleaner(secrets: readonly string[]): (text: string) => string {
	const forms = secrets.filter((secret) => secret.length > 2).flatMap((secret) => [secret, escapeJson(secret)]);
	return (text) => {
		let result = text;
		for (const form of forms) result = result.replaceAll(form, "***");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
		result = result.replace(/[\u0000-\u001f\u007f]+/g, " ").trim();
		return result.length > 500 ? `${result.slice(0, 500)}…` : result;
	};
}

function escapeJson(secret: string): string {
	return JSON.stringify(secret).slice(1, -1);
}
