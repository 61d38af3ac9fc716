/**
 * Invitations: links with which people set their first password. A link's secret is derived from
 * its row's id under the service's key, so that the mail's queue task needs the id only.
 */
import { createHash, createHmac } from "node:crypto";
import type { Invitation, InvitationList, IssuedInvitation } from "@weft/contracts";
import type { Caller, Origin } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import { getOffset, type Page } from "../../platform/http/paging.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Db, Store, Tx } from "../../ports/store.ts";
import { MAIL_QUEUE, type MailJob } from "./domain/mails.ts";
import type { UserRow } from "./repo.ts";
import { findUser } from "./repo.ts";
import type { InvitationRow } from "./repo-invitations.ts";
import {
	consumeInvitation,
	findInvitation,
	findInvitationByHash,
	insertInvitation,
	listInvitationPage,
} from "./repo-invitations.ts";
import type { Accounts } from "./service-accounts.ts";

interface InvitationsContext {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly secrets: Pick<Secrets, "deriveAll">;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly events: Pick<Events, "changed">;
	readonly accounts: Pick<Accounts, "hash" | "setPassword">;
	/** Null: no mail is sent. */
	readonly mailer: object | null;
	/** Address of the front end without a slash at the end; empty where there is none. */
	readonly frontendUrl: string;
}

const LIFE_MS = 7 * 24 * 3_600_000;
const WRONG = "The invitation is unknown, was accepted or withdrawn, or is older than 7 days. Ask an administrator.";

const hashText = (text: string): string => createHash("sha256").update(text).digest("base64url");

export function createInvitations(context: InvitationsContext) {
	const { store, clock, ids, secrets, jobs, events, accounts, mailer, frontendUrl } = context;
	const keys = secrets.deriveAll("invitations");
	const deriveToken = (id: string, key: Buffer = keys[0]) => createHmac("sha256", key).update(id).digest("base64url");
	const formatUrl = (token: string) => `${frontendUrl}/invitation#token=${token}`;

	/** The user whom a link invites. @throws 404 */
	async function findInvited(token: string): Promise<{ row: InvitationRow; user: UserRow }> {
		const row = await findInvitationByHash(store.db, hashText(token), new Date(clock.now()));
		const user = row === undefined ? undefined : await findUser(store.db, row.user_id);
		if (row === undefined || !user?.is_active) throw notFound(WRONG);
		return { row, user };
	}

	return {
		/** Invites a user who has no password yet, and mails the link where that is possible. */
		async issue(
			tx: Tx,
			caller: Pick<Caller, "userId">,
			user: { readonly id: number; readonly username: string; readonly email: string },
		): Promise<IssuedInvitation> {
			const id = ids.uuid();
			const token = deriveToken(id);
			const now = clock.now();
			const expires_at = new Date(now + LIFE_MS);
			const row = { user_id: user.id, id, token_hash: hashText(token), invited_by_id: caller.userId };
			await insertInvitation(tx, { ...row, created_at: new Date(now), expires_at });
			const is_mailed = user.email !== "" && mailer !== null && frontendUrl !== "";
			if (is_mailed) {
				const job: MailJob = { kind: "invitation", invitationId: id };
				await jobs.enqueue(tx, MAIL_QUEUE, job);
			}
			return { username: user.username, url: formatUrl(token), expires_at: expires_at.toISOString(), is_mailed };
		},

		async page(db: Db, filter: InvitationList): Promise<Page<Invitation>> {
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
				})),
			};
		},

		/** Voids a user's invitation. Returns false if there is none (any more). */
		remove: consumeInvitation,

		/** The mail of a live invitation; null when it was accepted, withdrawn, or is over. */
		async findMail(id: string): Promise<{ user: UserRow; url: string } | null> {
			const row = await findInvitation(store.db, id);
			const user = row === undefined ? undefined : await findUser(store.db, row.user_id);
			if (row === undefined || user === undefined || row.expires_at.getTime() <= clock.now()) return null;
			const token = keys.map((key) => deriveToken(id, key)).find((text) => hashText(text) === row.token_hash);
			return token === undefined || user.email === "" ? null : { user, url: formatUrl(token) };
		},

		async detail(token: string): Promise<{ username: string; expires_at: string }> {
			const { row, user } = await findInvited(token);
			return { username: user.username, expires_at: row.expires_at.toISOString() };
		},

		/** Sets the first password. @throws 404, 400 when the policy refuses the password */
		async accept(token: string, password: string, origin: Origin): Promise<{ username: string }> {
			const { user } = await findInvited(token);
			const hash = await accounts.hash(password, user, "password");
			await store.transaction(async (tx) => {
				// Of two at once, and of an administrator who withdraws it, one is first.
				if (!(await consumeInvitation(tx, user.id))) throw notFound(WRONG);
				await accounts.setPassword(tx, user, hash, true);
				await events.changed(
					tx,
					{ ...origin, userId: user.id, username: user.username },
					{ targetType: "user", targetId: user.id, description: `${user.username} accepted the invitation` },
				);
			});
			return { username: user.username };
		},
	};
}

export type Invitations = ReturnType<typeof createInvitations>;
