/**
 * Memory for request bodies: one bounded pool per process, from which each body is reserved before
 * its first byte is read, and a minimum rate at which bodies must arrive.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, buildUnavailableError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";

/** Bytes of all bodies that are read or used at the same time. */
const POOL_BYTES = 128 * 1024 * 1024;
/** The share of all requests without a signed-in user: 1 divided by this. */
const ANONYMOUS_SHARE = 8;
const CHECK_MS = 1_000;
/** A body may arrive at any rate for this long. */
const GRACE_MS = 10_000;
/** Afterwards it must have arrived at this rate on average. */
const MIN_BYTES_PER_SECOND = 16 * 1024;

export interface BodyPool {
	/**
	 * Reserves memory for a request's body until the response is closed, and watches its rate.
	 * @param limit largest body of the route in bytes, reserved where the request has no length
	 * @returns rejects with 408 when the body arrives too slowly; otherwise stays pending
	 * @throws 503 when the pool is full
	 */
	admit(request: IncomingMessage, response: ServerResponse, limit: number, isAnonymous: boolean): Promise<never>;
	/** Stops watching. */
	close(): void;
}

interface Reading {
	readonly request: IncomingMessage;
	readonly beganAt: number;
	/** Bytes of the connection before this body. */
	readonly before: number;
	readonly refuse: (error: AppError) => void;
}

export function createBodyPool({
	clock,
	bytes = POOL_BYTES,
}: {
	clock: Pick<Clock, "now" | "every">;
	bytes?: number | undefined;
}): BodyPool {
	const readings = new Set<Reading>();
	const used = { all: 0, anonymous: 0 };

	const timer = clock.every(CHECK_MS, () => {
		for (const reading of readings) {
			if (reading.request.complete) readings.delete(reading);
			else if (isTooSlow(reading, clock.now())) {
				readings.delete(reading);
				reading.refuse(
					new AppError(408, {
						detail: `The body arrived at less than ${MIN_BYTES_PER_SECOND / 1024} KB per second. Send it again over a faster connection.`,
					}),
				);
			}
		}
	});

	function reserveBytes(size: number, isAnonymous: boolean): () => void {
		const isFull = used.all + size > bytes || (isAnonymous && used.anonymous + size > bytes / ANONYMOUS_SHARE);
		if (isFull)
			throw buildUnavailableError("The service is reading as many request bodies as it can hold. Try again shortly.");
		const anonymous = isAnonymous ? size : 0;
		used.all += size;
		used.anonymous += anonymous;
		return () => {
			used.all -= size;
			used.anonymous -= anonymous;
		};
	}

	return {
		admit(request, response, limit, isAnonymous) {
			const release = reserveBytes(Math.min(getSize(request) ?? limit, limit), isAnonymous);
			return new Promise<never>((_resolve, refuse) => {
				const reading: Reading = { request, beganAt: clock.now(), before: request.socket.bytesRead, refuse };
				readings.add(reading);
				response.once("close", () => {
					readings.delete(reading);
					release();
				});
			});
		},
		close: () => timer.stop(),
	};
}

/** The announced bytes of a body; null for a chunked one. */
function getSize({ headers }: IncomingMessage): number | null {
	if (headers["transfer-encoding"] !== undefined) return null;
	return Number(headers["content-length"] ?? 0);
}

function isTooSlow({ request, beganAt, before }: Reading, now: number): boolean {
	const elapsedMs = now - beganAt;
	return elapsedMs > GRACE_MS && request.socket.bytesRead - before < (elapsedMs / 1_000) * MIN_BYTES_PER_SECOND;
}

/** How long the rest of a refused body is discarded before its connection is closed, in ms. */
const LINGER_MS = 5_000;

/**
 * Discards what a client still sends of a body that was answered early, so that it reads the answer
 * instead of a reset connection. Closes the connection when the client does not finish soon.
 */
export function discardRest(request: IncomingMessage): void {
	if (request.complete !== false || request.destroyed) return;
	request.resume();
	const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
	request.once("close", () => clearTimeout(timer));
}
