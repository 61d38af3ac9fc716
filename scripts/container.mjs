/**
 * `npm run container [-- --tag NAME]`: builds the image of deploy/Containerfile with buildah, and prints its size. Where the
 * registry of its bases cannot be reached, they are made of this machine's Debian and Node.js with mmdebstrap, which needs root.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

/** Each with the argument of the Containerfile that names another one. */
const BASES = {
	BUILD_BASE: "docker.io/library/node:22-bookworm-slim",
	BASE: "docker.io/library/debian:bookworm-slim",
};
const OWN_BASES = { BUILD_BASE: "localhost/weft-node", BASE: "localhost/weft-debian" };
/** What apt on Debian reads its mirrors from. */
const SOURCES = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];

export function container(root, options) {
	const { values } = parseArgs({ args: options, options: { tag: { type: "string", default: "weft" } } });
	const bases = Object.values(BASES).every(canPull) ? BASES : makeBases();
	say(`building ${values.tag}`);
	const settings = run("npm", ["config", "get", "userconfig"]).trim();
	const authority = process.env.NODE_EXTRA_CA_CERTS ?? "";
	run("buildah", [
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
	process.stdout.write(`${values.tag}: ${sizeOf(values.tag)}\n`);
	return 0;
}

const canPull = (image) => spawnSync("buildah", ["pull", "--quiet", image]).status === 0;

/** Debian's essential packages, and with the Node.js and npm that run this. */
function makeBases() {
	const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
	const sources = SOURCES.filter((path) => existsSync(path));
	if (release === undefined || sources.length === 0) {
		throw new Error("The bases of the image cannot be fetched, and they can be made on Debian only.");
	}
	say(`making bases of Debian ${release}, for ${Object.values(BASES).join(" and ")} cannot be fetched`);
	const folder = mkdtempSync(join(tmpdir(), "weft-base-"));
	const archive = join(folder, "debian.tar");
	try {
		const slim = ["doc", "man", "info", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
		const packages = "--include=libstdc++6,passwd";
		run("mmdebstrap", ["--quiet", "--variant=essential", packages, ...slim, release, archive, ...sources]);
		makeImage("scratch", OWN_BASES.BASE, (made) => run("buildah", ["add", "--quiet", made, archive, "/"]));
		makeImage(OWN_BASES.BASE, OWN_BASES.BUILD_BASE, addNode);
		return OWN_BASES;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function addNode(made) {
	const npm = dirname(dirname(run("readlink", ["-f", run("which", ["npm"]).trim()]).trim()));
	run("buildah", ["add", "--quiet", "--chmod", "755", made, process.execPath, "/usr/local/bin/node"]);
	run("buildah", ["add", "--quiet", made, npm, "/usr/local/lib/node_modules/npm"]);
	const link = "ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm";
	run("buildah", ["run", "--isolation", "chroot", made, "--", "sh", "-c", link]);
}

/** @param fill gets the name of a container of the base */
function makeImage(base, name, fill) {
	const made = run("buildah", ["from", "--pull=never", base]).trim();
	try {
		fill(made);
		run("buildah", ["commit", "--quiet", "--format", "docker", made, name]);
	} finally {
		run("buildah", ["rm", made]);
	}
}

/** Of its files, not compressed, such as "312 MB". */
function sizeOf(image) {
	const [{ size }] = JSON.parse(run("buildah", ["images", "--json", image]));
	return size;
}

const say = (text) => process.stderr.write(`weft: ${text}\n`);

/** Standard output of a command. @throws Error if it fails or is not installed */
function run(command, args) {
	const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 * 2 ** 20 });
	if (error) throw new Error(`${command} cannot be started (${error.code}): install it.`);
	if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${stderr.slice(-4_000)}`);
	return stdout;
}
