/** Images of installed versions, as the store has them: in packed pieces. */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { Context } from "../../context.ts";
import type { Db } from "../../core/ports/store.ts";
import { IMAGE_FORMAT } from "./rules/image.ts";
import {
	findPiece,
	findVersionByName,
	listPieceNumbers,
	listVersionRecords,
	replacePieces,
	setImageFormat,
	type VersionRow,
} from "./sql/versions.ts";
import { buildImage } from "./workers/work.ts";

const decompress = promisify(brotliDecompress);
/** Pieces that are read and unpacked at the same time. */
const AT_ONCE = 3;

/**
 * Applies `make` to each piece of the version's image, in order. Rebuilds an image of another
 * format first.
 */
async function mapPieces<Made>(
	ctx: Context,
	version: VersionRow,
	make: (piece: Buffer) => Promise<Made>,
): Promise<Made[]> {
	const stored = version.image_format === IMAGE_FORMAT ? await takeStored(ctx.store.db, version, make) : null;
	if (stored !== null) return stored;
	const made: Made[] = [];
	for (const piece of await rebuildImage(ctx, version)) made.push(await make(Buffer.from(piece)));
	return made;
}

/**
 * Null where a process of another release built the image anew meanwhile: pieces of both could be
 * among these.
 */
async function takeStored<Made>(
	db: Db,
	version: VersionRow,
	make: (piece: Buffer) => Promise<Made>,
): Promise<Made[] | null> {
	const seqs = await listPieceNumbers(db, version.run_id);
	const made: Made[] = [];
	let isWhole = true;
	let next = 0;
	const reader = async (): Promise<void> => {
		for (let at = next++; at < seqs.length && isWhole; at = next++) {
			const piece = await findPiece(db, version.run_id, seqs[at] ?? 0);
			if (piece === undefined) isWhole = false;
			else made[at] = await make(piece);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, reader));
	const now = await findVersionByName(db, version.id, true);
	return isWhole && now?.image_format === IMAGE_FORMAT ? made : null;
}

/**
 * What another release built cannot be used: it is built again from the records, once for all
 * processes.
 */
async function rebuildImage(ctx: Context, version: VersionRow): Promise<readonly Uint8Array[]> {
	ctx.log.info({ version: version.id }, "the model is built anew for this release");
	const records = await listVersionRecords(ctx.store.db, version.run_id);
	if (records.length === 0) throw new Error("the records of the model are gone");
	const { pieces: made, bytes } = await buildImage(ctx.modelPools, records);
	await ctx.store.transaction(async (tx) => {
		await replacePieces(tx, version.run_id, made);
		await setImageFormat(tx, version.id, IMAGE_FORMAT, bytes);
	});
	return made;
}

/** The image's pieces of any version, packed, built anew where they are of another format. */
export const readPieces = (ctx: Context, version: VersionRow): Promise<Buffer[]> =>
	mapPieces(ctx, version, async (piece) => piece);

/** The whole image, unpacked. */
export async function readImage(ctx: Context, version: VersionRow): Promise<Uint8Array<ArrayBuffer>> {
	const parts = await mapPieces(ctx, version, (piece) => decompress(piece));
	const image = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		image.set(part, at);
		at += part.length;
		// Copying all of it at once would hold up every request.
		await new Promise((resolve) => setImmediate(resolve));
	}
	return image;
}
