/** Constants of all areas: sizes of pages, close codes, keepalive. */

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** Close codes (specification, Events). */
export const closeCode = { normal: 1000, ticket: 4001, forbidden: 4003, notFound: 4004, error: 1011 } as const;

/** Seconds between keepalive frames of type `ping`. */
export const KEEPALIVE_SECONDS = 30;

/**
 * Characters that turn the direction of the text beside them: embeddings, overrides and isolates
 * (Unicode Standard Annex 9). A name with one mirrors the page around it, and shows another order
 * of its letters than a program reads.
 */
export const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;

export const DIRECTION_CONTROLS_MESSAGE =
	"Must not contain characters that turn the direction of the text (U+202A to U+202E, U+2066 to U+2069).";
