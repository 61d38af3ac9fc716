/** The signature of outgoing webhooks: https://www.standardwebhooks.com, version 1, symmetric. */
import { createHmac } from "node:crypto";

/** The key in a secret: base64 after `whsec_`, else the text itself. */
const getKey = (secret: string): Buffer =>
	secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret, "utf8");

/**
 * The headers of one attempt.
 * @param id the same for each attempt of the same message
 * @param at milliseconds since 1970
 * @param body the request's body, byte for byte
 */
export function buildSignedHeaders(secret: string, id: string, at: number, body: string): Record<string, string> {
	const timestamp = String(Math.floor(at / 1000));
	const signature = createHmac("sha256", getKey(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
	return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
