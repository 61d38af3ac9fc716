/**
 * `npm run admin -- doctor`: checks everything that an installation depends on, and names a remedy
 * for each problem.
 */
import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { openStoreAddress } from "./open-command.ts";
import {
	buildBadFinding,
	buildOkFinding,
	buildWarnFinding,
	examineStore,
	type Finding,
} from "./storage/postgres/examine.ts";
import { pingRedis } from "./storage/redis/redis.ts";

const GB = 1024 ** 3;

/** Changes nothing. The service may run. */
export async function examineInstallation(config: Config): Promise<Finding[]> {
	return [
		...config.unknown.map((name) => buildWarnFinding(`${name} is not a setting: misspelt?`)),
		buildOkFinding(`Node ${process.versions.node}`),
		...(await examineFolder(config)),
		...(await examineDatabase(config)),
		...(await examineCache(config)),
	];
}

/** One line each, the worst last, so that it stays in sight. */
export function formatFindings(findings: readonly Finding[]): string {
	const order = ["ok", "warn", "bad"];
	return [...findings]
		.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
		.map(({ state, text }) => `${state.padEnd(5)} ${text}\n`)
		.join("");
}

async function examineFolder({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
	if (databaseUrl !== null) return [];
	const there = await stat(dataDir).catch(() => null);
	if (there === null) return [buildWarnFinding(`${dataDir} does not exist yet: the first start makes it.`)];
	const findings: Finding[] = [];
	const writable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
		() => true,
		() => false,
	);
	findings.push(
		writable
			? buildOkFinding(`${dataDir} can be read and written`)
			: buildBadFinding(`${dataDir} cannot be written by this user: change its owner.`),
	);
	const key = await stat(join(dataDir, "secret.key")).catch(() => null);
	if (key !== null && (key.mode & 0o077) !== 0)
		findings.push(buildBadFinding(`${join(dataDir, "secret.key")} can be read by others: chmod 600.`));
	const { bavail, bsize } = await statfs(dataDir);
	const free = bavail * bsize;
	const said = `${(free / GB).toFixed(1)} GB are free below ${dataDir}`;
	findings.push(
		free > 2 * GB
			? buildOkFinding(said)
			: free > GB / 4
				? buildWarnFinding(`${said}: make room.`)
				: buildBadFinding(`${said}: make room now.`),
	);
	return findings;
}

async function examineDatabase(config: Config): Promise<Finding[]> {
	const opened = await openStoreAddress(config, "shared").catch((error: Error) => error);
	if (opened instanceof Error) return [buildBadFinding(`The embedded store does not start: ${opened.message}`)];
	return examineStore(opened.connection, config.databaseUrl === null ? null : config.databasePool).finally(() =>
		opened.close(),
	);
}

async function examineCache({ redisUrl }: Config): Promise<Finding[]> {
	if (redisUrl === null) return [];
	return pingRedis(redisUrl).then(
		() => [buildOkFinding("Redis answers")],
		(error: Error) => [buildBadFinding(`Redis cannot be used: ${error.message}`)],
	);
}
