/** Starts saved queries: the run and what its end leaves behind are written in one transaction. */
import type { BackgroundRunInput, PipelineJob } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type Caller, type Identity, isAllowed, type Origin } from "../../../core/caller.ts";
import { AppError, buildNotFoundError } from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { findVisibleConnection, requireTarget } from "../../fabrics/manage-connections.ts";
import { digestValues, type Program, readProgram } from "../../queries/flow/index.ts";
import type { VisibleQuery } from "../../queries/saved/index.ts";
import { loadVisibleQuery } from "../../queries/saved/visible-query.ts";
import { presentJob } from "../pipelines/present.ts";
import { type Start, startAllRuns, startRun, startRunOnce } from "../pipelines/start-runs.ts";
import { isTrustedRunner, NotRunnable, type RunPurpose } from "./ended-run.ts";
import { findValuesDigest, insertQueryRuns } from "./sql.ts";

export const BACKGROUND = "background";

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
export function readQueryProgram(
	query: Pick<VisibleQuery, "flowData" | "postProcessors" | "variables">,
	variableValues?: unknown,
): Pick<RunRequest, "program" | "valuesDigest"> {
	const input = {
		flow_data: query.flowData,
		post_processors: query.postProcessors,
		variables: query.variables,
		variable_values: variableValues,
	};
	return { program: readProgram(input), valuesDigest: digestValues(input) };
}

/** The digest of the values of a run of a saved query. */
export const computeValuesDigest = (ctx: Context, jobId: string): Promise<string | null> =>
	findValuesDigest(ctx.store.db, jobId);

/**
 * Starts a query in the background. 404 for a query that the caller does not see; 400 for every
 * other field.
 */
export async function startInBackground(
	ctx: Context,
	caller: Caller,
	id: string,
	input: BackgroundRunInput,
): Promise<PipelineJob> {
	const query = await loadVisibleQuery(ctx.store.db, caller, id);
	if (query === null) throw buildNotFoundError("There is no such query.");
	const field = "controller_connection_id";
	const connection = await requireTarget(ctx, caller, input[field], field);
	const { program, valuesDigest } = readQueryProgram(query, input.variable_values);
	const purpose = {
		origin: BACKGROUND,
		originId: null,
		keepsSnapshot: query.enableTimeMachine,
		isTrusted: isTrustedRunner(caller, query),
		valuesDigest,
	};
	const run = { program, connection, query, awaited: true };
	const start = (id: string | undefined) =>
		ctx.store.transaction(async (tx) => {
			const job = await startRun(ctx, tx, caller, { ...run, id });
			await insertQueryRuns(tx, [getRow(job.id, { ...purpose, identity: caller }, caller)]);
			return job;
		});
	return presentJob(await startRunOnce(ctx, caller, input.idempotency_key, start));
}

/** @throws NotRunnable */
export async function prepareQueryRun(
	ctx: Context,
	identity: Identity,
	queryId: string,
	connectionId: string,
): Promise<RunnableQuery & { readonly query: VisibleQuery }> {
	if (!isAllowed(identity, "execute_savedquery")) {
		throw new NotRunnable("You need the permission execute_savedquery for this.");
	}
	const query = await loadVisibleQuery(ctx.store.db, identity, queryId);
	if (query === null) throw new NotRunnable("There is no such query that you can see.");
	const connection = await findVisibleConnection(ctx, identity, connectionId);
	if (connection === null) throw new NotRunnable("There is no such controller connection that you can see.");
	if (!connection.isActive) throw new NotRunnable(`The connection "${connection.name}" is switched off.`);
	try {
		return { identity, ...readQueryProgram(query), connection, query };
	} catch (error) {
		throw error instanceof AppError ? new NotRunnable(formatMessages(error)) : error;
	}
}

/**
 * Starts a query that no request asked for, on behalf of a user.
 * @param reason for the audit log: what the run is for
 * @param purpose null: the caller reads the rows itself, and the end is not recorded
 * @returns the run's id
 * @throws AppError where a quota does not allow it
 */
export async function startQueryRun(
	ctx: Context,
	tx: Tx,
	runnable: RunnableQuery,
	reason: string,
	purpose: RunPurpose | null,
): Promise<string> {
	const { identity, valuesDigest, ...run } = runnable;
	const audit = { category: "query_execution", action: "query_run_start" } as const;
	const actor = { ...identity, ...NO_REQUEST, audit };
	const job = await startRun(ctx, tx, actor, { ...run, awaited: purpose !== null }, ` for ${reason}`);
	if (purpose !== null) await insertQueryRuns(tx, [getRow(job.id, { ...purpose, identity, valuesDigest }, NO_REQUEST)]);
	return job.id;
}

/**
 * Starts many runs that are not in the audit log themselves. Returns their ids in the same
 * order.
 */
export async function startQueryRuns(ctx: Context, tx: Tx, requests: readonly RunRequest[]): Promise<string[]> {
	const jobs = await startAllRuns(
		ctx,
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
		requests.flatMap((request, i) => (ids[i] === undefined ? [] : getRow(ids[i], request, request.from ?? NO_REQUEST))),
	);
	return ids;
}

type Source = Pick<Origin, "ip" | "userAgent" | "requestId">;

/** The messages of a refusal in one line. */
function formatMessages({ body }: AppError): string {
	const { detail } = body;
	return typeof detail === "string" ? detail : Object.values(body).flat().map(String).join(" ");
}
