/**
 * Resets forgotten passwords and verifies email addresses: requests a mail, and handles its link.
 */
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Origin } from "../../../core/caller.ts";
import { buildFieldError, buildInvalidError, buildNotFoundError, buildUnavailableError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { beginLink, extendLink, findLink } from "./issue-links.ts";
import { findResetCode } from "./issue-reset-codes.ts";
import { MAIL_QUEUE, type MailJob } from "./rules/mails.ts";
import { hashPassword, setPassword } from "./set-credentials.ts";
import type { TokenRow } from "./sql/secrets.ts";
import { consumeToken, listTokens, removeTokens } from "./sql/secrets.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUser, lockUser, markEmailVerified } from "./sql/sign-in.ts";

const VERIFY_MS = 24 * 3_600_000;
const OK = { status: "ok" } as const;
const WRONG = { token: "Is not valid, or its time is over.", code: "Is not valid, or its time is over." };

const isStillFor = (row: TokenRow, user: UserRow | undefined): user is UserRow =>
	user?.is_active === true && (row.email === "" || row.email === user.email.toLowerCase());

/** The user who may set a new password with this token or code. @throws 400 under the field */
async function verifyRecoverySecret(
	ctx: Context,
	field: "token" | "code",
	text: string,
): Promise<{ row: TokenRow; user: UserRow }> {
	const row = await (field === "token"
		? findLink(ctx, ctx.store.db, "password_reset", text)
		: findResetCode(ctx, ctx.store.db, text));
	const user = row === undefined ? undefined : await findUser(ctx.store.db, row.user_id);
	if (row === undefined || !isStillFor(row, user) || user.auth_source !== "local") {
		throw buildFieldError(field, WRONG[field]);
	}
	return { row, user };
}

/** Only the queue task looks up the user, so the answer does not reveal whether one exists. */
export async function requestPasswordReset(ctx: Context, email: string, origin: Origin) {
	const job: MailJob = { kind: "password_reset", tokenId: ctx.ids.uuid(), email };
	await ctx.store.transaction(async (tx) => {
		if (ctx.mailer !== null) await ctx.jobs.enqueue(tx, MAIL_QUEUE, job);
		await ctx.events.changed(
			tx,
			{ ...origin, userId: null, username: "" },
			{
				targetType: "user",
				targetId: "",
				description: `A link for a new password was asked for${ctx.mailer !== null ? "" : ", but mail is not configured"}`,
				metadata: { email },
			},
		);
	});
	return OK;
}

export async function confirmPasswordReset(
	ctx: Context,
	input: {
		token?: string | undefined;
		code?: string | undefined;
		new_password: string;
		revoke_tokens?: boolean | undefined;
	},
	origin: Origin,
) {
	if (input.token !== undefined && input.code !== undefined) {
		throw buildInvalidError({ non_field_errors: ["Give either a token or a code."] });
	}
	const field = input.code === undefined ? "token" : "code";
	const text = input[field];
	if (text === undefined) throw buildFieldError("token", "Give the token of a link, or a code.");
	const { row, user } = await verifyRecoverySecret(ctx, field, text);
	const hash = await hashPassword(ctx, input.new_password, user, "new_password");
	const ended = await ctx.store.transaction(async (tx) => {
		if (!(await consumeToken(tx, row.id))) throw buildFieldError(field, WRONG[field]);
		const ended = await setPassword(ctx, tx, user, hash, input.revoke_tokens ?? true);
		await ctx.events.changed(
			tx,
			{ ...origin, userId: user.id, username: user.username },
			{
				targetType: "user",
				targetId: user.id,
				description: `${user.username} set a new password with ${field === "code" ? "an administrator's code" : "a mailed link"}`,
				metadata: { with: field, ...ended },
			},
		);
		return ended;
	});
	return input.revoke_tokens === undefined ? OK : ended;
}

/**
 * The link leads to the configured front end only: a request's Host header can name any host.
 */
export async function sendVerificationMail(ctx: Context, caller: Caller) {
	const user = await findUser(ctx.store.db, caller.userId);
	if (user === undefined) throw buildNotFoundError();
	if (user.email === "") throw buildFieldError("email", "You have no email address.");
	if (ctx.mailer === null) throw buildUnavailableError("Outgoing mail is not configured.", 3600);
	if (ctx.frontendUrl === "") {
		throw buildUnavailableError("Mails with links need the address of the web interface: set WEFT_FRONTEND_URL.", 3600);
	}
	if (user.email_verified) {
		markUnchanged(caller);
		return OK;
	}
	const email = user.email.toLowerCase();
	const mailId = ctx.ids.uuid();
	await ctx.store.transaction(async (tx) => {
		const now = getNow(ctx);
		// Two requests at once must not make two links.
		await lockUser(tx, caller.userId);
		const live = await listTokens(tx.db, caller.userId, "email_verification", now);
		const row = live.find((token) => token.email === email);
		if (row) await extendLink(ctx, tx, row, VERIFY_MS);
		else {
			await removeTokens(tx, caller.userId, ["email_verification"]);
			const link = { id: mailId, user_id: caller.userId, purpose: "email_verification", email } as const;
			await beginLink(ctx, tx, link, VERIFY_MS);
		}
		const job: MailJob = { kind: "email_verification", tokenId: row?.id ?? mailId, mailId };
		await ctx.jobs.enqueue(tx, MAIL_QUEUE, job);
		await ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} asked for a verification mail`,
			metadata: { email: user.email },
		});
	});
	return OK;
}

/** Returns the redirect's address. Idempotent, because mail programs prefetch links. */
export async function verifyEmail(ctx: Context, text: string, origin: Origin): Promise<string> {
	const row = await findLink(ctx, ctx.store.db, "email_verification", text);
	const user = row === undefined ? undefined : await findUser(ctx.store.db, row.user_id);
	if (row === undefined || !isStillFor(row, user)) throw buildFieldError("token", WRONG.token);
	if (!user.email_verified) {
		await ctx.store.transaction(async (tx) => {
			if (!(await markEmailVerified(tx, user.id, row.email))) throw buildFieldError("token", WRONG.token);
			const audit = { category: "user_management", action: "email_verify" } as const;
			await ctx.events.changed(
				tx,
				{ ...origin, audit, userId: user.id, username: user.username },
				{ targetType: "user", targetId: user.id, description: `${user.username} verified their email address` },
			);
		});
	}
	return `${ctx.frontendUrl}/login?email_verified=1`;
}
