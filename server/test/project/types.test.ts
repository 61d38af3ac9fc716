/** The types that the build writes down for other workspaces. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const WORKSPACES = ["contracts", "sdk", "server", "cli", "lab", "demo"];
/** The contracts of all routes are 1.6 MB. */
const MOST_BYTES = 3 * 1024 ** 2;

const listTypeFiles = (workspace: string): string[] =>
	readdirSync(join(root, workspace, "dist"), { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".d.ts"))
		.map((name) => `${workspace}/dist/${name}`);

describe("a file of types", () => {
	it("has no type that is inferred at a length which slows every build", () => {
		const files = WORKSPACES.flatMap(listTypeFiles);
		expect(files.length).toBeGreaterThan(500);
		expect(files.filter((file) => statSync(join(root, file)).size > MOST_BYTES)).toEqual([]);
	});
});
