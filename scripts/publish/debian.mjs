/** A new Debian of this machine's release, from this machine's mirrors, and the Node.js that runs this. Needs root. */
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { runCommand } from "./command.mjs";

/** What apt reads its mirrors from. */
const SOURCES = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];

/** Makes a folder or an archive with the packages that Debian needs, and others. @throws Error where this is no Debian */
export function makeDebian(target, packages) {
	const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
	const sources = SOURCES.filter((path) => existsSync(path));
	if (release === undefined || sources.length === 0) throw new Error("A Debian can be made on Debian only.");
	const slim = ["doc", "man", "info", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
	const include = `--include=${packages.join(",")}`;
	runCommand("mmdebstrap", ["--quiet", "--variant=essential", include, ...slim, release, target, ...sources]);
}

/** The folder of the npm of the path. */
export const findNpmFolder = () => dirname(dirname(runCommand("sh", ["-c", 'readlink -f "$(command -v npm)"']).trim()));
