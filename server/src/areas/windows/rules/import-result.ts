/** The result of importing expectations, whatever they are read from. */
import type { ExpectationInput, NotUnderstood } from "@weft/contracts";

export interface Imported {
	readonly expectations: readonly ExpectationInput[];
	readonly notUnderstood: readonly NotUnderstood[];
}

/** A file that cannot be imported. The message is for users. */
export class ImportError extends Error {
	override readonly name = "ImportError";
}
