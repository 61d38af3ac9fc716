/**
 * The tests that take long and rarely break: `npm run test:full` runs them all, and `.ci/run` the
 * fifth that `server/test/full/rotation` selects (docs/adr/0026-test-tiers.md). Each fifth is a list
 * of vitest runs. `seconds` estimates a run on two quiet cores; keep the sums of the fifths alike.
 * `temporary` names an environment variable that gets an empty folder for the run.
 *
 * `node scripts/full-tests.mjs packages` prints the Debian packages that the selected fifth needs.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const listServiceFiles = (...names) => names.map((name) => `server/test/full/${name}.test.ts`);
const listBrowserFiles = (...names) => names.map((name) => `web/e2e/full/${name}.test.ts`);
const listFaultFiles = (...names) => names.map((name) => `server/test/faults/${name}.test.ts`);

/** The files whose answers depend on the release of the automation server. */
const AUTOMATION = ["connections", "tokens", "executions", "launch", "webhooks"].map(
	(name) => `server/test/automation/${name}.test.ts`,
);
/** A run of files that try a share of their cases in `npm test` (support/effort.ts), and here all. */
const runThoroughly = (name, seconds, ...files) => ({
	name,
	projects: ["service"],
	files: files.map((file) => `server/test/${file}.test.ts`),
	environment: { WEFT_TEST_THOROUGH: "1" },
	seconds,
});
const runOnProfile = (profile) => ({
	name: `automation server ${profile}`,
	projects: ["service"],
	files: AUTOMATION,
	environment: { LAB_AUTOMATION_PROFILE: profile },
	seconds: 90,
});

/** Run on a PostgreSQL and a Redis by address, in addition to those of `.ci/run`. */
const EXTERNAL = [
	"accounts/{api-token-owners,api-tokens,groups,users}",
	"audit/{audit,chain,exports,settings}",
	"automation/{requests,rows,workflows}",
	"checks/{baselines,checks,evaluations,runs}",
	"fabrics/{cluster,connection-rights,connections}",
	"full/{model-nodes,schedules-nodes}",
	"history/{attribution,captures,compare-names,drift,history,random-histories,snapshots,verify}",
	"notifications/notifications",
	"queries/{saved-queries,saved-query-lists,versions}",
	"runs/{counts,group-executions,group-results,pipeline-progress,pipelines,planning-model,result-rows}",
	"schedules/{advance,failed-runs,runs,schedules,snapshots}",
	"security/security",
	"service/{metrics,rotate-key}",
];

export const FIFTHS = [
	[
		{
			name: "container, crashes of automation jobs, and an import over many processes",
			projects: ["full"],
			files: listServiceFiles(
				"container",
				"automation-crash",
				"window-launch-crash",
				"attribution-crash",
				"model-nodes",
			),
			packages: ["buildah", "mmdebstrap"],
			seconds: 360,
		},
		runOnProfile("awx_22"),
		{
			name: "a run whose processes die",
			config: "vitest.cluster.config.ts",
			files: listFaultFiles("dying-run"),
			seconds: 90,
		},
		runThoroughly(
			"many sign-ins and jobs, and more cases of properties",
			180,
			...["accounts/sign-in-storm", "automation/load", "runs/property"],
			...["history/compare-random", "history/compare-names"],
		),
	],
	[
		{
			name: "installation on Debian, crashes of snapshots and windows, and work of every route in proportion to its input",
			projects: ["full"],
			files: listServiceFiles(
				"install-debian",
				"time-machine-crash",
				"pipelines-crash",
				"windows-crash",
				"growth-routes",
			),
			packages: ["mmdebstrap"],
			seconds: 500,
		},
		runOnProfile("aap_2_4"),
	],
	[
		{
			name: "releases, Node.js versions, and folders, users and crashes of the embedded store",
			projects: ["full"],
			files: listServiceFiles("packages", "node-versions", "embedded-postgres-crash", "embedded-postgres-places"),
			seconds: 350,
		},
		{
			name: "generated requests",
			config: "vitest.cluster.config.ts",
			files: listFaultFiles("fuzz"),
			environment: { WEFT_FAULT_MINUTES: "2" },
			seconds: 150,
		},
		runThoroughly("hostile input with every value", 200, "security/hostile", "security/injection"),
	],
	[
		{
			name: "second browser, pictures, and a packaged browser",
			projects: ["full-browser"],
			files: listBrowserFiles("escape-everywhere", "firefox", "pictures", "packaged-browser"),
			packages: ["firefox-esr"],
			temporary: "WEFT_PICTURES",
			seconds: 300,
		},
		{
			name: "demo, previous version, crashes of checks and notifications, deaths of windows, and tasks over many processes",
			projects: ["full"],
			files: listServiceFiles(
				...["demo-story", "demo-again", "upgrade", "checks-crash", "notifications-crash", "group-crash"],
				"schedules-nodes",
				"windows-statements",
			),
			seconds: 430,
		},
	],
	[
		{
			name: "playbooks by a real Ansible, and commands whose store stands still",
			projects: ["full"],
			files: listServiceFiles("ansible", "ansible-change", "playbooks", "admin-silence"),
			packages: ["ansible-core", "python3-ansible-runner"],
			seconds: 200,
		},
		{
			name: "processor time of inputs, and metrics",
			projects: ["full"],
			files: listServiceFiles("growth-time", "promtool", "regular-expressions"),
			packages: ["prometheus"],
			seconds: 170,
		},
		runOnProfile("aap_2_5"),
		{
			name: "full disk, and failing members",
			config: "vitest.cluster.config.ts",
			files: listFaultFiles("disk-full", "members"),
			environment: { WEFT_FAULT_MINUTES: "1" },
			seconds: 150,
		},
	],
];

