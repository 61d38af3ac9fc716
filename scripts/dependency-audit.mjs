/**
 * Asks the registry whether a dependency of the service (not of its development) has a known weakness. High and critical ones fail;
 * lesser ones are told. Where the registry cannot be asked this is skipped, in words that can be searched for.
 */
import { spawnSync } from "node:child_process";

const ASKED = ["audit", "--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=15000"];
const LEVELS = ["critical", "high", "moderate", "low"];
const FAILING = ["critical", "high"];

/** 0, or 1 when there is something to be mended. */
export function auditDependencies(cwd) {
	const report = requestAudit(cwd);
	const counts = report?.metadata?.vulnerabilities;
	if (counts === undefined) {
		printLine(`DEPENDENCY AUDIT SKIPPED: the registry could not be asked (${getReason(report)}).`);
		return 0;
	}
	for (const level of LEVELS) {
		for (const { name, range } of Object.values(report.vulnerabilities ?? {}).filter((one) => one.severity === level)) {
			printLine(`${level}: ${name} ${range}`);
		}
	}
	const failing = FAILING.reduce((sum, level) => sum + (counts[level] ?? 0), 0);
	printLine(
		failing > 0
			? `${failing} dependencies have weaknesses of level high or above: npm audit --omit=dev tells more.`
			: `no dependency has a known weakness of level high or above (${counts.total ?? 0} lesser ones).`,
	);
	return failing > 0 ? 1 : 0;
}

function requestAudit(cwd) {
	const cli = process.env.npm_execpath;
	const [command, args] = cli ? [process.execPath, [cli, ...ASKED]] : ["npm", ASKED];
	// On Windows npm by itself is a batch file, which only a shell runs; none of the words is anybody's input.
	const shell = !cli && process.platform === "win32";
	const options = { cwd, shell, encoding: "utf8", timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };
	const { stdout, error } = spawnSync(command, args, options);
	try {
		return JSON.parse(stdout);
	} catch {
		return { message: error?.code ?? "no answer that can be read" };
	}
}

function getReason({ statusCode, code, error, message }) {
	// The message would hold the registry's address.
	return statusCode ?? code ?? error?.code ?? message?.split(" - ")[0] ?? "no answer that can be read";
}

function printLine(text) {
	process.stderr.write(`weft: ${text}\n`);
}
