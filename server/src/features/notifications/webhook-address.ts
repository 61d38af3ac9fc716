/** Addresses of webhooks. With the formats slack and teams the address alone allows posting. */
import type { Selectable } from "kysely";
import type { Secrets } from "../../ports/secrets.ts";
import type { WebhooksTable } from "./tables.ts";

type WebhookRow = Selectable<WebhooksTable>;
type Address = Pick<WebhookRow, "url" | "url_sealed">;

export const addressContext = (id: string): string => `webhooks:${id}:url`;

/** Host and port; empty without an address. */
export const getHost = ({ url }: Pick<WebhookRow, "url">): string => (url === "" ? "" : new URL(url).host);

/** Whether the stored row has the origin of its address only. */
export const isSealed = ({ url, url_sealed }: Address): boolean => url_sealed !== "" && url === new URL(url).origin;

/** Whether the address is never shown. It stays so if the format changes to one that shows it. */
export const isAddressSecret = (row: Address & Pick<WebhookRow, "format">): boolean =>
	row.format !== "json" || isSealed(row);

/** The columns of an address: a secret one is sealed, and only its origin can be read. */
export function sealAddress(secrets: Secrets, webhook: Pick<WebhookRow, "id" | "format">, address: string): Address {
	if (address === "" || webhook.format === "json") return { url: address, url_sealed: "" };
	return { url: new URL(address).origin, url_sealed: secrets.seal(address, addressContext(webhook.id)) };
}

/** The whole address. @throws if no key of the service opens it */
export const openAddress = (secrets: Secrets, row: Address & Pick<WebhookRow, "id">): string =>
	isSealed(row) ? secrets.open(row.url_sealed, addressContext(row.id)) : row.url;
