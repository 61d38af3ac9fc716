/** Constants of the gallery of questions. */

export const GALLERY_LIMITS = {
	/** Characters of a key. */
	key: 60,
	/** Characters of a search text. */
	search: 200,
} as const;
