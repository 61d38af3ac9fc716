/** The difference between a controller's clock and Weft's, by the `Date` of its answers. */

/** `Date` has no fractions of a second. */
const RESOLUTION_MS = 1_000;

/**
 * The controller's clock minus Weft's in milliseconds: the middle of what the answer allows, and 0
 * if the clocks may be equal. Null if the answer has no valid date.
 * @param date the answer's `Date` (RFC 9110, section 5.6.7)
 * @param began when the request was sent, by Weft's clock
 * @param ended when the whole answer had arrived
 */
export function measureClockSkew(date: string | undefined, began: number, ended: number): number | null {
	const at = Date.parse(date ?? "");
	if (Number.isNaN(at)) return null;
	const lowest = at - ended;
	const highest = at + RESOLUTION_MS - began;
	return lowest <= 0 && highest >= 0 ? 0 : Math.round((lowest + highest) / 2);
}
