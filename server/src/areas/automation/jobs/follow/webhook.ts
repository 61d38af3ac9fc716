/**
 * The receiver of the automation server's notifications: proves who calls, takes the job's id as a
 * hint, and has it looked at.
 */
import { isUtf8 } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type Context, getNow } from "../../../../context.ts";
import { AppError, buildUnauthenticatedError, buildUnavailableError } from "../../../../core/errors.ts";
import { parseJson } from "../../../../core/http/input.ts";
import { listConnectionIdsByHost } from "../../connections/sql.ts";
import { listExecutionsByJob } from "../sql/executions.ts";
import { scheduleLaunchSearch } from "../sql/launches.ts";
import { advancePolls, makeExecutionsDue } from "../sql/polls.ts";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;
/** Replays of one hint within this time lead to one poll, in milliseconds. */
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

/** Connections that a hint may be about; null: any. */
async function listHintedConnections(
	ctx: Context,
	url: unknown,
	connectionId: string | undefined,
): Promise<readonly string[] | null> {
	if (connectionId !== undefined) return [connectionId];
	if (typeof url !== "string" || !URL.canParse(url)) return null;
	const found = await listConnectionIdsByHost(ctx.store.db, new URL(url).host);
	// The server may not know its own address.
	return found.length === 0 ? null : found;
}

async function matchExecutions(
	ctx: Context,
	body: Record<string, unknown>,
	connectionId: string | undefined,
): Promise<number> {
	// Templates of notifications often make a text of the number.
	const id = typeof body.id === "string" && DIGITS.test(body.id) ? Number(body.id) : body.id;
	if (typeof id !== "number" || !Number.isInteger(id) || id < 1 || id > ID_MAX) return 0;
	const now = getNow(ctx);
	const connections = await listHintedConnections(ctx, body.url, connectionId);
	const found = await listExecutionsByJob(ctx.store.db, id, connections);
	if (found.length === 0) {
		// It may be of a launch whose answer is not stored yet.
		await scheduleLaunchSearch(ctx.store.db, now, connections);
		return 0;
	}
	await makeExecutionsDue(
		ctx.store.db,
		found.map((row) => row.id),
		now,
		new Date(now.getTime() + COALESCE_MS),
	);
	await advancePolls(
		ctx.store.db,
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

export async function receiveNotification(
	ctx: Context,
	bytes: Buffer,
	header: string,
	connectionId: string | undefined,
) {
	if (ctx.webhookSecrets.length === 0) throw buildUnavailableError("No webhook secret is configured.", 3600);
	if (header === "" || !isSigned(header, bytes, ctx.webhookSecrets)) {
		throw buildUnauthenticatedError("The header X-Automation-Webhook-Signature is missing or wrong.");
	}
	return { status: "received" as const, matched: await matchExecutions(ctx, parseBody(bytes), connectionId) };
}

/**
 * Passes a notification through the receiver, with a signature of the service's own.
 */
export async function sendTestNotification(ctx: Context, jobId: number, status: string | undefined) {
	const [secret] = ctx.webhookSecrets;
	if (secret === undefined) throw buildUnavailableError("No webhook secret is configured.", 3600);
	const bytes = Buffer.from(JSON.stringify({ id: jobId, ...(status === undefined ? {} : { status }) }));
	return receiveNotification(
		ctx,
		bytes,
		`sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`,
		undefined,
	);
}
