/** Keeps secrets from unencrypted ways to other computers. */
import { buildInputError } from "./errors.ts";

/**
 * @param secret as in "the password"
 * @throws CliError where a secret would be readable on the way to another computer
 */
export function assertEncrypted(url: string, isInsecureAllowed: boolean, secret: string): void {
	if (isInsecureAllowed || !URL.canParse(url)) return;
	const { protocol, hostname } = new URL(url);
	const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
	if (protocol !== "http:" || isLoopback) return;
	throw buildInputError(
		`${url} is not encrypted: others could read ${secret} on the way. Use https://, or add --insecure.`,
	);
}
