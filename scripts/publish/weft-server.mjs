#!/usr/bin/env node
/** The program of the package @weft/server: the service, its administration, and the demo. */
const USAGE = `Usage: weft-server [COMMAND]

  start            run the service (default); settings are environment variables
  demo [--exit] [--reset]
                   run the service with two simulated fabrics, in ./data/demo
  admin COMMAND    administer users and the store; weft-server admin --help lists the commands
  --version        print the version
  --help           print this

The service keeps its data in ./data, or in WEFT_DATA_DIR.
`;

const PROGRAMS = {
	start: () => import("../dist/main.js"),
	demo: () => import("@weft/demo"),
	admin: () => import("../dist/admin.js"),
};

const [name = "start", ...rest] = process.argv.slice(2);
if (name === "--help" || name === "help") process.stdout.write(USAGE);
else if (name === "--version") process.stdout.write(`${await printVersion()}\n`);
else if (!Object.hasOwn(PROGRAMS, name)) exitWithError(`There is no command "${name}".\n\n${USAGE}`);
else {
	// The programs read their own arguments.
	process.argv.splice(2, Number.POSITIVE_INFINITY, ...rest);
	await PROGRAMS[name]();
}

async function printVersion() {
	const { readFile } = await import("node:fs/promises");
	return JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")).version;
}

function exitWithError(message) {
	process.stderr.write(message);
	process.exitCode = 2;
}
