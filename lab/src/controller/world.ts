/** One fabric with everything that serves it. A reset replaces it by a new one of the same seed. */
import { type Api, createApi } from "./api/api.ts";
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
import { dnOf } from "./store/mo.ts";
import { createStore, type Store } from "./store/store.ts";
import { createTextCache } from "./store/text.ts";
import { createSubscriptions, type Subscriptions } from "./subscriptions.ts";
import { createAuditLog } from "./write/audit.ts";
import { createWriter } from "./write/writer.ts";

export interface World {
	readonly api: Api;
	readonly store: Store;
	readonly sessions: Sessions;
	readonly signature: ReturnType<typeof createSignatureCheck>;
	readonly subscriptions: Subscriptions;
	readonly drift: Drift;
	load(answer: unknown): LoadReport;
}

export interface WorldOptions {
	/** `empty` has no object at all, for loaded answers. */
	readonly size: FabricSize | "empty";
	readonly seed: number;
	readonly users: readonly User[];
	readonly domains: readonly string[];
	readonly times: SessionTimes;
	readonly certificates: readonly Certificate[];
	readonly faults: Faults;
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

export function createWorld(options: WorldOptions): World {
	const { seed, faults, now } = options;
	const store = createStore();
	const registry = createRegistry();
	if (options.size !== "empty") buildFabric(store, registry, options.size, seed);
	const clock = createFabricClock(FABRIC_EPOCH);
	const feed = createChangeFeed();
	const audit = createAuditLog({
		store,
		registry,
		now: options.wallClock,
		most: () => Number(faults.settingOf("audit_rotation")?.keep ?? AUDIT_RECORDS),
	});
	const sessions = createSessions(options.times, now);
	const signature = createSignatureCheck(options.certificates, store);
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
		cache: createTextCache(TEXT_BUDGET),
		login: createLogin({
			users: options.users,
			domains: options.domains,
			times: options.times,
			version: () => CONTROLLER_VERSION,
			tenants: () => store.ofClassByDn("fvTenant").map(dnOf),
			sessions,
		}),
		signature,
		writer: createWriter({ store, registry, clock, feed, audit }),
		secure: options.secure,
	});
	return {
		api,
		store,
		sessions,
		signature,
		subscriptions,
		drift: createDrift(store, registry, clock, feed, audit, seed),
		load: createLoader(store, registry).load,
	};
}
