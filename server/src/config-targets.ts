/** The settings that limit where the service connects to for its users. */

import { isNetwork } from "./core/networks.ts";
import type { OutgoingNetworks } from "./core/system/outgoing.ts";
import type { OutgoingProxy } from "./core/system/outgoing-proxy.ts";
import type { TrustedProxiesSetting } from "./core/system/trusted-proxies.ts";
import type { WebhookTargets } from "./integrations/webhooks/targets.ts";

const getParts = (text: string): string[] => text.split(",").map((part) => part.trim());

/** `public`, networks, or both; or `off`. */
export function readWebhookTargets(text: string | null, errors: string[]): WebhookTargets | null {
	if (text === "off") return null;
	const parts = getParts(text ?? "public");
	const networks = parts.filter((part) => part !== "public");
	const wrong = networks.filter((network) => !isNetwork(network));
	if (wrong.length > 0) {
		errors.push(
			`WEFT_WEBHOOK_TARGETS must be off, or public and networks such as 10.1.0.0/16 with commas between them, not "${text}".`,
		);
	}
	return { public: parts.includes("public"), networks: wrong.length > 0 ? [] : networks };
}

const HOST_NAME =
	/^(?=.{1,253}$)(?=.*[a-z][a-z0-9-]*$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/** `loopback`, the number of proxies, or networks and host names with a dot. */
export function readTrustedProxies(text: string | null, errors: string[]): TrustedProxiesSetting {
	if (text === null || text === "loopback") return "loopback";
	if (/^\d{1,2}$/.test(text)) return Number(text);
	const parts = getParts(text.toLowerCase());
	if (parts.every((part) => isNetwork(part) || HOST_NAME.test(part))) return parts;
	errors.push(
		"WEFT_TRUSTED_PROXIES must be loopback, 0, the number of proxies, or networks and host names with a dot and " +
			`commas between them, such as 10.0.0.0/8,proxy.example.net, not "${text}".`,
	);
	return "loopback";
}

/** Domains in lower case; none where the variable is not set. */
export function readMailDomains(text: string | null, errors: string[]): readonly string[] {
	if (text === null) return [];
	const domains = getParts(text.toLowerCase());
	if (domains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain))) return domains;
	errors.push(`WEFT_MAIL_DOMAINS must be domains such as example.net with commas between them, not "${text}".`);
	return [];
}

/** Networks; null where the variable is not set. */
export function readOutgoingNetworks(
	name: string,
	value: (name: string) => string | null,
	errors: string[],
): OutgoingNetworks {
	const text = value(name);
	if (text === null) return null;
	const networks = getParts(text);
	if (networks.every(isNetwork)) return networks;
	errors.push(`${name} must be networks such as 10.0.0.0/8,fd00::/8 with commas between them, not "${text}".`);
	return [];
}

/**
 * `WEFT_OUTGOING_PROXY` for every target, else the variables that other programs read (lower case
 * first, as curl does). Values are never repeated: they may hold a password.
 *
 * @param value the text of a variable, null where it is not set
 */
export function readOutgoingProxy(value: (name: string) => string | null, errors: string[]): OutgoingProxy | null {
	const noProxy = value("no_proxy") ?? value("NO_PROXY") ?? "";
	function readAddress(names: readonly string[]): string | null {
		const name = names.find((each) => value(each) !== null);
		const text = name === undefined ? null : value(name);
		if (text === null) return null;
		const url = text.includes("://") ? text : `http://${text}`;
		if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
		errors.push(
			`${name} must be the address of a web proxy, such as http://proxy.example.net:3128. ` +
				"WEFT_OUTGOING_PROXY=off connects directly.",
		);
		return null;
	}
	const own = value("WEFT_OUTGOING_PROXY");
	if (own === "off") return null;
	const all = readAddress(["WEFT_OUTGOING_PROXY"]);
	if (own !== null) return all === null ? null : { http: all, https: all, noProxy };
	const http = readAddress(["http_proxy", "HTTP_PROXY"]);
	const https = readAddress(["https_proxy", "HTTPS_PROXY"]);
	return http === null && https === null ? null : { http, https, noProxy };
}
