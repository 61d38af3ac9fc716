/** Where the secrets of webhooks are sealed. */

/** Ids of copies from `notification_webhooks`, which end in the user's id as hexadecimal digits. */
const COPIED = "00000000-0000-4000-8000-";

/** The id of the webhook that a user had while there was one for each. */
export const buildCopiedId = (userId: number): string => COPIED + userId.toString(16).padStart(12, "0");

export const buildCopiedContext = (userId: number): string => `notification_webhooks:${userId}:secret`;

/** The context of a webhook's sealed secret; a copy has that of its original. */
export const buildSecretContext = (id: string): string =>
	id.startsWith(COPIED) ? buildCopiedContext(Number.parseInt(id.slice(COPIED.length), 16)) : `webhooks:${id}:secret`;
