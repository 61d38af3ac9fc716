/** What queries ask of the controllers' class model, whoever keeps it. */

export interface ModelClass {
	readonly name: string;
	/** How the last piece of its objects' names is built: `subnet-[{ip}]`. Empty for abstract classes and the top of the tree. */
	readonly rnFormat: string;
	/** The naming properties, in the order in which they stand in the format. */
	readonly naming: readonly string[];
	/** It has no objects of its own, only those of its subclasses. */
	readonly abstract: boolean;
	/**
	 * The classes that may stand directly below it and above it, as its own document has them; the two tell the same from both sides.
	 * What its superclasses have holds for it, too.
	 */
	readonly contains: readonly string[];
	readonly containers: readonly string[];
	/** Nearest first, up to the last one. */
	readonly superClasses: readonly string[];
	/** Those directly derived from it. */
	readonly subClasses: readonly string[];
	/** Its own properties and inherited ones. */
	hasProperty(name: string): boolean;
}

/** One version of the model, whole and unchanging. */
export interface ModelGraph {
	/** Such as `6.0(9c)`. */
	readonly version: string;
	/** Undefined for a class that the model does not have or only knows by name. */
	find(className: string): ModelClass | undefined;
}

/** The model to answer from now; null while there is none. Rejects while it cannot be read. */
export type CurrentModel = () => Promise<ModelGraph | null>;
