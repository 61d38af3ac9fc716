/** The feed of a user: an address with a secret, which is stored as its hash. */
import { createHash } from "node:crypto";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { findFeedUser, removeFeed, setFeedSecret } from "./sql/imports.ts";

const SECRET_BYTES = 32;
const target = { targetType: "calendar_feed", targetId: "own" };

const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/**
 * Makes the caller's feed. Replaces an earlier address.
 * @param url the absolute address of the request
 */
export async function createFeed(ctx: Context, caller: Caller, url: string): Promise<{ url: string }> {
	const secret = ctx.ids.token(SECRET_BYTES);
	await ctx.store.transaction(async (tx) => {
		await setFeedSecret(tx, caller.userId, hashSecret(secret), getNow(ctx));
		await ctx.events.changed(tx, caller, { ...target, description: `${caller.username} made a calendar feed` });
	});
	const { origin, pathname } = new URL(url);
	const base = ctx.frontendUrl === "" ? `${origin}${pathname}` : `${ctx.frontendUrl}/api/calendar/feed/`;
	return { url: `${base}${secret}/` };
}

/** Ends the caller's feed. */
export async function endFeed(ctx: Context, caller: Caller): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		if (!(await removeFeed(tx, caller.userId))) return markUnchanged(caller);
		await ctx.events.changed(tx, caller, { ...target, description: `${caller.username} ended the calendar feed` });
	});
}

/** Ends the feed of an address. @throws 404 if it is not the caller's */
export async function endFeedOfSecret(ctx: Context, caller: Caller, secret: string): Promise<void> {
	if ((await findFeedUser(ctx.store.db, hashSecret(secret))) !== caller.userId) throw buildNotFoundError();
	await endFeed(ctx, caller);
}

/** Returns the user whose feed has the secret, with the present rights. @throws 404 */
export async function findFeedOwner(ctx: Context, secret: string): Promise<Identity> {
	const userId = await findFeedUser(ctx.store.db, hashSecret(secret));
	const owner = userId === undefined ? null : await findIdentity(ctx, userId);
	if (owner === null) throw buildNotFoundError();
	return owner;
}
