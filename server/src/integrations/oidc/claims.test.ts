import { describe, expect, it } from "vitest";
import { readFlag, readGroups, readNames, readText } from "./claims.ts";

const readGroupNames = (claims: object, claim = "groups") =>
	readGroups(claims as Record<string, unknown>, claim)?.map(({ name }) => name) ?? null;

describe("claims", () => {
	it.each([
		[{ groups: ["a", "b"] }, "groups", ["a", "b"]],
		[{ groups: "a, b,c" }, "groups", ["a", "b", "c"]],
		[{ groups: "cn=net,ou=groups,dc=x" }, "groups", ["cn=net,ou=groups,dc=x"]],
		[{ groups: ["Doe, Jane"] }, "groups", ["Doe, Jane"]],
		[{ realm_access: { roles: ["a"] } }, "realm_access.roles", ["a"]],
		[{ "realm_access.roles": ["b"], realm_access: { roles: ["a"] } }, "realm_access.roles", ["b"]],
		[{ realm_access: { roles: [] } }, "realm_access.roles", []],
		[{ realm_access: "x" }, "realm_access.roles", null],
		[{}, "constructor.name", null],
		[{ groups: [] }, "groups", []],
		[{ groups: [], _claim_names: { groups: "src1" } }, "groups", null],
		[{ groups: " , " }, "groups", null],
		[{ groups: "x".repeat(1_001) }, "groups", []],
	])("of %j name in %s the groups %j", (claims, claim, expected) => {
		expect(readGroupNames(claims, claim)).toEqual(expected);
	});

	it.each([
		[true, true],
		["true", true],
		["false", false],
		[1, false],
		[undefined, false],
	])("with the flag %j: %s", (email_verified, expected) => {
		expect(readFlag({ email_verified }, "email_verified")).toBe(expected);
	});

	it.each([
		[{ given_name: "Ada", family_name: "Lovelace", name: "x y" }, "Ada", "Lovelace"],
		[{ family_name: "Lovelace", name: "x y" }, "", "Lovelace"],
		[{ name: "Ada King Lovelace" }, "Ada King", "Lovelace"],
		[{ name: " Ada " }, "Ada", ""],
		[{}, "", ""],
	])("of %j are the names %j and %j", (claims, first_name, last_name) => {
		expect(readNames(claims)).toEqual({ first_name, last_name });
	});

	it("are texts, also below an object", () => {
		expect(readText({ user: { login: "ada" } }, "user.login")).toBe("ada");
		expect(readText({ login: 7 }, "login")).toBe("");
	});
});
