/**
 * Finds accounts whose people are gone where they sign in, and ends their sessions and API tokens.
 * An account of a directory is gone if the directory answers that it has no such person; one of an
 * identity provider, which cannot be asked, after some days without a sign-in. A source that does
 * not answer makes no account gone. Local and service accounts never are.
 */
import { type Context, getNow } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { type Directory, DirectoryUnavailable } from "../../../integrations/ldap/port.ts";
import type { IdentityProvider } from "../../../integrations/oidc/port.ts";
import { endSessions } from "./set-credentials.ts";
import { revokeApiTokens } from "./sql/api-tokens.ts";
import type { CheckedRow } from "./sql/recheck.ts";
import { claimDirectoryAccounts, listSilentAccounts, lockAccounts, setAnswered, setGone } from "./sql/recheck.ts";

const DAY_MS = 24 * 3_600_000;
/** An account that the directory did not answer for is asked for again after this time. */
const RETRY_MS = 3_600_000;
/** Accounts of one transaction, and of one connection to the directory. */
const BATCH_SIZE = 100;
/** Upper bound of one round; the next one continues. */
const BATCHES_MAX = 10;
const NAMES_SHOWN = 20;

async function recordChange(
	ctx: Context,
	tx: Tx,
	{ id, username }: CheckedRow,
	action: string,
	text: string,
): Promise<void> {
	const actor = { userId: null, username: "service", ip: "", userAgent: "", requestId: "" };
	await ctx.events.changed(
		tx,
		{ ...actor, audit: { category: "user_management", action } },
		{ targetType: "user", targetId: id, description: `The account ${username} ${text}` },
	);
}

/** Ends the access of accounts, and notifies administrators. @param reason a sentence */
async function markGone(ctx: Context, tx: Tx, rows: readonly CheckedRow[], reason: string): Promise<void> {
	const [first] = rows;
	if (first === undefined) return;
	const now = getNow(ctx);
	await setGone(
		tx,
		rows.map(({ id }) => id),
		now,
	);
	for (const row of rows) {
		await revokeApiTokens(tx, row.id, now);
		await endSessions(ctx, tx, row.id);
		await recordChange(ctx, tx, row, "account_gone", "is gone: its sessions and API tokens were ended");
	}
	const isOne = rows.length === 1;
	const names = rows.slice(0, NAMES_SHOWN).map(({ username }) => username);
	const more = rows.length > names.length ? ` and ${rows.length - names.length} more` : "";
	await ctx.events.emit(tx, {
		type: "notification_due",
		audience: "administrators",
		category: "system",
		severity: "warning",
		title: isOne ? `The account ${first.username} is gone` : `${rows.length} accounts are gone`,
		body:
			`${reason}: ${names.join(", ")}${more}. Their sessions and API tokens were ended. ` +
			"Deactivate or delete accounts that are not needed any more. A person who signs in again is not gone.",
		link: isOne ? `/api/auth/management/${first.id}/` : "/api/auth/management/?gone=true",
		facts: {
			event: "account_gone",
			objects: rows.map(({ id, username }) => ({ kind: "user", id, name: username })),
		},
		key: `account_gone:${first.id}:${now.getTime()}`,
	});
}

/** Checks one batch of the directory's accounts. Returns whether there may be more. */
async function checkDirectoryBatch(ctx: Context, source: Directory, intervalMs: number): Promise<boolean> {
	const asked = ctx.clock.now();
	const due = await claimDirectoryAccounts(
		ctx.store.db,
		{
			now: new Date(asked),
			heardBefore: new Date(asked - intervalMs),
			goneHeardBefore: new Date(asked - DAY_MS),
			askedBefore: new Date(asked - RETRY_MS),
		},
		BATCH_SIZE,
	);
	if (due.length === 0) return false;
	const found = await source.findPeople(due.map(({ username }) => username));
	const [present, absent] = [new Set(found.present), new Set(found.absent)];
	const answered = due.filter(({ username }) => present.has(username) || absent.has(username));
	await ctx.store.transaction(async (tx) => {
		const rows = await lockAccounts(
			tx,
			answered.map(({ id }) => id),
		);
		await setAnswered(
			tx,
			rows.map(({ id }) => id),
			getNow(ctx),
		);
		const back = rows.filter(({ username, gone_since }) => gone_since !== null && present.has(username));
		await setGone(
			tx,
			back.map(({ id }) => id),
			null,
		);
		for (const row of back) await recordChange(ctx, tx, row, "account_found", "is in the directory again");
		// A sign-in after the question is a later answer.
		const gone = rows.filter(
			({ username, gone_since, last_login }) =>
				absent.has(username) && gone_since === null && (last_login === null || last_login.getTime() < asked),
		);
		await markGone(ctx, tx, gone, "The directory does not have");
	});
	return due.length === BATCH_SIZE;
}

/** Checks one batch of the identity provider's accounts. Returns whether there may be more. */
async function checkProviderBatch(ctx: Context, source: IdentityProvider, intervalMs: number): Promise<boolean> {
	const since = new Date(ctx.clock.now() - intervalMs);
	const silent = await listSilentAccounts(ctx.store.db, since, BATCH_SIZE);
	if (silent.length === 0 || !(await source.isReachable())) return false;
	await ctx.store.transaction(async (tx) => {
		const rows = await lockAccounts(tx, silent);
		const gone = rows.filter(
			({ gone_since, last_login }) => gone_since === null && (last_login === null || last_login <= since),
		);
		const period = ctx.accountRecheckDays === 1 ? "for a day" : `for ${ctx.accountRecheckDays} days`;
		await markGone(ctx, tx, gone, `No sign-in at the identity provider ${period}`);
	});
	return silent.length === BATCH_SIZE;
}

/** Asks the directory for accounts that are due. Any number of processes may do it at once. */
export async function recheckDirectory(ctx: Context): Promise<void> {
	if (ctx.accountRecheckDays === null || ctx.directory === null) return;
	try {
		for (let batch = 0; batch < BATCHES_MAX; batch++) {
			if (!(await checkDirectoryBatch(ctx, ctx.directory, ctx.accountRecheckDays * DAY_MS))) return;
		}
	} catch (error) {
		// Logged where it was asked; tried again after RETRY_MS.
		if (!(error instanceof DirectoryUnavailable)) throw error;
	}
}

/** Ends the access of accounts without a sign-in at the identity provider for the days. */
export async function recheckProvider(ctx: Context): Promise<void> {
	if (ctx.accountRecheckDays === null || ctx.identityProvider === null) return;
	for (let batch = 0; batch < BATCHES_MAX; batch++) {
		if (!(await checkProviderBatch(ctx, ctx.identityProvider, ctx.accountRecheckDays * DAY_MS))) return;
	}
}
