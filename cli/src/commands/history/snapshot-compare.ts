/** `weft snapshot compare`. */
import { Option } from "@commander-js/extra-typings";
import type { AttributionReason, AttributionSummary, ChangeCounts, CompareAnswer, CompareLine } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { formatJunit } from "@weft/contracts/junit";
import { formatCellText } from "@weft/contracts/spreadsheet";
import type { Call, WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import { buildTestCase, replaceControls } from "../../output.ts";
import { iterateLines, openAnswer, printAnswer } from "../../raw-answer.ts";
import { isUuid, resolveNameOrId, suggestNames } from "../../resolve.ts";
import { findTime } from "../../times.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { getQueries } from "../queries/query-source.ts";
import { findSnapshotId, type LabelScope, loadSnapshotId } from "./snapshots.ts";

type Body = Call<typeof timeMachineRoutes.compare>["body"];

interface Asked {
	readonly body: Body;
	readonly rules: { readonly rules?: "query" };
	/** Who changed it: asks the controller at each request. */
	readonly attribution: { readonly attribution?: "1" };
}

interface CompareOptions {
	readonly query?: string | undefined;
	readonly connection?: string | undefined;
	readonly toConnection?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly ignore: readonly string[];
	readonly ignoreVolatile?: true | undefined;
	readonly ids?: true | undefined;
	readonly match?: "dn" | "name" | undefined;
	readonly rules?: true | undefined;
	readonly attribution?: true | undefined;
	readonly exitCode?: true | undefined;
}

/** Lines about the objects of a class in a test case of JUnit. */
const NAMED = 20;

export const registerSnapshotCompare: Register = (program, run) => {
	const compare = getNoun(program, "snapshot", "Snapshots of query results, and what changed between them.")
		.command("compare")
		.description("Show what changed between two snapshots.")
		.argument("[from]", "id or label of the earlier snapshot")
		.argument("[to]", "id or label of the later snapshot")
		.option("--query <name>", "query whose snapshots are compared")
		.option("--connection <name>", "connection of the snapshots")
		.option("--to-connection <name>", "connection of the later snapshot, if it is another one")
		.option("--from <time>", 'time such as "2 days ago", id or label; the latest snapshot at or before the time')
		.option("--to <time>", "likewise; the latest snapshot without it")
		.option(
			"--ignore <attribute>",
			"leave out an attribute, or Class.attribute; may be given several times",
			appendValue,
			[],
		)
		.option("--ignore-volatile", "leave out counters, timestamps and other attributes that always change")
		.option("--ids", "between two connections, compare ids that each fabric hands out by itself, too")
		.addOption(
			new Option("--match <by>", "match objects by DN, or by name: without the numbers of nodes and pods")
				.choices(["dn", "name"])
				.default("dn"),
		)
		.option("--rules", "leave out what the query's drift rules ignore")
		.option("--attribution", "ask the controller who changed it; needs the right to use its connection")
		.option("--exit-code", "end with 1 if there are differences that are not left out")
		.action(run(compareSnapshots));
	addExamples(
		compare,
		'weft snapshot compare --query tenants --connection fab-1 --from "2 days ago" --exit-code',
		"weft snapshot compare --query tenants before-upgrade after-upgrade --ignore-volatile",
		'weft snapshot compare --query tenants --from "1 hour ago" --attribution',
		"weft snapshot compare --query tenants --connection fab-1 --to-connection fab-2 --match name",
		"weft snapshot compare 01890000-0000-7000-8000-000000000001 01890000-0000-7000-8000-000000000002 --format json",
	);
};

async function compareSnapshots(
	context: Context,
	first: string | undefined,
	second: string | undefined,
	options: CompareOptions,
): Promise<void> {
	const client = await context.client();
	const given = await findBody(context, client, first, second, options);
	const rules = options.rules ? { rules: "query" as const } : {};
	// Refusals come before any output, and the end is known in every format.
	const summarize = (body: Body) =>
		client.call(timeMachineRoutes.compare, { query: { format: "summary", ...rules }, body }) as Promise<Summary>;
	const seen = await summarize(given);
	const withoutIds = options.ids !== true && isBetweenConnections(seen) && !seen.ignored.identity;
	const body = withoutIds ? { ...given, ignore_identity: true } : given;
	const summary = withoutIds ? await summarize(body) : seen;
	const asked: Asked = { body, rules, attribution: options.attribution ? { attribution: "1" } : {} };
	if (isBackwards(summary)) context.note("The second snapshot is older than the first: changes are shown backwards.");
	const { format } = context.output;
	if (format === "json" || format === "ndjson" || format === "csv")
		await printAnswer(context, timeMachineRoutes.compare, {
			query: { format, ...asked.rules, ...asked.attribution },
			body,
		});
	else if (format === "yaml") await printYaml(context, client, asked);
	else if (format === "junit") await printJunit(context, client, asked, summary.summary);
	else await printText(context, client, asked, summary);
	if (options.exitCode && hasDifferences(summary)) throw new CliError(EXIT.finding);
}

async function findBody(
	{ clock }: Context,
	client: WeftClient,
	first: string | undefined,
	second: string | undefined,
	options: CompareOptions,
): Promise<Body> {
	const ignored = {
		ignore: [...options.ignore],
		ignore_volatile: options.ignoreVolatile === true,
		match: options.match ?? "dn",
	};
	const query = options.query === undefined ? null : await resolveNameOrId(getQueries(client), options.query);
	const connection = await findConnectionId(client, options.connection);
	const toConnection = (await findConnectionId(client, options.toConnection)) ?? connection;
	if (first !== undefined) {
		if (second === undefined) throw buildInputError("Give two snapshots, or --query with --from.");
		if (options.from !== undefined || options.to !== undefined)
			throw buildInputError("Give two snapshots, or --from and --to, not both.");
		const queryId = query?.id ?? null;
		return {
			snapshot_from_id: await loadSnapshotId(client, first, { queryId, connectionId: connection }),
			snapshot_to_id: await loadSnapshotId(client, second, { queryId, connectionId: toConnection }),
			...ignored,
		};
	}
	if (query === null) throw buildInputError("Give two snapshots, or --query with --from.");
	if (options.from === undefined && options.toConnection === undefined)
		throw buildInputError('Give the earlier snapshot with --from, such as --from "2 days ago".');
	const now = clock.now();
	const queryId = query.id;
	const from = await findSide(client, "--from", options.from, { queryId, connectionId: connection }, now);
	const to = await findSide(client, "--to", options.to, { queryId, connectionId: toConnection }, now);
	return {
		...(from.id === null || to.id === null ? { saved_query_id: query.id } : {}),
		...(from.id !== null
			? { snapshot_from_id: from.id }
			: {
					...(from.time === null ? {} : { from: from.time }),
					...(connection === undefined ? {} : { connection_from_id: connection }),
				}),
		...(to.id !== null
			? { snapshot_to_id: to.id }
			: {
					...(to.time === null ? {} : { to: to.time }),
					...(toConnection === undefined ? {} : { connection_to_id: toConnection }),
				}),
		...ignored,
	};
}

/** A snapshot, or a time; both null for the latest snapshot. */
interface Side {
	readonly id: string | null;
	readonly time: string | null;
}

async function findSide(
	client: WeftClient,
	option: string,
	text: string | undefined,
	scope: LabelScope,
	now: number,
): Promise<Side> {
	if (text === undefined) return { id: null, time: null };
	const time = isUuid(text) ? null : await findTime(text, now);
	if (time !== null) return { id: null, time };
	const { id, labels } = await findSnapshotId(client, text, scope);
	if (id !== null) return { id, time: null };
	const problem = `${option} ${text}: Must be a time such as "2 days ago", or the id or the label of a snapshot.`;
	throw buildInputError(problem + suggestNames(labels, text));
}

/** Reads the entries of a comparison. Returns how it was found who changed them, if it was. */
async function* iterateEntries(
	context: Context,
	client: WeftClient,
	{ body, rules, attribution }: Asked,
): AsyncGenerator<CompareLine, AttributionSummary | undefined, void> {
	if (attribution.attribution !== undefined) {
		// Lines say nothing about the lookup, and a second request would make a second one.
		const query = { ...rules, ...attribution };
		const whole = (await client.call(timeMachineRoutes.compare, { query, body })) as CompareAnswer;
		const { added, deleted, modified } = whole.diff;
		for (const entry of added) yield { change: "added", ...entry };
		for (const entry of deleted) yield { change: "deleted", ...entry };
		for (const entry of modified) yield { change: "modified", ...entry };
		return whole.attribution;
	}
	const answer = await openAnswer(context, timeMachineRoutes.compare, { query: { format: "ndjson", ...rules }, body });
	for await (const line of iterateLines(answer)) yield JSON.parse(line) as CompareLine;
	return undefined;
}

async function printYaml({ output }: Context, client: WeftClient, { body, ...asked }: Asked): Promise<void> {
	const query = { ...asked.rules, ...asked.attribution };
	const answer = await client.call(timeMachineRoutes.compare, { query, body });
	await output.one(answer, { name: "snapshot compare", columns: [] });
}

/** A test case for each class that changed, and one that passes where nothing did. */
async function printJunit(
	context: Context,
	client: WeftClient,
	asked: Asked,
	summary: Readonly<Record<string, ChangeCounts>>,
): Promise<void> {
	const named = new Map<string, string[]>();
	for await (const entry of iterateEntries(context, client, asked)) {
		const className = entry.class_name ?? "";
		const lines = named.get(className) ?? [];
		if (lines.length < NAMED) named.set(className, [...lines, ...formatEntry(entry)].slice(0, NAMED));
	}
	const suite = "snapshot compare";
	const cases = Object.entries(summary).map(([className, counts]) => {
		const text = [formatCounts(counts), ...(named.get(className) ?? [])].join("\n");
		return buildTestCase(suite, className || "unknown class", "difference", text);
	});
	const all = cases.length === 0 ? [buildTestCase(suite, "no differences", "difference", null)] : cases;
	await context.output.sink.write(formatJunit([{ name: suite, cases: all }]));
}

interface Summary {
	readonly snapshot_from: ComparedSide;
	readonly snapshot_to: ComparedSide;
	readonly identical: boolean;
	readonly total_changes?: number;
	readonly summary: Readonly<Record<string, ChangeCounts>>;
	readonly skipped: { readonly from: number; readonly to: number; readonly differ: boolean };
	readonly ignored: { readonly objects: number; readonly identity: boolean };
}

interface ComparedSide {
	readonly executed_at: string;
	readonly controller_connection_id: string | null;
	readonly controller_connection_name: string;
	readonly result_count: number;
}

/** Whether the sides are of two connections. */
const isBetweenConnections = ({ snapshot_from: from, snapshot_to: to }: Summary): boolean =>
	from.controller_connection_id !== to.controller_connection_id;

/** Whether anything differs that is not left out. */
const hasDifferences = ({ total_changes = 0, skipped }: Summary): boolean => total_changes > 0 || skipped.differ;

/** Whether changes of one connection are listed from a later snapshot to an earlier one. */
const isBackwards = ({ snapshot_from: from, snapshot_to: to }: Summary): boolean =>
	from.controller_connection_name === to.controller_connection_name &&
	Date.parse(from.executed_at) > Date.parse(to.executed_at);

async function printText(context: Context, client: WeftClient, asked: Asked, summary: Summary): Promise<void> {
	const { write } = context.output.sink;
	const side = ({ executed_at, controller_connection_name, result_count }: ComparedSide): string =>
		replaceControls(`${executed_at}  ${controller_connection_name}  ${result_count} rows`);
	await write(`from  ${side(summary.snapshot_from)}\nto    ${side(summary.snapshot_to)}\n\n`);
	const entries = iterateEntries(context, client, asked);
	let next = await entries.next();
	for (; next.done !== true; next = await entries.next())
		for (const line of formatEntry(next.value)) await write(`${replaceControls(line)}\n`);
	const attribution = next.value;
	for (const [className, counts] of Object.entries(summary.summary))
		await write(`\n${replaceControls(className || "unknown class")}: ${formatCounts(counts)}`);
	if (Object.keys(summary.summary).length > 0) await write("\n");
	for (const note of getNotes(attribution)) await write(`${replaceControls(note)}\n`);
	if (summary.identical) await write("No differences.\n");
	if (summary.ignored.objects > 0) await write(`${summary.ignored.objects} changed objects are left out.\n`);
	if (summary.ignored.identity) await write("Ids that each fabric hands out by itself are not compared; --ids does.\n");
	if (summary.skipped.differ) await write("Rows without a DN differ; they cannot be compared one by one.\n");
}

const formatCounts = ({ added, deleted, modified }: ChangeCounts): string =>
	`${added} added, ${deleted} deleted, ${modified} modified`;

/** Below it, whole seconds of the controller's times explain the difference. */
const NOTABLE_SKEW_MS = 5_000;

function getNotes(attribution: AttributionSummary | undefined): string[] {
	if (attribution === undefined) return [];
	const { clock_skew_ms: skew, complete, error } = attribution;
	const seconds = Math.round(Math.abs(skew ?? 0) / 1_000);
	return [
		...(error === null ? [] : [error]),
		...(complete || error !== null ? [] : ["Not all records of the controller could be read."]),
		...(skew !== null && Math.abs(skew) >= NOTABLE_SKEW_MS
			? [`The controller's clock is ${seconds} s ${skew > 0 ? "ahead" : "behind"}; times of changes are by its clock.`]
			: []),
	];
}

const REASONS: Readonly<Record<AttributionReason, string>> = {
	no_record: "no record of a change",
	rotated: "the controller no longer has the record",
	not_readable: "the controller does not let this connection read its records",
};

function formatAttribution({ changed_by: records, changed_by_reason: reason }: CompareLine): string[] {
	if (records === undefined) return [];
	if (records.length === 0) return [`    by: ${reason ? REASONS[reason] : "unknown"}`];
	return records.map(({ user, action, at }) => `    by: ${user || "unknown user"} ${action} it at ${at}`);
}

function formatEntry(entry: CompareLine): string[] {
	const by = formatAttribution(entry);
	if (entry.change !== "modified") return [`${entry.change === "added" ? "+" : "-"} ${entry.dn}`, ...by];
	const attributes = entry.attribute_changes.map(
		({ key, old, new: now }) => `    ${key}: ${formatCellText(old) || '""'} → ${formatCellText(now) || '""'}`,
	);
	const { dn, dn_from: from = dn } = entry;
	return [`~ ${from === null || from === dn ? dn : `${from} → ${dn}`}`, ...attributes, ...by];
}
