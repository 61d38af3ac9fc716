/** Maps a directory's groups to groups of the service. */
import type { DirectoryGroup, DirectoryRules } from "../../../../integrations/ldap/port.ts";

interface Membership {
	/** Groups here whose membership the directory decides. */
	readonly managed: readonly string[];
	/** Those of them that the person belongs to. */
	readonly member: readonly string[];
}

const ADMIN = "Admin";

export function computeMembership(rules: DirectoryRules, groups: readonly DirectoryGroup[]): Membership {
	const pairs: (readonly [string, readonly string[]])[] = Object.entries(rules.groupMap);
	if (rules.adminGroup !== null) pairs.push([rules.adminGroup, [ADMIN]]);
	// Groups of an identity provider are names, which need no key.
	const dns = new Set(groups.filter(({ dn }) => dn.includes("=")).map(({ dn }) => normalizeDn(dn)));
	const names = new Set(groups.map(({ name }) => name.toLowerCase()));
	/** A group is named by its DN, or by its common name alone. */
	const isMember = (group: string): boolean =>
		group.includes("=") ? dns.has(normalizeDn(group)) : names.has(group.toLowerCase());
	const member = pairs.filter(([group]) => isMember(group)).flatMap(([, mapped]) => mapped);
	return { managed: listManaged(rules), member: deduplicateNames(member) };
}

/** Groups here whose membership the directory decides. */
export function listManaged({ groupMap, adminGroup }: DirectoryRules): string[] {
	return deduplicateNames([...Object.values(groupMap).flat(), ...(adminGroup === null ? [] : [ADMIN])]);
}

const deduplicateNames = (names: readonly string[]): string[] => [...new Set(names)];

/**
 * A key that all spellings of a DN share (RFC 4514): spaces around separators, case, escapes, the
 * order within an RDN.
 */
export function normalizeDn(dn: string): string {
	return splitUnescaped(dn, /[,;]/)
		.map((rdn) => splitUnescaped(rdn, /\+/).map(attributeKey).sort().join("+"))
		.join(",");
}

function attributeKey(pair: string): string {
	const [, type = "", value = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
	const bytes: number[] = [];
	const given = value.trimStart();
	let end = given.length;
	while (end > 0 && given[end - 1] === " " && given[end - 2] !== "\\") end -= 1;
	const trimmed = given.slice(0, end);
	for (const [piece, hex, special] of trimmed.matchAll(/\\([0-9a-f]{2})|\\(.)|./gisu)) {
		if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
		else bytes.push(...Buffer.from(special ?? piece));
	}
	const text = Buffer.from(bytes).toString("utf8").toLowerCase().replace(/\s+/g, " ");
	return `${type.trim().toLowerCase()}=${JSON.stringify(text)}`;
}

/** Splits at separators that are not escaped. */
function splitUnescaped(text: string, separator: RegExp): string[] {
	const parts = [""];
	for (const [piece] of text.matchAll(/\\.|./gsu)) {
		if (separator.test(piece) && piece.length === 1) parts.push("");
		else parts[parts.length - 1] += piece;
	}
	return parts;
}
