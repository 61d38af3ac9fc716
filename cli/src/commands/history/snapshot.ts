/** `weft snapshot capture`, `list`, `show` and `timeline`. */
import type { PipelineJob, SavedQuery, Snapshot } from "@weft/contracts";
import { executionLogRoutes, TIMELINE_MAX_LIMIT, timeMachineRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { printAnswer } from "../../raw-answer.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { requireCount, requireTime } from "../../times.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { findConnectionsFor } from "../queries/query.ts";
import { findSource, getQueries, getValues } from "../queries/query-source.ts";
import { requireCompleted, retryRead, runAll } from "../runs/runs.ts";
import { iterateSnapshots, loadSnapshotId } from "./snapshots.ts";

const SNAPSHOTS: View<Snapshot> = {
	name: "snapshots",
	columns: [
		{ title: "executed_at", value: ({ executed_at }) => executed_at },
		{ title: "connection", value: ({ controller_connection_name }) => controller_connection_name },
		{ title: "rows", value: ({ result_count }) => result_count },
		{ title: "changes", value: ({ has_changes }) => has_changes },
		{ title: "version", value: ({ query_version }) => query_version },
		{ title: "label", value: ({ label }) => label },
		{ title: "annotation", value: ({ annotation }) => annotation },
		{ title: "id", value: ({ id }) => id },
	],
};

const SHOWN_MAX = 10_000;
const PAUSE_MS = 250;
/** The end of a run is recorded soon after it; a lost queue task is found within a minute. */
const RECORDED_MS = 120_000;

interface CaptureOptions {
	readonly connection: readonly string[];
	readonly var: readonly string[];
	readonly label?: string | undefined;
	readonly annotation?: string | undefined;
}

export const registerSnapshot: Register = (program, run) => {
	const noun = getNoun(program, "snapshot", "Snapshots of query results, and what changed between them.");
	addExamples(noun, "weft snapshot list tenants", 'weft snapshot compare --query tenants --from "2 days ago"');
	const capture = noun
		.command("capture")
		.description("Run a query and store its result as a snapshot. Ends with 5 if a run fails.")
		.argument("<query>", "name or id")
		.option("--connection <name>", "connection to run on; may be given several times", appendValue, [])
		.option("--var <name=value>", "value of a variable; may be given several times", appendValue, [])
		.option("--label <label>", "label of the snapshot")
		.option("--annotation <text>", "annotation of the snapshot")
		.action(run(captureAll));
	addExamples(
		capture,
		"weft snapshot capture tenants --connection fab-1",
		"weft snapshot capture tenants --connection fab-1 --label before-upgrade",
	);
	const list = noun
		.command("list")
		.description("List the snapshots of a query, most recent first.")
		.argument("<query>", "name or id")
		.option("--connection <name>", "those of the connection")
		.option("--date <day>", "those of a day, such as 2026-01-31")
		.option("--limit <count>", "snapshots at most", "25")
		.action(run(showSnapshots));
	addExamples(
		list,
		"weft snapshot list tenants",
		"weft snapshot list tenants --connection fab-1 --limit 100 --format json",
	);
	const show = noun
		.command("show")
		.description("Show a snapshot, in JSON and YAML with its rows.")
		.argument("<snapshot>", "id or label")
		.option("--query <name>", "query of the snapshot with the label")
		.action(run(showOne));
	addExamples(show, "weft snapshot show before-upgrade --query tenants --format json");
	const timeline = noun
		.command("timeline")
		.description("Show how an object changed over the snapshots of a query.")
		.argument("<query>", "name or id")
		.argument("<dn>", "distinguished name of the object")
		.option("--connection <name>", "snapshots of the connection")
		.option("--from <time>", 'snapshots since the time, such as "2 days ago"')
		.option("--to <time>", "snapshots until the time")
		.option("--limit <count>", "latest snapshots at most", "20")
		.action(run(showTimeline));
	addExamples(
		timeline,
		"weft snapshot timeline tenants uni/tn-prod --connection fab-1",
		'weft snapshot timeline tenants uni/tn-prod --from "1 week ago"',
	);
};

async function captureAll(context: Context, name: string, options: CaptureOptions): Promise<void> {
	const client = await context.client();
	const query = await resolveNameOrId(getQueries(client), name);
	if (!query.enable_time_machine)
		throw buildInputError(`Snapshots are off for the query "${query.name}". Turn them on in the query's settings.`);
	const source = await findSource(client, query.id);
	const values = getValues(source, options.var);
	const connections = await findConnectionsFor(context, options.connection);
	const runs = await runAll(
		context,
		connections.map((connection) => ({
			connection,
			start: (caller: WeftClient, key: string) => source.start(caller, connection.id, values, key),
		})),
	);
	const snapshots: Snapshot[] = [];
	for (const { connection, run } of runs) {
		if (run.status !== "completed") continue;
		const found = await findRecordedSnapshot(context, query, run);
		if (found.executed_at < run.created_at) context.note(`${connection.name}: nothing changed since this snapshot.`);
		snapshots.push(await annotateSnapshot(client, found, options));
	}
	await context.output.list(snapshots, SNAPSHOTS);
	requireCompleted(runs);
}

/** The snapshot of a run; if the result has not changed, the latest one before it. */
async function findRecordedSnapshot(context: Context, query: SavedQuery, run: PipelineJob): Promise<Snapshot> {
	const client = await context.client();
	const { clock } = context;
	const start = clock.now();
	while (!(await retryRead(context, () => isRecorded(client, query.id, run)))) {
		if (clock.now() - start > RECORDED_MS)
			throw new CliError(EXIT.runFailed, `The end of the run ${run.id} was not recorded.`);
		await clock.sleep(PAUSE_MS);
	}
	for await (const snapshot of iterateSnapshots(client, query.id, 1, { connectionId: run.controller_connection_id }))
		if (snapshot.result_count === run.total_rows) return snapshot;
	throw new CliError(
		EXIT.runFailed,
		`${run.controller_connection_name}: The result of the run was not stored. Check the size limit of your snapshots.`,
	);
}

/** Whether the end of the run is in the execution log, where its snapshot is written with it. */
async function isRecorded(client: WeftClient, queryId: string, run: PipelineJob): Promise<boolean> {
	const { results } = await client.call(executionLogRoutes.list, { query: { query: queryId, page_size: "50" } });
	return results.some(
		({ executed_at, execution_time_ms, result_count }) =>
			executed_at >= run.created_at && execution_time_ms === run.execution_time_ms && result_count === run.total_rows,
	);
}

async function annotateSnapshot(
	client: WeftClient,
	snapshot: Snapshot,
	{ label, annotation }: CaptureOptions,
): Promise<Snapshot> {
	if (label === undefined && annotation === undefined) return snapshot;
	return client.call(timeMachineRoutes.annotate, {
		params: { id: snapshot.id },
		body: { ...(label === undefined ? {} : { label }), ...(annotation === undefined ? {} : { annotation }) },
	});
}

interface ListOptions {
	readonly connection?: string | undefined;
	readonly date?: string | undefined;
	readonly limit: string;
}

async function showSnapshots(context: Context, name: string, { connection, date, limit }: ListOptions): Promise<void> {
	const client = await context.client();
	const query = await resolveNameOrId(getQueries(client), name);
	const connectionId = await findConnectionId(client, connection);
	const most = requireCount("--limit", limit, SHOWN_MAX);
	async function* iterateShown(): AsyncGenerator<Snapshot, void, void> {
		const count = yield* iterateSnapshots(client, query.id, most, { connectionId, date });
		if (count > most) context.note(`These are ${most} of ${count} snapshots. Raise --limit to see more.`);
	}
	await context.output.list(iterateShown(), SNAPSHOTS);
}

async function showOne(context: Context, text: string, { query }: { query?: string | undefined }): Promise<void> {
	const client = await context.client();
	const queryId = query === undefined ? null : (await resolveNameOrId(getQueries(client), query)).id;
	const params = { id: await loadSnapshotId(client, text, { queryId }) };
	// The text of the rows keeps numbers that a double does not hold.
	if (context.output.format === "json") return printAnswer(context, timeMachineRoutes.detail, { params });
	await context.output.one(await client.call(timeMachineRoutes.detail, { params }), SNAPSHOTS);
}

interface Point {
	readonly executed_at: string;
	readonly snapshot_id: string;
	readonly present: boolean;
	readonly changes: readonly string[];
}

const POINTS: View<Point> = {
	name: "snapshot timeline",
	columns: [
		{ title: "executed_at", value: ({ executed_at }) => executed_at },
		{ title: "present", value: ({ present }) => present },
		{ title: "changes", value: ({ changes }) => changes },
		{ title: "snapshot_id", value: ({ snapshot_id }) => snapshot_id },
	],
};

interface TimelineOptions {
	readonly connection?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly limit: string;
}

async function showTimeline(context: Context, name: string, dn: string, options: TimelineOptions): Promise<void> {
	const client = await context.client();
	const now = context.clock.now();
	const query = await resolveNameOrId(getQueries(client), name);
	const connectionId = await findConnectionId(client, options.connection);
	const answer = await client.call(timeMachineRoutes.timeline, {
		query: {
			saved_query_id: query.id,
			dn,
			limit: String(requireCount("--limit", options.limit, TIMELINE_MAX_LIMIT)),
			...(connectionId === undefined ? {} : { controller_connection_id: connectionId }),
			...(options.from === undefined ? {} : { from_date: await requireTime("--from", options.from, now) }),
			...(options.to === undefined ? {} : { to_date: await requireTime("--to", options.to, now) }),
		},
	});
	if (!("points" in answer)) throw new CliError(EXIT.unreachable, "Weft answered without a timeline.");
	if (!answer.points.some(({ present }) => present))
		throw buildInputError(`None of ${answer.points.length} snapshots of "${query.name}" has ${dn}.`);
	const points = answer.points.map(({ executed_at, snapshot_id, present }): Point => {
		const changes = answer.attribute_evolution.flatMap(({ attribute, values }) =>
			values
				.filter((value) => value.changed && value.snapshot_id === snapshot_id)
				.map(({ value }) => `${attribute}=${value === null ? "" : String(value)}`),
		);
		return { executed_at, snapshot_id, present, changes };
	});
	await context.output.parts(answer, points, POINTS);
}
