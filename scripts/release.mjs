/**
 * `npm run release [-- --dry-run] [--folder FOLDER]`: makes the packages of npm in the folder release/, with a software bill of
 * materials and checksums, and publishes them; with --dry-run it publishes nothing.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "./publish/command.mjs";
import { HELP_PARTS } from "./publish/help-site.mjs";

/** What a package takes of the fields of its workspace. */
const FIELDS = ["name", "version", "license", "type", "dependencies", "optionalDependencies"];
/** Compiled programs without their source maps and declarations. */
const isProgram = (path) => !/\.(map|d\.ts)$/.test(path);

export function buildRelease(root, options) {
	const { values } = parseArgs({
		args: options,
		options: {
			"dry-run": { type: "boolean", default: false },
			folder: { type: "string", default: join(root, "release") },
		},
	});
	const isDryRun = values["dry-run"];
	if (!isDryRun && runCommand("git", ["status", "--porcelain"], root) !== "") {
		throw new Error("The checkout has changes that are not committed. Commit them, or use --dry-run.");
	}
	const folder = resolve(values.folder);
	const staged = join(folder, "staged");
	for (const name of listNames(folder)) rmSync(join(folder, name));
	mkdirSync(staged, { recursive: true });
	stageServer(root, join(staged, "server"));
	stageLab(root, join(staged, "lab"));
	const packages = [join(staged, "server"), join(staged, "lab"), join(root, "sdk"), join(root, "cli")];
	for (const place of packages) runNpm(["pack", "--silent", "--pack-destination", folder], place);
	rmSync(staged, { recursive: true });
	writeBillOfMaterials(root, folder);
	writeChecksums(folder);
	const tarballs = listNames(folder).filter((name) => name.endsWith(".tgz"));
	if (!isDryRun) for (const name of tarballs) runNpm(["publish", "--access", "public", join(folder, name)], root);
	process.stdout.write(readFileSync(join(folder, "SHA256SUMS"), "utf8"));
	return 0;
}

/**
 * Contracts, client, simulators and demo have no version of their own to match: they are inside the package. The service itself is
 * a bundle, which contains the packages that it needs but for those with machine code.
 */
function stageServer(root, place) {
	const inside = ["contracts", "sdk", "lab", "demo"];
	const needed = [
		"@node-rs/argon2",
		...inside.flatMap((name) => Object.keys(getManifest(root, name).dependencies ?? {})),
	];
	writeManifest(root, "server", place, {
		description: "Query data-centre fabrics (Cisco ACI), keep every answer, and see what changed",
		bin: { "weft-server": "bin/weft-server.mjs" },
		exports: { ".": "./dist/index.js" },
		keepsDependency: (name) => needed.includes(name),
		files: ["bin", "deploy", "dist", "gallery", "migrations", "assets", "web", "help"],
		bundleDependencies: inside.map((name) => `@weft/${name}`),
		addDependencies: Object.fromEntries(inside.map((name) => [`@weft/${name}`, getManifest(root, name).version])),
	});
	cpSync(join(root, "scripts/publish/weft-server.mjs"), join(place, "bin/weft-server.mjs"));
	cpSync(join(root, "scripts/publish/server-readme.md"), join(place, "README.md"));
	for (const name of ["weft.service", "weft.env.example", "nginx.conf", "alerts.yaml"]) {
		cpSync(join(root, "deploy", name), join(place, "deploy", name));
	}
	// The bundle lies where services and units of systemd look for the programs.
	copyPrograms(join(root, "server/bundle"), join(place, "dist"));
	cpSync(join(root, "server/migrations"), join(place, "migrations"), { recursive: true });
	// Fixtures are for tests only.
	const isShipped = (path) => !path.endsWith(".fixture.yaml");
	cpSync(join(root, "server/gallery"), join(place, "gallery"), { recursive: true, filter: isShipped });
	cpSync(join(root, "server/assets"), join(place, "assets"), { recursive: true });
	copyPrograms(join(root, "web/dist"), join(place, "web"));
	copyPrograms(join(root, "docs/.vitepress/dist"), join(place, "help"));
	for (const name of inside) {
		const target = join(place, "node_modules/@weft", name);
		const built = name === "sdk" ? "bundle" : "dist";
		writeManifest(root, name, target, { main: `./${built}/main.js` });
		copyPrograms(join(root, name, built), join(target, built));
	}
}

