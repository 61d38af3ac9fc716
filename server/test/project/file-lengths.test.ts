/** Lengths of files. Also proves that it detects violations. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const LINES = 400;
const FOLDERS = ["bench", "cli", "contracts", "demo", "examples", "lab", "scripts", "sdk", "server", "web"];

function listSources(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(tsx?|mts|mjs)$/.test(entry.name))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
		.filter((path) => !/\/(node_modules|dist|bundle|release)\//.test(path));
}

/** Returns a sentence if the file is too long. */
function findExcess(path: string, text: string): string[] {
	const count = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
	return count > LINES ? [`${path} has ${count} lines`] : [];
}

describe("source files, those of tests too", () => {
	const files = FOLDERS.flatMap(listSources);

	it("are measured: a planted excess is found", () => {
		expect(files).toContain("server/test/project/file-lengths.test.ts");
		expect(files).toContain("web/e2e/walk.test.ts");
		expect(findExcess("a.ts", "x\n".repeat(LINES))).toEqual([]);
		expect(findExcess("a.ts", `${"x\n".repeat(LINES)}x`)).toEqual(["a.ts has 401 lines"]);
	});

	it("have at most 400 lines", () => {
		expect(files.flatMap((path) => findExcess(path, readFileSync(join(root, path), "utf8")))).toEqual([]);
	});
});
