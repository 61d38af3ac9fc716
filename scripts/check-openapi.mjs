/**
 * Checks docs/openapi.json with two linters, and compiles a client that is generated from it. The tools are no dependencies of
 * the project: together they are 270 packages, and openapi-typescript needs another compiler than the project has. npm fetches
 * these versions for the run.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const DOCUMENT = "docs/openapi.json";
const REDOCLY = "@redocly/cli@2.77.0";
const SPECTRAL = "@stoplight/spectral-cli@6.16.3";
const GENERATOR = "openapi-typescript@7.13.0";
/** No usage reports, and no search for newer versions. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", SCARF_ANALYTICS: "false" };

/** Options of the compiler. */
const OPTIONS = {
	strict: true,
	exactOptionalPropertyTypes: true,
	skipLibCheck: false,
	noEmit: true,
	module: "nodenext",
	allowImportingTsExtensions: true,
	types: [],
};

/** A program that compiles only if the operations, the open objects and the error bodies are usable. */
const PROGRAM = `import type { components, paths } from "./client.d.ts";

type Create = paths["/api/queries/saved-queries/"]["post"];
export const canvas: Create["requestBody"]["content"]["application/json"]["flow_data"] = {
	nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvTenant" } }],
	edges: [{ id: "e", source: "a", target: "b", animated: true }],
	viewport: { zoom: 1 },
};
type Plan = paths["/api/queries/saved-queries/generate-query/"]["post"]["requestBody"]["content"]["application/json"];
export const planned: Plan["flow_data"] = canvas;
export const conflict: Create["responses"][409]["content"]["application/json"] = { detail: "Exists.", id: 1 };
export const refused: components["schemas"]["BadRequest"] = { name: ["This field is required."] };
`;

/** 0, or the status of the first check that failed. */
export function checkOpenApi() {
	return (
		runTool(REDOCLY, "redocly", ["lint", DOCUMENT, "--max-problems=50"]) ||
		runTool(SPECTRAL, "spectral", ["lint", DOCUMENT, "--fail-severity=warn"]) ||
		compileClient()
	);
}

function compileClient() {
	const folder = mkdtempSync(join(tmpdir(), "weft-client-"));
	try {
		const generated = runTool(GENERATOR, "openapi-typescript", [DOCUMENT, "--output", join(folder, "client.d.ts")]);
		if (generated !== 0) return generated;
		writeFileSync(join(folder, "program.ts"), PROGRAM);
		writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, files: ["program.ts"] }));
		const compiler = join(root, "node_modules/typescript");
		const { bin } = JSON.parse(readFileSync(join(compiler, "package.json"), "utf8"));
		return runCommand(process.execPath, [join(compiler, bin.tsc), "--project", folder]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function runTool(spec, name, args) {
	const npm = ["exec", "--yes", `--package=${spec}`, "--", name, ...args];
	const cli = process.env.npm_execpath;
	return cli ? runCommand(process.execPath, [cli, ...npm]) : runCommand("npm", npm);
}

function runCommand(command, args) {
	const { status, error } = spawnSync(command, args, {
		cwd: root,
		stdio: "inherit",
		env: { ...process.env, ...QUIET },
	});
	if (error) throw error;
	return status ?? 1;
}
