/** Second factors. The secret is stored encrypted, backup codes as HMACs under a key per user. */
import { createHash, createHmac } from "node:crypto";
import { type Context, getNow } from "../../../context.ts";
import type { SealedColumn } from "../../../core/ports/secrets.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { readCode, readTypedCode } from "./rules/codes.ts";
import { decodeSecret, getStep } from "./rules/totp.ts";
import type { MfaRow } from "./sql/secrets.ts";
import {
	beginMfa,
	consumeBackupCode,
	consumeChallenge,
	consumeTimeStep,
	findMfa,
	insertChallenge,
	setBackupCodes,
	tryChallenge,
} from "./sql/secrets.ts";

const SECRET_BYTES = 20;
const KEY_BYTES = 32;
const BACKUP_CODES = 8;
const CHALLENGE_BYTES = 32;
const CHALLENGE_TRIES = 5;
export const CHALLENGE_SECONDS = 300;

const buildMfaContext = (userId: number | string, what: "secret" | "backup_key"): string =>
	`user_mfa:${userId}:${what}`;

export const secondFactorSecrets: readonly SealedColumn[] = (["secret", "backup_key"] as const).map((what) => ({
	table: "user_mfa",
	key: "user_id",
	column: `${what}_sealed`,
	context: (userId) => buildMfaContext(userId, what),
}));

const hashToken = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Consumes a one-time code. Returns false if another request has already consumed it. */
export type Consume = (tx: Tx) => Promise<boolean>;

const getRandomBytes = (ctx: Context, bytes: number): Buffer => Buffer.from(ctx.ids.token(bytes), "base64url");

const computeHash = (ctx: Context, row: MfaRow, code: string): string =>
	createHmac(
		"sha256",
		Buffer.from(ctx.secrets.open(row.backup_key_sealed, buildMfaContext(row.user_id, "backup_key")), "base64url"),
	)
		.update(code)
		.digest("base64url");

/** Checks a code of the authenticator; null when it is wrong. */
export function checkTotp(ctx: Context, row: MfaRow, code: string): Consume | null {
	const step = getStep(
		ctx.secrets.open(row.secret_sealed, buildMfaContext(row.user_id, "secret")),
		code,
		ctx.clock.now(),
	);
	return step === null ? null : (tx) => consumeTimeStep(tx, row.user_id, step);
}

/**
 * Begins a second factor and returns its secret; null, with nothing changed, when one is in
 * use.
 */
export async function beginSecondFactor(ctx: Context, tx: Tx, userId: number): Promise<string | null> {
	const secret = decodeSecret(getRandomBytes(ctx, SECRET_BYTES));
	const begun = await beginMfa(tx, {
		user_id: userId,
		secret_sealed: ctx.secrets.seal(secret, buildMfaContext(userId, "secret")),
		backup_key_sealed: ctx.secrets.seal(ctx.ids.token(KEY_BYTES), buildMfaContext(userId, "backup_key")),
		confirmed_at: null,
		created_at: getNow(ctx),
	});
	return begun ? secret : null;
}

/** Checks a code of the authenticator or a backup code; null when it can be neither. */
export async function checkSecondFactor(ctx: Context, db: Db, userId: number, code: string): Promise<Consume | null> {
	const row = await findMfa(db, userId);
	if (row === undefined || row.confirmed_at === null) return null;
	const backup = readCode(code);
	if (backup === null) return checkTotp(ctx, row, code);
	const hash = computeHash(ctx, row, backup);
	return (tx) => consumeBackupCode(tx, userId, hash);
}

/** Replaces all backup codes. */
export async function replaceBackupCodes(ctx: Context, tx: Tx, row: MfaRow): Promise<string[]> {
	const codes = new Set<string>();
	while (codes.size < BACKUP_CODES) codes.add(readTypedCode(getRandomBytes(ctx, 8)));
	await setBackupCodes(
		tx,
		row.user_id,
		[...codes].map((code) => computeHash(ctx, row, code)),
	);
	return [...codes];
}

/** Issues the token of a login between the password and the second factor. */
export async function issueChallenge(ctx: Context, tx: Tx, userId: number): Promise<string> {
	const token = ctx.ids.token(CHALLENGE_BYTES);
	const now = ctx.clock.now();
	await insertChallenge(tx, {
		token_hash: hashToken(token),
		user_id: userId,
		created_at: new Date(now),
		expires_at: new Date(now + CHALLENGE_SECONDS * 1000),
	});
	return token;
}

/**
 * Consumes one try. Returns the user's id; undefined when the login has expired or has no tries
 * left.
 */
export const spendChallengeTry = (ctx: Context, db: Db, token: string): Promise<number | undefined> =>
	tryChallenge(db, hashToken(token), CHALLENGE_TRIES, getNow(ctx));

/** Deletes the login's token. Returns false if another request has already done so. */
export const finishChallenge = (tx: Tx, token: string): Promise<boolean> => consumeChallenge(tx, hashToken(token));
