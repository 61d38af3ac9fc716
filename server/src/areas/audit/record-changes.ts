/** Writes an entry in the transaction of each change. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import type { Changed } from "../../core/events.ts";
import type { Access } from "../../core/http/admission.ts";
import type { Tx } from "../../core/ports/store.ts";
import { isRecorded } from "./rules/groups.ts";
import type { CurrentSettings } from "./settings.ts";
import { insertEntry, insertEntryAlone } from "./sql/writing.ts";

const gzipAsync = promisify(gzip);
/** Upper bound of a description, in UTF-16 units; a longer one contains user input. */
const DESCRIPTION_MAX = 2_000;

interface Recording {
	readonly clock: Context["clock"];
	readonly settings: CurrentSettings;
}

export async function recordChange(
	{ clock, settings }: Recording,
	tx: Tx,
	{ actor, ...change }: Changed,
): Promise<void> {
	if (actor.trail) actor.trail.settled = true;
	if ("none" in actor.audit) return;
	const current = await settings.read(tx.db);
	if (!isRecorded(current, actor.audit.category)) return;
	const content = change.content === undefined ? null : Buffer.from(JSON.stringify(change.content));
	const kept = content !== null && content.length <= current.content_max_bytes ? content : null;
	const compressed = kept !== null && kept.length > current.compress_threshold_bytes;
	const dropped = content !== null && kept === null ? { content_dropped: "larger than the limit" } : {};
	await insertEntry(tx, {
		category: actor.audit.category,
		action: actor.audit.action,
		user_id: actor.userId,
		username: actor.username,
		ip_address: actor.ip,
		user_agent: actor.userAgent,
		request_id: actor.requestId,
		description: shortenDescription(change.description),
		target_type: change.targetType,
		target_id: String(change.targetId),
		metadata: JSON.stringify({ ...change.metadata, ...dropped, ...getToken(actor) }),
		content: compressed ? await gzipAsync(kept) : kept,
		content_compressed: compressed,
		content_size_bytes: content?.length ?? 0,
		created_at: new Date(clock.now()),
	});
}

export async function recordAccess(
	ctx: Context,
	caller: Caller,
	{ routeId, method, path, status }: Access,
): Promise<void> {
	try {
		if (!isRecorded(await ctx.areas.audit.settings.read(ctx.store.db), "api_access")) return;
		await insertEntryAlone(ctx.store.db, {
			category: "api_access",
			action: "api_call",
			user_id: caller.userId,
			username: caller.username,
			ip_address: caller.ip,
			user_agent: caller.userAgent,
			request_id: caller.requestId,
			description: shortenDescription(`${method} ${path} answered ${status}`),
			target_type: "route",
			target_id: routeId,
			metadata: JSON.stringify({ method, path, status, ...getToken(caller) }),
			content: null,
			content_compressed: false,
			content_size_bytes: 0,
			created_at: new Date(ctx.clock.now()),
		});
	} catch (error) {
		// The change, if it was one, is done and has an entry of its own: its answer must not be an
		// error.
		ctx.log.error({ err: error, route: routeId, status }, "an API call was not recorded in the audit log");
	}
}

const shortenDescription = (text: string): string =>
	text.length <= DESCRIPTION_MAX ? text : `${text.slice(0, DESCRIPTION_MAX - 1).toWellFormed()}…`;

/** The API token of a change, by name and id. */
const getToken = ({ token }: Pick<Changed["actor"], "token">): object =>
	token ? { api_token: { id: token.id, name: token.name } } : {};
