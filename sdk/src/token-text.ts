/** Checks the text of a token before a header is made of it, whose error would repeat it. */

const NAMES: ReadonlyMap<number, string> = new Map([
	[0x09, "a tab"],
	[0x0a, "a line feed"],
	[0x0d, "a carriage return"],
	[0x20, "a space"],
	[0x22, "a quotation mark"],
	[0xa0, "a no-break space"],
	[0xad, "a soft hyphen"],
	[0x200b, "a zero width space"],
	[0x200c, "a zero width non-joiner"],
	[0x200d, "a zero width joiner"],
	[0x200e, "a left-to-right mark"],
	[0x200f, "a right-to-left mark"],
	[0x2026, "an ellipsis"],
	[0x2060, "a word joiner"],
	[0xfeff, "a byte order mark"],
]);

/**
 * Names the first character that no token has, and its place; null if there is none. Does not
 * repeat the token.
 */
export function findTokenProblem(token: string): string | null {
	const characters = [...token];
	const at = characters.findIndex((character) => !/^[!#-~]$/.test(character));
	if (at < 0) return null;
	const code = characters[at]?.codePointAt(0) ?? 0;
	const name = NAMES.get(code);
	const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
	const shown = name === undefined ? point : `${name} (${point})`;
	return `has ${shown} as character ${at + 1} of ${characters.length}, which no token has. Copy the token again.`;
}
