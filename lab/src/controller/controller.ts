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

/** One member's faults and counts. */
interface MemberPart {
	readonly faults: ReturnType<typeof createFaults>;
	readonly stats: ReturnType<typeof createStats>;
}

/** The settings of a cluster and its running parts. */
interface ClusterParts {
	readonly options: ControllerOptions;
	readonly username: string;
	readonly password: string;
	readonly size: FabricSize | "empty";
	readonly seed: number;
	readonly host: string;
	readonly now: () => number;
	readonly parts: readonly MemberPart[];
	readonly servers: RunningServer[];
	readonly base: string;
}

interface ClusterState extends ClusterParts {
	fabric: ReturnType<typeof createFabric>;
}

const buildWallClock = (cluster: ClusterParts, at: number) => () =>
	cluster.now() + Number(cluster.parts[at]?.faults.getSetting("clock_skew")?.ms ?? 0);

const makeFabric = (cluster: ClusterParts) =>
	createFabric({
		size: cluster.size,
		seed: cluster.seed,
		fabric: cluster.options.fabric ?? 1,
		faults: cluster.parts.map(({ faults }) => faults),
		now: cluster.now,
		wallClock: buildWallClock(cluster, 0),
		users: [{ name: cluster.username, password: cluster.password }, ...(cluster.options.users ?? [])],
		domains: ["DefaultAuth", "fallback", ...(cluster.options.domains ?? [])],
		times: {
			refreshTimeoutSeconds: cluster.options.refreshTimeoutSeconds ?? 600,
			maximumLifetimeSeconds: cluster.options.maximumLifetimeSeconds ?? 86_400,
		},
		certificates: cluster.options.certificates ?? [],
		secure: cluster.options.tls !== undefined,
	});

async function updateListening(cluster: ClusterState) {
	await Promise.all(cluster.servers.map((server, at) => server.setListening(!cluster.parts[at]?.faults.isOn("down"))));
}

const buildReport = (cluster: ClusterState, { faults, stats }: MemberPart, at: number): StatsReport =>
	stats.report({
		sessions: cluster.fabric.members[at]?.sessions.size() ?? 0,
		objects: cluster.fabric.store.size(),
		faults: faults.fired(),
	});

function resetController(cluster: ClusterState) {
	cluster.fabric = makeFabric(cluster);
	for (const { faults, stats } of cluster.parts) {
		faults.clear();
		stats.reset();
	}
	void updateListening(cluster);
}

const buildControl = (cluster: ClusterState, ownId: number) =>
	createControl({
		drift: { advance: (steps, rate) => cluster.fabric.drift.advance(steps, rate) },
		member(id) {
			const part = cluster.parts[id - 1];
			return part && { faults: part.faults, report: () => buildReport(cluster, part, id - 1) };
		},
		ownId,
		load: (answer) => cluster.fabric.load(answer),
		reset: () => resetController(cluster),
		describe: () => ({ size: cluster.size, seed: cluster.seed, objects: cluster.fabric.store.size() }),
	});

const closeServers = async (cluster: ClusterState) =>
	void (await Promise.all(cluster.servers.map((server) => server.close())));

async function startMember(
	cluster: ClusterState,
	part: MemberPart,
	at: number,
	control: ReturnType<typeof createControl>,
): Promise<RunningMember> {
	const { faults, stats } = part;
	const port =
		at === 0 ? (cluster.options.port ?? 0) : cluster.options.memberPort ? cluster.options.memberPort + at - 1 : 0;
	const server = await startServer(
		{
			member: () => cluster.fabric.members[at] as Member,
			control,
			faults,
			stats,
			now: cluster.now,
			wallClock: buildWallClock(cluster, at),
			latency: cluster.options.latency === true ? createRandom(cluster.seed + at) : null,
			tls: cluster.options.tls ?? null,
			documents: cluster.options.documents ?? null,
			settle: () => updateListening(cluster),
		},
		cluster.host,
		port,
	);
	cluster.servers.push(server);
	return {
		id: at + 1,
		url: `${cluster.base}:${server.port}`,
		setFaults(settings) {
			faults.set(settings);
			return updateListening(cluster);
		},
		clearFaults() {
			faults.clear();
			return updateListening(cluster);
		},
		stats: () => buildReport(cluster, part, at),
		resetStats: () => stats.reset(),
	};
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
	const setup: ClusterParts = {
		options,
		now,
		size,
		seed,
		username,
		password,
		host,
		parts,
		servers: [],
		base: `${options.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}`,
	};
	const cluster: ClusterState = { ...setup, fabric: makeFabric(setup) };
	const control = buildControl(cluster, 1);

	const members: RunningMember[] = [];
	try {
		for (const [at, part] of parts.entries()) {
			const own = at === 0 ? control : buildControl(cluster, at + 1);
			members.push(await startMember(cluster, part, at, own));
		}
	} catch (error) {
		await closeServers(cluster);
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
		load: (answer) => cluster.fabric.load(answer),
		reset: () => resetController(cluster),
		close: () => closeServers(cluster),
	};
}
