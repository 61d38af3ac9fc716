/** Starts saved queries: the run and what its end leaves behind are written in one transaction. */
import type { BackgroundRunInput, PipelineJob } from "@weft/contracts";
import { type Caller, type Identity, isAllowed, type Origin } from "../../platform/caller.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { digestValues } from "../flow/index.ts";
import { type PipelineFeature, type Program, presentJob, type Start } from "../pipelines/index.ts";
import type { VisibleQuery } from "../saved-queries/index.ts";
import { isTrustedRunner, NotRunnable, type RunPurpose } from "./origins.ts";
import { findValuesDigest, insertQueryRuns } from "./repo.ts";

export const BACKGROUND = "background";

export interface QueryRunsDeps {
	readonly store: Store;
	readonly pipelines: Pick<PipelineFeature, "start" | "startAll" | "startOnce" | "readProgram">;
	findQuery(identity: Identity, id: string): Promise<VisibleQuery | null>;
	/** A connection that the identity sees; null where there is none. */
	findConnection(identity: Identity, id: string): Promise<Connection | null>;
	/**
	 * A connection that the identity sees and that is active. @throws 400 under `field` for every
	 * other.
	 */
	usableConnection(identity: Identity, id: string, field: string): Promise<Omit<Connection, "isActive">>;
}

interface Connection {
	readonly id: string;
	readonly name: string;
	readonly isActive: boolean;
}

/** One run of a saved query. */
export interface RunRequest extends RunPurpose {
	readonly identity: Identity;
	readonly program: Program;
	/** Of the variable values in the program; null for those of the query. */
	readonly valuesDigest: string | null;
	readonly connection: Start["connection"];
	readonly query: NonNullable<Start["query"]>;
	/** The request that started the run, for the audit entry of its end. */
	readonly from?: Source;
}

/** A query that its user may run on a connection. */
export type RunnableQuery = Pick<RunRequest, "identity" | "program" | "valuesDigest" | "connection" | "query">;

/** Where a run comes from that no request started. */
const NO_REQUEST = { ip: "", userAgent: "", requestId: "" };

export function createQueryRuns({ store, pipelines, ...deps }: QueryRunsDeps) {
	const getRow = (
		jobId: string,
		{ identity, ...run }: RunPurpose & Pick<RunRequest, "identity" | "valuesDigest">,
		from: Source,
	) => ({
		job_id: jobId,
		origin: run.origin,
		origin_id: run.originId,
		username: identity.username,
		keeps_snapshot: run.keepsSnapshot,
		is_trusted: run.isTrusted,
		values_digest: run.valuesDigest,
		ip_address: from.ip,
		user_agent: from.userAgent,
		request_id: from.requestId,
	});

	/**
	 * Checks and fills in the canvas of a query.
	 * @throws 400 with messages by field
	 */
	function readProgram(query: VisibleQuery, variableValues?: unknown): Pick<RunRequest, "program" | "valuesDigest"> {
		const input = {
			flow_data: query.flowData,
			post_processors: query.postProcessors,
			variables: query.variables,
			variable_values: variableValues,
		};
		return { program: pipelines.readProgram(input), valuesDigest: digestValues(input) };
	}

	return {
		readProgram,

		/** The digest of the values of a run of a saved query. */
		computeValuesDigest: (jobId: string): Promise<string | null> => findValuesDigest(store.db, jobId),

		/**
		 * Starts a query in the background. 404 for a query that the caller does not see; 400 for every
		 * other field.
		 */
		async startInBackground(caller: Caller, id: string, input: BackgroundRunInput): Promise<PipelineJob> {
			const query = await deps.findQuery(caller, id);
			if (query === null) throw notFound("There is no such query.");
			const field = "controller_connection_id";
			const connection = await deps.usableConnection(caller, input[field], field);
			const { program, valuesDigest } = readProgram(query, input.variable_values);
			const purpose = {
				origin: BACKGROUND,
				originId: null,
				keepsSnapshot: query.enableTimeMachine,
				isTrusted: isTrustedRunner(caller, query),
				valuesDigest,
			};
			const run = { program, connection, query, awaited: true };
			const start = (id: string | undefined) =>
				store.transaction(async (tx) => {
					const job = await pipelines.start(tx, caller, { ...run, id });
					await insertQueryRuns(tx, [getRow(job.id, { ...purpose, identity: caller }, caller)]);
					return job;
				});
			return presentJob(await pipelines.startOnce(caller, input.idempotency_key, start));
		},

		/** @throws NotRunnable */
		async prepare(
			identity: Identity,
			queryId: string,
			connectionId: string,
		): Promise<RunnableQuery & { readonly query: VisibleQuery }> {
			if (!isAllowed(identity, "execute_savedquery")) {
				throw new NotRunnable("You need the permission execute_savedquery for this.");
			}
			const query = await deps.findQuery(identity, queryId);
			if (query === null) throw new NotRunnable("There is no such query that you can see.");
			const connection = await deps.findConnection(identity, connectionId);
			if (connection === null) throw new NotRunnable("There is no such controller connection that you can see.");
			if (!connection.isActive) throw new NotRunnable(`The connection "${connection.name}" is switched off.`);
			try {
				return { identity, ...readProgram(query), connection, query };
			} catch (error) {
				throw error instanceof AppError ? new NotRunnable(formatMessages(error)) : error;
			}
		},

		/**
		 * Starts a query that no request asked for, on behalf of a user.
		 * @param reason for the audit log: what the run is for
		 * @param purpose null: the caller reads the rows itself, and the end is not recorded
		 * @returns the run's id
		 * @throws AppError where a quota does not allow it
		 */
		async start(tx: Tx, runnable: RunnableQuery, reason: string, purpose: RunPurpose | null): Promise<string> {
			const { identity, valuesDigest, ...run } = runnable;
			const audit = { category: "query_execution", action: "query_run_start" } as const;
			const actor = { ...identity, ...NO_REQUEST, audit };
			const job = await pipelines.start(tx, actor, { ...run, awaited: purpose !== null }, ` for ${reason}`);
			if (purpose !== null)
				await insertQueryRuns(tx, [getRow(job.id, { ...purpose, identity, valuesDigest }, NO_REQUEST)]);
			return job.id;
		},

		/**
		 * Starts many runs that are not in the audit log themselves. Returns their ids in the same
		 * order.
		 */
		async startAll(tx: Tx, requests: readonly RunRequest[]): Promise<string[]> {
			const jobs = await pipelines.startAll(
				tx,
				requests.map(({ identity: owner, program, connection, query }) => ({
					owner,
					program,
					connection,
					query,
					awaited: true,
				})),
			);
			const ids = jobs.map(({ id }) => id);
			await insertQueryRuns(
				tx,
				requests.flatMap((request, i) =>
					ids[i] === undefined ? [] : getRow(ids[i], request, request.from ?? NO_REQUEST),
				),
			);
			return ids;
		},
	};
}
export type QueryRuns = ReturnType<typeof createQueryRuns>;

type Source = Pick<Origin, "ip" | "userAgent" | "requestId">;

/** The messages of a refusal in one line. */
function formatMessages({ body }: AppError): string {
	const { detail } = body;
	return typeof detail === "string" ? detail : Object.values(body).flat().map(String).join(" ");
}
