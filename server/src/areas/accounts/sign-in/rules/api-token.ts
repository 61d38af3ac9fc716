/** The secrets of API tokens, and the networks that they are used from. */
import { crc32 } from "node:zlib";
import { TOKEN_PREFIX } from "@weft/contracts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Base62 digits of 256 bits, and of a checksum of 32 bits. */
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const SECRET = new RegExp(`^${TOKEN_PREFIX}([0-9A-Za-z]{${RANDOM_DIGITS}})([0-9A-Za-z]{${CHECKSUM_DIGITS}})$`);
/** Characters of a secret that are stored and shown. */
export const SHOWN_CHARS = 16;

/** The base62 digits of a number, padded with zeros. */
function encodeBase62(value: bigint, digits: number): string {
	let text = "";
	for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
	return text;
}

const computeChecksum = (random: string): string => encodeBase62(BigInt(crc32(random)), CHECKSUM_DIGITS);

/** `weft_pat_`, 43 base62 digits of 256 random bits, and 6 of their CRC-32. */
export function getSecret(random: Uint8Array): string {
	const digits = encodeBase62(BigInt(`0x${Buffer.from(random).toString("hex")}`), RANDOM_DIGITS);
	return `${TOKEN_PREFIX}${digits}${computeChecksum(digits)}`;
}

/** Whether a text is meant as the secret of an API token, well-formed or not. */
export const isSecretLike = (text: string): boolean => text.startsWith(TOKEN_PREFIX);

/** Whether length, alphabet and checksum are those of a secret. */
export function isWellFormed(text: string): boolean {
	const [, random, checksum] = SECRET.exec(text) ?? [];
	return random !== undefined && checksum === computeChecksum(random);
}

/**
 * The /24 of an IPv4 address, the /64 of an IPv6 one: `10.1.2.0/24`, `2001:db8:0:1::/64`. Unknown
 * addresses, which are empty, are one network.
 */
export function getNetwork(address: string): string {
	if (address === "") return "unknown";
	if (!address.includes(":")) return `${address.slice(0, address.lastIndexOf("."))}.0/24`;
	const [head = "", tail] = new URL(`http://[${address.split("%")[0]}]`).hostname.slice(1, -1).split("::");
	const parts = head === "" ? [] : head.split(":");
	const after = tail === undefined || tail === "" ? [] : tail.split(":");
	const zeros = Array<string>(8 - parts.length - after.length).fill("0");
	return `${[...parts, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

/** Where a notification about a token leads: to the owner's tokens, or to the service account's. */
export const getLink = (token: { readonly id: string; readonly user_id: number }, isService: boolean): string =>
	isService ? `/api/auth/management/${token.user_id}/tokens/` : `/api/auth/tokens/${token.id}/`;
