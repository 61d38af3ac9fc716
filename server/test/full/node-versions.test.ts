/** The build on the supported releases of Node.js, whose programs are packages of npm. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { NPM_SETTINGS, npm, root } from "../support/packed.ts";

const execute = promisify(execFile);
const RELEASES = ["22", "24", "26"];
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WEFT_")));

/** Null where npm has no such program for this machine, or cannot be reached. */
async function fetchNode(release: string, folder: string): Promise<string | null> {
	const env = { ...environment, ...NPM_SETTINGS };
	try {
		await execute(
			npm,
			["install", "--no-save", "--prefix", folder, `node-${process.platform}-${process.arch}@${release}`],
			{ cwd: folder, env },
		);
	} catch {
		return null;
	}
	const { stdout } = await execute("find", [folder, "-path", "*/bin/node", "-type", "f", "-size", "+1M"]);
	return stdout.split("\n")[0] || null;
}

describe.each(RELEASES)("Node.js %s", (release) => {
	it("runs the service from its first start to a comparison, and the command line", async (context) => {
		const folder = await mkdtemp(join(tmpdir(), "weft-node-"));
		try {
			const node = await fetchNode(release, folder);
			if (node === null) return context.skip(`npm gives no Node.js ${release} here`);
			expect((await execute(node, ["--version"])).stdout).toMatch(new RegExp(`^v${release}\\.`));
			const env = { ...environment, WEFT_DATA_DIR: join(folder, "data"), WEFT_PORT: "0" };
			const demo = await execute(node, [join(root, "demo/dist/main.js"), "--exit"], { cwd: folder, env });
			expect(demo).toMatchObject({ stdout: expect.stringContaining("2 added, 0 deleted, 0 modified"), stderr: "" });
			const version = await execute(node, [join(root, "cli/bundle/weft.js"), "--version"], { cwd: folder, env });
			expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});
});
