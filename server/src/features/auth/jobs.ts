/** Background work of accounts: sends mails with retries, and deletes expired rows. */
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import { type Mailer, MailRefused } from "../../ports/mailer.ts";
import type { Store } from "../../ports/store.ts";
import {
	emailChangedMail,
	invitationMail,
	MAIL_QUEUE,
	type MailJob,
	resetMail,
	verificationMail,
} from "./domain/mails.ts";
import { findUser, findUserByEmail, lockUser } from "./repo.ts";
import { purgeOidcStates } from "./repo-oidc.ts";
import type { TokenRow } from "./repo-secrets.ts";
import { findToken, listTokens, purgeAccountSecrets } from "./repo-secrets.ts";
import type { ApiTokens } from "./service-api-tokens.ts";
import type { Invitations } from "./service-invitations.ts";
import type { Links } from "./service-links.ts";
import type { Recheck } from "./service-recheck.ts";

const RESET_MS = 3_600_000;
/** Links for a new password that one user may have at a time: more mails would only bother them. */
const RESETS_AT_ONCE = 5;
const PURGE_EVERY_MS = 10 * 60_000;
const RECHECK_EVERY_MS = 10 * 60_000;
/** The stored time of a session's last request may be this much behind. */
const IDLE_SLACK_MS = 60_000;

export interface AuthJobsDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly mailer: Mailer | null;
	readonly links: Links;
	readonly invitations: Pick<Invitations, "findMail">;
	readonly frontendUrl: string;
	readonly ofTokens: Pick<ApiTokens, "notifyExpiring" | "purge">;
	readonly recheck: Recheck;
}

export function createAuthJobs(deps: AuthJobsDeps) {
	const {
		store,
		clock,
		log,
		mailer,

		links,
		invitations,
		frontendUrl,
		ofTokens,
		recheck,
	} = deps;

	/** The row of a password reset link; undefined when the address gets no mail. */
	async function resetRow({ tokenId, email }: Extract<MailJob, { kind: "password_reset" }>) {
		const user = await findUserByEmail(store.db, email);
		if (!user?.is_active || user.auth_source !== "local") return undefined;
		const begun = await findToken(store.db, tokenId);
		if (begun !== undefined) return begun;
		return store.transaction(async (tx) => {
			await lockUser(tx, user.id);
			const live = await listTokens(tx.db, user.id, "password_reset", new Date(clock.now()));
			if (live.length >= RESETS_AT_ONCE) return undefined;
			const link = { id: tokenId, user_id: user.id, purpose: "password_reset" } as const;
			await links.begin(tx, { ...link, email: user.email.toLowerCase() }, RESET_MS);
			return findToken(tx.db, tokenId);
		});
	}

	async function sendMail(job: MailJob, by: Mailer): Promise<void> {
		if (job.kind === "email_changed") {
			await by.send({ to: job.to, messageId: `${job.mailId}@weft`, ...emailChangedMail(job.username) });
			return;
		}
		if (job.kind === "invitation") {
			const found = await invitations.findMail(job.invitationId);
			if (found === null) return;
			const { user, url } = found;
			await by.send({ to: user.email, messageId: `${job.invitationId}@weft`, ...invitationMail(user.username, url) });
			return;
		}
		const row: TokenRow | undefined = await (job.kind === "password_reset"
			? resetRow(job)
			: findToken(store.db, job.tokenId));
		const user = row === undefined ? undefined : await findUser(store.db, row.user_id);
		if (row === undefined || user === undefined || row.expires_at.getTime() <= clock.now()) return;
		// The address may have changed since: the link would be void.
		if (user.email.toLowerCase() !== row.email) return;
		const token = links.getText(row);
		const words =
			job.kind === "password_reset"
				? resetMail(user.username, token, frontendUrl)
				: verificationMail(user.username, token, frontendUrl);
		const messageId = `${job.kind === "password_reset" ? job.tokenId : job.mailId}@weft`;
		await by.send({ to: user.email, messageId, ...words });
	}

	const mails: JobQueue = {
		name: MAIL_QUEUE,
		concurrency: 2,
		async handler(data) {
			const job = data as MailJob;
			// A setting was removed after the task was queued: a retry would never succeed.
			if (mailer === null || (job.kind === "email_verification" && frontendUrl === "")) return;
			await sendMail(job, mailer).catch((error: unknown) => {
				if (!(error instanceof MailRefused)) throw error;
				log.warn({ err: error, kind: job.kind }, "the mail server refused a mail");
			});
		},
	};

	async function purgeExpiredRecords(): Promise<void> {
		const now = new Date(clock.now());
		await purgeAccountSecrets(store.db, now, IDLE_SLACK_MS);
		await purgeOidcStates(store.db, now);
		await ofTokens.purge();
	}

	return {
		queues: [mails] as readonly JobQueue[],
		/** Starts the cleanup. Idempotent, so every process with queue tasks runs it. */
		work: () =>
			repeatWork({ clock, log }, [
				{
					everyMs: PURGE_EVERY_MS,
					failure: "expired sessions, tokens, challenges and sign-ins could not be deleted",
					work: purgeExpiredRecords,
				},
				{
					everyMs: PURGE_EVERY_MS,
					failure: "owners of API tokens that expire soon could not be notified",
					work: ofTokens.notifyExpiring,
				},
				{
					everyMs: RECHECK_EVERY_MS,
					failure: "the directory could not be asked for its accounts",
					work: recheck.recheckDirectory,
				},
				{
					everyMs: RECHECK_EVERY_MS,
					failure: "accounts without a sign-in at the identity provider could not be ended",
					work: recheck.recheckProvider,
				},
			]),
	};
}
