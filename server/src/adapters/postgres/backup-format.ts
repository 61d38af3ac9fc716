/** Reads a backup piece by piece: its header, each table's rows as a stream of bytes, and its end. Holds no more than one piece. */
import type { BackupHeader } from "./backup.ts";

export interface BackupReader {
	/** Read first. */
	header(): Promise<BackupHeader>;
	/** Each table in turn; its rows must be read to the end before the next. */
	tables(): AsyncGenerator<{ table: string; columns: string[]; data: AsyncIterable<Buffer> }>;
	/** Read last. */
	end(): Promise<{ rows: Record<string, number>; sequences: Record<string, [string, boolean]> }>;
}

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

/** @param source the backup's bytes, gunzipped; its reading ends with an error where they end too soon. */
export function readBackup(source: AsyncIterable<Buffer>): BackupReader {
	const chunks = source[Symbol.asyncIterator]();
	let rest: Buffer = Buffer.alloc(0);
	let ending: Awaited<ReturnType<BackupReader["end"]>> | null = null;

	async function more(): Promise<void> {
		const { value, done } = await chunks.next().catch((error: NodeJS.ErrnoException) => {
			throw error.code?.startsWith("Z_") ? new DamagedBackup() : error;
		});
		if (done) throw new DamagedBackup();
		rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
	}

	async function line(): Promise<Record<string, unknown>> {
		let end = rest.indexOf(NEWLINE);
		while (end === -1) {
			if (rest.length > MAX_LINE) throw new DamagedBackup();
			await more();
			end = rest.indexOf(NEWLINE);
		}
		const text = rest.subarray(0, end).toString("utf8");
		rest = rest.subarray(end + 1);
		try {
			return JSON.parse(text);
		} catch {
			throw new DamagedBackup();
		}
	}

	/** Up to the line `\.`, which no row can be: COPY writes a backslash of the data twice. */
	async function* rowsOf(): AsyncGenerator<Buffer> {
		while (rest.length < ONLY_MARK.length) await more();
		if (rest.subarray(0, ONLY_MARK.length).equals(ONLY_MARK)) {
			rest = rest.subarray(ONLY_MARK.length);
			return;
		}
		for (;;) {
			const mark = rest.indexOf(MARK);
			if (mark !== -1) {
				const last = rest.subarray(0, mark + 1);
				rest = rest.subarray(mark + MARK.length);
				yield last;
				return;
			}
			// The mark may lie across two pieces.
			const safe = rest.length - (MARK.length - 1);
			if (safe > 0) {
				const piece = rest.subarray(0, safe);
				rest = rest.subarray(safe);
				yield piece;
			}
			await more();
		}
	}

	return {
		async header() {
			const header = await line();
			if (header.format !== "weft-backup") throw new DamagedBackup();
			return header as unknown as BackupHeader;
		},
		async *tables() {
			for (;;) {
				const next = await line();
				if (next.end === true) {
					ending = next as unknown as Awaited<ReturnType<BackupReader["end"]>>;
					return;
				}
				if (typeof next.table !== "string" || !Array.isArray(next.columns)) throw new DamagedBackup();
				yield { table: next.table, columns: next.columns.map(String), data: rowsOf() };
			}
		},
		async end() {
			if (ending === null) throw new DamagedBackup();
			return ending;
		},
	};
}
