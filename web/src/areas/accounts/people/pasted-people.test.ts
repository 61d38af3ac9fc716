import { expect, it } from "vitest";
import { findPersonProblem, parsePeople } from "./pasted-people.ts";

it.each([
	["ada", [{ username: "ada", email: "" }]],
	["ada@example.com", [{ username: "ada", email: "ada@example.com" }]],
	["ada, lovelace@example.com", [{ username: "ada", email: "lovelace@example.com" }]],
	["lovelace@example.com\tada", [{ username: "ada", email: "lovelace@example.com" }]],
	["Ada Lovelace <ada@example.com>", [{ username: "ada", email: "ada@example.com" }]],
	[
		"ada\r\n\n grace ;\n",
		[
			{ username: "ada", email: "" },
			{ username: "grace", email: "" },
		],
	],
	[" \n,", []],
])("parses pasted people: %j", (text, expected) => {
	expect(parsePeople(text)).toEqual(expected);
});

it.each([
	["ada@example.com, grace@example.com; lin@example.com", ["ada", "grace", "lin"]],
	["Ada Lovelace <ada@example.com>; Grace Hopper <grace@example.com>", ["ada", "grace"]],
])("takes a line of several addresses as several people: %j", (text, names) => {
	expect(parsePeople(text).map(({ username }) => username)).toEqual(names);
});

it("names the problem of each person of a list, and none of the others", () => {
	const people = parsePeople("ada@example.com\ngrace@nowhere\nADA@example.com\nab\nada@example.org\nlin@example.com");
	expect(people.map((_person, index) => findPersonProblem(people, index))).toEqual([
		null,
		"grace@nowhere is not an email address.",
		"ADA@example.com is in the list twice.",
		"The username needs 3 to 150 letters, digits and the characters . @ + - _",
		"The username ada is in the list twice. Write another one before the address.",
		null,
	]);
});
