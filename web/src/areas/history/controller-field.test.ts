/** The choice of a controller in a history. */
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { ControllerField } from "./controller-field.tsx";

const controllers = [
	{ controller_connection_id: null, controller_connection_name: "known by name" },
	{ controller_connection_id: "a", controller_connection_name: "fab-a" },
];

/** The names of the options, the selected one with an asterisk. */
function listOptions(value: string | undefined, all: boolean): string[] {
	const html = renderToStaticMarkup(createElement(ControllerField, { controllers, value, all, onChange: () => {} }));
	return [...html.matchAll(/<option([^>]*)>([^<]*)/g)].map(
		([, attributes = "", label]) => `${label}${attributes.includes("selected") ? "*" : ""}`,
	);
}

describe("the choice of a controller", () => {
	it("shows that none is chosen where one must be", () => {
		expect(listOptions(undefined, false)).toEqual(["Choose a fabric*", "fab-a"]);
		expect(listOptions("a", false)).toEqual(["fab-a*"]);
	});

	it("offers all controllers where none must be chosen", () => {
		expect(listOptions(undefined, true)).toEqual(["All fabrics*", "fab-a"]);
		expect(listOptions("a", true)).toEqual(["All fabrics", "fab-a*"]);
	});
});
