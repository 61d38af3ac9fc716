/** `npm run bench [-- NAME …]`: runs the named benchmarks, or all, each against its baseline. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const HELPERS = new Set([
	"app",
	"automation-lab",
	"browser",
	"main",
	"tools",
	"lab",
	"bare-route",
	"bare-start",
	"child",
	"find-data",
	"list-server",
	"notification-server",
	"peers-controller",
	"peers-plot",
	"time-machine-data",
	"time-machine-load",
	"time-machine-plain",
	"time-machine-plain-store",
]);
const all = readdirSync(folder)
	.filter((file) => file.endsWith(".js"))
	.map((file) => file.slice(0, -3))
	.filter((name) => !HELPERS.has(name))
	.sort();

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
	process.stderr.write(`There is no benchmark ${unknown.join(", ")}. There are: ${all.join(", ")}.\n`);
	process.exit(2);
}
let failed = false;
for (const name of asked.length > 0 ? asked : all) {
	process.stdout.write(`\n== ${name}\n`);
	failed =
		spawnSync(process.execPath, ["--expose-gc", `${folder}${name}.js`], { stdio: "inherit" }).status !== 0 || failed;
}
process.exit(failed ? 1 : 0);
