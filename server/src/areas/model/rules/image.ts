/**
 * A model as one piece of memory: a directory, and behind it typed arrays, each where its element
 * size divides the place. It is built once, stored, and used by every process as it is: nothing is
 * parsed, and nothing lives on the heap.
 */

/**
 * Raised whenever sections change their meaning; an image of another format is built anew from the
 * records.
 */
export const IMAGE_FORMAT = 2;

/** Bytes of an image that are packed and stored together. */
export const PIECE = 4 * 1024 * 1024;

/** Bytes may come in pieces. */
export type Section = Uint8Array | Uint32Array | Int32Array | readonly Uint8Array[];
type Kind = "u8" | "u32" | "i32";

export interface ImageMeta {
	readonly format: number;
	readonly classes: number;
	readonly properties: number;
	/** Containment, inheritance and relations, each edge once. */
	readonly relations: number;
	readonly packages: number;
}

interface Directory {
	readonly meta: ImageMeta;
	readonly sections: Readonly<Record<string, readonly [kind: Kind, offset: number, length: number]>>;
}

const HEAD = 16;
const ALIGN = 8;
const alignOffset = (offset: number): number => Math.ceil(offset / ALIGN) * ALIGN;
const getKind = (section: Section): Kind =>
	section instanceof Uint32Array ? "u32" : section instanceof Int32Array ? "i32" : "u8";
const getPieces = (section: Section): readonly Uint8Array[] =>
	ArrayBuffer.isView(section) ? [new Uint8Array(section.buffer, section.byteOffset, section.byteLength)] : section;
const getLength = (section: Section): number => getPieces(section).reduce((sum, { length }) => sum + length, 0);

/**
 * The beginning of an image.
 * @param end the sections behind it, which come as they are: nothing needs a place in front of them
 * to be written
 */
export function writeBeginning(
	meta: ImageMeta,
	sections: Readonly<Record<string, Section>>,
	end: Readonly<Record<string, readonly Uint8Array[]>>,
): Uint8Array<ArrayBuffer> {
	const places: Record<string, readonly [Kind, number, number]> = {};
	let offset = 0;
	for (const [name, section] of Object.entries(sections)) {
		const bytes = getLength(section);
		places[name] = [getKind(section), offset, ArrayBuffer.isView(section) ? section.length : bytes];
		offset = alignOffset(offset + bytes);
	}
	let at = offset;
	for (const [name, pieces] of Object.entries(end)) {
		const bytes = getLength(pieces);
		places[name] = ["u8", at, bytes];
		at += bytes;
	}
	const directory = Buffer.from(JSON.stringify({ meta, sections: places } satisfies Directory));
	const start = alignOffset(HEAD + directory.length);
	const image = new Uint8Array(start + offset);
	const head = new DataView(image.buffer);
	head.setUint32(0, IMAGE_FORMAT, true);
	head.setUint32(4, directory.length, true);
	image.set(directory, HEAD);
	for (const [name, section] of Object.entries(sections)) {
		let at = start + (places[name]?.[1] ?? 0);
		for (const piece of getPieces(section)) {
			image.set(piece, at);
			at += piece.length;
		}
	}
	return image;
}

export interface Image {
	readonly meta: ImageMeta;
	bytes(name: string): Buffer;
	u32(name: string): Uint32Array;
	i32(name: string): Int32Array;
}

/** The format of an image that may be of another one. */
const getFormat = (image: Uint8Array<ArrayBuffer>): number =>
	new DataView(image.buffer, image.byteOffset).getUint32(0, true);

/** Views of the image's memory; nothing is copied. @throws Error for an image of another format */
export function readImage(image: Uint8Array<ArrayBuffer>): Image {
	if (getFormat(image) !== IMAGE_FORMAT) throw new Error(`the model's image has the format ${getFormat(image)}`);
	const length = new DataView(image.buffer, image.byteOffset).getUint32(4, true);
	const directory = JSON.parse(Buffer.from(image.buffer, image.byteOffset + HEAD, length).toString()) as Directory;
	const start = image.byteOffset + alignOffset(HEAD + length);
	function locateSection(name: string, kind: Kind): readonly [number, number] {
		const found = directory.sections[name];
		if (found === undefined || found[0] !== kind) throw new Error(`the model's image has no section ${name} (${kind})`);
		return [start + found[1], found[2]];
	}
	return {
		meta: directory.meta,
		bytes: (name) => Buffer.from(image.buffer, ...locateSection(name, "u8")),
		u32: (name) => new Uint32Array(image.buffer, ...locateSection(name, "u32")),
		i32: (name) => new Int32Array(image.buffer, ...locateSection(name, "i32")),
	};
}
