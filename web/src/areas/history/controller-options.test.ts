import { describe, expect, it } from "vitest";
import { listControllerOptions } from "./controller-options.ts";

const CONTROLLERS = [
	{ controller_connection_id: null, controller_connection_name: "known by name" },
	{ controller_connection_id: "a", controller_connection_name: "fab-a" },
];

const listLabels = (value: string | undefined, all: boolean): string[] =>
	listControllerOptions(CONTROLLERS, { value, all }).map(({ label }) => label);

describe("the options of a controller", () => {
	it("have one for no choice as long as none is chosen where one must be", () => {
		expect(listLabels(undefined, false)).toEqual(["Choose a fabric", "fab-a"]);
		expect(listLabels("a", false)).toEqual(["fab-a"]);
	});

	it("have one for all controllers where none must be chosen", () => {
		expect(listLabels(undefined, true)).toEqual(["All fabrics", "fab-a"]);
		expect(listLabels("a", true)).toEqual(["All fabrics", "fab-a"]);
	});
});
