interface FullRun {
	readonly name: string;
	/** Paths of test files, from the root of the project. */
	readonly files: readonly string[];
}

/** The vitest runs of each fifth. */
export const FIFTHS: readonly (readonly FullRun[])[];
/** The vitest runs that belong to no fifth. */
export const WHOLE_ONLY: readonly FullRun[];

/** The fifth, from 0 to 4, that `server/test/full/rotation` selects. Throws if the file holds no number. */
export function readRotation(): number;
