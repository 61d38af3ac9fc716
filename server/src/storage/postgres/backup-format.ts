/**
 * Reads a backup piece by piece: its header, each table's rows as a stream of bytes, and its end.
 * Holds no more than one piece.
 */
import { createHash } from "node:crypto";

export interface BackupHeader {
	readonly format: "weft-backup";
	readonly version: string;
	readonly created_at: string;
	/** Identifies the key that stored secrets are sealed with, without revealing it. */
	readonly key_id: string;
	readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
	/** Of the job queue's own tables. */
	readonly jobs_version: number;
	/** Whether a signature follows the end; absent in backups of versions that did not sign. */
	readonly signed?: boolean;
}

export interface BackupReader {
	/** Read first. */
	header(): Promise<BackupHeader>;
	/** Each table in turn; its rows must be read to the end before the next. */
	tables(): AsyncGenerator<{ table: string; columns: string[]; data: AsyncIterable<Buffer> }>;
	/** Read last. */
	end(): Promise<{
		rows: Record<string, number>;
		sequences: Record<string, [string, boolean]>;
		/** SHA-256 of all lines but the signature's. */
		digest: Buffer;
		/** As `signBackup` makes it; null in a backup of a version that did not sign. */
		signature: string | null;
	}>;
}

type Ending = Awaited<ReturnType<BackupReader["end"]>>;

const NEWLINE = 0x0a;
const MARK = Buffer.from("\n\\.\n");
const ONLY_MARK = MARK.subarray(1);
/** The longest line of JSON: a header or a table's columns. */
const MAX_LINE = 1024 * 1024;

class DamagedBackup extends Error {
	constructor() {
		super("This is no backup of Weft, or it is damaged or cut off.");
	}
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

function isHeader(value: Record<string, unknown>): value is Record<string, unknown> & BackupHeader {
	const { format, version, created_at, key_id, migrations, jobs_version } = value;
	return (
		format === "weft-backup" &&
		[version, created_at, key_id].every((text) => typeof text === "string") &&
		typeof jobs_version === "number" &&
		Array.isArray(migrations) &&
		migrations.every((one) => isRecord(one) && typeof one.name === "string" && typeof one.checksum === "string")
	);
}

/**
 * @param source the backup's bytes, gunzipped; its reading ends with an error where they end too
 * soon.
 */
export function readBackup(source: AsyncIterable<Buffer>): BackupReader {
	const chunks = source[Symbol.asyncIterator]();
	let rest: Buffer = Buffer.alloc(0);
	const hash = createHash("sha256");
	let hasSignature = false;
	let ending: Ending | null = null;

	async function readMore(): Promise<void> {
		const { value, done } = await chunks.next().catch((error: NodeJS.ErrnoException) => {
			throw error.code?.startsWith("Z_") ? new DamagedBackup() : error;
		});
		if (done) throw new DamagedBackup();
		rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
	}

	async function readLine(signed = true): Promise<Record<string, unknown>> {
		let end = rest.indexOf(NEWLINE);
		while (end === -1) {
			if (rest.length > MAX_LINE) throw new DamagedBackup();
			await readMore();
			end = rest.indexOf(NEWLINE);
		}
		const text = rest.subarray(0, end).toString("utf8");
		if (signed) hash.update(rest.subarray(0, end + 1));
		rest = rest.subarray(end + 1);
		try {
			const value: unknown = JSON.parse(text);
			if (isRecord(value)) return value;
		} catch {
			// Refused below.
		}
		throw new DamagedBackup();
	}

	/** Up to the line `\.`, which no row can be: COPY writes a backslash of the data twice. */
	async function* getRows(): AsyncGenerator<Buffer> {
		while (rest.length < ONLY_MARK.length) await readMore();
		if (rest.subarray(0, ONLY_MARK.length).equals(ONLY_MARK)) {
			hash.update(ONLY_MARK);
			rest = rest.subarray(ONLY_MARK.length);
			return;
		}
		for (;;) {
			const mark = rest.indexOf(MARK);
			if (mark !== -1) {
				const last = rest.subarray(0, mark + 1);
				hash.update(rest.subarray(0, mark + MARK.length));
				rest = rest.subarray(mark + MARK.length);
				yield last;
				return;
			}
			// The mark may lie across two pieces.
			const safe = rest.length - (MARK.length - 1);
			if (safe > 0) {
				const piece = rest.subarray(0, safe);
				hash.update(piece);
				rest = rest.subarray(safe);
				yield piece;
			}
			await readMore();
		}
	}

	async function readSignature(): Promise<string> {
		const { hmac } = await readLine(false);
		if (typeof hmac !== "string") throw new DamagedBackup();
		return hmac;
	}

	return {
		async header() {
			const header = await readLine();
			if (!isHeader(header)) throw new DamagedBackup();
			hasSignature = header.signed === true;
			return header;
		},
		async *tables() {
			for (;;) {
				const next = await readLine();
				if (next.end === true) {
					if (!isRecord(next.rows) || !isRecord(next.sequences)) throw new DamagedBackup();
					const { rows, sequences } = next as Pick<Ending, "rows" | "sequences">;
					ending = { rows, sequences, digest: hash.digest(), signature: hasSignature ? await readSignature() : null };
					return;
				}
				if (typeof next.table !== "string" || !Array.isArray(next.columns)) throw new DamagedBackup();
				yield { table: next.table, columns: next.columns.map(String), data: getRows() };
			}
		},
		async end() {
			if (ending === null) throw new DamagedBackup();
			return ending;
		},
	};
}
