/** Requests that are passed through to a controller. */
import type { ConnectionExecute } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import type { ControllerAnswer } from "../../integrations/apic/port.ts";
import { ControllerError } from "../../integrations/apic/port-error.ts";
import { CONTROLLER_KIND, throwPresented, type UsableConnection } from "./controller-kind.ts";
import { openUsableConnection, requireStoredConnection } from "./manage-stored-connections.ts";
import { encodePassedAnswer } from "./passed-answer.ts";
import { canSend } from "./policy.ts";

/** Characters of a request's path in the audit log. */
const AUDITED_PATH_MAX = 500;

/**
 * Recorded before the request is sent, so that the audit log has every request that may have
 * changed a controller.
 */
async function recordWrite(
	ctx: Context,
	caller: Caller,
	id: string,
	text: string,
	metadata: Record<string, unknown>,
): Promise<void> {
	const description = `${caller.username} ${text}`;
	await ctx.store.transaction((tx) =>
		ctx.events.changed(tx, caller, { targetType: CONTROLLER_KIND.targetType, targetId: id, description, metadata }),
	);
}

/**
 * Records the outcome of a recorded write. A failure to record is logged: the caller still gets
 * the answer.
 */
async function recordOutcome(
	ctx: Context,
	caller: Caller,
	id: string,
	text: string,
	metadata: Record<string, unknown>,
): Promise<void> {
	await recordWrite(ctx, caller, id, text, metadata).catch((error: unknown) =>
		ctx.log.error({ err: error, connectionId: id, ...metadata }, "the outcome of a write could not be recorded"),
	);
}

async function requireConnectionForRequest(
	ctx: Context,
	caller: Caller,
	{ connection_id, method }: ConnectionExecute,
): Promise<UsableConnection> {
	if (!canSend(caller, method)) {
		throw buildForbiddenError(`You need the permission write_controllerconnection to send ${method}.`);
	}
	const row = await requireStoredConnection(ctx, CONTROLLER_KIND, caller, connection_id);
	await ctx.quotas.check(caller, "can_execute_queries");
	const found = openUsableConnection(ctx, CONTROLLER_KIND, row);
	if ("problem" in found) throw buildFieldError("connection_id", found.message);
	return found;
}

/** The answer as JSON; in pieces where it is large. */
export async function executeRequest(ctx: Context, caller: Caller, input: ConnectionExecute, signal: AbortSignal) {
	const { query_path: path, method, data } = input;
	const { id, name, target } = await requireConnectionForRequest(ctx, caller, input);
	// Options and bodies may hold secrets.
	const place = path.split("?", 1)[0]?.slice(0, AUDITED_PATH_MAX);
	const change = { method, path: place };
	if (method === "GET") markUnchanged(caller);
	else {
		const overridden = await ctx.areas.calendar.passFreeze(ctx, ctx.store.db, caller, [id], input.override_freeze);
		await recordWrite(ctx, caller, id, `sends ${method} ${place} through "${name}"`, {
			...change,
			phase: "sent",
			...(overridden === null ? {} : { overridden_freeze: overridden }),
		});
	}
	const start = ctx.clock.now();
	let answer: ControllerAnswer;
	try {
		const body = method === "POST" || method === "PUT" ? (data ?? undefined) : undefined;
		answer = await ctx.controllers.request(target, { method, path, body, signal });
	} catch (error) {
		if (error instanceof ControllerError && method !== "GET") {
			await recordOutcome(ctx, caller, id, `got no success for ${method} ${place} through "${name}"`, {
				...change,
				phase: "failed",
				reason: error.kind,
				status: error.status ?? null,
			});
		}
		return throwPresented(error);
	}
	const execution_time_ms = ctx.clock.now() - start;
	if (method !== "GET") {
		await recordOutcome(ctx, caller, id, `got an answer to ${method} ${place} through "${name}"`, {
			...change,
			phase: "answered",
			status: answer.status,
		});
	}
	return encodePassedAnswer(answer, { execution_time_ms, connection: { id, name } });
}
