/** The settings that limit where the service connects to for its users. */
import type { OutgoingNetworks } from "./adapters/system/outgoing.ts";
import type { WebhookTargets } from "./adapters/webhooks/targets.ts";
import { isNetwork } from "./platform/networks.ts";

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
