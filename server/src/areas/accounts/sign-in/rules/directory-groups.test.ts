import { describe, expect, it } from "vitest";
import { computeMembership, normalizeDn } from "./directory-groups.ts";

describe("distinguished names", () => {
	it.each([
		["cn=Ops,dc=example,dc=com", "CN=ops, DC=Example ,dc=com"],
		["cn=Smith\\, John,dc=x", "cn=smith\\2c john,dc=x"],
		["cn=a+ou=b,dc=x", "OU=B + CN=A,dc=x"],
		["cn=Łuk,dc=x", "cn=\\c5\\81uk,dc=x"],
		["cn=a\\ ,dc=x", "cn=a\\20,dc=x"],
	])("%s and %s are one", (a, b) => expect(normalizeDn(a)).toBe(normalizeDn(b)));

	it.each([
		["cn=a,dc=x", "cn=a,dc=y"],
		["cn=a,dc=x", "cn=a\\,dc=x"],
		["cn=a+ou=b,dc=x", "cn=a,ou=b,dc=x"],
		["cn=ops,dc=x", "cn=ops,ou=y,dc=x"],
	])("%s and %s are two", (a, b) => expect(normalizeDn(a)).not.toBe(normalizeDn(b)));
});

describe("membership", () => {
	const rules = {
		groupMap: { "cn=net,dc=x": ["Editor", "Viewer"], operators: ["Operator"], auditors: ["Viewer"] },
		adminGroup: "cn=bosses,dc=x",
	};

	it("is what the map says, by DN or by name", () => {
		const groups = [
			{ dn: "CN=Net, DC=x", name: "Net" },
			{ dn: "cn=Operators,ou=a,dc=x", name: "Operators" },
		];
		expect(computeMembership(rules, groups)).toEqual({
			managed: ["Editor", "Viewer", "Operator", "Admin"],
			member: ["Editor", "Viewer", "Operator"],
		});
	});

	it("finds a mapped group at the end of 5,000 groups", () => {
		const others = Array.from({ length: 5_000 }, (_, i) => ({ dn: `cn=group ${i},dc=x`, name: `group ${i}` }));
		const groups = [...others, { dn: "cn=bosses,dc=x", name: "bosses" }];
		expect(computeMembership(rules, groups).member).toEqual(["Admin"]);
	});

	it("makes nobody an administrator by a group's name where a DN is asked for", () => {
		const groups = [{ dn: "cn=bosses,ou=other,dc=x", name: "cn=bosses,dc=x" }];
		expect(computeMembership(rules, groups).member).toEqual([]);
		expect(computeMembership({ groupMap: {}, adminGroup: null }, groups)).toEqual({ managed: [], member: [] });
	});
});
