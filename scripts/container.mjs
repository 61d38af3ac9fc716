/**
 * `npm run container [-- --tag NAME]`: builds the image of deploy/Containerfile with buildah, and prints its size. Where the
 * registry of its bases cannot be reached, they are made of this machine's Debian and Node.js with mmdebstrap, which needs root.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printMessage, runCommand } from "./publish/command.mjs";
import { findNpmFolder, makeDebian } from "./publish/debian.mjs";

/** Each with the argument of the Containerfile that names another one. */
const BASES = {
	BUILD_BASE: "docker.io/library/node:22-bookworm-slim",
	BASE: "docker.io/library/debian:bookworm-slim",
};
const OWN_BASES = { BUILD_BASE: "localhost/weft-node", BASE: "localhost/weft-debian" };
export function buildContainers(root, options) {
	const { values } = parseArgs({ args: options, options: { tag: { type: "string", default: "weft" } } });
	const bases = Object.values(BASES).every(canPull) ? BASES : makeBases();
	printMessage(`building ${values.tag}`);
	const settings = runCommand("npm", ["config", "get", "userconfig"]).trim();
	const authority = process.env.NODE_EXTRA_CA_CERTS ?? "";
	runCommand("buildah", [
		"build",
		"--quiet",
		// Another format drops the health check.
		...["--format", "docker"],
		// Works inside containers too.
		...["--isolation", "chroot"],
		"--pull=never",
		...Object.entries(bases).flatMap(([name, image]) => ["--build-arg", `${name}=${image}`]),
		...(existsSync(settings) ? ["--secret", `id=npmrc,src=${settings}`] : []),
		...(existsSync(authority) ? ["--secret", `id=authority,src=${authority}`] : []),
		...["-f", join(root, "deploy/Containerfile"), "-t", values.tag],
		root,
	]);
	process.stdout.write(`${values.tag}: ${getSize(values.tag)}\n`);
	return 0;
}

const canPull = (image) => spawnSync("buildah", ["pull", "--quiet", image]).status === 0;

/** Debian's essential packages, and with the Node.js and npm that run this. */
function makeBases() {
	printMessage(`making bases of this Debian, for ${Object.values(BASES).join(" and ")} cannot be fetched`);
	const folder = mkdtempSync(join(tmpdir(), "weft-base-"));
	const archive = join(folder, "debian.tar");
	try {
		makeDebian(archive, ["libstdc++6", "passwd"]);
		makeImage("scratch", OWN_BASES.BASE, (made) => runCommand("buildah", ["add", "--quiet", made, archive, "/"]));
		makeImage(OWN_BASES.BASE, OWN_BASES.BUILD_BASE, addNode);
		return OWN_BASES;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function addNode(made) {
	runCommand("buildah", ["add", "--quiet", "--chmod", "755", made, process.execPath, "/usr/local/bin/node"]);
	runCommand("buildah", ["add", "--quiet", made, findNpmFolder(), "/usr/local/lib/node_modules/npm"]);
	const link = "ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm";
	runCommand("buildah", ["run", "--isolation", "chroot", made, "--", "sh", "-c", link]);
}

/** @param fill gets the name of a container of the base */
function makeImage(base, name, fill) {
	const made = runCommand("buildah", ["from", "--pull=never", base]).trim();
	try {
		fill(made);
		runCommand("buildah", ["commit", "--quiet", "--format", "docker", made, name]);
	} finally {
		runCommand("buildah", ["rm", made]);
	}
}

/** Of its files, not compressed, such as "312 MB". */
function getSize(image) {
	const [{ size }] = JSON.parse(runCommand("buildah", ["images", "--json", image]));
	return size;
}
