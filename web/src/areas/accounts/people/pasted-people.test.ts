import { expect, it } from "vitest";
import { parsePeople } from "./pasted-people.ts";

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
