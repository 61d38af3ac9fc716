import * as fc from "fast-check";
import { expect, it } from "vitest";
import { findDropPlace, moveElement } from "./drop-place.ts";

const MIDDLES = [50, 150, 250, 350];

it.each([
	["above all others", 2, 10, 0],
	["at its own place, over itself", 2, 250, 2],
	["at its own place, up to the middle of the next one", 1, 249, 1],
	["below the next one, beyond its middle", 1, 251, 2],
	["below all others", 0, 900, 3],
])("drops an element %s", (_, from, y, to) => {
	expect(findDropPlace(MIDDLES, from, y)).toBe(to);
});

it("moves one element, and keeps the order of the others", () => {
	expect(moveElement(["a", "b", "c", "d"], 0, 2)).toEqual(["b", "c", "a", "d"]);
	fc.assert(
		fc.property(fc.uniqueArray(fc.nat(), { minLength: 1 }), fc.nat(), fc.nat(), (list, a, b) => {
			const [from, to] = [a % list.length, b % list.length];
			const moved = moveElement(list, from, to);
			expect(moved[to]).toBe(list[from]);
			expect(moved.filter((each) => each !== list[from])).toEqual(list.filter((each) => each !== list[from]));
		}),
	);
});
