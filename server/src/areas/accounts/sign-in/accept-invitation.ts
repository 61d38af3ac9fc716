/**
 * Invitations: links with which people set their first password. A link's secret is derived from
 * its row's id under the service's key, so that the mail's queue task needs the id only.
 */
import { createHash, createHmac } from "node:crypto";
import type { Invitation, InvitationList, IssuedInvitation } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Origin } from "../../../core/caller.ts";
import { buildNotFoundError } from "../../../core/errors.ts";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { MAIL_QUEUE, type MailJob } from "./rules/mails.ts";
import { hashPassword, setPassword } from "./set-credentials.ts";
import type { InvitationRow } from "./sql/invitations.ts";
import {
	consumeInvitation,
	findInvitation,
	findInvitationByHash,
	insertInvitation,
	listInvitationPage,
} from "./sql/invitations.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUser } from "./sql/sign-in.ts";

const LIFE_MS = 7 * 24 * 3_600_000;
const WRONG = "The invitation is unknown, was accepted or withdrawn, or is older than 7 days. Ask an administrator.";

const hashText = (text: string): string => createHash("sha256").update(text).digest("base64url");

const getKeys = ({ secrets }: Context) => secrets.deriveAll("invitations");

const deriveToken = (ctx: Context, id: string, key: Buffer = getKeys(ctx)[0]) =>
	createHmac("sha256", key).update(id).digest("base64url");

const formatUrl = (ctx: Context, token: string) => `${ctx.frontendUrl}/invitation#token=${token}`;

/** The user whom a link invites. @throws 404 */
async function findInvited(ctx: Context, token: string): Promise<{ row: InvitationRow; user: UserRow }> {
	const row = await findInvitationByHash(ctx.store.db, hashText(token), getNow(ctx));
	const user = row === undefined ? undefined : await findUser(ctx.store.db, row.user_id);
	if (row === undefined || !user?.is_active) throw buildNotFoundError(WRONG);
	return { row, user };
}

/** Invites a user who has no password yet, and mails the link where that is possible. */
export async function issueInvitation(
	ctx: Context,
	tx: Tx,
	caller: Pick<Caller, "userId">,
	user: { readonly id: number; readonly username: string; readonly email: string },
): Promise<IssuedInvitation> {
	const id = ctx.ids.uuid();
	const token = deriveToken(ctx, id);
	const now = ctx.clock.now();
	const expires_at = new Date(now + LIFE_MS);
	const is_mailed = user.email !== "" && ctx.mailer !== null && ctx.frontendUrl !== "";
	const row = { user_id: user.id, id, token_hash: hashText(token), invited_by_id: caller.userId, is_mailed };
	await insertInvitation(tx, { ...row, created_at: new Date(now), expires_at });
	if (is_mailed) {
		const job: MailJob = { kind: "invitation", invitationId: id };
		await ctx.jobs.enqueue(tx, MAIL_QUEUE, job);
	}
	return { username: user.username, url: formatUrl(ctx, token), expires_at: expires_at.toISOString(), is_mailed };
}

export async function listOpenInvitations(db: Db, filter: InvitationList, now: number): Promise<Page<Invitation>> {
	const { count, rows } = await listInvitationPage(db, filter.page_size, getOffset(filter));
	return {
		count,
		rows: rows.map((row) => ({
			id: row.user_id,
			username: row.username,
			email: row.email,
			group_names: row.group_names,
			invited_by: row.invited_by,
			created_at: row.created_at.toISOString(),
			expires_at: row.expires_at.toISOString(),
			state: row.expires_at.getTime() <= now ? ("expired" as const) : ("open" as const),
			mail: row.is_mailed ? (row.mailed_at === null ? ("waiting" as const) : ("sent" as const)) : ("none" as const),
		})),
	};
}

/** The mail of a live invitation; null when it was accepted, withdrawn, or is over. */
export async function findInvitationMail(ctx: Context, id: string): Promise<{ user: UserRow; url: string } | null> {
	const row = await findInvitation(ctx.store.db, id);
	const user = row === undefined ? undefined : await findUser(ctx.store.db, row.user_id);
	if (row === undefined || user === undefined || row.expires_at.getTime() <= ctx.clock.now()) return null;
	const token = getKeys(ctx)
		.map((key) => deriveToken(ctx, id, key))
		.find((text) => hashText(text) === row.token_hash);
	return token === undefined || user.email === "" ? null : { user, url: formatUrl(ctx, token) };
}

export async function readInvitation(ctx: Context, token: string): Promise<{ username: string; expires_at: string }> {
	const { row, user } = await findInvited(ctx, token);
	return { username: user.username, expires_at: row.expires_at.toISOString() };
}

/** Sets the first password. @throws 404, 400 when the policy refuses the password */
export async function acceptInvitation(
	ctx: Context,
	token: string,
	password: string,
	origin: Origin,
): Promise<{ username: string }> {
	const { user } = await findInvited(ctx, token);
	const hash = await hashPassword(ctx, password, user, "password");
	await ctx.store.transaction(async (tx) => {
		// Of two at once, and of an administrator who withdraws it, one is first.
		if (!(await consumeInvitation(tx, user.id))) throw buildNotFoundError(WRONG);
		await setPassword(ctx, tx, user, hash, true);
		await ctx.events.changed(
			tx,
			{ ...origin, userId: user.id, username: user.username },
			{ targetType: "user", targetId: user.id, description: `${user.username} accepted the invitation` },
		);
	});
	return { username: user.username };
}
