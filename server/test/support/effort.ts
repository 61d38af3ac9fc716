/**
 * How much the tests try where more cases find more, but rarely. With `WEFT_TEST_THOROUGH=1`, which
 * `npm run test:full` sets, they try all of them.
 */
export const IS_THOROUGH = process.env.WEFT_TEST_THOROUGH === "1";

/** A run that is not thorough tries one of this many values at each place. */
const SHARE = 4;

/**
 * The values to try at one place. Another turn has other values, so that all are tried at some
 * place.
 */
export function pickValues<Value>(values: readonly Value[], turn: number): readonly Value[] {
	return IS_THOROUGH ? values : values.filter((_, at) => (at + turn) % SHARE === 0);
}

/** The number of cases of a property, which a thorough run multiplies by five. */
export const scaleCases = (cases: number): number => (IS_THOROUGH ? 5 * cases : cases);
