import fc from "fast-check";
import { expect, test } from "vitest";
import { flag } from "./flags.ts";
import { readOutline } from "./outline.ts";
import { readProperty } from "./property.ts";
import { createWords } from "./words.ts";

function createOutlineReader() {
	const texts: string[] = [];
	const stringId = (text: string): number => {
		if (!texts.includes(text)) texts.push(text);
		return texts.indexOf(text);
	};
	const words = createWords(stringId);
	return (line: object) => {
		const { name, label, flags } = readOutline(stringId, words, Buffer.from(JSON.stringify(line)));
		return { name: texts[name], label: texts[label], flags };
	};
}

test("of any property", () => {
	const text = fc.oneof(fc.string(), fc.constantFrom('a ,"type": b', '"', "\\", "é", "\n", '","label":"'));
	const flags = fc.record({ isNaming: fc.boolean(), isConfigurable: fc.boolean(), uitype: fc.constant("string") });
	const buildOutline = createOutlineReader();
	fc.assert(
		fc.property(text, text, flags, (name, label, document) => {
			const property = readProperty(name, { ...document, label });
			const expected =
				(property.naming ? flag.naming : 0) |
				(property.configurable ? flag.settable : 0) |
				(property.required ? flag.required : 0);
			expect(buildOutline(property)).toEqual({ name, label: label.trim(), flags: expected });
			// Earlier releases wrote other things first.
			const { name: first, type, ...others } = property;
			expect(buildOutline({ name: first, type, ...others })).toEqual(buildOutline(property));
		}),
	);
});
