/** The place of a dragged element in a list. Pure. */

/**
 * @param middles vertical middle of each element in their order, in pixels
 * @param from present place of the dragged element
 * @param y vertical position of the pointer, in pixels
 * @returns place of the element if it is dropped now
 */
export const findDropPlace = (middles: readonly number[], from: number, y: number): number =>
	middles.filter((middle, at) => at !== from && middle < y).length;

/** Returns the list with one element at another place; the others keep their order. */
export function moveElement<Element>(list: readonly Element[], from: number, to: number): Element[] {
	const next = [...list];
	next.splice(to, 0, ...next.splice(from, 1));
	return next;
}
