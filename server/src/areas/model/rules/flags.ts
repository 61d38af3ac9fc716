/** Bits of classes, and of definitions of properties. */
export const flag = {
	/** It has a document; others are only named by those that have. */
	published: 1,
	abstract: 2,
	configurable: 4,
	contextRoot: 8,
	hidden: 16,
	/** It stands under nearly every class. */
	common: 32,
	relation: 64,
	naming: 1,
	settable: 2,
	required: 4,
} as const;
