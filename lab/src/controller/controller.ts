/** Starts the simulated controller, for tests in the same process and for `main`. */
import type { User } from "./auth/login.ts";
import type { Certificate } from "./auth/signature.ts";
import { type AdvanceOptions, createControl } from "./control/control.ts";
import type { DriftReport } from "./drift.ts";
import type { FabricSize } from "./fabric/sizes.ts";
import { createFaults, type FaultSettings } from "./faults.ts";
import { type RunningServer, startServer } from "./http/server.ts";
import type { LoadReport } from "./load.ts";
import { createRandom } from "./random.ts";
import { createStats, type StatsReport } from "./stats.ts";
import { createFabric, type Member } from "./world.ts";

export interface ControllerOptions {
	/** 0 takes any free port. */
	readonly port?: number;
	/** How many members the cluster has, 1 to 7; 1 when not given. */
	readonly members?: number;
	/** Port of the second member, those after it take the next ones; any free ones when not given. */
	readonly memberPort?: number;
	readonly host?: string;
	/** About 2,000, 50,000 or 500,000 objects; `empty` has none. */
	readonly size?: FabricSize | "empty";
	readonly seed?: number;
	/**
	 * 1, 2, 3 …: which of several fabrics of a seed it is. They have a domain, serials and numbers of
	 * switches of their own, and tenants that are partly equal.
	 */
	readonly fabric?: number;
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

/** One member of the cluster: its address, its faults, what it was asked. */
export interface RunningMember {
	/** 1, 2, 3 … */
	readonly id: number;
	readonly url: string;
	/**
	 * Resolves when a member that goes `down`, or comes back, has done so.
	 * @throws Error naming the known faults for an unknown one
	 */
	setFaults(settings: FaultSettings): Promise<void>;
	clearFaults(): Promise<void>;
	stats(): StatsReport;
	resetStats(): void;
}

/** A cluster; its own address, faults and counts are those of the first member. */
export interface RunningController {
	readonly url: string;
	readonly members: readonly RunningMember[];
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
	const parts = Array.from({ length: options.members ?? 1 }, (_, at) => ({
		faults: createFaults(seed + at),
		stats: createStats(),
	}));
	const buildWallClock = (at: number) => () => now() + Number(parts[at]?.faults.getSetting("clock_skew")?.ms ?? 0);
	const make = () =>
		createFabric({
			size,
			seed,
			fabric: options.fabric ?? 1,
			faults: parts.map(({ faults }) => faults),
			now,
			wallClock: buildWallClock(0),
			users: [{ name: username, password }, ...(options.users ?? [])],
			domains: ["DefaultAuth", "fallback", ...(options.domains ?? [])],
			times: {
				refreshTimeoutSeconds: options.refreshTimeoutSeconds ?? 600,
				maximumLifetimeSeconds: options.maximumLifetimeSeconds ?? 86_400,
			},
			certificates: options.certificates ?? [],
			secure: options.tls !== undefined,
		});
	let fabric = make();
	const servers: RunningServer[] = [];

	async function updateListening() {
		await Promise.all(servers.map((server, at) => server.setListening(!parts[at]?.faults.isOn("down"))));
	}
	const getReport = ({ faults, stats }: (typeof parts)[number], at: number): StatsReport =>
		stats.report({
			sessions: fabric.members[at]?.sessions.size() ?? 0,
			objects: fabric.store.size(),
			faults: faults.fired(),
		});
	const reset = () => {
		fabric = make();
		for (const { faults, stats } of parts) {
			faults.clear();
			stats.reset();
		}
		void updateListening();
	};
	const getControl = (ownId: number) =>
		createControl({
			drift: { advance: (steps, rate) => fabric.drift.advance(steps, rate) },
			member(id) {
				const part = parts[id - 1];
				return part && { faults: part.faults, report: () => getReport(part, id - 1) };
			},
			ownId,
			load: (answer) => fabric.load(answer),
			reset,
			describe: () => ({ size, seed, objects: fabric.store.size() }),
		});
	const control = getControl(1);
	const close = async () => void (await Promise.all(servers.map((server) => server.close())));
	const base = `${options.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}`;

	async function startMember(part: (typeof parts)[number], at: number): Promise<RunningMember> {
		const { faults, stats } = part;
		const port = at === 0 ? (options.port ?? 0) : options.memberPort ? options.memberPort + at - 1 : 0;
		const server = await startServer(
			{
				member: () => fabric.members[at] as Member,
				control: at === 0 ? control : getControl(at + 1),
				faults,
				stats,
				now,
				wallClock: buildWallClock(at),
				latency: options.latency === true ? createRandom(seed + at) : null,
				tls: options.tls ?? null,
				documents: options.documents ?? null,
				settle: updateListening,
			},
			host,
			port,
		);
		servers.push(server);
		return {
			id: at + 1,
			url: `${base}:${server.port}`,
			setFaults(settings) {
				faults.set(settings);
				return updateListening();
			},
			clearFaults() {
				faults.clear();
				return updateListening();
			},
			stats: () => getReport(part, at),
			resetStats: () => stats.reset(),
		};
	}

	const members: RunningMember[] = [];
	try {
		for (const [at, part] of parts.entries()) members.push(await startMember(part, at));
	} catch (error) {
		await close();
		throw error;
	}
	const [first] = members as [RunningMember];
	return {
		url: first.url,
		members,
		username,
		password,
		advance: (given = {}) => control.advance(given),
		setFaults: (settings) => void first.setFaults(settings),
		clearFaults: () => void first.clearFaults(),
		stats: first.stats,
		resetStats: first.resetStats,
		load: (answer) => fabric.load(answer),
		reset,
		close,
	};
}
