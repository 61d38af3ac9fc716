/** Arguments of `npm run demo`. */
export interface Options {
	/** Ends after the story. */
	readonly exit: boolean;
	/** Deletes the data of the last demo first. */
	readonly reset: boolean;
}

/** Arguments that the demo does not know. */
export class UsageError extends Error {}

export function readOptions(given: readonly string[]): Options {
	const unknown = given.find((argument) => argument !== "--exit" && argument !== "--reset");
	if (unknown !== undefined) {
		throw new UsageError(`The demo does not know the argument "${unknown}". It knows --exit and --reset.`);
	}
	return { exit: given.includes("--exit"), reset: given.includes("--reset") };
}
