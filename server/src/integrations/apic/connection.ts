/** One connection of one revision: sockets, session, concurrency limit, and authenticated calls. */

import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import { type Deadline, runUnlessAborted } from "../../core/system/signals.ts";
import { createAbandonedReads } from "./abandoned-reads.ts";
import { type Answer, buildFailure, type Failure, type Outcome } from "./answer.ts";
import { createExchange, type ExchangeParts } from "./exchange.ts";
import type { Inspect } from "./inspect.ts";
import { createLimiter } from "./limiter.ts";
import { requestLogin, requestRefresh } from "./login.ts";
import type { LoginGate } from "./login-gate.ts";
import type { Meter } from "./meter.ts";
import type { ControllerTarget } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import { markNotRepeated, type Pacing, withRetries } from "./retry.ts";
import { createSession, type Session } from "./session.ts";
import { createSigner, explainSignedFailure, type Signature, type Signer } from "./signature.ts";
import { buildControllerCancelledError, createTransport } from "./transport.ts";

export interface ConnectionParts {
	readonly clock: { now(): number };
	readonly pacing: Pacing;
	readonly deadline: Deadline;
	readonly targets?: OutgoingTargets | undefined;
	readonly parseJson: (body: Buffer) => Promise<unknown>;
	readonly inspect: Inspect;
	readonly concurrency: number;
	readonly maxBodyBytes: number;
	readonly onRequest?: ExchangeParts["onRequest"];
	readonly lingerMs: number;
}

export interface CallRequest {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	/** As `requireSafePath` gives it. */
	readonly path: string;
	readonly body?: string | undefined;
	readonly signal: AbortSignal;
	readonly meter: Meter;
	/** The objects of the answer are most likely not read. */
	readonly unread?: boolean | undefined;
	/** The answer is passed through as it is: `json` instead of `data`. */
	readonly whole?: boolean | undefined;
	/**
	 * Looks at an answer that is none of the usual failures; what it returns is treated like those.
	 */
	readonly check?: (answer: Answer) => Failure | null;
}

/**
 * Logs in where needed, waits for a slot, retries where that is safe. Rejects with ControllerError
 * only.
 */
export type Call = (request: CallRequest) => Promise<Answer>;

export interface Connection {
	readonly target: ControllerTarget;
	readonly call: Call;
	/** Null where each request is signed. */
	readonly session: Session | null;
	/**
	 * The controller's clock minus Weft's by the latest answer, in milliseconds; null if it is
	 * unknown.
	 */
	clockSkewMs(): number | null;
	/** Keeps the sockets open until the returned function is called. */
	hold(): () => void;
	/** Closes the sockets when no operation holds them, then calls `closed`. */
	retire(closed: () => void): void;
	/** Cancels everything and closes the sockets. */
	destroy(): Promise<void>;
}

interface Authorization {
	/** Null where each request is signed. */
	readonly session: Session | null;
	/** @param signal ends only this caller's waiting for a login */
	sendAuthorized(request: CallRequest, signal: AbortSignal): Promise<Outcome>;
}

/** A connection: its sockets and session, and the operations that hold them. */
interface ConnectionState {
	readonly deps: ConnectionParts;
	readonly transport: ReturnType<typeof createTransport>;
	/** Milliseconds that the controller's clock is ahead; null before the first answer. */
	clockSkewMs: number | null;
	readonly exchange: ReturnType<typeof createExchange>;
	readonly sendAuthorized: Authorization["sendAuthorized"];
	readonly session: Session | null;
	readonly limiter: ReturnType<typeof createLimiter>;
	readonly untilClosed: AbortController;
	readonly trackRead: ReturnType<typeof createAbandonedReads>;
	/** Operations that keep the sockets open. */
	holders: number;
	/** Called when the sockets of a retired connection are closed; null if it is not retired. */
	retired: (() => void) | null;
}

async function sendRequest(
	exchange: ConnectionState["exchange"],
	request: CallRequest,
	proof: { readonly token: string } | { readonly signature: Signature },
): Promise<Outcome> {
	const { method, path, body, signal, meter, unread = false, whole = false } = request;
	const done = meter.begin("controllerMs");
	try {
		const outcome = await exchange({
			method,
			path,
			signal,
			meter,
			unread,
			whole,
			...proof,
			...(body === undefined ? {} : { body }),
		});
		return (outcome.ok && request.check?.(outcome.answer)) || outcome;
	} finally {
		done();
	}
}

async function attemptRequest(connection: ConnectionState, request: CallRequest): Promise<Outcome> {
	const { signal } = request;
	const release = await connection.limiter.acquire(signal);
	const read = request.method === "GET" ? connection.trackRead(signal, release) : null;
	const sent = read ? { ...request, signal: read.signal } : request;
	try {
		return await connection.sendAuthorized(sent, signal);
	} finally {
		read?.done();
		release();
	}
}

