/**
 * Masks secrets in text that another system sends back: as they are, in the spellings of JSON,
 * Python, YAML, shells and URLs, in Base64 (alone, and as a part of `user:password`), and broken
 * over lines.
 */
import { setImmediate as turn } from "node:timers/promises";

export type Mask = (text: string) => string;

export const MASKED = "********";
/** Shorter secrets would be found in everything. */
const SECRET_MIN = 3;
/** Shorter secrets are not looked for over a line break: columns of digits would match. */
const BROKEN_MIN = 6;
/** Characters that every spelling leaves as they are. */
const PLAIN = /^[\w.~-]*$/;
/** Shorter parts of encoded text would be found in everything. */
const ENCODED_MIN = 5;
const ENCODED = /[\w+/-]/;
const SPACE = /[ \t\r\n]+/g;

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const formatCodeUnit = (char: string): string => char.charCodeAt(0).toString(16);
/** As `json.dumps` of Python spells it: without a character outside ASCII. */
const escapeToAsciiJson = (text: string): string =>
	escapeJson(text).replace(/[\u007f-\uffff]/g, (char) => `\\u${formatCodeUnit(char).padStart(4, "0")}`);

const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
function escapePythonText(char: string): string {
	const code = char.codePointAt(0) ?? 0;
	const hex = code.toString(16);
	if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
	return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** As `repr` of Python spells it, without the quotes around it. */
const escapePython = (text: string): string =>
	text
		.replace(/[\\\n\r\t]/g, (char) => NAMED[char] ?? char)
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, escapePythonText);
const escapeToAsciiPython = (text: string): string =>
	escapePython(text).replace(/[\u{80}-\u{10ffff}]/gu, escapePythonText);

