/**
 * Seals entries: appends unsealed ones, in order, as blocks to the chain. Runs some seconds after
 * they were written, so that writers never wait for each other.
 */
import { setImmediate } from "node:timers/promises";
import type { AuditCategory } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { SealedColumn, Secrets } from "../../core/ports/secrets.ts";
import type { Tx } from "../../core/ports/store.ts";
import { type ChainEntry, computeDigest, computeMac, hashEntry, type Listed } from "./rules/chain.ts";
import { getDay, getGroup } from "./rules/groups.ts";
import {
	addToDayCount,
	findLastBlock,
	insertBlock,
	listUnsealedEntries,
	lockChain,
	moveWaitingEntries,
	refreshLogStatistics,
	storeChainKey,
} from "./sql/chain.ts";

const BATCH = 1_000;
const KEY_BYTES = 32;
const KEY_CONTEXT = "audit_chain:key";

export const auditSecrets: readonly SealedColumn[] = [
	{ table: "audit_chain", key: "id", column: "key_sealed", context: () => KEY_CONTEXT },
];

interface Hashed extends Pick<ChainEntry, "id" | "category" | "action"> {
	readonly day: string;
	readonly group: string;
	readonly hash: Buffer;
}

async function getKey(ctx: Context, tx: Tx): Promise<Buffer> {
	const sealed = await lockChain(tx);
	return sealed === "" ? createChainKey(ctx, tx, 1) : openChainKey(ctx.secrets, sealed);
}

async function createChainKey(ctx: Pick<Context, "ids" | "secrets">, tx: Tx, firstBlock: number): Promise<Buffer> {
	const key = ctx.ids.token(KEY_BYTES);
	await storeChainKey(tx, ctx.secrets.seal(key, KEY_CONTEXT), firstBlock);
	return Buffer.from(key, "base64url");
}

/** Throws an error with the remedy where the service has another secret key than it had. */
export function openChainKey(secrets: Pick<Secrets, "open">, sealed: string): Buffer {
	try {
		return Buffer.from(secrets.open(sealed, KEY_CONTEXT), "base64url");
	} catch (cause) {
		throw new Error(
			"The key of the audit log's chain cannot be read with the service's secret key. Start the service with the key " +
				"that it had; if that is lost, npm run admin -- audit-renew-key goes on with a new one.",
			{ cause },
		);
	}
}

/**
 * Goes on with a new key where the chain's key cannot be read any more. The blocks before stay, and
 * verification names them as not verifiable. Returns the number of the last of them; null where the
 * key can be read, or no block was made yet, and so nothing changes.
 */
export async function renewChainKey(ctx: Pick<Context, "ids" | "secrets">, tx: Tx): Promise<number | null> {
	const sealed = await lockChain(tx);
	const last = await findLastBlock(tx.db);
	if (sealed === "" || canOpen(ctx.secrets, sealed)) return null;
	await createChainKey(ctx, tx, (last?.number ?? 0) + 1);
	return last?.number ?? 0;
}

function canOpen(secrets: Pick<Secrets, "open">, sealed: string): boolean {
	try {
		return openChainKey(secrets, sealed).length > 0;
	} catch {
		return false;
	}
}

async function appendBlock(
	ctx: Context,
	tx: Tx,
	key: Buffer,
	kind: "entries" | "purge",
	day: string,
	listed: Listed,
	groups: string[],
) {
	const before = await findLastBlock(tx.db);
	const block = { number: (before?.number ?? 0) + 1, kind, day, groups, digest: computeDigest(listed) };
	const mac = computeMac(key, block, before?.mac ?? Buffer.alloc(0));
	await insertBlock(tx, { ...block, mac }, listed, new Date(ctx.clock.now()));
	const ended = before?.day ?? null;
	if (kind === "entries" && before !== undefined && ended !== null && ended < day) {
		// The log is outside of the store, so that an attacker of the store cannot change both.
		const head = before.mac.toString("hex");
		tx.afterCommit(() => ctx.log.info({ day: ended, block: before.number, head }, "the audit log of a day was sealed"));
	}
}

async function sealBatch(ctx: Context, entries: readonly ChainEntry[]): Promise<void> {
	const hashed: Hashed[] = [];
	for (const entry of entries) {
		const day = getDay(Number(entry.created_us) / 1000);
		const { id, category, action } = entry;
		hashed.push({ id, category, action, day, group: getGroup(category as AuditCategory), hash: hashEntry(entry) });
		if (hashed.length % 200 === 0) await setImmediate();
	}
	await ctx.store.transaction(async (tx) => {
		const key = await getKey(ctx, tx);
		const taken = await moveWaitingEntries(
			tx,
			hashed.map(({ id }) => id),
		);
		const mine = hashed.filter(({ id }) => taken.has(id));
		for (const day of [...new Set(mine.map((entry) => entry.day))].sort()) {
			const own = mine.filter((entry) => entry.day === day);
			const listed = getList(own);
			await appendBlock(ctx, tx, key, "entries", day, listed, [...new Set(listed.groups)].sort());
			await addToDayCount(tx, day, own);
		}
	});
}

/** Seals all entries that were committed before the call. */
export async function sealEntries(ctx: Context, signal?: AbortSignal): Promise<void> {
	let sealed = 0;
	for (let more = true; more && !signal?.aborted; ) {
		const entries = await listUnsealedEntries(ctx.store.db, BATCH);
		if (entries.length > 0) await sealBatch(ctx, entries);
		sealed += entries.length;
		more = entries.length === BATCH;
	}
	if (sealed > 0) await refreshLogStatistics(ctx.store.db, sealed);
}

/** Appends a block after which entries of a group from before a day may be missing. */
export async function declarePurge(ctx: Context, tx: Tx, group: string, before: string): Promise<void> {
	const none = { ids: [], groups: [], hashes: Buffer.alloc(0) };
	await appendBlock(ctx, tx, await getKey(ctx, tx), "purge", before, none, [group]);
}

const getList = (entries: readonly Hashed[]): Listed => ({
	ids: entries.map(({ id }) => id),
	groups: entries.map(({ group }) => group),
	hashes: Buffer.concat(entries.map(({ hash }) => hash)),
});
