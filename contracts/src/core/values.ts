/** Constants of all areas: sizes of pages, close codes, keepalive. */

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** Close codes (specification, Events). */
export const closeCode = { normal: 1000, ticket: 4001, forbidden: 4003, notFound: 4004, error: 1011 } as const;

/** Seconds between keepalive frames of type `ping`. */
export const KEEPALIVE_SECONDS = 30;
