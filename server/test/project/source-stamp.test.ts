/** The digest by which `npm run` knows whether the build is up to date. */
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashSources } from "../../../scripts/source-stamp.mjs";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "weft-stamp-"));
	mkdirSync(join(folder, "one/src/deep"), { recursive: true });
	writeFileSync(join(folder, "one/src/a.ts"), "export const a = 1;\n");
	writeFileSync(join(folder, "one/src/deep/b.ts"), "export const b = 1;\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const computeStamp = (name: string) => hashSources(join(folder, name), [join(folder, name, "src")]);
function copySources(name: string): string {
	cpSync(join(folder, "one"), join(folder, name), { recursive: true });
	return join(folder, name, "src");
}

describe("the stamp of a build", () => {
	it("is the same in a copy of the tree, with other times", () => {
		const src = copySources("two");
		utimesSync(join(src, "a.ts"), 1, 1);
		expect(computeStamp("two")).toBe(computeStamp("one"));
	});

	it.each<[string, (src: string) => void]>([
		["a content of the same size", (src) => writeFileSync(join(src, "a.ts"), "export const a = 2;\n")],
		["the name of a file", (src) => renameSync(join(src, "a.ts"), join(src, "c.ts"))],
		["the folder of a file", (src) => renameSync(join(src, "a.ts"), join(src, "deep/a.ts"))],
		["a file more", (src) => writeFileSync(join(src, "d.ts"), "")],
		["a file less", (src) => rmSync(join(src, "a.ts"))],
	])("changes with %s", (name, change) => {
		change(copySources(name));
		expect(computeStamp(name)).not.toBe(computeStamp("one"));
	});
});