/** Too long for a fifth: only a run of all tests has them. Both need a PostgreSQL and a Redis. */
export const WHOLE_ONLY = [
	{
		name: "PostgreSQL and Redis by address",
		projects: ["service", "full"],
		files: EXTERNAL.flatMap(expandBraces).map((name) => `server/test/${name}.test.ts`),
		environment: {
			WEFT_TEST_DATABASE_URL: process.env.WEFT_TEST_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres",
			WEFT_TEST_REDIS_URL: process.env.WEFT_TEST_REDIS_URL ?? "redis://127.0.0.1:6379",
		},
	},
	{
		// A slope per hour is noise after minutes.
		name: "soak",
		config: "vitest.cluster.config.ts",
		files: listFaultFiles("soak"),
		environment: { WEFT_SOAK_MINUTES: "60" },
	},
];

/** Returns the fifth, from 0 to 4, that the number in the file `rotation` selects. */
export function readRotation() {
	const text = readFileSync(join(root, "server/test/full/rotation"), "utf8").trim();
	if (!/^\d+$/.test(text)) throw new Error(`server/test/full/rotation must be a whole number; it is "${text}".`);
	return Number(text) % FIFTHS.length;
}

/**
 * Runs all fifths, or one with `--fifth N` (`--fifth rotation`: the selected one). `--results FOLDER`
 * writes the results of each run as JSON. Returns the exit code: 1 if any run failed.
 */
export async function runFullTests(args) {
	const chosen = readOption(args, "--fifth");
	const results = readOption(args, "--results");
	const fifth = chosen === "rotation" ? readRotation() : chosen === undefined ? undefined : Number(chosen);
	if (fifth !== undefined && FIFTHS[fifth] === undefined) throw new Error(`There is no fifth "${chosen}": use 0 to 4.`);
	const runs = fifth === undefined ? FIFTHS.flat() : [...FIFTHS[fifth]];
	if (fifth === undefined && (await isReachable(5432)) && (await isReachable(6379))) runs.push(...WHOLE_ONLY);
	const failed = runs.filter((run, index) => runVitest(run, results && join(results, `full-${index}.json`)) !== 0);
	for (const { name } of failed) process.stderr.write(`\nfailed: ${name}\n`);
	return failed.length > 0 ? 1 : 0;
}

function runVitest({ name, config, projects = [], files, environment, temporary }, results) {
	process.stdout.write(`\n== test:full, ${name}\n`);
	const folder = temporary && mkdtempSync(join(tmpdir(), "weft-full-"));
	const reports = results ? ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`] : [];
	const { status } = spawnSync(
		process.execPath,
		[
			join(root, "node_modules/vitest/vitest.mjs"),
			"run",
			...(config === undefined ? [] : ["--config", config]),
			...projects.flatMap((project) => ["--project", project]),
			...files,
			...reports,
		],
		{
			cwd: root,
			stdio: "inherit",
			env: { ...process.env, ...(temporary && { [temporary]: folder }), ...environment },
		},
	);
	if (folder) rmSync(folder, { recursive: true, force: true });
	return status;
}

function readOption(args, name) {
	const at = args.indexOf(name);
	return at === -1 ? undefined : args[at + 1];
}

function isReachable(port) {
	return new Promise((resolve) => {
		const socket = createConnection(port, "127.0.0.1");
		socket.once("connect", () => resolve(true) ?? socket.destroy());
		socket.once("error", () => resolve(false));
	});
}

function expandBraces(text) {
	const parts = /^(.*)\{(.*)\}$/.exec(text);
	return parts === null ? [text] : parts[2].split(",").map((name) => parts[1] + name);
}

const [, program, command] = process.argv;
if (program === fileURLToPath(import.meta.url) && command === "packages") {
	const packages = FIFTHS[readRotation()].flatMap((run) => run.packages ?? []);
	process.stdout.write(`${packages.join(" ")}\n`);
}
