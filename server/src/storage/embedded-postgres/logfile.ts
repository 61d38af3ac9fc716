/**
 * PostgreSQL's log: a file in the data folder that PostgreSQL appends to, also after this process
 * died, and that we keep small.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

const largest = 4 * 1024 * 1024;
const KEPT_BYTES = 256 * 1024;

export interface LogFile {
	/** For the standard output of a child process. */
	fd: number;
	/** What follows is what `tail` shows. */
	mark(): Promise<void>;
	/** The last lines written since the mark. */
	tail(): Promise<string>;
	close(): Promise<void>;
}

/** Shortens the file to its end when it is too large, now and every minute until it is closed. */
export async function openLogFile(path: string): Promise<LogFile> {
	// Never through a link: as root we write into a folder that may belong to someone else.
	const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
	const file = await open(path, flags, 0o600);
	let start = 0;

	async function readFrom(position: number, length: number): Promise<Buffer> {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
		return buffer.subarray(0, bytesRead);
	}
	async function shortenFile(): Promise<void> {
		const { size } = await file.stat();
		if (size <= largest) return;
		const end = await readFrom(size - KEPT_BYTES, KEPT_BYTES);
		// PostgreSQL appends as well, so that its next line follows wherever the end is.
		await file.truncate(0);
		await file.write(end.subarray(end.indexOf("\n") + 1));
	}

	await shortenFile();
	const timer = setInterval(() => shortenFile().catch(() => undefined), 60_000);
	timer.unref();
	return {
		fd: file.fd,
		async mark() {
			start = (await file.stat()).size;
		},
		async tail() {
			const { size } = await file.stat();
			const from = Math.max(start <= size ? start : 0, size - 8192);
			const lines = (await readFrom(from, size - from)).toString("utf8").trim().split("\n");
			return lines.slice(-15).join("\n");
		},
		async close() {
			clearInterval(timer);
			await file.close();
		},
	};
}
