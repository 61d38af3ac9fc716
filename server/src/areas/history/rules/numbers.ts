/**
 * Numbers by exact decimal value, not as doubles: 1.0 = 1 = 1e0, but 12345678901234567890 and …891
 * differ.
 */
import { PLAIN_DIGITS } from "../../../core/json/tokens.ts";

const MAX_EXPONENT_DIGITS = 1000;

/**
 * The canonical notation of a number. With D the digits without zeros at either end and the value
 * D × 10^E: plain decimal notation if that takes at most 40 digits before and after the point, else
 * `<D>e<E>`; zero is `0`, whatever its sign. Undefined for an exponent of more than 1000 digits.
 */
export function canonicalizeNumber(token: string): string | undefined {
	const [, sign = "", whole = "", fraction = "", mark = "", power = ""] = NUMBER_PARTS.exec(token) ?? [];
	const digits = (whole + fraction).replace(/^0+/, "");
	const significant = stripTrailingZeros(digits);
	if (significant === "") return "0";
	const stripped = digits.length - significant.length - fraction.length;
	const exponentDigits = power.replace(/^0+/, "") || "0";
	if (exponentDigits.length > MAX_EXPONENT_DIGITS) return undefined;
	if (exponentDigits.length > 15) {
		const exponent = BigInt(mark === "-" ? `-${exponentDigits}` : exponentDigits) + BigInt(stripped);
		return `${sign}${significant}e${exponent}`;
	}
	const exponent = (mark === "-" ? -1 : 1) * Number(exponentDigits) + stripped;
	if (exponent >= 0) {
		if (significant.length + exponent > PLAIN_DIGITS) return `${sign}${significant}e${exponent}`;
		return sign + significant + "0".repeat(exponent);
	}
	const places = -exponent;
	if (places > PLAIN_DIGITS || significant.length - places > PLAIN_DIGITS) return `${sign}${significant}e${exponent}`;
	const padded = significant.padStart(places + 1, "0");
	return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

const NUMBER_PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/;

function stripTrailingZeros(digits: string): string {
	let end = digits.length;
	while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
	return digits.slice(0, end);
}
