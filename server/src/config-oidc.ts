/** The settings of an identity provider to sign in at (OpenID Connect). */

import { readGroupMap } from "./config-ldap.ts";
import type { DirectoryRules } from "./integrations/ldap/port.ts";
import type { OidcOptions } from "./integrations/oidc/oidc.ts";

export interface OidcConfig extends OidcOptions, DirectoryRules {
	/** What the provider is called on the sign-in page. */
	readonly label: string;
}

const CLAIM = /^[\w:./-]{1,200}$/;
const LABEL_MAX = 60;

/**
 * @param value a variable's text by its name without `WEFT_OIDC_`, trimmed; null where it is unset
 * @param frontendUrl of the web interface; empty where it is unset
 */
export function readOidc(
	value: (name: string) => string | null,
	frontendUrl: string,
	errors: string[],
): OidcConfig | null {
	const issuer = value("ISSUER");
	if (issuer === null) return null;
	const say = (name: string, rule: string) => errors.push(`WEFT_OIDC_${name} ${rule}.`);
	if (!isIssuer(issuer)) {
		say("ISSUER", "must be an https:// address such as https://login.example.com/realm, without credentials or query");
	}
	if (frontendUrl === "") {
		errors.push(
			"WEFT_FRONTEND_URL is needed with WEFT_OIDC_ISSUER: the address that the identity provider returns to begins with it.",
		);
	}
	const [clientId, clientSecret] = [value("CLIENT_ID"), value("CLIENT_SECRET")];
	if (clientId === null)
		say("CLIENT_ID", "is needed with WEFT_OIDC_ISSUER: the provider gives it to a registered client");
	if (clientSecret === null) {
		say("CLIENT_SECRET", "is needed with WEFT_OIDC_ISSUER: the provider gives it to a registered client");
	}
	const scopes = (value("SCOPES") ?? "openid profile email").split(/[\s,]+/);
	if (!scopes.includes("openid") || !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope))) {
		say("SCOPES", 'must be scopes with spaces between them, openid among them, such as "openid profile email"');
	}
	const [usernameClaim, groupsClaim] = [
		value("USERNAME_CLAIM") ?? "preferred_username",
		value("GROUPS_CLAIM") ?? "groups",
	];
	if (!CLAIM.test(usernameClaim)) say("USERNAME_CLAIM", "must be the name of a claim, such as preferred_username");
	if (!CLAIM.test(groupsClaim)) say("GROUPS_CLAIM", "must be the name of a claim, such as groups");
	const label = value("LABEL") ?? "single sign-on";
	if (label.length > LABEL_MAX || /\p{Cc}/u.test(label))
		say("LABEL", `must be one line of at most ${LABEL_MAX} characters`);
	return {
		issuer,
		clientId: clientId ?? "",
		clientSecret: clientSecret ?? "",
		scopes: scopes.join(" "),
		usernameClaim,
		groupsClaim,
		groupMap: readGroupMap(value("GROUP_MAP"), say),
		adminGroup: value("ADMIN_GROUP"),
		label,
	};
}

/** Plain http is for tests: to this host only. */
function isIssuer(text: string): boolean {
	const url = URL.canParse(text) ? new URL(text) : null;
	if (url === null || url.username || url.password || url.search || url.hash) return false;
	const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
	return url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
}
