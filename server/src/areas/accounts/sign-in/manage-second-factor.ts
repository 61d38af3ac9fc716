/** One's own second factor: setup, verification, status, backup codes, removal. */
import { type Context, getNow } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { beginSecondFactor, checkTotp, replaceBackupCodes } from "./check-second-factor.ts";
import { announceUserChange } from "./create-sessions.ts";
import { verifyPassword } from "./reauthenticate-caller.ts";
import { buildOtpauthUrl } from "./rules/totp.ts";
import { confirmMfa, countBackupCodes, findMfa, lockMfa, removeMfa } from "./sql/secrets.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUser, updateUser } from "./sql/sign-in.ts";

async function requirePassword(ctx: Context, caller: Caller, password: string): Promise<UserRow> {
	const user = await findUser(ctx.store.db, caller.userId);
	if (user === undefined) throw buildNotFoundError();
	if (!(await verifyPassword(ctx, user, password))) throw buildFieldError("password", "Is not the current password.");
	return user;
}

const recordChange = (ctx: Context, tx: Tx, caller: Caller, text: string) =>
	ctx.events.changed(tx, caller, {
		targetType: "user",
		targetId: caller.userId,
		description: `${caller.username} ${text}`,
	});

export async function setUpSecondFactor(ctx: Context, caller: Caller) {
	const secret = await ctx.store.transaction(async (tx) => {
		const begun = await beginSecondFactor(ctx, tx, caller.userId);
		if (begun === null) throw buildRefusedError("The second factor is in use. Disable it first.");
		await recordChange(ctx, tx, caller, "began to set up a second factor");
		return begun;
	});
	const otpauth_url = buildOtpauthUrl(secret, caller.username);
	// Loaded at its use, as libraries are that no start needs.
	const { default: qrcode } = await import("qrcode");
	return { secret, otpauth_url, qr_code_svg: await qrcode.toString(otpauth_url, { type: "svg" }) };
}

export async function verifySecondFactor(ctx: Context, caller: Caller, code: string) {
	return ctx.store.transaction(async (tx) => {
		const row = await lockMfa(tx, caller.userId);
		if (row === undefined) throw buildFieldError("code", "Set the second factor up first.");
		if (row.confirmed_at !== null) throw buildFieldError("code", "The second factor is in use already.");
		const consume = checkTotp(ctx, row, code);
		if (consume === null || !(await consume(tx))) throw buildFieldError("code", "The code is wrong or has expired.");
		await confirmMfa(tx, caller.userId, getNow(ctx));
		await updateUser(tx, caller.userId, { mfa_enabled: true });
		await announceUserChange(ctx, tx, caller.userId);
		const backup_codes = await replaceBackupCodes(ctx, tx, row);
		await recordChange(ctx, tx, caller, "turned the second factor on");
		return { enabled: true as const, backup_codes };
	});
}

export async function readSecondFactor(ctx: Context, caller: Caller) {
	const row = await findMfa(ctx.store.db, caller.userId);
	const enabled = row !== undefined && row.confirmed_at !== null;
	return {
		enabled,
		backup_codes_remaining: enabled ? await countBackupCodes(ctx.store.db, caller.userId) : 0,
	};
}

export async function renewBackupCodes(ctx: Context, caller: Caller, password: string) {
	await requirePassword(ctx, caller, password);
	return ctx.store.transaction(async (tx) => {
		const row = await lockMfa(tx, caller.userId);
		if (row === undefined || row.confirmed_at === null) throw buildRefusedError("The second factor is not in use.");
		const backup_codes = await replaceBackupCodes(ctx, tx, row);
		await recordChange(ctx, tx, caller, "made new backup codes");
		return { backup_codes };
	});
}

export async function disableSecondFactor(ctx: Context, caller: Caller, password: string) {
	await requirePassword(ctx, caller, password);
	return ctx.store.transaction(async (tx) => {
		await removeMfa(tx, caller.userId);
		await updateUser(tx, caller.userId, { mfa_enabled: false });
		await announceUserChange(ctx, tx, caller.userId);
		await recordChange(ctx, tx, caller, "turned the second factor off");
		return { enabled: false as const };
	});
}
