/** Names of functions start with a verb. Also proves that it detects violations. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VERBS } from "./verbs.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = [
	"bench/src",
	"cli",
	"contracts/src",
	"demo/src",
	"lab/src",
	"scripts",
	"sdk",
	"server/src",
	"server/test",
	"web",
];

/** A function declaration, a constant that holds an arrow function, or a method. */
const DECLARATIONS = [
	/\bfunction\*? (\w+)/g,
	/\b(?:const|let) (\w+)(?:: [^=;]+)? =\s(?:async )?(?:\(|<|\w+ =>|function\b)/g,
	/^\s+(?:async )?\*?(\w+)(?:<[^>]*>)?\([^;]*\{$/gm,
];

function listSources(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
		.filter((path) => !/\/(node_modules|dist|bundle)\//.test(path));
}

/** The functions of a text that are named by a noun and "Of", as `file: name`. */
function listNounNames(path: string, text: string): string[] {
	return DECLARATIONS.flatMap((pattern) => [...text.matchAll(pattern)])
		.map(([, name = ""]) => name)
		.filter((name) => /[a-z]Of$/.test(name))
		.map((name) => `${path}: ${name}`);
}

/** A function declaration, or a constant of a module that holds a function. */
const NAMED = [
	/^(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm,
	/^(?:export )?const (\w+)(?:: [^=;]+)? =\s(?:async )?(?:\([^()]*\)(?:: [^=]+)? =>|<|\w+ =>|function\b)/gm,
];
/** Names that the language, a library or mathematics fixes, and a published one of the SDK. */
const FIXED = ["gcd", "main", "setup", "watch"];

/** The functions of a module that are named by one word, as `file: name`. */
function listOneWordNames(path: string, text: string): string[] {
	return NAMED.flatMap((pattern) => [...text.matchAll(pattern)])
		.map(([, name = ""]) => name)
		.filter((name) => /^[a-z][a-z0-9]*$/.test(name) && !FIXED.includes(name))
		.map((name) => `${path}: ${name}`);
}

/** The functions of a module whose names begin with another word than a verb, as `file: name`. */
function listVerblessNames(path: string, text: string): string[] {
	return NAMED.flatMap((pattern) => [...text.matchAll(pattern)])
		.map(([, name = ""]) => name)
		.filter((name) => /^[a-z]/.test(name) && !FIXED.includes(name) && !VERBS.has(/^[a-z]+/.exec(name)?.[0] ?? ""))
		.map((name) => `${path}: ${name}`);
}

describe("names of functions", () => {
	it("are found in declarations, constants and methods", () => {
		expect(listNounNames("a.ts", "export function rowsOf(x: number) {}")).toEqual(["a.ts: rowsOf"]);
		expect(listNounNames("a.ts", "const rowsOf = async (x: number) => x;")).toEqual(["a.ts: rowsOf"]);
		expect(listNounNames("a.ts", "const rowsOf: Reader = (x) => x;")).toEqual(["a.ts: rowsOf"]);
		expect(listNounNames("a.ts", "\tasync rowsOf(x: number) {")).toEqual(["a.ts: rowsOf"]);
		expect(listNounNames("a.ts", "const at = list.indexOf(x);\nconst classOf = new Map();")).toEqual([]);
	});

	it("all named functions are verb and object", () => {
		expect(listOneWordNames("a.ts", "export async function show(x: number) {}")).toEqual(["a.ts: show"]);
		expect(listOneWordNames("a.ts", "const show = (x: number) => x;")).toEqual(["a.ts: show"]);
		expect(listOneWordNames("a.ts", "const show = (1 + 2) * 3;\n\tconst inner = () => 1;")).toEqual([]);
		const found = FOLDERS.flatMap(listSources).flatMap((path) =>
			listOneWordNames(path, readFileSync(join(root, path), "utf8")),
		);
		expect(found).toEqual([]);
	});

	it("begin with a verb", () => {
		expect(listVerblessNames("a.ts", "export function nextRun(x: number) {}")).toEqual(["a.ts: nextRun"]);
		expect(listVerblessNames("a.ts", "const nextRun = (x: number) => x;")).toEqual(["a.ts: nextRun"]);
		expect(listVerblessNames("a.ts", "function computeNextRun() {}\nfunction Page() {}")).toEqual([]);
		const found = FOLDERS.flatMap(listSources).flatMap((path) =>
			listVerblessNames(path, readFileSync(join(root, path), "utf8")),
		);
		expect(found).toEqual([]);
	});

	it("start with a verb instead of ending in a preposition", () => {
		const files = FOLDERS.flatMap(listSources);
		expect(files).toContain("server/src/main.ts");
		const found = files
			.filter((path) => path !== "server/test/project/names.test.ts")
			.flatMap((path) => listNounNames(path, readFileSync(join(root, path), "utf8")));
		expect(found).toEqual([]);
	});
});
