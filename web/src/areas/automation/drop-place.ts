/** Where a dragged element of a list goes. Pure. */

/**
 * @param middles the vertical middle of each element, in pixels, from the first to the last
 * @param from place of the dragged element
 * @param y of the pointer
 * @returns the place of the dragged element when it is dropped
 */
export const findDropPlace = (middles: readonly number[], from: number, y: number): number =>
	middles.filter((middle, at) => at !== from && middle < y).length;

/** A list whose element has gone to another place; the others keep their order. */
export function moveElement<Element>(list: readonly Element[], from: number, to: number): Element[] {
	const next = [...list];
	next.splice(to, 0, ...next.splice(from, 1));
	return next;
}