const SPELLINGS: readonly ((text: string) => string)[] = [
	escapeJson,
	escapeToAsciiJson,
	escapePython,
	escapeToAsciiPython,
	(text) => escapePython(text).replaceAll("'", "\\'"),
	(text) => escapeToAsciiPython(text).replaceAll("'", "\\'"),
];
/** As `urllib.parse.quote` of Python spells it. */
const escapePythonUrl = (text: string): string =>
	encodeURIComponent(text.toWellFormed()).replace(
		/[!'()*]/g,
		(char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
	);

const QUOTINGS: readonly ((text: string) => string)[] = [
	(text) => text.replaceAll("'", "''"),
	(text) => text.replaceAll("'", "'\\''"),
	(text) => text.replaceAll("'", `'"'"'`),
	(text) => encodeURIComponent(text.toWellFormed()),
	(text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"),
	escapePythonUrl,
	(text) => escapePythonUrl(text).replaceAll("%2F", "/"),
	(text) => escapePythonUrl(text).replaceAll("%20", "+"),
	(text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"),
	(text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;"),
];

/** The secret in every spelling, and those spellings spelled once more, as in JSON within JSON. */
function listSpellings(secret: string): Set<string> {
	if (PLAIN.test(secret)) return new Set([secret]);
	const once = [secret, ...SPELLINGS.map((spell) => spell(secret))];
	const twice = once.flatMap((text) => SPELLINGS.map((spell) => spell(text)));
	return new Set([...once, ...twice, ...QUOTINGS.map((quote) => quote(secret))]);
}

/**
 * The characters of Base64 that depend on the secret alone, for each place at which it may begin in
 * a longer text, such as `user:password`.
 */
function listEncodings(secret: string): Set<string> {
	const bytes = Buffer.from(secret.toWellFormed());
	const parts = [0, 1, 2].map((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
		return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
	});
	const alone = bytes.toString("base64").replace(/=+$/, "");
	const found = [alone, ...parts.filter((part) => part.length >= ENCODED_MIN)];
	return new Set([...found, ...found.map((part) => part.replaceAll("+", "-").replaceAll("/", "_"))]);
}

/** A spelling without its white space. */
interface Form {
	/** Whether it is a part of encoded text, all of which is hidden. */
	readonly isEncoded: boolean;
	/** White space before the character at an index of the bare text; absent: none. */
	readonly gaps: ReadonlyMap<number, string>;
}

interface Bare {
	readonly text: string;
	/** Index in the whole text of each character of the bare one. */
	readonly places: Int32Array;
}

function stripSeparators(whole: string): Bare {
	const places = new Int32Array(whole.length);
	let length = 0;
	for (let index = 0; index < whole.length; index++) {
		const code = whole.charCodeAt(index);
		if (code === 32 || code === 9 || code === 10 || code === 13) continue;
		places[length++] = index;
	}
	return { text: whole.replace(SPACE, ""), places };
}

function findGaps(spelling: string, { text, places }: Bare): Map<number, string> {
	const gaps = new Map<number, string>();
	for (let at = 1; at < text.length; at++) {
		const gap = spelling.slice((places[at - 1] ?? 0) + 1, places[at]);
		if (gap !== "") gaps.set(at, gap);
	}
	return gaps;
}

const NO_GAPS: ReadonlyMap<number, string> = new Map();

/** Whether the text has the form's white space there, or a line break where it has other. */
function hasSameGaps(whole: string, bare: Bare, at: number, length: number, { gaps }: Form): boolean {
	const { places } = bare;
	if (gaps.size === 0 && (places[at + length - 1] ?? 0) - (places[at] ?? 0) === length - 1) return true;
	for (let index = 1; index < length; index++) {
		const gap = whole.slice((places[at + index - 1] ?? 0) + 1, places[at + index]);
		if (gap === (gaps.get(index) ?? "")) continue;
		if (length < BROKEN_MIN || !gap.includes("\n")) return false;
	}
	return true;
}

/**
 * Spellings that a mask looks for at most. Beyond them a secret is looked for as it is, in JSON and
 * in Python, not in spellings of spellings and not in Base64.
 */
const FORMS_MAX = 200_000;
/** Secrets that are spelled before other work gets its turn. */
const SPELLED_AT_ONCE = 50;
/** Characters compared for each character of a text, before all of the text is masked. */
const COMPARED_PER_CHAR = 200;
const COMPARED_MIN = 1_000_000;

function createForms() {
	/** Forms by their text; their lengths by their first three characters. */
	const byText = new Map<string, Form[]>();
	const lengths = new Map<string, number[]>();
	const starts = new Uint8Array(65_536);
	let count = 0;

	function addForm(spelling: string, isEncoded: boolean): void {
		const bare = stripSeparators(spelling);
		const { text } = bare;
		if (text.length < SECRET_MIN) return;
		starts[text.charCodeAt(0)] = 1;
		const start = text.slice(0, SECRET_MIN);
		const known = lengths.get(start) ?? [];
		if (!known.includes(text.length))
			lengths.set(
				start,
				[...known, text.length].sort((x, y) => y - x),
			);
		const gaps = text.length === spelling.length ? NO_GAPS : findGaps(spelling, bare);
		byText.set(text, [...(byText.get(text) ?? []), { gaps, isEncoded }]);
		count++;
	}

	/**
	 * Hides the secrets in a text. A text that would cost too much to look through, which only one
	 * made for it does, is masked as a whole.
	 */
	function maskText(whole: string): string {
		const bare = stripSeparators(whole);
		const { text, places } = bare;
		let [masked, shown, end] = ["", 0, 0];
		let left = COMPARED_MIN + COMPARED_PER_CHAR * text.length;
		for (let at = 0; at + SECRET_MIN <= text.length; at++) {
			if (starts[text.charCodeAt(at)] === 0) continue;
			for (const length of lengths.get(text.slice(at, at + SECRET_MIN)) ?? []) {
				if (at + length > text.length) continue;
				left -= length;
				if (left < 0) return MASKED;
				const forms = byText.get(text.slice(at, at + length));
				const form = forms?.find((one) => hasSameGaps(whole, bare, at, length, one));
				if (form === undefined) continue;
				let from = places[at] ?? 0;
				let to = (places[at + length - 1] ?? 0) + 1;
				if (form.isEncoded) {
					while (from > shown && ENCODED.test(whole.charAt(from - 1))) from--;
					to = Math.max(to, end);
					while (to < whole.length && (ENCODED.test(whole.charAt(to)) || whole.charAt(to) === "=")) to++;
				}
				// Matches that overlap become one mask.
				const isJoined = form.isEncoded && end > 0 && from === end;
				if (from >= end && !isJoined) masked += whole.slice(shown, from) + MASKED;
				end = Math.max(end, to);
				shown = end;
				break;
			}
		}
		return shown === 0 ? whole : masked + whole.slice(shown);
	}

	return {
		add(secret: string): void {
			if (secret.length < SECRET_MIN) return;
			const spellings =
				count < FORMS_MAX ? listSpellings(secret) : new Set([secret, escapeJson(secret), escapePython(secret)]);
			for (const spelling of spellings) addForm(spelling, false);
			if (count >= FORMS_MAX) return;
			for (const encoding of listEncodings(secret)) if (!spellings.has(encoding)) addForm(encoding, true);
		},
		/** The identity where there is nothing to mask. */
		mask: (): Mask => (count === 0 ? (text) => text : maskText),
	};
}

/** A mask of few secrets. */
export function createMask(secrets: Iterable<string>): Mask {
	const forms = createForms();
	for (const secret of new Set(secrets)) forms.add(secret);
	return forms.mask();
}

/** A mask of any number of secrets. They are spelled in turns, so that other work goes on. */
export async function createLargeMask(secrets: Iterable<string>): Promise<Mask> {
	const forms = createForms();
	let spelled = 0;
	for (const secret of new Set(secrets)) {
		if (++spelled % SPELLED_AT_ONCE === 0) await turn();
		forms.add(secret);
	}
	return forms.mask();
}

/** The same value with its texts masked, and the names of its fields. */
export function maskTexts(value: unknown, mask: Mask): unknown {
	if (typeof value === "string") return mask(value);
	if (Array.isArray(value)) return value.map((one) => maskTexts(one, mask));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [mask(name), maskTexts(one, mask)]));
}

/** As `maskTexts`; a number or a boolean that is a secret's text is masked, too. */
export function maskValues(value: unknown, mask: Mask): unknown {
	if (Array.isArray(value)) return value.map((one) => maskValues(one, mask));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [mask(name), maskValues(one, mask)]));
	}
	if (typeof value === "string") return mask(value);
	const text = String(value);
	return mask(text) === text ? value : MASKED;
}
