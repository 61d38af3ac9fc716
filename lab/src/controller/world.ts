/**
 * One fabric with the members of its cluster. A reset replaces it by a new one of the same seed.
 */
import { type Api, createApi } from "./api/api.ts";
import { createMemberView } from "./api/member-view.ts";
import { createLogin, type User } from "./auth/login.ts";
import { createSessions, type Sessions, type SessionTimes } from "./auth/sessions.ts";
import { type Certificate, createSignatureCheck } from "./auth/signature.ts";
import { createChangeFeed } from "./changes.ts";
import { createFabricClock } from "./clock.ts";
import { createDrift, type Drift } from "./drift.ts";
import { FABRIC_EPOCH } from "./fabric/builder.ts";
import { buildFabric } from "./fabric/fabric.ts";
import type { FabricSize } from "./fabric/sizes.ts";
import { CONTROLLER_VERSION } from "./fabric/topology.ts";
import type { Faults } from "./faults.ts";
import { createLoader, type LoadReport } from "./load.ts";
import { createRegistry } from "./model/registry.ts";
import { createQueryRunner } from "./query/run.ts";
import { getDn } from "./store/mo.ts";
import { createStore, type Store } from "./store/store.ts";
import { createTextCache } from "./store/text.ts";
import { createSubscriptions, type Subscriptions } from "./subscriptions.ts";
import { createAuditLog } from "./write/audit.ts";
import { createWriter } from "./write/writer.ts";

/** What all members of the cluster share. */
export interface Fabric {
	readonly store: Store;
	readonly drift: Drift;
	load(answer: unknown): LoadReport;
	/** The members' own parts, in the order of their ids. */
	readonly members: readonly Member[];
}

/** What a member has of its own: sessions with it, and its view of the fabric. */
export interface Member {
	readonly api: Api;
	readonly sessions: Sessions;
	readonly signature: ReturnType<typeof createSignatureCheck>;
	readonly subscriptions: Subscriptions;
}

export interface FabricOptions {
	/** `empty` has no object at all, for loaded answers. */
	readonly size: FabricSize | "empty";
	readonly seed: number;
	/** 1, 2, 3 …: which of several fabrics it is. */
	readonly fabric: number;
	readonly users: readonly User[];
	readonly domains: readonly string[];
	readonly times: SessionTimes;
	readonly certificates: readonly Certificate[];
	/** Faults of each member, in the order of their ids. */
	readonly faults: readonly Faults[];
	readonly secure: boolean;
	/** Milliseconds since 1970; what sessions and subscriptions live by. */
	readonly now: () => number;
	/** The same with the controller's clock skew: for its records and the `Date` of its answers. */
	readonly wallClock: () => number;
}

/** Records of the audit log, as the real controller's default policy keeps them. */
const AUDIT_RECORDS = 100_000;

/** Characters of cached object text. */
const TEXT_BUDGET = 150_000_000;

export function createFabric(options: FabricOptions): Fabric {
	const { seed, now } = options;
	const store = createStore();
	const registry = createRegistry();
	if (options.size !== "empty")
		buildFabric(store, registry, { size: options.size, seed, members: options.faults.length, fabric: options.fabric });
	const clock = createFabricClock(FABRIC_EPOCH);
	const feed = createChangeFeed();
	const audit = createAuditLog({
		store,
		registry,
		now: options.wallClock,
		most: () => Number(options.faults[0]?.getSetting("audit_rotation")?.keep ?? AUDIT_RECORDS),
	});
	const signature = createSignatureCheck(options.certificates, store);
	const cache = createTextCache(TEXT_BUDGET);
	const writer = createWriter({ store, registry, clock, feed, audit });

	function createMember(faults: Faults, id: number): Member {
		const sessions = createSessions(options.times, now);
		const subscriptions = createSubscriptions(feed, registry, now);
		const api = createApi({
			store,
			registry,
			clock,
			sessions,
			subscriptions,
			faults,
			runner: createQueryRunner({
				store,
				registry,
				seed,
				shuffles: () => !faults.isOn("stable_order"),
				countsBeforeRequired: () => faults.isOn("required_after_count"),
			}),
			view: createMemberView({
				id,
				faults,
				registry,
				isDown: (other) => options.faults[other - 1]?.isOn("down") ?? false,
			}),
			cache,
			login: createLogin({
				users: options.users,
				domains: options.domains,
				times: options.times,
				version: () => String(faults.getSetting("half_upgraded")?.version ?? CONTROLLER_VERSION),
				node: `topology/pod-1/node-${id}`,
				tenants: () => store.ofClassByDn("fvTenant").map(getDn),
				sessions,
			}),
			signature,
			writer,
			secure: options.secure,
		});
		return { api, sessions, signature, subscriptions };
	}

	return {
		store,
		drift: createDrift(store, registry, clock, feed, audit, seed),
		load: createLoader(store, registry).load,
		members: options.faults.map((faults, at) => createMember(faults, at + 1)),
	};
}
