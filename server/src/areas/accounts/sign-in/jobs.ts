/** Background work of accounts: sends mails with retries, and deletes expired rows. */
import { type Context, getNow } from "../../../context.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import { type Mailer, MailRefused } from "../../../integrations/smtp/port.ts";
import { findInvitationMail } from "./accept-invitation.ts";
import { beginLink, formatLink } from "./issue-links.ts";
import { notifyExpiringTokens, purgeTokens } from "./manage-api-tokens.ts";
import { recheckDirectory, recheckProvider } from "./recheck-accounts.ts";
import {
	buildEmailChangedMail,
	buildInvitationMail,
	buildResetMail,
	buildVerificationMail,
	MAIL_QUEUE,
	type MailJob,
} from "./rules/mails.ts";
import { markInvitationMailed } from "./sql/invitations.ts";
import { purgeOidcStates } from "./sql/oidc.ts";
import type { TokenRow } from "./sql/secrets.ts";
import { findToken, listTokens, purgeAccountSecrets } from "./sql/secrets.ts";
import { findUser, findUserByEmail, lockUser } from "./sql/sign-in.ts";

const RESET_MS = 3_600_000;
/** Links for a new password that one user may have at a time: more mails would only bother them. */
const RESETS_AT_ONCE = 5;
const PURGE_EVERY_MS = 10 * 60_000;
const RECHECK_EVERY_MS = 10 * 60_000;
/** The stored time of a session's last request may be this much behind. */
const IDLE_SLACK_MS = 60_000;

/** The row of a password reset link; undefined when the address gets no mail. */
async function beginResetLink(ctx: Context, { tokenId, email }: Extract<MailJob, { kind: "password_reset" }>) {
	const user = await findUserByEmail(ctx.store.db, email);
	if (!user?.is_active || user.auth_source !== "local") return undefined;
	const begun = await findToken(ctx.store.db, tokenId);
	if (begun !== undefined) return begun;
	return ctx.store.transaction(async (tx) => {
		await lockUser(tx, user.id);
		const live = await listTokens(tx.db, user.id, "password_reset", getNow(ctx));
		if (live.length >= RESETS_AT_ONCE) return undefined;
		const link = { id: tokenId, user_id: user.id, purpose: "password_reset" } as const;
		await beginLink(ctx, tx, { ...link, email: user.email.toLowerCase() }, RESET_MS);
		return findToken(tx.db, tokenId);
	});
}

async function sendMail(ctx: Context, job: MailJob, by: Mailer): Promise<void> {
	if (job.kind === "email_changed") {
		await by.send({ to: job.to, messageId: `${job.mailId}@weft`, ...buildEmailChangedMail(job.username) });
		return;
	}
	if (job.kind === "invitation") {
		const found = await findInvitationMail(ctx, job.invitationId);
		if (found === null) return;
		const { user, url } = found;
		await by.send({
			to: user.email,
			messageId: `${job.invitationId}@weft`,
			...buildInvitationMail(user.username, url),
		});
		await markInvitationMailed(ctx.store.db, job.invitationId, getNow(ctx));
		return;
	}
	const row: TokenRow | undefined = await (job.kind === "password_reset"
		? beginResetLink(ctx, job)
		: findToken(ctx.store.db, job.tokenId));
	const user = row === undefined ? undefined : await findUser(ctx.store.db, row.user_id);
	if (row === undefined || user === undefined || row.expires_at.getTime() <= ctx.clock.now()) return;
	// The address may have changed since: the link would be void.
	if (user.email.toLowerCase() !== row.email) return;
	const token = formatLink(ctx, row);
	const words =
		job.kind === "password_reset"
			? buildResetMail(user.username, token, ctx.frontendUrl)
			: buildVerificationMail(user.username, token, ctx.frontendUrl);
	const messageId = `${job.kind === "password_reset" ? job.tokenId : job.mailId}@weft`;
	await by.send({ to: user.email, messageId, ...words });
}

async function executeMailJob(ctx: Context, job: MailJob): Promise<void> {
	// A setting was removed after the task was queued: a retry would never succeed.
	if (ctx.mailer === null || (job.kind === "email_verification" && ctx.frontendUrl === "")) return;
	await sendMail(ctx, job, ctx.mailer).catch((error: unknown) => {
		if (!(error instanceof MailRefused)) throw error;
		ctx.log.warn({ err: error, kind: job.kind }, "the mail server refused a mail");
	});
}

export const listAuthQueues = (ctx: Context): JobQueue[] => [
	{ name: MAIL_QUEUE, concurrency: 2, handler: (data) => executeMailJob(ctx, data as MailJob) },
];

async function purgeExpiredRecords(ctx: Context): Promise<void> {
	const now = getNow(ctx);
	await purgeAccountSecrets(ctx.store.db, now, IDLE_SLACK_MS);
	await purgeOidcStates(ctx.store.db, now);
	await purgeTokens(ctx);
}

/** Starts the cleanup. Idempotent, so every process with queue tasks runs it. */
export const startAuthTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: PURGE_EVERY_MS,
			failure: "expired sessions, tokens, challenges and sign-ins could not be deleted",
			work: () => purgeExpiredRecords(ctx),
		},
		{
			everyMs: PURGE_EVERY_MS,
			failure: "owners of API tokens that expire soon could not be notified",
			work: () => notifyExpiringTokens(ctx),
		},
		{
			everyMs: RECHECK_EVERY_MS,
			failure: "the directory could not be asked for its accounts",
			work: () => recheckDirectory(ctx),
		},
		{
			everyMs: RECHECK_EVERY_MS,
			failure: "accounts without a sign-in at the identity provider could not be ended",
			work: () => recheckProvider(ctx),
		},
	]);
