/** Failures that are no errors of the program, thrown where they are known. Used in workers too. */

/** A request got no answer, or only a part of one. Thrown where the request is sent. */
export class UnreachableError extends Error {
	override readonly name = "UnreachableError";

	constructor(cause: unknown) {
		super("Weft is unreachable.", { cause });
	}
}

/** An action that cannot be done as asked. The message is a sentence for the user. */
export class UserError extends Error {
	override readonly name: string = "UserError";
}
