/**
 * `npm run admin -- doctor`: checks everything that an installation depends on, and names a remedy
 * for each problem.
 */
import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { bad, examineStore, type Finding, ok, warn } from "./adapters/postgres/examine.ts";
import { pingRedis } from "./adapters/redis/redis.ts";
import type { Config } from "./config.ts";
import { openStoreAddress } from "./open.ts";

const GB = 1024 ** 3;

/** Changes nothing. The service may run. */
export async function examine(config: Config): Promise<Finding[]> {
	return [
		...config.unknown.map((name) => warn(`${name} is not a setting: misspelt?`)),
		ok(`Node ${process.versions.node}`),
		...(await folder(config)),
		...(await store(config)),
		...(await cache(config)),
	];
}

/** One line each, the worst last, so that it stays in sight. */
export function printed(findings: readonly Finding[]): string {
	const order = ["ok", "warn", "bad"];
	return [...findings]
		.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
		.map(({ state, text }) => `${state.padEnd(5)} ${text}\n`)
		.join("");
}

async function folder({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
	if (databaseUrl !== null) return [];
	const there = await stat(dataDir).catch(() => null);
	if (there === null) return [warn(`${dataDir} does not exist yet: the first start makes it.`)];
	const findings: Finding[] = [];
	const writable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
		() => true,
		() => false,
	);
	findings.push(
		writable
			? ok(`${dataDir} can be read and written`)
			: bad(`${dataDir} cannot be written by this user: change its owner.`),
	);
	const key = await stat(join(dataDir, "secret.key")).catch(() => null);
	if (key !== null && (key.mode & 0o077) !== 0)
		findings.push(bad(`${join(dataDir, "secret.key")} can be read by others: chmod 600.`));
	const { bavail, bsize } = await statfs(dataDir);
	const free = bavail * bsize;
	const said = `${(free / GB).toFixed(1)} GB are free below ${dataDir}`;
	findings.push(
		free > 2 * GB ? ok(said) : free > GB / 4 ? warn(`${said}: make room.`) : bad(`${said}: make room now.`),
	);
	return findings;
}

async function store(config: Config): Promise<Finding[]> {
	const opened = await openStoreAddress(config, "shared").catch((error: Error) => error);
	if (opened instanceof Error) return [bad(`The embedded store does not start: ${opened.message}`)];
	return examineStore(opened.connection, config.databaseUrl === null ? null : config.databasePool).finally(() =>
		opened.close(),
	);
}

async function cache({ redisUrl }: Config): Promise<Finding[]> {
	if (redisUrl === null) return [];
	return pingRedis(redisUrl).then(
		() => [ok("Redis answers")],
		(error: Error) => [bad(`Redis cannot be used: ${error.message}`)],
	);
}
