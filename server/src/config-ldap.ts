/** The settings of a directory to sign in with. */
import type { LdapOptions } from "./integrations/ldap/ldap.ts";
import type { DirectoryRules } from "./integrations/ldap/port.ts";

export interface LdapConfig extends Omit<LdapOptions, "ca">, DirectoryRules {
	/** PEM file; null: the system's certificates. */
	readonly caFile: string | null;
}

const ATTRIBUTES = { username: "uid", email: "mail", first_name: "givenName", last_name: "sn" };
const USER_FILTER = "(uid={username})";
const GROUP_FILTER = "(|(member={dn})(uniqueMember={dn})(memberUid={username}))";

/**
 * @param value a variable's text by its name without `WEFT_LDAP_`, trimmed; null where it is unset
 */
export function readLdap(value: (name: string) => string | null, errors: string[]): LdapConfig | null {
	const uri = value("URI");
	if (uri === null) return null;
	const say = (name: string, rule: string) => errors.push(`WEFT_LDAP_${name} ${rule}.`);
	const url = URL.canParse(uri) ? new URL(uri) : null;
	if (!/^ldaps?:$/.test(url?.protocol ?? "") || !url?.hostname || url.username || url.password) {
		say("URI", "must be an address such as ldaps://directory.example.com, without credentials");
	}
	const startTls = value("START_TLS") ?? "off";
	if (startTls !== "on" && startTls !== "off") say("START_TLS", "must be on or off");
	if (startTls === "on" && url?.protocol === "ldaps:") say("START_TLS", "is for ldap://; ldaps:// has TLS already");
	const [dn, password] = [value("BIND_DN"), value("BIND_PASSWORD")];
	if ((dn === null) !== (password === null))
		say("BIND_DN", "and WEFT_LDAP_BIND_PASSWORD are needed together, or neither");
	const userBase = value("USER_BASE");
	if (userBase === null)
		say("USER_BASE", "is needed with WEFT_LDAP_URI: where people are, such as ou=people,dc=example,dc=com");
	const userFilter = value("USER_FILTER") ?? USER_FILTER;
	if (!isFilter(userFilter) || !userFilter.includes("{username}")) {
		say("USER_FILTER", "must be a filter with {username} in it, such as (uid={username})");
	}
	const groupFilter = value("GROUP_FILTER") ?? GROUP_FILTER;
	if (!isFilter(groupFilter) || !/\{(dn|username)\}/.test(groupFilter)) {
		say("GROUP_FILTER", "must be a filter with {dn} or {username} in it, such as (member={dn})");
	}
	return {
		uri,
		startTls: startTls === "on",
		caFile: value("CA_FILE"),
		bind: dn !== null && password !== null ? { dn, password } : null,
		userBase: userBase ?? "",
		userFilter,
		groupBase: value("GROUP_BASE"),
		groupFilter,
		attributes: readAttributes(value("ATTRIBUTES"), say),
		groupMap: readGroupMap(value("GROUP_MAP"), say),
		adminGroup: value("ADMIN_GROUP"),
	};
}

const isFilter = (text: string): boolean => /^\(.+\)$/.test(text);

/** Records that a setting, by its name without its prefix, breaks a rule. */
type Say = (name: string, rule: string) => void;

function readAttributes(text: string | null, say: Say): LdapConfig["attributes"] {
	const given = (text ?? "").split(",").filter((pair) => pair.trim() !== "");
	const pairs = given.map((pair) => /^\s*(\w+)\s*=\s*([A-Za-z][\w;.-]*)\s*$/.exec(pair));
	if (pairs.some((pair) => pair === null || !Object.hasOwn(ATTRIBUTES, pair[1] ?? ""))) {
		say("ATTRIBUTES", `must be pairs such as username=uid,email=mail; names are ${Object.keys(ATTRIBUTES).join(", ")}`);
	}
	return { ...ATTRIBUTES, ...Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""])) };
}

/** @param text JSON as `{"cn=net,ou=groups,dc=x": ["Editor"]}`; null: no groups */
export function readGroupMap(text: string | null, say: Say): DirectoryRules["groupMap"] {
	const rule = 'must be a JSON object from groups there to groups here, such as {"cn=net,ou=groups,dc=x": "Editor"}';
	let parsed: unknown = {};
	try {
		parsed = JSON.parse(text ?? "{}");
	} catch {
		say("GROUP_MAP", rule);
	}
	const entries = Object.entries((parsed ?? {}) as Record<string, unknown>).map(([group, names]) => [
		group,
		[names].flat(),
	]);
	const sound =
		typeof parsed === "object" &&
		parsed !== null &&
		!Array.isArray(parsed) &&
		entries.every(([, names]) => (names as unknown[]).every((name) => typeof name === "string"));
	if (!sound) say("GROUP_MAP", rule);
	return sound ? Object.fromEntries(entries) : {};
}
