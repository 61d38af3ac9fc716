/** Constants of requests that become canvases. */

export const REQUEST_IMPORT_LIMITS = {
	/** Characters of a text. */
	text: 256 * 1024,
	/** Requests of a text or collection. */
	requests: 500,
	/** Items and folders of a collection. */
	items: 5_000,
	/** Bytes of a request body. */
	body: 4 * 1024 * 1024,
	/** Characters of one request. */
	request: 16 * 1024,
	/** Words of one command. */
	words: 1_000,
	/** Classes of one request. */
	classes: 100,
	/** Characters of a DN. */
	dn: 1_024,
	/** Sentences of one result, and characters of each. */
	sentences: 20,
	sentence: 500,
	/** Bytes of all results together. */
	answer: 8 * 1024 * 1024,
} as const;
