/**
 * What every `npm run` goes through: brings dependencies and build up to date when they are not, then runs the part.
 * Uses nothing but Node itself, for in a fresh clone there is nothing else.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkOpenApi } from "./check-openapi.mjs";
import { buildContainers } from "./container.mjs";
import { writeDependencies } from "./dependencies.mjs";
import { auditDependencies } from "./dependency-audit.mjs";
import { runFullTests } from "./full-tests.mjs";
import { copyApiViewers } from "./publish/api-viewers.mjs";
import { printMessage } from "./publish/command.mjs";
import { writeHelpLicences } from "./publish/help-site.mjs";
import { buildRelease } from "./release.mjs";
import { hashSources } from "./source-stamp.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const WORKSPACES = ["contracts", "sdk", "cli", "server", "lab", "demo", "bench"];
/** Workspaces that are published, each bundled by its vite.config.ts. */
const BUNDLES = ["sdk", "cli", "server"];
/** What the web UI is built from. */
const WEB = ["web/src", "web/build", "web/public", "web/index.html", "web/vite.config.ts", "contracts/src", "sdk/src"];
/** Parts that do without it; of the benchmarks one looks at it. */
const NO_WEB = ["admin", "lab", "check", "openapi", "bench"];
const WEB_BENCH = "frames";
const HELP_DIST = "docs/.vitepress/dist";
const stamps = join(root, "node_modules", ".weft");

const PARTS = {
	start: () => runNode("server/bundle/main.js"),
	demo: () => runNode("demo/dist/main.js"),
	lab: () => runNode("lab/dist/main.js"),
	admin: () => runNode("server/bundle/admin.js"),
	build: () => 0,
	budget: () => runNode("scripts/web-budget.mjs"),
	release: () => buildRelease(root, extra),
	container: () => buildContainers(root, extra),
	dependencies: () => writeDependencies(root),
	openapi: () => (extra.includes("--check") ? checkOpenApi() : runNode("server/dist/openapi.js")),
	check: () =>
		runAll(
			["biome", "check", "."],
			["tsc", "-p", "server/test"],
			["tsc", "-p", "web"],
			["tsc", "-p", "web/tsconfig.node.json"],
			["knip"],
			...(extra.includes("--no-tests") ? [] : [["vitest", "run", "--config", "vitest.quick.config.ts"]]),
		) || auditDependencies(root),
	test: () => runBin("vitest", ["run", "--project", "walk", "--project", "service", "--project", "web", ...extra]),
	"test:browser": () => runBin("vitest", ["run", "--project", "browser", ...extra]),
	"test:full": () => runFullTests(extra),
	"test:cluster": () => runClusterTests("server/test/cluster"),
	"test:faults": () => runClusterTests("server/test/faults"),
	bench: () => runNode("bench/dist/main.js"),
};

const [, , part, ...extra] = process.argv;
if (!Object.hasOwn(PARTS, part)) exitWithError(`Unknown part "${part}".`);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19))
	exitWithError(`Node 20.19 or newer is needed; this is ${process.version}.`);
installDependencies();
buildAll();
const drawn = part === "bench" && (extra.length === 0 || extra.includes(WEB_BENCH));
if (!NO_WEB.includes(part) || drawn) {
	buildWeb();
	buildHelp();
}
const status = await PARTS[part]();
if (status !== undefined) process.exit(status);

function runClusterTests(folder) {
	// Names of files select among those of the folder.
	const names = extra.filter((argument) => !argument.startsWith("-")).map((name) => `${folder}/${name}`);
	const options = extra.filter((argument) => argument.startsWith("-"));
	const files = names.length === 0 ? [folder] : names;
	return runBin("vitest", ["run", "--config", "vitest.cluster.config.ts", ...files, ...options]);
}

