/** `weft snapshot series`. */
import { Option } from "@commander-js/extra-typings";
import type { SeriesAnswer, SeriesExport, SeriesStep, SeriesValue } from "@weft/contracts";
import { SERIES_EXPORTS, SERIES_LIMITS, SERIES_STEPS, SERIES_VALUES, timeMachineRoutes } from "@weft/contracts/browser";
import type { Call } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { printAnswer } from "../../raw-answer.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { requireCount, requireTime } from "../../times.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { getQueries } from "../queries/query-source.ts";
import { retryRead } from "../runs/runs.ts";

type Query = Call<typeof timeMachineRoutes.series>["query"];

interface SeriesOptions {
	readonly connection?: string | undefined;
	readonly value: SeriesValue;
	readonly field?: string | undefined;
	readonly groupBy?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly step: SeriesStep;
	readonly groups: string;
	readonly export?: SeriesExport | undefined;
}

interface Point {
	readonly at: string;
	readonly group: string | null;
	readonly value: number;
}

const PAUSE_MS = 1_000;
/** The service may compute for this long without finishing another snapshot, in milliseconds. */
const PATIENCE_MS = 120_000;

export const registerSnapshotSeries: Register = (program, run) => {
	const series = getNoun(program, "snapshot", "Snapshots of query results, and what changed between them.")
		.command("series")
		.description("Show a number of each snapshot of a query over time.")
		.argument("<query>", "name or id")
		.option("--connection <name>", "snapshots of the connection")
		.addOption(
			new Option("--value <value>", "how the rows of a snapshot become a number")
				.choices(SERIES_VALUES)
				.default("count" as const),
		)
		.option("--field <field>", "field that is counted with, such as fvBD.mtu; only count can do without")
		.option("--group-by <field>", "a line for each value of the field")
		.option("--from <time>", 'snapshots since the time, such as "2 days ago"')
		.option("--to <time>", "snapshots before the time")
		.addOption(
			new Option("--step <step>", "each snapshot, or the last one of each hour or day")
				.choices(SERIES_STEPS)
				.default("snapshot" as const),
		)
		.option("--groups <count>", "groups at most, the largest first", String(SERIES_LIMITS.defaultGroups))
		.addOption(
			new Option("--export <format>", "print the service's own export, whatever --format is").choices(SERIES_EXPORTS),
		)
		.action(run(showSeries));
	addExamples(
		series,
		'weft snapshot series tenants --connection fab-1 --from "30 days ago" --step day',
		"weft snapshot series domains --value avg --field fvBD.mtu --group-by fvBD.unicastRoute --format json",
		"weft snapshot series tenants --export openmetrics > tenants.txt",
	);
};

async function showSeries(context: Context, name: string, options: SeriesOptions): Promise<void> {
	const query = await findSeriesQuery(context, name, options);
	const answer = await waitUntilComputed(context, query);
	noteMissing(context, answer);
	// The service's own text keeps numbers that a double does not hold.
	if (options.export !== undefined || context.output.format === "json")
		return printAnswer(context, timeMachineRoutes.series, {
			query: { ...query, ...(options.export === undefined ? {} : { export: options.export }) },
		});
	const points = answer.groups.flatMap(({ key, points }) =>
		points.map(([at, value]): Point => ({ at, group: key, value })),
	);
	await context.output.parts(answer, points, buildView(options));
}

async function findSeriesQuery(context: Context, name: string, options: SeriesOptions): Promise<Query> {
	const groups = requireCount("--groups", options.groups, SERIES_LIMITS.groups);
	const now = context.clock.now();
	const span = {
		...(options.from === undefined ? {} : { from: await requireTime("--from", options.from, now) }),
		...(options.to === undefined ? {} : { to: await requireTime("--to", options.to, now) }),
	};
	const client = await context.client();
	const { id } = await resolveNameOrId(getQueries(client), name);
	const connectionId = await findConnectionId(client, options.connection);
	return {
		saved_query_id: id,
		value: options.value,
		step: options.step,
		groups: String(groups),
		...span,
		...(connectionId === undefined ? {} : { controller_connection_id: connectionId }),
		...(options.field === undefined ? {} : { field: options.field }),
		...(options.groupBy === undefined ? {} : { group_by: options.groupBy }),
		...(options.step === "snapshot" ? {} : { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
	};
}

/** Waits as long as the service goes on with the numbers of more snapshots. */
async function waitUntilComputed(context: Context, query: Query): Promise<SeriesAnswer> {
	const { clock } = context;
	const client = await context.client();
	let fewest = Number.POSITIVE_INFINITY;
	let since = clock.now();
	for (;;) {
		const answer = await retryRead(context, () => client.call(timeMachineRoutes.series, { query }));
		if (!answer.computing) return answer;
		if (answer.pending < fewest) {
			fewest = answer.pending;
			since = clock.now();
		} else if (clock.now() - since > PATIENCE_MS) {
			throw new CliError(
				EXIT.unreachable,
				`The numbers of ${answer.pending} snapshots are still being computed. Run the command again later.`,
			);
		}
		context.progress(`The numbers of ${answer.pending} snapshots are being computed …`);
		await clock.sleep(PAUSE_MS);
	}
}

function noteMissing(context: Context, answer: SeriesAnswer): void {
	const { groups, total_groups, missing, missing_reason, left_out } = answer;
	if (groups.length < total_groups)
		context.note(`These are ${groups.length} of ${total_groups} groups. Raise --groups to see more.`);
	if (missing > 0) context.note(`${missing} times have no number. ${missing_reason ?? ""}`.trimEnd());
	if (left_out > 0) context.note(`${left_out} values of the latest snapshot are no numbers and do not count.`);
}

const buildView = ({ groupBy }: SeriesOptions): View<Point> => ({
	name: "snapshot series",
	columns: [
		{ title: "at", value: ({ at }) => at },
		...(groupBy === undefined ? [] : [{ title: "group", value: ({ group }: Point) => group }]),
		{ title: "value", value: ({ value }) => value },
	],
});
