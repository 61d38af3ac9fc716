/** Starts the simulated controller, for tests in the same process and for `main`. */
import type { User } from "./auth/login.ts";
import type { Certificate } from "./auth/signature.ts";
import { type AdvanceOptions, createControl } from "./control/control.ts";
import type { DriftReport } from "./drift.ts";
import type { FabricSize } from "./fabric/sizes.ts";
import { createFaults, type FaultSettings } from "./faults.ts";
import { startServer } from "./http/server.ts";
import type { LoadReport } from "./load.ts";
import { createRandom } from "./random.ts";
import { createStats, type StatsReport } from "./stats.ts";
import { createWorld } from "./world.ts";

export interface ControllerOptions {
	/** 0 takes any free port. */
	readonly port?: number;
	readonly host?: string;
	/** About 2,000, 50,000 or 500,000 objects; `empty` has none. */
	readonly size?: FabricSize | "empty";
	readonly seed?: number;
	readonly username?: string;
	readonly password?: string;
	/** More users than that one. */
	readonly users?: readonly User[];
	/** Login domains besides `fallback` and `DefaultAuth`. */
	readonly domains?: readonly string[];
	readonly refreshTimeoutSeconds?: number;
	readonly maximumLifetimeSeconds?: number;
	/** Keys that may sign requests. */
	readonly certificates?: readonly Certificate[];
	/** PEM texts; HTTPS when given. */
	readonly tls?: { readonly key: string; readonly cert: string };
	/** Answers take as long as a real controller's. */
	readonly latency?: boolean;
	/**
	 * Milliseconds since 1970; sessions, subscriptions, the throttle, the audit log and the `Date` of
	 * answers live by it.
	 */
	readonly now?: () => number;
	/** Class documents by name, served under `/doc/jsonmeta/` to authenticated clients. */
	readonly documents?: (className: string) => string | null;
}

export interface RunningController {
	readonly url: string;
	readonly username: string;
	readonly password: string;
	advance(options?: AdvanceOptions): DriftReport;
	/** @throws Error naming the known faults for an unknown one */
	setFaults(settings: FaultSettings): void;
	clearFaults(): void;
	stats(): StatsReport;
	resetStats(): void;
	/** Loads objects of a raw answer. */
	load(answer: unknown): LoadReport;
	/** Back to the generated fabric: no faults, no sessions, no counts. */
	reset(): void;
	close(): Promise<void>;
}

export async function startController(options: ControllerOptions = {}): Promise<RunningController> {
	const {
		username = "admin",
		password = "weft-lab",
		size = "small",
		seed = 1,
		host = "127.0.0.1",
		now = Date.now,
	} = options;
	const faults = createFaults(seed);
	const stats = createStats();
	const wallClock = () => now() + Number(faults.settingOf("clock_skew")?.ms ?? 0);
	const make = () =>
		createWorld({
			size,
			seed,
			faults,
			now,
			wallClock,
			users: [{ name: username, password }, ...(options.users ?? [])],
			domains: ["DefaultAuth", "fallback", ...(options.domains ?? [])],
			times: {
				refreshTimeoutSeconds: options.refreshTimeoutSeconds ?? 600,
				maximumLifetimeSeconds: options.maximumLifetimeSeconds ?? 86_400,
			},
			certificates: options.certificates ?? [],
			secure: options.tls !== undefined,
		});
	let world = make();

	const report = () =>
		stats.report({ sessions: world.sessions.size(), objects: world.store.size(), faults: faults.fired() });
	const reset = () => {
		world = make();
		faults.clear();
		stats.reset();
	};
	const control = createControl({
		drift: { advance: (steps, rate) => world.drift.advance(steps, rate) },
		faults,
		load: (answer) => world.load(answer),
		report,
		reset,
		describe: () => ({ size, seed, objects: world.store.size() }),
	});
	const server = await startServer(
		{
			world: () => world,
			control,
			faults,
			stats,
			now,
			wallClock,
			latency: options.latency === true ? createRandom(seed) : null,
			tls: options.tls ?? null,
			documents: options.documents ?? null,
		},
		host,
		options.port ?? 0,
	);
	return {
		url: `${options.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
		username,
		password,
		advance: (given = {}) => control.advance(given),
		setFaults: (settings) => faults.set(settings),
		clearFaults: () => faults.clear(),
		stats: report,
		resetStats: () => stats.reset(),
		load: (answer) => world.load(answer),
		reset,
		close: () => server.close(),
	};
}
