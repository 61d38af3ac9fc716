/**
 * Checks that the snapshots of a segment equal their captures, without assembling their texts:
 * every row is parsed and hashed once, and the hash of each snapshot follows from its list of rows.
 */
import { isUtf8 } from "node:buffer";
import { createScanner, expectEnd, restartScanner, scanValue } from "../../../core/json/scan.ts";
import { decompressBytes } from "./bytes.ts";
import { createCanonicalizer, NOTHING } from "./canonical.ts";
import { computeDigest, hashRows } from "./capture-rows.ts";
import { readAll, type StoredManifest } from "./manifest.ts";
import { decodeHashes, decodeObjects, decodeRows, SHORT_HASH, type StoredPack } from "./packs.ts";
import { getShape } from "./shape.ts";

/** The values recorded at the capture of a snapshot. */
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
	/** Null if it has none. */
	dn: string | null;
}

export function createVerifier() {
	const rows = new Map<number, Row>();
	const problems = new Map<number, string>();
	const scanner = createScanner(Buffer.alloc(0));
	const canonicalizer = createCanonicalizer();

	function readRow(text: Buffer): { textDigest: string; digest: string; dn: string | null } {
		if (!isUtf8(text)) throw new Error("Not UTF-8");
		restartScanner(scanner, text);
		scanValue(scanner, true);
		expectEnd(scanner);
		const { bytes, tape } = scanner;
		const textDigest = computeDigest(text);
		const isCanonical = canonicalizer.isCanonical(bytes, tape);
		const digest = isCanonical ? textDigest : computeDigest(canonicalizer.write(bytes, tape, 0, NOTHING));
		return { textDigest, digest, dn: getShape(bytes, tape, 0)?.dn ?? null };
	}

	function addRows(pack: StoredPack): void {
		const { versions, lengths, starts } = decodeRows(pack.rows);
		const text = decompressBytes(pack.payload);
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

		/** A sentence for each damaged snapshot, null for each intact one, in order. */
		check(snapshots: readonly Recorded[]): (string | null)[] {
			let lists: ReturnType<typeof readAll>;
			try {
				lists = readAll(snapshots);
			} catch (error) {
				return snapshots.map(() => `The lists of rows cannot be read: ${(error as Error).message}`);
			}
			return lists.map((list, at) => {
				const recorded = snapshots[at] as Recorded;
				const digests: string[] = [];
				const dns: (string | null)[] = [];
				let bytes = list.head.length + list.tail.length + Math.max(0, list.versions.length - 1);
				for (const version of list.versions) {
					const row = rows.get(version);
					const problem = problems.get(version);
					if (row === undefined || problem !== undefined) return problem ?? "A row is missing.";
					digests.push(row.digest);
					dns.push(row.dn);
					bytes += row.length;
				}
				if (list.versions.length !== recorded.rows)
					return `It has ${list.versions.length} rows instead of ${recorded.rows}.`;
				if (bytes !== recorded.bytes) return `It has ${bytes} bytes instead of ${recorded.bytes}.`;
				return hashRows(dns, digests).hash === recorded.hash ? null : "Its rows do not hash to what was recorded.";
			});
		},
	};
}
