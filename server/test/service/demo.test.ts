/** `npm run demo -- --exit`, on an empty folder and again over what the first one left. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { DEMO_DIST, run } from "../support/process.ts";

let folder: string | undefined;
afterEach(async () => {
	if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

it("tells its story to the end, twice", async () => {
	folder = await mkdtemp(join(tmpdir(), "weft demo "));
	for (let i = 0; i < 2; i++) {
		const { ended, output } = run("main", folder, { WEFT_PORT: "0" }, ["--exit"], DEMO_DIST);
		expect(await ended, output.stderr).toBe(0);
		expect(output.stderr).toBe("");
		expect(output.stdout).toMatch(/37 objects in \d+ ms, kept as a snapshot/);
		expect(output.stdout).toMatch(/1 added, 1 deleted, 4 modified/);
		expect(output.stdout).toMatch(/ {5}\+ uni\/tn-/);
		expect(output.stdout).toMatch(/the group "Both fabrics"\n {5}74 objects; of \d+ DNs \d+ are in one fabric only/);
		expect(output.stdout).toMatch(/Second fabric: failing, 3 do not\n {5}Demo fabric: failing, 5 do not/);
	}
});
