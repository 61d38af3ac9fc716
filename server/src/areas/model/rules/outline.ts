/**
 * What the model's tables hold of a property, read from its stored line: nearly always from the
 * first bytes, without making texts of them.
 */
import type { ModelProperty } from "@weft/contracts";
import { flag } from "./flags.ts";
import type { createWords } from "./words.ts";

export interface PropertyOutline {
	/** Numbers of texts. */
	readonly name: number;
	readonly label: number;
	readonly flags: number;
}

type Outlined = Pick<ModelProperty, "name" | "label" | "required" | "naming" | "configurable">;

const NAME = Buffer.from('{"name":"');
const LABEL = Buffer.from('","label":"');
const REQUIRED = Buffer.from('","required":');
const NAMING = Buffer.from(',"naming":');
const CONFIGURABLE = Buffer.from(',"configurable":');
const [QUOTE, BACKSLASH, T] = [0x22, 0x5c, 0x74];
const [TRUE, FALSE] = ["true".length, "false".length];

/**
 * @param stringId the number of a text
 * @param words the same for texts that stand in lines; makes no string of one that it knows
 */
export function readOutline(
	stringId: (text: string) => number,
	words: ReturnType<typeof createWords<number>>,
	line: Buffer,
): PropertyOutline {
	words.trim();
	const name = skipWord(NAME, line, 0);
	const nameEnd = findTextEnd(line, name);
	const label = skipWord(LABEL, line, nameEnd);
	const labelEnd = findTextEnd(line, label);
	const required = skipWord(REQUIRED, line, labelEnd);
	const naming = skipWord(NAMING, line, findFlagEnd(line, required));
	const configurable = skipWord(CONFIGURABLE, line, findFlagEnd(line, naming));
	// Escapes, or a line of an earlier release, which wrote other things first.
	if (configurable < 0) return parseOutline(stringId, line);
	const flags = getFlags(line[required] === T, line[naming] === T, line[configurable] === T);
	return {
		name: words.word(words.id(line, name, nameEnd)),
		label: words.word(words.id(line, label, labelEnd)),
		flags,
	};
}

function parseOutline(stringId: (text: string) => number, line: Buffer): PropertyOutline {
	const { name, label, required, naming, configurable } = JSON.parse(line.toString()) as Outlined;
	return { name: stringId(name), label: stringId(label), flags: getFlags(required, naming, configurable) };
}

const getFlags = (required: boolean, naming: boolean, configurable: boolean): number =>
	(naming ? flag.naming : 0) | (configurable ? flag.settable : 0) | (required ? flag.required : 0);

// Offsets in a line; -1 means not found, and every function passes it on.

function skipWord(word: Buffer, line: Buffer, at: number): number {
	if (at < 0 || at + word.length > line.length) return -1;
	for (let place = 0; place < word.length; place++) if (line[at + place] !== word[place]) return -1;
	return at + word.length;
}

function findTextEnd(line: Buffer, at: number): number {
	if (at < 0) return -1;
	for (let place = at; place < line.length; place++) {
		if (line[place] === QUOTE) return place;
		if (line[place] === BACKSLASH) return -1;
	}
	return -1;
}

const findFlagEnd = (line: Buffer, at: number): number => (at < 0 ? -1 : at + (line[at] === T ? TRUE : FALSE));
