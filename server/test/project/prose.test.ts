/** Width and phrases of comments, and words of code. Also proves that it detects violations. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const COLUMNS = 100;
/** Columns of a tab, as the formatter counts them. */
const TAB = 2;
/** Words that no line of a source has: names, strings and titles of tests included. */
const WORDS = /somebody|whoever/i;
/** The files that define such words. */
const DEFINITIONS = ["server/test/project/prose.test.ts", "server/test/project/ui-texts.test.ts"];
const PHRASES =
	/\b(whoever|whomever|somebody|as it comes|by and by|told|looked through|asked of|what (?:is|was|are|were))\b/i;

const FOLDERS = [
	"bench/src",
	"cli",
	"contracts/src",
	"demo/src",
	"lab/src",
	"scripts/publish",
	"sdk",
	"server/src",
	"server/test",
	"web",
];

function listSources(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
		.filter((path) => !/\/(node_modules|dist|bundle)\//.test(path));
}

/** Each problem of a file's comment lines as a sentence with its place. */
function findProblems(path: string, text: string): string[] {
	return text.split("\n").flatMap((line, index) => {
		if (!/^\s*(\/\/|\/\*|\*)/.test(line)) return [];
		const place = `${path}:${index + 1}`;
		// The linter reads its directives from one line.
		const width = line.includes("biome-ignore") ? 0 : line.replaceAll("\t", " ".repeat(TAB)).length;
		const phrase = PHRASES.exec(line)?.[0];
		return [
			...(width > COLUMNS ? [`${place} has ${width} columns`] : []),
			...(phrase === undefined ? [] : [`${place} says "${phrase}"`]),
		];
	});
}

/** Each such word of a file as a sentence with its place. */
const findWords = (path: string, text: string): string[] =>
	text.split("\n").flatMap((line, index) => {
		const word = WORDS.exec(line)?.[0];
		return word === undefined ? [] : [`${path}:${index + 1} says "${word}"`];
	});

const files = FOLDERS.flatMap(listSources);

describe("comments", () => {
	it("are checked without code: planted problems are found", () => {
		expect(files).toContain("demo/src/main.ts");
		expect(findProblems("a.ts", `// ${"x".repeat(COLUMNS)}`)).toHaveLength(1);
		expect(findProblems("a.ts", "/** Of whoever asks. */")).toEqual(['a.ts:1 says "whoever"']);
		expect(findProblems("a.ts", " * what was read")).toHaveLength(1);
		expect(findProblems("a.ts", 'const text = "whoever";')).toEqual([]);
	});

	it("are narrow and plain", () => {
		const found = files.flatMap((path) => findProblems(path, readFileSync(join(root, path), "utf8")));
		expect(found).toEqual([]);
	});
});

describe("lines of code", () => {
	it("are checked with their names, strings and titles: planted words are found", () => {
		expect(findWords("a.ts", 'it("by whoever asks", () => {});')).toEqual(['a.ts:1 says "whoever"']);
		expect(findWords("a.ts", "const ok = true;\nconst isSomebodyElse = true;")).toEqual(['a.ts:2 says "Somebody"']);
	});

	it("name the person or the role", () => {
		const found = files
			.filter((path) => !DEFINITIONS.includes(path))
			.flatMap((path) => findWords(path, readFileSync(join(root, path), "utf8")));
		expect(found).toEqual([]);
	});
});
