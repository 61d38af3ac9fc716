/** Addresses of webhooks. With the formats slack and teams the address alone allows posting. */
import type { Selectable } from "kysely";
import type { Secrets } from "../../core/ports/secrets.ts";
import { isSealed } from "./rules/webhook-address.ts";
import type { WebhooksTable } from "./tables.ts";

type WebhookRow = Selectable<WebhooksTable>;
type Address = Pick<WebhookRow, "url" | "url_sealed">;

export const buildAddressContext = (id: string): string => `webhooks:${id}:url`;

/** The columns of an address: a secret one is sealed, and only its origin can be read. */
export function sealAddress(secrets: Secrets, webhook: Pick<WebhookRow, "id" | "format">, address: string): Address {
	if (address === "" || webhook.format === "json") return { url: address, url_sealed: "" };
	return { url: new URL(address).origin, url_sealed: secrets.seal(address, buildAddressContext(webhook.id)) };
}

/** The whole address. @throws if no key of the service opens it */
export const openAddress = (secrets: Secrets, row: Address & Pick<WebhookRow, "id">): string =>
	isSealed(row) ? secrets.open(row.url_sealed, buildAddressContext(row.id)) : row.url;
