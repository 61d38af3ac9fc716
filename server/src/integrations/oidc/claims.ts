/** Reads what a provider's claims say about a person, in the forms that providers use. */
import type { DirectoryGroup } from "../ldap/port.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Characters of a claim that are read. A group with a longer name is left out. */
const MAX_CLAIM = 1_000;

/** A claim by its name, or by a path through objects such as `realm_access.roles`. */
function findClaim(claims: Claims, name: string): unknown {
	if (Object.hasOwn(claims, name)) return claims[name];
	return name.split(".").reduce<unknown>((value, key) => {
		const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
		return isObject ? (value as Claims)[key] : undefined;
	}, claims);
}

/** The text of a claim; empty where it has none. */
export function readText(claims: Claims, name: string): string {
	const value = findClaim(claims, name);
	return typeof value === "string" ? value.slice(0, MAX_CLAIM) : "";
}

/** Some providers send the text `true`. */
export const readFlag = (claims: Claims, name: string): boolean => claims[name] === true || claims[name] === "true";

/** First and last name; of `name` alone, what follows its last space is the last name. */
export function readNames(claims: Claims): { readonly first_name: string; readonly last_name: string } {
	const [first_name, last_name] = [readText(claims, "given_name"), readText(claims, "family_name")];
	if (first_name !== "" || last_name !== "") return { first_name, last_name };
	const words = readText(claims, "name").trim().split(/\s+/);
	const last = words.length > 1 ? (words.pop() ?? "") : "";
	return { first_name: words.join(" "), last_name: last };
}

/**
 * The groups that a claim names: a list, or one text with commas between names. Distinguished names
 * contain commas and are not split. Returns null unless the claim names a group or is an empty
 * list. A claim that `_claim_names` refers to another source is not empty: Entra ID does so above
 * 200 groups (OpenID Connect Core, section 5.6.2).
 */
export function readGroups(claims: Claims, claim: string): DirectoryGroup[] | null {
	const value = findClaim(claims, claim);
	const texts =
		typeof value === "string" && !value.includes("=")
			? value.split(",")
			: [value].flat().filter((name) => typeof name === "string");
	const names = texts.map((name) => name.trim()).filter((name) => name !== "");
	const isElsewhere = Object.hasOwn(Object(claims._claim_names), claim);
	const isEmptyList = Array.isArray(value) && value.length === 0 && !isElsewhere;
	if (names.length === 0 && !isEmptyList) return null;
	return names.filter((name) => name.length <= MAX_CLAIM).map((name) => ({ dn: name, name }));
}
