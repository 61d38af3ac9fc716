/** Reads JSON whose numbers may have more digits than a double holds. */

/** A number outside of strings, or what may look like one within, that a double may not hold. */
const SUSPECT = /[[:,]\s*-?(?:\d[\d.]{15}|\d[\d.]*[eE][+-]?\d{3})/;
/** A text that does not end reaches to the end, so that each character is read once. */
const TOKEN = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)|-?\d[\d.eE+-]*/g;
/** Every number with fewer digits is held by a double. */
const EXACT_DIGITS = 15;

/**
 * What `JSON.parse` gives, but a number whose digits a double does not hold becomes text with these
 * digits. Controllers send counters and ids above 2^53. @throws SyntaxError
 */
export function parseExact(text: string): unknown {
	return JSON.parse(SUSPECT.test(text) ? text.replace(TOKEN, quoteLong) : text);
}

function quoteLong(token: string): string {
	return token.startsWith('"') || isHeld(token) ? token : `"${token}"`;
}

function isHeld(token: string): boolean {
	const number = Number(token);
	if (Number.isNaN(number)) return true;
	if (String(number) === token) return true;
	const [mantissa = ""] = token.split(/[eE]/);
	return Number.isFinite(number) && mantissa.replace(/^[-0.]+|\./g, "").length <= EXACT_DIGITS;
}
