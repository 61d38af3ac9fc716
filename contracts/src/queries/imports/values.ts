/** Constants of requests that become canvases. */

export const REQUEST_IMPORT_LIMITS = {
	/** Characters of a text. */
	text: 256 * 1024,
	/** Requests of a text or collection. */
	requests: 500,
	/** Bytes of a request body. */
	body: 4 * 1024 * 1024,
} as const;
