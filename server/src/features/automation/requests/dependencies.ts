/** The dependencies of requests on the rest of the service. */
import type { Identity } from "../../../platform/caller.ts";
import type { AppError } from "../../../platform/errors.ts";
import type { Events } from "../../../platform/events.ts";
import type { Quotas } from "../../../platform/quotas.ts";
import type { AutomationDriver, AutomationError } from "../../../ports/automation-server.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Log } from "../../../ports/log.ts";
import type { PubSub } from "../../../ports/pubsub.ts";
import type { Secrets } from "../../../ports/secrets.ts";
import type { Db, Store } from "../../../ports/store.ts";
import type { QueryRunsFeature } from "../../query-runs/index.ts";
import type { UnusableConnection, UsableConnection } from "../connections/index.ts";
import type { AutomationExecutions } from "../executions/index.ts";
import type { AutomationTemplates, ShownTemplate } from "../templates/index.ts";

export interface RequestDependencies {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	readonly secrets: Pick<Secrets, "seal" | "open">;
	readonly events: Events;
	readonly pubsub: PubSub;
	readonly quotas: Pick<Quotas, "check">;
	readonly templates: Pick<AutomationTemplates, "find" | "check" | "take" | "count" | "lock">;
	readonly executions: Pick<AutomationExecutions, "open" | "problems" | "cancelIn">;
	/** A user as they are now, for work on their behalf; null when gone or not active. */
	getIdentity(userId: number, db?: Db): Promise<Identity | null>;
	/** A connection that the identity sees, or 400 under the field. */
	namedConnection(identity: Identity, id: string, field: string): Promise<{ id: string; name: string }>;
	connection(id: string): Promise<UsableConnection | UnusableConnection>;
	/** A controller connection that the identity sees; null where there is none. */
	findController(identity: Identity, id: string): Promise<{ id: string; name: string } | null>;
	/** The rows of a completed run that the identity sees. 404, 409 */
	runDocument(identity: Identity, id: string, maxBytes: number): Promise<{ readonly bytes: Uint8Array | null }>;
	/** What differs between two snapshots that the identity sees, as text in pieces. 404 */
	compareSnapshots(
		identity: Identity,
		input: { readonly fromId: string; readonly toId: string },
		signal: AbortSignal,
	): AsyncIterable<Buffer | string>;
	readonly queryRuns: Pick<QueryRunsFeature, "prepare">;
	readonly automation: Pick<AutomationDriver, "template">;
	/** Maps a failure of the automation server to an error for the waiting caller. */
	presentFailure(error: AutomationError): AppError;
	/**
	 * Finds a template without a visibility check: a request's template was allowed when it was made.
	 */
	anyTemplate(db: Db, id: string): Promise<ShownTemplate | null>;
}