function createSessionAccess(exchange: ConnectionState["exchange"], session: Session): Authorization {
	return {
		session,
		async sendAuthorized(request, signal) {
			const { meter } = request;
			const token = await session.token(signal, meter);
			const outcome = await sendRequest(exchange, request, { token: token.value });
			if (outcome.ok || !outcome.token) return outcome;
			signal.throwIfAborted();
			const fresh = await session.renew(token, signal, meter);
			const second = await sendRequest(exchange, request, { token: fresh.value });
			return second.ok || !second.token ? second : buildRefusedTwiceError(second);
		},
	};
}

function createSignatureAccess(
	exchange: ConnectionState["exchange"],
	target: ControllerTarget,
	sign: Signer,
): Authorization {
	return {
		session: null,
		async sendAuthorized(request) {
			const { method, path, body } = request;
			const outcome = await sendRequest(exchange, request, { signature: await sign(method, path, body) });
			return outcome.ok ? outcome : explainSignedFailure(outcome, target);
		},
	};
}

async function callController(connection: ConnectionState, request: CallRequest): Promise<Answer> {
	const { method, signal } = request;
	try {
		return await withRetries(
			async () => {
				const outcome = await runUnlessAborted(attemptRequest(connection, request), signal);
				return method === "GET" ? outcome : markNotRepeated(outcome);
			},
			connection.deps.pacing,
			signal,
		);
	} catch (error) {
		throw signal.aborted ? buildControllerCancelledError() : error;
	}
}

function closeWhenIdle(connection: ConnectionState) {
	if (!connection.retired || connection.holders > 0) return;
	connection.session?.end();
	// A failure to close leaves nothing to be done: the sockets are gone.
	connection.transport
		.close()
		.catch(() => undefined)
		.then(connection.retired);
	connection.retired = null;
}

function holdConnection(connection: ConnectionState): () => void {
	connection.holders += 1;
	let held = true;
	return () => {
		if (!held) return;
		held = false;
		connection.holders -= 1;
		closeWhenIdle(connection);
	};
}

function retireConnection(connection: ConnectionState, closed: () => void): void {
	connection.retired = closed;
	closeWhenIdle(connection);
}

async function destroyConnection(connection: ConnectionState): Promise<void> {
	connection.session?.end();
	connection.untilClosed.abort();
	await connection.transport.destroy();
}

/** @param deps with the `gate` of all connections that share the credentials */
export function createConnection(
	target: ControllerTarget,
	deps: ConnectionParts & { readonly gate: LoginGate },
): Connection {
	const { clock, pacing, deadline, parseJson, inspect, concurrency, maxBodyBytes, lingerMs, onRequest } = deps;
	// Half of them serve abandoned reads without a slot.
	const transport = createTransport({
		target,
		sockets: 2 * concurrency,
		maxBodyBytes,
		deadline,
		targets: deps.targets,
	});

	const exchange = createExchange({
		target,
		transport,
		parseJson,
		inspect,
		clock,
		onRequest,
		onClockSkew: (ms) => {
			connection.clockSkewMs = ms;
		},
	});
	const { session, sendAuthorized } =
		"privateKey" in target
			? createSignatureAccess(exchange, target, createSigner(target))
			: createSessionAccess(
					exchange,
					createSession({
						login: (signal, meter) => requestLogin({ target, exchange }, signal, meter),
						refresh: (token, signal, meter) => requestRefresh({ target, exchange }, token, signal, meter),
						clock,
						pacing,
						gate: deps.gate,
					}),
				);

	const untilClosed = new AbortController();
	const connection: ConnectionState = {
		deps,
		transport,
		clockSkewMs: null,
		exchange,
		sendAuthorized,
		session,
		limiter: createLimiter(concurrency),
		untilClosed,
		trackRead: createAbandonedReads({ deadline, lingerMs, most: concurrency }, untilClosed.signal),
		holders: 0,
		retired: null,
	};

	return {
		target,
		call: (request) => callController(connection, request),
		session,
		clockSkewMs: () => connection.clockSkewMs,
		hold: () => holdConnection(connection),
		retire: (closed) => retireConnection(connection, closed),
		destroy: () => destroyConnection(connection),
	};
}

/** With a token just made, it is not the token. */
function buildRefusedTwiceError(second: Failure): Failure {
	const { kind, status, code, text } = second.error;
	const message = `The controller refused the request again after a fresh login${text ? `: "${text}"` : ""}. The user may lack the right to it.`;
	return buildFailure(new ControllerError(kind, message, { status, code, text }));
}
