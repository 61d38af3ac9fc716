/**
 * Phrases in the texts of the web UI, which are read from the syntax trees of its sources.
 * `WEFT_TEXTS=FILE` writes all texts to a file. Also proves that it finds planted texts.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = "web/src";

interface Node {
	readonly type: string;
	readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
	typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Attributes whose strings the UI does not show. */
const SILENT = /^(className|class|to|path|id|key|type|rel|href|d|viewBox|role|name|value|mode|autoComplete|form)$/;
/** Texts that the UI shows: several words, or one word that begins with a capital letter. */
const READABLE = /^[A-Z][a-z]+$|^\S*[A-Za-z‹…"]\S*\s+\S/;
/** Classes of Tailwind. */
const MACHINE =
	/(?:^|\s)(?:[a-z-]+:)?(?:flex|grid|text-|bg-|border|px-|py-|m-0|min-w-|h-|w-|rounded|inline-|absolute|relative)/;

/** Lists the texts of elements, and the strings and templates with words, of a file. */
function listTexts(file: string, code: string): string[] {
	const found: string[] = [];
	const add = (text: string): void => {
		const plain = text.replace(/\s+/g, " ").trim();
		if (READABLE.test(plain) && !MACHINE.test(plain)) found.push(plain);
	};
	const visit = (value: unknown): void => {
		if (Array.isArray(value)) for (const each of value) visit(each);
		if (!isNode(value)) return;
		if (value.type.startsWith("Import") || value.type.startsWith("TS")) return;
		if (value.type === "JSXAttribute" && isNode(value.name) && SILENT.test(String(value.name.name))) return;
		if (value.type === "JSXText") add(String(value.value));
		if (value.type === "Literal" && typeof value.value === "string") add(value.value);
		if (value.type === "TemplateLiteral") {
			const quasis = value.quasis as readonly { readonly value: { readonly cooked: string } }[];
			add(quasis.map((part) => part.value.cooked).join("…"));
		}
		for (const member of Object.values(value)) visit(member);
	};
	visit(parseSync(file, code).program);
	return found;
}

function readCatalogue(): { readonly file: string; readonly texts: readonly string[] }[] {
	return readdirSync(join(root, SOURCES), { recursive: true, encoding: "utf8" })
		.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
		.map((name) => name.split(sep).join("/"))
		.sort()
		.map((file) => ({ file, texts: listTexts(file, readFileSync(join(root, SOURCES, file), "utf8")) }))
		.filter(({ texts }) => texts.length > 0);
}

/** Phrases that are not allowed in the UI, with the words to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
	[/\bTime Machine\b/, "Snapshots"],
	[/\bwhoever\b|\bsomebody\b/i, "the person or the role"],
	[/\bby itself\b/i, "the subject that acts"],
	[/\b(?:be|is|are) told\b/i, "notified"],
	[/\bso long as\b|\bas far as\b/i, "while, if"],
	[/\bbe had\b|\bhold against\b|\blook through\b|\bcome again\b|\btake the place of\b/i, "a standard term"],
	[/\bcontrollers? (?:group|switcher)\b/i, "fabric"],
	[/\bNo drift\b|\bViolated runs\b|\bUse these rows\b/, "the words of checks and comparisons"],
	[/\(s\)/, "a plural that is counted"],
	[/\b(?:utilise|utilize|please|simply|just click)\b/i, "the verb alone"],
	[/!$/, "a sentence without an exclamation mark"],
	[/\bcan not\b/, "cannot"],
];

describe("the texts of the UI", () => {
	it("come from elements, attributes, strings and templates, and not from class names", () => {
		const code = `
			const look = "flex items-center gap-2";
			export const A = () => <p className="m-0" title="What it is">Two words {x ? "Three more words" : ""}</p>;
			showToast(\`Saved \${name} now\`);`;
		expect(listTexts("a.tsx", code)).toEqual(["What it is", "Two words", "Three more words", "Saved … now"]);
	});

	it("use the words of the glossary", () => {
		const catalogue = readCatalogue();
		const path = process.env.WEFT_TEXTS;
		if (path !== undefined) {
			writeFileSync(path, catalogue.map(({ file, texts }) => `# ${file}\n${texts.join("\n")}\n`).join("\n"));
		}
		expect(catalogue.reduce((sum, { texts }) => sum + texts.length, 0)).toBeGreaterThan(2_000);
		const problems = catalogue.flatMap(({ file, texts }) =>
			texts.flatMap((text) =>
				BANNED.filter(([pattern]) => pattern.test(text)).map(([, better]) => `${file}: "${text}" (say ${better})`),
			),
		);
		expect(problems).toEqual([]);
	});
});
