/** Codes that people copy by hand: `XXXX-XXXX` of unambiguous symbols. */

/** A-Z without I and O, 2-9: 32 symbols, so that every byte's low five bits are one. */
const SYMBOLS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH = 8;

/** @param random at least 8 random bytes */
export function readTypedCode(random: Uint8Array): string {
	const symbols = Array.from({ length: LENGTH }, (_, i) => SYMBOLS[(random[i] ?? 0) % SYMBOLS.length]).join("");
	return `${symbols.slice(0, LENGTH / 2)}-${symbols.slice(LENGTH / 2)}`;
}

/** Normalizes a typed code: any case, dashes and spaces ignored. Null when it cannot be a code. */
export function readCode(typed: string): string | null {
	const symbols = typed.replace(/[\s-]/g, "").toUpperCase();
	if (symbols.length !== LENGTH || [...symbols].some((symbol) => !SYMBOLS.includes(symbol))) return null;
	return `${symbols.slice(0, LENGTH / 2)}-${symbols.slice(LENGTH / 2)}`;
}
