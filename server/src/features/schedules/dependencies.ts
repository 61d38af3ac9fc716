/** What schedules need of the rest of the service, as narrow as it gets. */
import type { Identity } from "../../platform/caller.ts";
import type { Events } from "../../platform/events.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Cache } from "../../ports/cache.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Mailer } from "../../ports/mailer.ts";
import type { Db, Store } from "../../ports/store.ts";
import type { QueryRunsFeature } from "../query-runs/index.ts";
import type { VisibleQuery } from "../saved-queries/index.ts";

interface GroupViewer {
	readonly groupId: string;
	readonly userId: number;
}
interface ConnectionName {
	readonly id: string;
	readonly name: string;
}

export interface ScheduleDependencies {
	readonly store: Store;
	readonly jobs: Pick<Jobs, "enqueue" | "enqueueAll">;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	readonly events: Events;
	/** Null: no mail is sent. */
	readonly mailer: Mailer | null;
	readonly cache: Pick<Cache, "increment">;
	/** Domains that mail may go to beside the addresses of users, in lower case. */
	readonly mailDomains: readonly string[];
	/** Those of the addresses that active users have, in lower case. */
	emailsOfUsers(db: Db, addresses: readonly string[]): Promise<string[]>;
	/** A user as they are now, for work on their behalf; null when gone or not active. */
	getIdentity(userId: number): Promise<Identity | null>;
	findQuery(identity: Identity, id: string): Promise<VisibleQuery | null>;
	findConnection(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	findGroup(db: Db, identity: Identity, id: string): Promise<{ id: string; name: string } | null>;
	/**
	 * The members of groups as users see them, by `group id:user id`. A group that is gone, or that
	 * the user does not see, has no entry.
	 */
	groupMembers(db: Db, wanted: readonly GroupViewer[]): Promise<ReadonlyMap<string, readonly ConnectionName[]>>;
	readonly queryRuns: Pick<QueryRunsFeature, "readProgram" | "startAll" | "record" | "register">;
	readonly quotas: Pick<Quotas, "check">;
}
