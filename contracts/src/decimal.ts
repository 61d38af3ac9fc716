/**
 * Decimal numbers of controllers by their exact value. Counters and ids exceed 2^53, above which a
 * double drops digits, so that different numbers would be equal. The service and the web interface
 * sort and compare by these functions.
 */

/** `digits` × 10^-`scale`. */
export interface Decimal {
	readonly digits: bigint;
	readonly scale: number;
}

/** Longer texts are no numbers here: a number of this length is an identifier. */
const LONGEST = 400;
const EXPONENT_MAX = 400;
/** A double holds every integer of up to 15 digits exactly, and the sum of any two of them. */
const SAFE_DIGITS = 15;
const PLAIN = /^-?\d+(?:\.\d+)?$/;
const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Whether a value is written as a plain number, such as `-2.357`. */
export const isPlainNumber = (text: string): boolean => text.length <= LONGEST && PLAIN.test(text);

/** Reads `12`, `-2.5`, `+1.5e3`, `0x1f`; null for every other text. */
export function parseDecimal(text: string): Decimal | null {
	const trimmed = text.trim();
	if (trimmed.length > LONGEST) return null;
	if (/^0[xX][\da-fA-F]+$/.test(trimmed)) return { digits: BigInt(trimmed), scale: 0 };
	const [, sign = "", whole = "", fraction = "", power = "0"] = PARTS.exec(trimmed) ?? [];
	const exponent = Number(power);
	if (whole + fraction === "" || Math.abs(exponent) > EXPONENT_MAX) return null;
	const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
	const scale = fraction.length - exponent;
	return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

const scaleDigits = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

export function compareDecimals(a: Decimal, b: Decimal): number {
	const scale = Math.max(a.scale, b.scale);
	const [x, y] = [scaleDigits(a, scale), scaleDigits(b, scale)];
	return x < y ? -1 : x > y ? 1 : 0;
}

export function sumDecimals(values: Iterable<Decimal>): Decimal {
	let sum: Decimal = { digits: 0n, scale: 0 };
	for (const value of values) {
		const scale = Math.max(sum.scale, value.scale);
		sum = { digits: scaleDigits(sum, scale) + scaleDigits(value, scale), scale };
	}
	return sum;
}

/** The quotient to six places more than the value has. */
export function divideDecimal({ digits, scale }: Decimal, by: number): Decimal {
	return { digits: (digits * 1_000_000n) / BigInt(by), scale: scale + 6 };
}

/** Plain notation without zeros at the end of the fraction. */
export function formatDecimal({ digits, scale }: Decimal): string {
	const sign = digits < 0n ? "-" : "";
	const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
	const fraction = scale === 0 ? "" : text.slice(-scale).replace(/0+$/, "");
	return `${sign}${text.slice(0, text.length - scale)}${fraction && `.${fraction}`}`;
}

/** A number where a double holds the value exactly as written, else its digits as text. */
export function keepDigits(value: Decimal): number | string {
	const text = formatDecimal(value);
	const number = Number(text);
	return String(number) === text ? number : text;
}

/** Orders two numbers by their exact value; 0 where one of the texts is none. */
export function compareNumbers(a: string, b: string): number {
	const [x, y] = [parseDecimal(a), parseDecimal(b)];
	return x === null || y === null ? 0 : compareDecimals(x, y);
}

/**
 * Orders texts: the empty one, then plain numbers by their exact value, then other text by code
 * units.
 */
export function compareTexts(a: string, b: string): number {
	if (a === b) return 0;
	const numeric = isPlainNumber(a);
	if (numeric !== isPlainNumber(b)) return a === "" || (numeric && b !== "") ? -1 : 1;
	if (!numeric) return a < b ? -1 : 1;
	if (a.length <= SAFE_DIGITS && b.length <= SAFE_DIGITS) return Number(a) - Number(b);
	return compareNumbers(a, b);
}
