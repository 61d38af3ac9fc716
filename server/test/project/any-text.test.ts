/** No test accepts any text where it checks a message. Also proves that it detects violations. */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = ["contracts/src", "sdk", "cli", "lab", "server/src", "server/test", "web/src", "web/e2e"];
/** A pattern that each text matches. In `route` and `unroute` of a page it means each address. */
const ANY_TEXT = /(?<!route\()\/\.[+*]?\/[),\]]/;

const tests = FOLDERS.flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
		.map((name) => `${folder}/${name.split(sep).join("/")}`)
		.filter((path) => /\.test\.tsx?$/.test(path) && !/\/(node_modules|dist|any-text)\b/.test(path)),
);

describe("tests", () => {
	it("are read, and planted violations are found", () => {
		expect(tests).toContain("server/test/runs/hostile.test.ts");
		for (const text of ["expect.stringMatching(/./)", '["is busy", /.+/]', "refused(/.*/, 1)"])
			expect(text).toMatch(ANY_TEXT);
		expect("page.route(/./, abort)").not.toMatch(ANY_TEXT);
	});

	it("pin a part of each message that they check", () =>
		expect(tests.filter((path) => ANY_TEXT.test(readFileSync(join(root, path), "utf8")))).toEqual([]));
});
