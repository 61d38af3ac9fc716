/** Runs of saved queries that automation starts on somebody's behalf: with that user's rights and quotas, and in the audit log. */
import { type Identity, isAllowed } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Store, Tx } from "../../ports/store.ts";

/** What a run is made of; read and checked by the pipelines alone. */
interface Query<Program> {
	readonly id: string;
	readonly name: string;
	readonly version: string;
	readonly versionHash: string;
	readonly program: Program;
}
interface Connection {
	readonly id: string;
	readonly name: string;
}

export interface QueryRunDeps<Program> {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly quotas: Pick<Quotas, "check">;
	/** A saved query that the identity sees, ready to be run; null where there is none. @throws 400 where it cannot be run */
	findRunnable(identity: Identity, id: string): Promise<Query<Program> | null>;
	/** A connection that the identity sees; null where there is none. */
	findController(identity: Identity, id: string): Promise<(Connection & { readonly isActive: boolean }) | null>;
	startRun(
		tx: Tx,
		start: {
			readonly ownerId: number;
			readonly program: Program;
			readonly connection: Connection;
			readonly query: Query<Program>;
		},
	): Promise<{ readonly id: string }>;
}

/** Why a query is not run, in words for whoever wants its rows. */
export class NotRunnable extends Error {
	override readonly name = "NotRunnable";
}

export interface ReadyQuery {
	readonly id: string;
	readonly name: string;
	readonly version: string;
	readonly versionHash: string;
	readonly connection: Connection;
	/** @param along written in the transaction that starts the run @returns the run's id @throws NotRunnable */
	start(why: string, along?: (tx: Tx, runId: string) => Promise<void>): Promise<string>;
}

export interface QueryRuns {
	/** A query and a connection that the identity sees. @throws NotRunnable */
	prepare(identity: Identity, queryId: string, connectionId: string): Promise<ReadyQuery>;
}

export function createQueryRuns<Program>(deps: QueryRunDeps<Program>): QueryRuns {
	const { store, events, quotas } = deps;

	/** What the parts refuse, in one line. */
	async function plainly<T>(work: Promise<T>): Promise<T> {
		return work.catch((error: unknown) => {
			if (!(error instanceof AppError) || error.status >= 500) throw error;
			const { detail } = error.body;
			const text = typeof detail === "string" ? detail : Object.values(error.body).flat().map(String).join(" ");
			throw new NotRunnable(text);
		});
	}

	return {
		async prepare(identity, queryId, connectionId) {
			if (!isAllowed(identity, "execute_savedquery")) {
				throw new NotRunnable("You need the permission execute_savedquery for this.");
			}
			const query = await plainly(deps.findRunnable(identity, queryId));
			if (query === null) throw new NotRunnable("There is no such query that you can see.");
			const connection = await deps.findController(identity, connectionId);
			if (connection === null) throw new NotRunnable("There is no such controller connection that you can see.");
			if (!connection.isActive) throw new NotRunnable(`The connection "${connection.name}" is switched off.`);
			const { id, name, version, versionHash } = query;
			return {
				id,
				name,
				version,
				versionHash,
				connection: { id: connection.id, name: connection.name },
				start: (why, along) =>
					plainly(
						store.transaction(async (tx) => {
							await quotas.check(identity, "can_execute_queries", tx);
							const { userId: ownerId, username } = identity;
							const run = await deps.startRun(tx, { ownerId, program: query.program, connection, query });
							const actor = {
								userId: ownerId,
								username,
								ip: "",
								userAgent: "",
								requestId: "",
								audit: { category: "query_execution", action: "query_run_start" } as const,
							};
							await events.changed(tx, actor, {
								targetType: "pipeline_execution",
								targetId: run.id,
								description: `${username} ran ${name} against ${connection.name} for ${why}`,
								metadata: { saved_query_id: id, version, controller_connection_id: connection.id },
							});
							await along?.(tx, run.id);
							await quotas.check(identity, "executions_daily", tx);
							return run.id;
						}),
					),
			};
		},
	};
}
