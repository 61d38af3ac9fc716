/** The cursor of a `next` link: the last change of a page, and the view of the first page. */

export interface FeedCursor {
	/** Time and id of the last change that was shown. */
	readonly at: Date;
	readonly id: number;
	/** The highest id of the view: later rows are not part of it. */
	readonly view: number;
	/** Changes of the view. */
	readonly count: number;
}

export const formatCursor = ({ at, id, view, count }: FeedCursor): string =>
	Buffer.from(JSON.stringify([at.getTime(), id, view, count])).toString("base64url");

/** Null for a text that is no cursor. */
export function parseCursor(text: string): FeedCursor | null {
	let values: unknown;
	try {
		values = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
	} catch {
		return null;
	}
	if (!Array.isArray(values) || values.length !== 4 || !values.every(isCount)) return null;
	const [at, id, view, count] = values as [number, number, number, number];
	return at > MAX_TIME ? null : { at: new Date(at), id, view, count };
}

/** The latest time that a Date can have, in milliseconds since 1970. */
const MAX_TIME = 8.64e15;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