function stageLab(root, place) {
	writeManifest(root, "lab", place, {
		description: "Simulators of a Cisco ACI controller and of an AWX automation server, for Weft",
		bin: { "weft-lab": "dist/main.js" },
		files: ["dist", "README.md"],
	});
	copyPrograms(join(root, "lab/dist"), join(place, "dist"));
	cpSync(join(root, "lab/README.md"), join(place, "README.md"));
}

/** Writes package.json and the licence. Dependencies on other workspaces are dropped: those are inside, or not needed. */
function writeManifest(root, workspace, place, { addDependencies = {}, keepsDependency = () => true, ...fields }) {
	const manifest = getManifest(root, workspace);
	const kept = Object.fromEntries(FIELDS.flatMap((field) => (manifest[field] ? [[field, manifest[field]]] : [])));
	const outside = Object.entries(manifest.dependencies ?? {}).filter(
		([name]) => !name.startsWith("@weft/") && keepsDependency(name),
	);
	const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
	const exports = manifest.exports && getExports(manifest.exports);
	const content = {
		...kept,
		engines,
		exports,
		...fields,
		dependencies: { ...Object.fromEntries(outside), ...addDependencies },
	};
	mkdirSync(place, { recursive: true });
	writeFileSync(join(place, "package.json"), `${JSON.stringify(content, null, "\t")}\n`);
	cpSync(join(root, "LICENSE"), join(place, "LICENSE"));
}

/** The entry points without the conditions that lead to sources and declarations. */
function getExports(exports) {
	return Object.fromEntries(Object.entries(exports).map(([name, conditions]) => [name, conditions.default]));
}

const getManifest = (root, workspace) => JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));

const copyPrograms = (from, to) => cpSync(from, to, { recursive: true, filter: isProgram });

/**
 * CycloneDX, of what runs at users. Dependencies of development but for the parts of the help site are left out here, by their mark
 * in the lock file, because `npm sbom --omit=dev` also leaves out what both need.
 */
function writeBillOfMaterials(root, folder) {
	const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
	const needed = new Set(
		Object.entries(packages)
			.filter(([path, { dev, link }]) => path.startsWith("node_modules/") && (!dev || isInHelp(path)) && !link)
			.map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`),
	);
	const bill = JSON.parse(
		runNpm(["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"], root),
	);
	const { component } = bill.metadata;
	// npm takes the name of the folder.
	component.name = "weft";
	bill.components = bill.components.filter((part) => needed.has(part["bom-ref"]));
	const listed = new Set([component["bom-ref"], ...needed]);
	bill.dependencies = bill.dependencies
		.filter(({ ref }) => listed.has(ref))
		.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => listed.has(other)) }));
	writeFileSync(join(folder, `weft-${component.version}.cdx.json`), `${JSON.stringify(bill, null, "\t")}\n`);
}

const isInHelp = (path) => HELP_PARTS.some((name) => path === `node_modules/${name}`);

function writeChecksums(folder) {
	const computeDigest = (name) =>
		createHash("sha256")
			.update(readFileSync(join(folder, name)))
			.digest("hex");
	const lines = listNames(folder).map((name) => `${computeDigest(name)}  ${name}\n`);
	writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

/** What earlier and this call have made in the folder. */
function listNames(folder) {
	if (!existsSync(folder)) return [];
	return readdirSync(folder).filter((name) => /^weft-.*\.(tgz|cdx\.json)$|^SHA256SUMS$/.test(name));
}

/** The npm that runs this, else the one of the path. */
function runNpm(args, cwd) {
	const cli = process.env.npm_execpath;
	return cli ? runCommand(process.execPath, [cli, ...args], cwd) : runCommand("npm", args, cwd);
}
