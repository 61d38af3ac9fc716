/**
 * The parts of a workbook: unpacked once, within a bound, and corrected where the reader of
 * workbooks misreads them. PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
 */
import { crc32, inflateRawSync } from "node:zlib";
import { TableProblem } from "../rules/tables.ts";

const ZIP = Buffer.from("PK\u0003\u0004");
const ENTRIES_MAX = 2_000;
/** All parts of a workbook, unpacked. */
const UNPACKED_MAX = 200 * 1024 * 1024;
const UNPACKED_MB = 200;
const DEFLATED = 8;
export const BROKEN_WORKBOOK = "The file is no workbook (XLSX) that can be read, and no CSV.";

interface Part {
	readonly name: Buffer;
	readonly content: Buffer;
}

export const isZip = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(ZIP);

/**
 * The workbook, rewritten if a part had to be corrected. @throws TableProblem for one that is
 * broken, or too large once it is unpacked, whatever it says of its own sizes
 */
export function repairWorkbook(zip: Buffer): Buffer {
	const parts = unpackParts(zip);
	const corrected = parts.map(({ name, content }) => ({ name, content: correctPart(content) }));
	return corrected.some(({ content }, at) => content !== parts[at]?.content) ? packParts(corrected) : zip;
}

export function unpackParts(zip: Buffer): Part[] {
	const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006"));
	if (end < 0 || end + 22 > zip.length) throw new TableProblem(BROKEN_WORKBOOK);
	const count = zip.readUInt16LE(end + 10);
	if (count > ENTRIES_MAX) throw new TableProblem(`The workbook has more than ${ENTRIES_MAX} parts.`);
	const parts: Part[] = [];
	let at = zip.readUInt32LE(end + 16);
	let left = UNPACKED_MAX;
	for (let entry = 0; entry < count; entry++) {
		if (at + 46 > zip.length || zip.readUInt32LE(at) !== 0x02014b50) throw new TableProblem(BROKEN_WORKBOOK);
		const [method, packed, unpacked] = [
			zip.readUInt16LE(at + 10),
			zip.readUInt32LE(at + 20),
			zip.readUInt32LE(at + 24),
		];
		const nameLength = zip.readUInt16LE(at + 28);
		const header = zip.readUInt32LE(at + 42);
		if (header + 30 > zip.length) throw new TableProblem(BROKEN_WORKBOOK);
		const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
		if (start + packed > zip.length) throw new TableProblem(BROKEN_WORKBOOK);
		const stored = zip.subarray(start, start + packed);
		const content = method === DEFLATED ? inflatePart(stored, left) : stored;
		left -= Math.max(unpacked, content?.length ?? left + 1);
		if (left < 0 || content === null) {
			throw new TableProblem(`The workbook has more than ${UNPACKED_MB} MB once it is unpacked.`);
		}
		parts.push({ name: zip.subarray(at + 46, at + 46 + nameLength), content });
		at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
	}
	return parts;
}

/** Null for a part of more than `most` bytes. */
function inflatePart(packed: Buffer, most: number): Buffer | null {
	try {
		return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return null;
		throw new TableProblem(BROKEN_WORKBOOK);
	}
}

const PHONETIC = "rPh";
const TEXT_FORMULA = /<((?:[\w.-]+:)?)c\b([^>]*?)\st=(?:"str"|'str')([^>/]*)>(.*?)<\/\1c>/gs;

/**
 * Without phonetic runs, which the reader appends to inline texts (ECMA-376 part 1, 18.4.6). A
 * formula for a text without a stored value loses its type, so that it is no empty text.
 */
function correctPart(content: Buffer): Buffer {
	const hasPhonetic = content.includes(PHONETIC);
	const hasTextFormula = content.includes('t="str"') || content.includes("t='str'");
	if (!hasPhonetic && !hasTextFormula) return content;
	const text = content.toString("utf8");
	const spoken = text.replace(/<((?:[\w.-]+:)?)rPh\b[^>]*>.*?<\/\1rPh>/gs, "");
	const corrected = spoken.replace(
		TEXT_FORMULA,
		(cell, prefix: string, before: string, after: string, inner: string) => {
			const isEmpty = inner.includes(`<${prefix}f`) && !inner.includes(`<${prefix}v`);
			return isEmpty ? `<${prefix}c${before}${after}>${inner}</${prefix}c>` : cell;
		},
	);
	return corrected === text ? content : Buffer.from(corrected);
}

/** An archive of stored parts. */
export function packParts(parts: readonly Part[]): Buffer {
	const entries: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const { name, content } of parts) {
		const sizes = Buffer.alloc(12);
		sizes.writeUInt32LE(crc32(content), 0);
		sizes.writeUInt32LE(content.length, 4);
		sizes.writeUInt32LE(content.length, 8);
		const entry = Buffer.alloc(30);
		ZIP.copy(entry);
		sizes.copy(entry, 14);
		entry.writeUInt16LE(name.length, 26);
		const central = Buffer.alloc(46);
		central.writeUInt32LE(0x02014b50, 0);
		sizes.copy(central, 16);
		central.writeUInt16LE(name.length, 28);
		central.writeUInt32LE(offset, 42);
		entries.push(entry, name, content);
		directory.push(central, name);
		offset += entry.length + name.length + content.length;
	}
	const listed = Buffer.concat(directory);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(parts.length, 8);
	end.writeUInt16LE(parts.length, 10);
	end.writeUInt32LE(listed.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...entries, listed, end]);
}
