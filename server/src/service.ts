/** The running service: storage, integrations, app, listening; and its end. */
import { randomBytes } from "node:crypto";
import { type App, buildApp } from "./app.ts";
import { ensureFirstUser } from "./areas/accounts/sign-in/create-local-users.ts";
import type { Config } from "./config.ts";
import { listenForMetrics } from "./core/http/metrics.ts";
import { type Composition, openDependencies } from "./open.ts";

export interface Service {
	/** Where it listens; null for a process that serves no requests. */
	readonly url: string | null;
	/**
	 * The password that was made for the first user; null where there was a user, or the settings
	 * gave one.
	 */
	readonly firstPassword: string | null;
	/** Resolves with a sentence when the service cannot go on. */
	readonly lost: Promise<string>;
	/**
	 * Stops accepting, lets what runs finish for up to ten seconds, and closes the store. Further
	 * calls wait for the first.
	 */
	stop(reason: string): Promise<void>;
}

const GRACE_MS = 10_000;

/** @param composition what a program that starts the service in its own process gives it */
export async function startService(config: Config, composition: Composition = {}): Promise<Service> {
	const opened = await openDependencies(config, composition);
	const { logger } = opened.deps;
	let stopping: Promise<void> | null = null;
	let app: App | null = null;
	try {
		for (const name of config.unknown) logger.warn({}, `${name} is not a setting of Weft`);
		composition.signal?.throwIfAborted();
		const built = await buildApp(opened.deps);
		app = built;
		const firstPassword = await makeFirstUser(built, config);
		composition.signal?.throwIfAborted();
		await (config.roles.has("worker") ? built.work() : built.declareQueues());
		if (config.roles.has("web")) await startListening("WEFT_PORT", config.port, (where) => built.server.listen(where));
		composition.signal?.throwIfAborted();
		const metrics = await serveMetrics();
		return {
			url: getUrl(built, config),
			firstPassword,
			lost: opened.storeLost,
			stop(reason) {
				stopping ??= stopService(built, reason).finally(() => metrics?.close());
				return stopping;
			},
		};
	} catch (error) {
		// Its timers would go on beside a store that is closed.
		await app?.close();
		await opened.close(0);
		throw error;
	}

	/** Throws a sentence that names the setting if the address cannot be listened on. */
	async function startListening<T>(
		setting: string,
		port: number,
		start: (where: { host: string; port: number }) => Promise<T>,
	): Promise<T> {
		const { host } = config;
		return start({ host, port }).catch(({ code, message }: NodeJS.ErrnoException) => {
			throw new Error(
				code === "EADDRINUSE"
					? `Port ${port} of ${host} is in use (EADDRINUSE). Stop what listens there, or set ${setting} to another port.`
					: `Weft cannot listen on port ${port} of ${host}: ${message}. Check WEFT_HOST and ${setting}.`,
			);
		});
	}

	async function serveMetrics() {
		const { metrics } = opened.deps;
		const port = config.metrics?.port ?? null;
		if (metrics === null || port === null) return null;
		const listening = await startListening("WEFT_METRICS_PORT", port, (where) => listenForMetrics(metrics, where));
		logger.info({ port: listening.port }, "serving metrics");
		return listening;
	}

	async function stopService(app: App, reason: string): Promise<void> {
		logger.info({}, `stopping: ${reason}`);
		// Requests and jobs finish side by side, so that both have the whole time.
		const requests = Promise.race([app.close(), new Promise((done) => setTimeout(done, GRACE_MS).unref())]);
		await Promise.all([requests, opened.deps.jobs.stop(GRACE_MS)]);
		await opened.close(0);
	}
}

async function makeFirstUser(app: App, { admin }: Config): Promise<string | null> {
	const password = admin.password ?? randomBytes(16).toString("base64url");
	const made = await ensureFirstUser(app.context, admin.username, password);
	return made !== null && admin.password === null ? password : null;
}

/** With the actual port, which WEFT_PORT=0 leaves to the system. */
function getUrl(app: App, { host }: Config): string | null {
	const address = app.server.server.address();
	if (typeof address !== "object" || address === null) return null;
	return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