function installDependencies() {
	const wanted = createHash("sha256")
		.update(readFileSync(join(root, "package-lock.json")))
		.digest("hex");
	if (readStamp("install") === wanted) return;
	printMessage("installing dependencies");
	const status = runNpm(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
	if (status !== 0) exitWithError("The dependencies could not be installed.");
	writeStamp("install", wanted);
}

function buildAll() {
	const wanted = computeSourcesStamp();
	const folders = [
		...WORKSPACES.map((name) => join(name, "dist")),
		...BUNDLES.map((name) => join(name, "bundle")),
		"server/assets",
	];
	const complete = folders.every((folder) => existsSync(join(root, folder)));
	if (complete && readStamp("build") === wanted) return;
	printMessage("building");
	// What was compiled from a file that is gone must not stay.
	for (const name of WORKSPACES) {
		rmSync(join(root, name, "dist"), { recursive: true, force: true });
		rmSync(join(root, name, "tsconfig.tsbuildinfo"), { force: true });
	}
	if (runBin("tsc", ["-b"]) !== 0) exitWithError("The build failed.");
	copyApiViewers(root);
	for (const name of BUNDLES) {
		if (runBin("vite", ["build", name, "--logLevel", "warn"]) !== 0)
			exitWithError(`The bundle of ${name} could not be built.`);
	}
	writeStamp("build", wanted);
}

/** The UI is made in a process of its own: what it takes is given back before the service starts. */
function buildWeb() {
	const wanted = computeStamp(WEB.map((path) => join(root, path)));
	if (existsSync(join(root, "web/dist/index.html")) && readStamp("web") === wanted) return;
	printMessage("building the web interface");
	rmSync(join(root, "web/dist"), { recursive: true, force: true });
	if (runBin("vite", ["build", "web", "--logLevel", "warn"]) !== 0)
		exitWithError("The web interface could not be built.");
	writeStamp("web", wanted);
}

function buildHelp() {
	const places = readdirSync(join(root, "docs")).filter((name) => name !== ".vitepress");
	const settings = readdirSync(join(root, "docs/.vitepress")).filter((name) => /\.m?ts$/.test(name));
	const wanted = computeStamp([
		...places.map((name) => join(root, "docs", name)),
		...settings.map((name) => join(root, "docs/.vitepress", name)),
	]);
	if (existsSync(join(root, HELP_DIST, "index.html")) && readStamp("help") === wanted) return;
	printMessage("building the help site");
	const built = spawnSync(process.execPath, [join(root, "node_modules/vitepress/bin/vitepress.js"), "build", "docs"], {
		cwd: root,
		encoding: "utf8",
	});
	if (built.status !== 0) exitWithError(`The help site could not be built. ${built.stderr}`);
	writeHelpLicences(root, join(root, HELP_DIST));
	writeStamp("help", wanted);
}

function computeSourcesStamp() {
	const folders = WORKSPACES.flatMap((name) => [join(root, name, "src"), join(root, name, "tsconfig.json")]);
	const bundles = [...BUNDLES.flatMap((name) => [`${name}/vite.config.ts`, `${name}/package.json`]), "scripts/publish"];
	return computeStamp([
		...folders,
		...[...bundles, "contracts/package.json", "tsconfig.base.json"].map((path) => join(root, path)),
	]);
}

function computeStamp(places) {
	return hashSources(root, [join(root, "package-lock.json"), ...places]);
}

function readStamp(name) {
	const path = join(stamps, name);
	return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function writeStamp(name, value) {
	mkdirSync(stamps, { recursive: true });
	writeFileSync(join(stamps, name), value);
}

function runAll(...commands) {
	for (const [name, ...args] of commands) {
		const status = runBin(name, args);
		if (status !== 0) return status;
	}
	return 0;
}

/** A program of the dependencies, run by this Node. */
function runBin(name, args) {
	return runProgram(process.execPath, [getProgram(name), ...args], root);
}

function getProgram(name) {
	const packages = { biome: "@biomejs/biome", tsc: "typescript" };
	const folder = join(root, "node_modules", packages[name] ?? name);
	const { bin: bins } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	return join(folder, typeof bins === "string" ? bins : bins[name]);
}

/** A part of the project, in this very process: signals reach it without a go-between. */
async function runNode(file) {
	process.argv = [process.argv[0], join(root, file), ...extra];
	await import(pathToFileURL(join(root, file)).href);
}

function runNpm(args) {
	const cli = process.env.npm_execpath;
	if (cli) return runProgram(process.execPath, [cli, ...args], root);
	return runProgram(process.platform === "win32" ? "npm.cmd" : "npm", args, root);
}

function runProgram(command, args, cwd) {
	const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit" });
	if (error) exitWithError(error.message);
	return status ?? 1;
}

function exitWithError(text) {
	process.stderr.write(`weft: ${text}\n`);
	process.exit(1);
}
