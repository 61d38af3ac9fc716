/** The controllers' class model as queries use it. */

export interface ModelClass {
	readonly name: string;
	/** Format of the RN of its objects: `subnet-[{ip}]`. Empty for abstract classes and the root. */
	readonly rnFormat: string;
	/** The naming properties, in the order in which they stand in the format. */
	readonly naming: readonly string[];
	/** It has no objects of its own, only those of its subclasses. */
	readonly abstract: boolean;
	/**
	 * Classes directly below and above it, from its own document; both directions agree. Relations of
	 * its super classes apply too.
	 */
	readonly contains: readonly string[];
	readonly containers: readonly string[];
	/** Nearest first, up to the last one. */
	readonly superClasses: readonly string[];
	/** Those directly derived from it. */
	readonly subClasses: readonly string[];
	/** Its own properties and inherited ones. */
	hasProperty(name: string): boolean;
	/** Whether a property can be set; undefined if the class lacks it. */
	isConfigurable(property: string): boolean | undefined;
	/** The same by name with their types, such as `number`, `string` or `enum`. */
	properties(): ReadonlyMap<string, string>;
}

/** How the objects of a class are named. */
export type RnNaming = Pick<ModelClass, "rnFormat" | "naming">;

/** One version of the model, whole and unchanging. */
export interface ModelGraph {
	/** Such as `6.0(9c)`. */
	readonly version: string;
	/** Undefined for a class that the model does not have or only knows by name. */
	find(className: string): ModelClass | undefined;
	/** How the objects of each class with objects of its own are named, in no order. */
	names(): Iterable<RnNaming>;
}

/** The model to answer from now; null while there is none. Rejects while it cannot be read. */
export type CurrentModel = () => Promise<ModelGraph | null>;
