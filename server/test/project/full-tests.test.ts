/** Each file of the third tier belongs to one fifth, so that five deliveries run all of them. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FIFTHS, readRotation, WHOLE_ONLY } from "../../../scripts/full-tests.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = ["server/test/full", "web/e2e/full"];

describe("the tests of npm run test:full", () => {
	it("have five fifths, one of which the file rotation selects", () => {
		expect(FIFTHS).toHaveLength(5);
		expect([0, 1, 2, 3, 4]).toContain(readRotation());
	});

	it("name each file of their folders once", () => {
		const named = FIFTHS.flat().flatMap(({ files }) => files);
		const inFolders = named.filter((file) => FOLDERS.some((folder) => file.startsWith(folder)));
		const existing = FOLDERS.flatMap((folder) => {
			const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".test.ts"));
			return names.map((name) => `${folder}/${name}`);
		});
		expect(inFolders.sort()).toEqual(existing.sort());
	});

	it("name only files that exist", () => {
		const files = [...FIFTHS.flat(), ...WHOLE_ONLY].flatMap((run) => run.files);
		const missing = files.filter((file) => !existsSync(join(root, file)));
		expect(missing).toEqual([]);
	});
});
