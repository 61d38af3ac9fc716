/** Reads a JSON document with rows, each row as its original text. Pure. */

/** Requires valid JSON. Rows are the elements of the member, or of its `imdata` if that exists. */
export function readDocument(text: string, member: string): { about: unknown; rows: string[] } {
	const members = [...getParts(text)].map(getMember);
	const [, held = "[]"] = members.find(([name]) => name === member) ?? [];
	const about = Object.fromEntries(
		members.filter(([name]) => name !== member).map(([name, value]) => [name, JSON.parse(value)]),
	);
	return { about, rows: getRows(held) };
}

function getRows(held: string): string[] {
	if (held.startsWith("[")) return [...getParts(held)];
	if (!held.startsWith("{")) return [held];
	const [, inner] = [...getParts(held)].map(getMember).find(([name]) => name === "imdata") ?? [];
	return inner?.startsWith("[") ? [...getParts(inner)] : [held];
}

const NAME = /^"(?:[^"\\]|\\.)*"/;

function getMember(part: string): [name: string, value: string] {
	const [name = '""'] = NAME.exec(part) ?? [];
	return [JSON.parse(name), part.slice(part.indexOf(":", name.length) + 1).trim()];
}

/** What stands between the outermost brackets, cut at their commas. */
export function* getParts(text: string): Generator<string> {
	let depth = 0;
	let from = 0;
	const cut = (to: number) => text.slice(from, to).trim();
	for (let at = 0; at < text.length; at++) {
		const letter = text[at];
		if (letter === '"') at = endOfText(text, at);
		else if (letter === "{" || letter === "[") {
			if (++depth === 1) from = at + 1;
		} else if (letter === "}" || letter === "]") {
			if (--depth > 0) continue;
			const last = cut(at);
			if (last !== "") yield last;
			return;
		} else if (letter === "," && depth === 1) {
			yield cut(at);
			from = at + 1;
		}
	}
}

/** The place of the quote that ends the text which begins here. */
function endOfText(text: string, start: number): number {
	let at = text.indexOf('"', start + 1);
	while (at !== -1) {
		let slashes = 0;
		while (text[at - 1 - slashes] === "\\") slashes++;
		if (slashes % 2 === 0) return at;
		at = text.indexOf('"', at + 1);
	}
	return text.length;
}
