/**
 * The receiver of the automation server's notifications: proves who calls, takes the job's id as a
 * hint, and has it looked at.
 */
import { isUtf8 } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { AppError, buildUnauthenticatedError, buildUnavailableError } from "../../../platform/errors.ts";
import { parseJson } from "../../../platform/http/input.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import type { ExecutionDependencies } from "./dependencies.ts";
import { listExecutionsByJob } from "./repo.ts";
import { scheduleLaunchSearch } from "./repo-launch.ts";
import { advancePolls, makeExecutionsDue } from "./repo-polls.ts";

export interface WebhookDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	/** The current secret first; none: nothing is received. */
	readonly webhookSecrets: readonly string[];
	readonly connectionsByHost: ExecutionDependencies["connectionsByHost"];
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;
/** Replays of one hint lead to one look in so long. */
const COALESCE_MS = 1_000;
const DIGITS = /^[0-9]{1,10}$/;
const ID_MAX = 2_147_483_647;

const hashText = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Whether the header is one of the secrets, or a signature of the body with one of them. In
 * constant time.
 */
function isSigned(header: string, body: Buffer, secrets: readonly string[]): boolean {
	const signature = SIGNATURE.exec(header)?.[1];
	let good = false;
	for (const secret of secrets) {
		const expected = signature ? createHmac("sha256", secret).update(body).digest() : hashText(secret);
		const given = signature ? Buffer.from(signature, "hex") : hashText(header);
		good = timingSafeEqual(expected, given) || good;
	}
	return good;
}

export function createWebhook({
	store,
	clock,
	webhookSecrets,

	connectionsByHost,
}: WebhookDeps) {
	/** Connections that a hint may be about; null: any. */
	async function listConnections(url: unknown, connectionId: string | undefined): Promise<readonly string[] | null> {
		if (connectionId !== undefined) return [connectionId];
		if (typeof url !== "string" || !URL.canParse(url)) return null;
		const found = await connectionsByHost(store.db, new URL(url).host);
		// The server may not know its own address: then it tells nothing.
		return found.length === 0 ? null : found;
	}

	async function matchedBy(body: Record<string, unknown>, connectionId: string | undefined): Promise<number> {
		// Templates of notifications often make a text of the number.
		const id = typeof body.id === "string" && DIGITS.test(body.id) ? Number(body.id) : body.id;
		if (typeof id !== "number" || !Number.isInteger(id) || id < 1 || id > ID_MAX) return 0;
		const now = new Date(clock.now());
		const connections = await listConnections(body.url, connectionId);
		const found = await listExecutionsByJob(store.db, id, connections);
		if (found.length === 0) {
			// It may be of a launch whose answer is not stored yet.
			await scheduleLaunchSearch(store.db, now, connections);
			return 0;
		}
		await makeExecutionsDue(
			store.db,
			found.map((row) => row.id),
			now,
			new Date(now.getTime() + COALESCE_MS),
		);
		await advancePolls(
			store.db,
			found.map((row) => row.connection_id),
			now,
		);
		return found.length;
	}

	function parseBody(bytes: Buffer): Record<string, unknown> {
		const body: unknown = isUtf8(bytes) ? parseJson(bytes) : null;
		if (typeof body !== "object" || body === null || Array.isArray(body)) {
			throw new AppError(400, { detail: "The body must be a JSON object." });
		}
		return body as Record<string, unknown>;
	}

	async function receiveNotification(bytes: Buffer, header: string, connectionId: string | undefined) {
		if (webhookSecrets.length === 0) throw buildUnavailableError("No webhook secret is configured.", 3600);
		if (header === "" || !isSigned(header, bytes, webhookSecrets)) {
			throw buildUnauthenticatedError("The header X-Automation-Webhook-Signature is missing or wrong.");
		}
		return { status: "received" as const, matched: await matchedBy(parseBody(bytes), connectionId) };
	}

	return {
		receive: receiveNotification,

		/**
		 * The same way as the server's own notifications take, with a signature of the service's own.
		 */
		async test(jobId: number, status: string | undefined) {
			const [secret] = webhookSecrets;
			if (secret === undefined) throw buildUnavailableError("No webhook secret is configured.", 3600);
			const bytes = Buffer.from(JSON.stringify({ id: jobId, ...(status === undefined ? {} : { status }) }));
			return receiveNotification(
				bytes,
				`sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`,
				undefined,
			);
		},
	};
}

export type Webhook = ReturnType<typeof createWebhook>;
