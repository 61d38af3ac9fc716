/**
 * Finds accounts whose people are gone where they sign in, and ends their sessions and API tokens.
 * An account of a directory is gone if the directory answers that it has no such person; one of an
 * identity provider, which cannot be asked, after some days without a sign-in. A source that does
 * not answer makes no account gone. Local and service accounts never are.
 */
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Directory, DirectoryUnavailable } from "../../ports/directory.ts";
import type { IdentityProvider } from "../../ports/identity-provider.ts";
import type { Store, Tx } from "../../ports/store.ts";
import type { ApiTokensRepo } from "./repo-api-tokens.ts";
import type { CheckedRow } from "./repo-recheck.ts";
import { claimDirectoryAccounts, listSilentAccounts, lockAccounts, setAnswered, setGone } from "./repo-recheck.ts";
import type { Accounts } from "./service-accounts.ts";

interface RecheckContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly events: Events;
	readonly apiTokens: ApiTokensRepo;
	readonly accounts: Accounts;
	/** Days between two checks of an account (WEFT_ACCOUNT_RECHECK_DAYS); null: off. */
	readonly accountRecheckDays: number | null;
	readonly directory: Directory | null;
	readonly identityProvider: IdentityProvider | null;
}

const DAY_MS = 24 * 3_600_000;
/** An account that the directory did not answer for is asked for again after this time. */
const RETRY_MS = 3_600_000;
/** Accounts of one transaction, and of one connection to the directory. */
const BATCH_SIZE = 100;
/** Upper bound of one round; the next one continues. */
const BATCHES_MAX = 10;
const NAMES_SHOWN = 20;

export function createRecheck(context: RecheckContext) {
	const { store, clock, events, apiTokens, accounts, accountRecheckDays: days } = context;
	const { directory, identityProvider } = context;

	async function recordChange(tx: Tx, { id, username }: CheckedRow, action: string, text: string): Promise<void> {
		const actor = { userId: null, username: "service", ip: "", userAgent: "", requestId: "" };
		await events.changed(
			tx,
			{ ...actor, audit: { category: "user_management", action } },
			{ targetType: "user", targetId: id, description: `The account ${username} ${text}` },
		);
	}

	/** Ends the access of accounts, and notifies administrators. @param reason a sentence */
	async function markGone(tx: Tx, rows: readonly CheckedRow[], reason: string): Promise<void> {
		const [first] = rows;
		if (first === undefined) return;
		const now = new Date(clock.now());
		await setGone(
			tx,
			rows.map(({ id }) => id),
			now,
		);
		for (const row of rows) {
			await apiTokens.revokeAll(tx, row.id, now);
			await accounts.endSessions(tx, row.id);
			await recordChange(tx, row, "account_gone", "is gone: its sessions and API tokens were ended");
		}
		const isOne = rows.length === 1;
		const names = rows.slice(0, NAMES_SHOWN).map(({ username }) => username);
		const more = rows.length > names.length ? ` and ${rows.length - names.length} more` : "";
		await events.emit(tx, {
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
	async function checkDirectoryBatch(source: Directory, intervalMs: number): Promise<boolean> {
		const asked = clock.now();
		const due = await claimDirectoryAccounts(
			store.db,
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
		await store.transaction(async (tx) => {
			const rows = await lockAccounts(
				tx,
				answered.map(({ id }) => id),
			);
			await setAnswered(
				tx,
				rows.map(({ id }) => id),
				new Date(clock.now()),
			);
			const back = rows.filter(({ username, gone_since }) => gone_since !== null && present.has(username));
			await setGone(
				tx,
				back.map(({ id }) => id),
				null,
			);
			for (const row of back) await recordChange(tx, row, "account_found", "is in the directory again");
			// A sign-in after the question is a later answer.
			const gone = rows.filter(
				({ username, gone_since, last_login }) =>
					absent.has(username) && gone_since === null && (last_login === null || last_login.getTime() < asked),
			);
			await markGone(tx, gone, "The directory does not have");
		});
		return due.length === BATCH_SIZE;
	}

	/** Checks one batch of the identity provider's accounts. Returns whether there may be more. */
	async function checkProviderBatch(source: IdentityProvider, intervalMs: number): Promise<boolean> {
		const since = new Date(clock.now() - intervalMs);
		const silent = await listSilentAccounts(store.db, since, BATCH_SIZE);
		if (silent.length === 0 || !(await source.isReachable())) return false;
		await store.transaction(async (tx) => {
			const rows = await lockAccounts(tx, silent);
			const gone = rows.filter(
				({ gone_since, last_login }) => gone_since === null && (last_login === null || last_login <= since),
			);
			const period = days === 1 ? "for a day" : `for ${days} days`;
			await markGone(tx, gone, `No sign-in at the identity provider ${period}`);
		});
		return silent.length === BATCH_SIZE;
	}

	return {
		/** Asks the directory for accounts that are due. Any number of processes may do it at once. */
		async recheckDirectory(): Promise<void> {
			if (days === null || directory === null) return;
			try {
				for (let batch = 0; batch < BATCHES_MAX; batch++) {
					if (!(await checkDirectoryBatch(directory, days * DAY_MS))) return;
				}
			} catch (error) {
				// Logged where it was asked; tried again after RETRY_MS.
				if (!(error instanceof DirectoryUnavailable)) throw error;
			}
		},

		/** Ends the access of accounts without a sign-in at the identity provider for the days. */
		async recheckProvider(): Promise<void> {
			if (days === null || identityProvider === null) return;
			for (let batch = 0; batch < BATCHES_MAX; batch++) {
				if (!(await checkProviderBatch(identityProvider, days * DAY_MS))) return;
			}
		},
	};
}

export type Recheck = ReturnType<typeof createRecheck>;
