import { describe, expect, it } from "vitest";
import { listPasswordErrors } from "./password-policy.ts";

const person = { username: "ada.lovelace", email: "countess@example.com", first_name: "Augusta", last_name: "King" };
const getErrors = (password: string) => listPasswordErrors(password, person, (lower) => lower === "sunshine1");

describe("a password", () => {
	it.each([
		"eightchr",
		"all lower case and spaces",
		"ÜPPER ONLY ÄÖ",
		"!!!!!!!!",
		"密码密码密码密码",
		"🔑🔑🔑🔑🔑🔑🔑🔑",
		"x".repeat(64),
		"x".repeat(256),
	])("is accepted whatever characters it has: %s", (password) => expect(getErrors(password)).toEqual([]));

	it.each([
		["seven c", "at least 8"],
		["🔑🔑🔑🔑🔑🔑🔑", "at least 8"],
		["x".repeat(257), "at most 256"],
		["9182736455", "digits only"],
		["SunShine1", "most common"],
		["Ada.Lovelace", "similar to the username"],
		["lovelace!", "similar to the username"],
		["countess99", "similar to the email"],
		["augusta1815", "similar to the first name"],
		["kingking", "similar to the last name"],
	])("is refused: %s", (password, words) => expect(getErrors(password).join(" ")).toContain(words));
});
