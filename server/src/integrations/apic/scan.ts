/**
 * Reads a query from its first to its last object: page 0 has the count, the others are fetched
 * ahead within bounds and given in order; smaller pages when the controller or the page limit says
 * "too big".
 */

import { linkSignals } from "../../core/system/signals.ts";
import { createCompletenessCheck, type PageOf } from "./complete.ts";
import type { Call } from "./connection.ts";
import { TOO_BIG_ADVICE } from "./error-object.ts";
import type { Meter } from "./meter.ts";
import { listParsedObjects, type Objects, skipObjects } from "./objects.ts";
import type { PagedQuery } from "./order.ts";
import { ControllerError } from "./port-error.ts";

export interface Slice {
	readonly objects: Objects;
	readonly totalCount: number | null;
	readonly raw: Buffer;
	/** How many objects of the whole answer end with this slice. */
	readonly end: number;
	/** Whether `objects` are exactly those of `raw`. */
	readonly whole: boolean;
}

export interface ScanOptions {
	readonly call: Call;
	readonly query: PagedQuery;
	/** The objects are most likely not read. */
	readonly unread: boolean;
	/** A first page that counts objects and lists none, also when repeated, has no objects. */
	readonly allowEmpty: boolean;
	readonly pageSize: number;
	/** No more objects than this are needed. */
	readonly limit: number;
	readonly signal: AbortSignal;
	readonly meter: Meter;
	/** Upper bound of pages in flight or buffered. */
	readonly readAhead: number;
	/** Bytes of pages read ahead, about. */
	readonly bufferBytes: number;
}

/** Sizes tried after "too big". */
const SMALLER = [200, 50];

export async function* scanSlices(options: ScanOptions): AsyncGenerator<Slice> {
	if (!options.query.pageable && options.limit > options.pageSize) {
		yield await fetchSlice(options, undefined, options.signal);
		return;
	}
	// It is unknown how many objects the controller drops from a page: the caller stops when it has
	// enough.
	const limit = options.query.sparse ? Number.POSITIVE_INFINITY : options.limit;
	let size = Math.min(options.pageSize, limit);
	let offset = 0;
	for (;;) {
		try {
			for await (const slice of scanWith(size, offset, { ...options, limit })) {
				offset = slice.end;
				yield slice;
			}
			return;
		} catch (error) {
			if (!(error instanceof ControllerError) || error.kind !== "too_big") throw error;
			const smaller = SMALLER.find((next) => next < size);
			if (smaller === undefined) throw buildTooBigError(error, size);
			size = smaller;
		}
	}
}

/**
 * From the object at `offset` on; the first page may begin before it when the page size changed.
 */
async function* scanWith(size: number, offset: number, options: ScanOptions): AsyncGenerator<Slice> {
	const { query, limit, readAhead, bufferBytes } = options;
	const link = linkSignals(options.signal);
	const ahead: Promise<Slice>[] = [];
	let next = Math.floor(offset / size);
	let needed: number | null = null;
	let largest = 1;

	function fetchNext(): Promise<Slice> {
		const page = { index: next, size };
		next += 1;
		const slice = fetchSlice(options, page, link.signal);
		// The failure is handled when the slice is awaited, or never if reading ends before.
		slice.catch(() => undefined);
		return slice;
	}

	function fetchAhead({ objects, totalCount, raw }: Slice) {
		largest = Math.max(largest, raw.length);
		if (totalCount !== null) needed = Math.min(totalCount, limit);
		if (needed === null) {
			// Without a count, a full page means that there may be more, and pages are read one at a
			// time.
			const more = query.sparse ? objects.count > 0 : objects.count >= size;
			if (more && next * size < limit) ahead.push(fetchNext());
			return;
		}
		const window = Math.max(1, Math.min(readAhead, Math.floor(bufferBytes / largest)));
		while (ahead.length < window && next * size < needed) ahead.push(fetchNext());
	}

	try {
		let slice = await fetchNext();
		fetchAhead(slice);
		yield trimSlice(slice, offset - Math.floor(offset / size) * size);
		for (let taken = ahead.shift(); taken; taken = ahead.shift()) {
			slice = await taken;
			fetchAhead(slice);
			yield slice;
		}
	} finally {
		link.controller.abort();
		link.done();
		await Promise.allSettled(ahead);
	}
}

const NO_OBJECTS: Slice = {
	objects: listParsedObjects([]),
	totalCount: 0,
	raw: Buffer.from('{"totalCount":"0","imdata":[]}'),
	end: 0,
	whole: true,
};

async function fetchSlice(
	{ call, query, meter, unread, allowEmpty }: ScanOptions,
	page: PageOf | undefined,
	signal: AbortSignal,
): Promise<Slice> {
	const check = createCompletenessCheck(page, query.sparse);
	const isFirst = page === undefined || page.index === 0;
	const answer = await call({ method: "GET", path: query.at(page), signal, meter, unread, check }).catch(
		(error: unknown) => {
			if (allowEmpty && isFirst && error instanceof ControllerError && error.listedNone) return null;
			throw error;
		},
	);
	if (answer === null) return NO_OBJECTS;
	const { totalCount, body } = answer;
	const objects = answer.objects ?? listParsedObjects([]);
	return { objects, totalCount, raw: body, end: page ? (page.index + 1) * page.size : objects.count, whole: true };
}

function trimSlice(slice: Slice, count: number): Slice {
	return count === 0 ? slice : { ...slice, objects: skipObjects(slice.objects, count), whole: false };
}

function buildTooBigError(error: ControllerError, size: number): ControllerError {
	const message = `The answer is too big even in pages of ${size} objects. ${TOO_BIG_ADVICE}`;
	return new ControllerError("too_big", message, { status: error.status, code: error.code, text: error.text });
}
