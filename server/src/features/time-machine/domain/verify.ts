/**
 * Proves that a segment's snapshots are what was captured, without putting each of them together: every row is read anew and hashed once, and each
 * snapshot's hash follows from its list of rows.
 */
import { isUtf8 } from "node:buffer";
import { createScanner, expectEnd, rescan, scanValue } from "../../../platform/json/scan.ts";
import { decompress } from "./bytes.ts";
import { createCanonicalizer, NOTHING } from "./canonical.ts";
import { createRowHashes } from "./lists.ts";
import { readAll, type StoredManifest } from "./manifest.ts";
import { decodeHashes, decodeObjects, decodeRows, SHORT_HASH, type StoredPack } from "./packs.ts";
import { shapeOf } from "./shape.ts";
import { digestOf, hashRows } from "./table.ts";

/** What was recorded of a snapshot when it was captured. */
export interface Recorded extends StoredManifest {
	snapshotId: string;
	/** Lowercase hex. */
	hash: string;
	rows: number;
	bytes: number;
}

interface Row {
	length: number;
	/** HASH bytes as a string. */
	digest: string;
	/** Null where it has none. */
	dn: string | null;
}

export function createVerifier() {
	const rows = new Map<number, Row>();
	const problems = new Map<number, string>();
	const scanner = createScanner(Buffer.alloc(0));
	const canonicalizer = createCanonicalizer();

	function readRow(text: Buffer): { textDigest: string; digest: string; dn: string | null } {
		if (!isUtf8(text)) throw new Error("Not UTF-8");
		rescan(scanner, text);
		scanValue(scanner, true);
		expectEnd(scanner);
		const { bytes, tape } = scanner;
		const textDigest = digestOf(text);
		const isCanonical = canonicalizer.isCanonical(bytes, tape);
		const digest = isCanonical ? textDigest : digestOf(canonicalizer.write(bytes, tape, 0, NOTHING));
		return { textDigest, digest, dn: shapeOf(bytes, tape, 0)?.dn ?? null };
	}

	function addRows(pack: StoredPack): void {
		const { versions, lengths, starts } = decodeRows(pack.rows);
		const text = decompress(pack.payload);
		const hashes = decodeHashes(pack.hashes, decodeObjects(pack.objects));
		for (const [row, version] of versions.entries()) {
			const start = starts[row] as number;
			const length = lengths[row] as number;
			const read = readRow(text.subarray(start, start + length));
			const short = hashes.texts.toString("latin1", row * SHORT_HASH, (row + 1) * SHORT_HASH);
			const stored = hashes.row(row)?.toString("latin1") ?? read.textDigest;
			if (!read.textDigest.startsWith(short) || stored !== read.digest)
				problems.set(version, "A row is not what was captured.");
			rows.set(version, { length, digest: read.digest, dn: read.dn });
		}
	}

	return {
		addPack(pack: StoredPack): void {
			try {
				addRows(pack);
			} catch (error) {
				for (let version = pack.firstVersion; version <= pack.lastVersion; version++)
					problems.set(version, `Rows cannot be read: ${(error as Error).message}`);
			}
		},

		/** What is wrong with each of the segment's snapshots, in their order; null where nothing is. */
		check(snapshots: readonly Recorded[]): (string | null)[] {
			const ranks = rankDns(rows);
			let lists: ReturnType<typeof readAll>;
			try {
				lists = readAll(snapshots);
			} catch (error) {
				return snapshots.map(() => `The lists of rows cannot be read: ${(error as Error).message}`);
			}
			return lists.map((list, at) => {
				const recorded = snapshots[at] as Recorded;
				const hashes = createRowHashes(list.versions.length);
				const rankOf = new Int32Array(list.versions.length);
				let bytes = list.head.length + list.tail.length + Math.max(0, list.versions.length - 1);
				for (const [index, version] of list.versions.entries()) {
					const row = rows.get(version);
					const problem = problems.get(version);
					if (row === undefined || problem !== undefined) return problem ?? "A row is missing.";
					hashes.push(row.digest);
					rankOf[index] = row.dn === null ? -1 : (ranks.get(row.dn) as number);
					bytes += row.length;
				}
				if (list.versions.length !== recorded.rows)
					return `It has ${list.versions.length} rows instead of ${recorded.rows}.`;
				if (bytes !== recorded.bytes) return `It has ${bytes} bytes instead of ${recorded.bytes}.`;
				return hashRows(rankOf, hashes.bytes()).hash === recorded.hash
					? null
					: "Its rows do not hash to what was recorded.";
			});
		},
	};
}

function rankDns(rows: ReadonlyMap<number, Row>): Map<string, number> {
	const dns = new Set<string>();
	for (const { dn } of rows.values()) if (dn !== null) dns.add(dn);
	return new Map([...dns].sort().map((dn, rank) => [dn, rank]));
}
