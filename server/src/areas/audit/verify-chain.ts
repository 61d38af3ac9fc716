/** Compares the audit log with its chain. Read only. */
import type { Secrets } from "../../core/ports/secrets.ts";
import type { Db } from "../../core/ports/store.ts";
import { computeDigest, computeMac, HASH_BYTES, hashEntry } from "./rules/chain.ts";
import { openChainKey } from "./seal-entries.ts";
import type { ReadBlock } from "./sql/chain.ts";
import { countWaitingEntries, findChainKey, listBlocksAfter, listChainEntries, listStrayEntries } from "./sql/chain.ts";

const BLOCKS = 200;
const ENTRIES = 1_000;
const STRAYS = 100;

export interface Verified {
	/** Differences from the sealed state, in sentences. */
	readonly problems: readonly string[];
	readonly days: readonly { readonly day: string; readonly entries: number; readonly head: string }[];
	readonly blocks: number;
	/** Entries that were compared. */
	readonly entries: number;
	/** Entries missing because of a declared purge. */
	readonly purged: number;
	/** Entries that are not sealed yet, and so not protected against tampering. */
	readonly waiting: number;
}

interface ChainSource {
	/**
	 * A repeatable-read transaction: entries sealed or purged meanwhile would look like tampering.
	 */
	readonly db: Db;
	readonly secrets: Pick<Secrets, "open">;
}

/** @param heads MACs noted earlier, as logged at the end of a day; each must be in the chain */
export async function verifyChain({ db, secrets }: ChainSource, heads: readonly string[] = []): Promise<Verified> {
	const problems: string[] = [];
	const { key_sealed: sealed, first_block: firstBlock } = await findChainKey(db);
	const key = sealed === "" ? null : openChainKey(secrets, sealed);
	const missing = new Set(heads.map((head) => head.toLowerCase()));
	const isLost = ({ number }: ReadBlock): boolean => number < firstBlock;
	/** By group, the day before which its entries may be gone. */
	const overSince = new Map<string, string>();
	/** The same by blocks whose key is lost: they excuse nothing in the blocks since. */
	const overBefore = new Map<string, string>();
	const days = new Map<string, { entries: number; head: string }>();
	let [blocks, entries, purged] = [0, 0, 0];

	async function* allBlocks(): AsyncGenerator<ReadBlock> {
		for (let after = 0; ; ) {
			const page = await listBlocksAfter(db, after, BLOCKS);
			yield* page;
			const last = page.at(-1);
			if (last === undefined) return;
			after = last.number;
		}
	}

	/** The last block with entries whose code cannot be verified because its key is lost. */
	let unverified = 0;

	/** First pass: the MACs. Only a purge block with a valid MAC excuses missing entries. */
	let previous: Buffer = Buffer.alloc(0);
	let expected = 1;
	for await (const block of allBlocks()) {
		blocks++;
		if (block.number !== expected) problems.push(`${getNames(expected, block.number - 1)} missing.`);
		else if (!isLost(block) && (key === null || !computeMac(key, block, previous).equals(block.mac))) {
			problems.push(`Block ${block.number} of ${block.day} does not carry the code that belongs to it.`);
		} else if (block.kind === "purge") {
			const over = isLost(block) ? overBefore : overSince;
			for (const group of block.groups) if (block.day > (over.get(group) ?? "")) over.set(group, block.day);
		}
		if (isLost(block) && block.kind === "entries" && block.listed !== null) unverified = block.number;
		const head = block.mac.toString("hex");
		missing.delete(head);
		if (block.kind === "entries") {
			const day = days.get(block.day);
			days.set(block.day, { entries: (day?.entries ?? 0) + (block.listed?.ids.length ?? 0), head });
		}
		previous = block.mac;
		expected = block.number + 1;
	}
	if (unverified > 0)
		problems.push(`${getNames(1, unverified)} not verifiable: the key under which they were sealed is lost.`);
	for (const head of missing)
		problems.push(`No block has the code ${head}: the end of the chain was cut off or replaced.`);

	const mayBeGone = (block: ReadBlock, group: string): boolean =>
		block.day < (overSince.get(group) ?? "") || (isLost(block) && block.day < (overBefore.get(group) ?? ""));
	for await (const block of allBlocks()) {
		if (block.kind !== "entries") continue;
		if (block.listed === null) {
			if (block.groups.every((group) => mayBeGone(block, group))) continue;
			problems.push(`Block ${block.number} of ${block.day} was emptied before its entries' time was over.`);
			continue;
		}
		const { ids, groups, hashes } = block.listed;
		if (!computeDigest(block.listed).equals(block.digest)) {
			problems.push(`The list of entries of block ${block.number} of ${block.day} was changed.`);
			continue;
		}
		for (let from = 0; from < ids.length; from += ENTRIES) {
			const page = ids.slice(from, from + ENTRIES);
			const found = new Map((await listChainEntries(db, page)).map((entry) => [entry.id, hashEntry(entry)]));
			for (const [i, id] of page.entries()) {
				const at = from + i;
				const hash = found.get(id);
				if (hash?.equals(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))) entries++;
				else if (hash !== undefined) problems.push(`Entry ${id} of ${block.day} was changed.`);
				else if (mayBeGone(block, groups[at] ?? "")) purged++;
				else problems.push(`Entry ${id} of ${block.day} is gone.`);
			}
		}
	}
	const strays = await listStrayEntries(db, STRAYS);
	for (const id of strays) problems.push(`Entry ${id} is in no block, and does not wait for one.`);
	const waiting = await countWaitingEntries(db);
	return {
		problems,
		blocks,
		entries,
		purged,
		waiting,
		days: [...days].map(([day, summary]) => ({ day, ...summary })).sort((a, b) => (a.day < b.day ? -1 : 1)),
	};
}

const getNames = (from: number, to: number): string =>
	from === to ? `Block ${from} is` : `Blocks ${from} to ${to} are`;
