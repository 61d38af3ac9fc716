/** The tools of `weft mcp`: what a language model may read with the rights of the user. */
import type { CompareBody } from "@weft/contracts";
import {
	CHANGE_KINDS,
	changeWindowRoutes,
	connectionRoutes,
	FINDING_CLASSES,
	FINDING_SEVERITIES,
	findRoutes,
	mimClassRoutes,
	mimRoutes,
	mimToolRoutes,
	objectRoutes,
	pipelineRoutes,
	planningRoutes,
	savedQueryRoutes,
	timeMachineRoutes,
} from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import * as z from "zod";
import { type ChangeFilter, iterateChangePages } from "../commands/answers/change-pages.ts";
import { findConnectionId, listConnections } from "../commands/fabrics/connection.ts";
import { iterateSnapshots, loadSnapshotId } from "../commands/history/snapshots.ts";
import { requireModel, withNearClasses } from "../commands/model/near-classes.ts";
import { findConnectionsFor } from "../commands/queries/query.ts";
import { findSource, getQueries, requireVariables } from "../commands/queries/query-source.ts";
import { findProblem, requireCompleted, runAll } from "../commands/runs/runs.ts";
import { findWindow } from "../commands/windows/windows.ts";
import type { Context } from "../context.ts";
import { iterateLines, openAnswer } from "../raw-answer.ts";
import { resolveNameOrId } from "../resolve.ts";
import { requireTime } from "../times.ts";
import { type Capped, capItems } from "./capped.ts";

/** The most matches that the service's search returns. */
const SEARCHED = 200;
const ROWS = { fallback: 50, max: 500 } as const;
const LISTED = 100;

export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
	readonly name: string;
	readonly description: string;
	readonly input: Shape;
	/** The fields of the answer that clients may rely on; it has others. */
	readonly output: z.ZodRawShape;
	/** Whether the tool may store something on the server. */
	readonly stores?: boolean;
	/** The answer as an object for JSON. Rejects with a sentence for the model if it is refused. */
	read(context: Context, input: z.output<z.ZodObject<Shape>>): Promise<object>;
}

const defineTool = <Shape extends z.ZodRawShape>(definition: Tool<Shape>): Tool => definition as unknown as Tool;

const objects = z.array(z.looseObject({}));
const text = z.string().min(1).max(200);
/** The fields of `formatNames`. */
const counted = {
	total: z.int().describe("Items that there are"),
	shown: z.int().describe("Items in this answer"),
};
const defineLimit = (most: number, fallback: number) =>
	z.int().min(1).max(most).default(fallback).describe("Items to show at most");

/** Sentences for the arguments that a person at a terminal gives as options. */
const WORDS = {
	noConnection: "Give the argument connections. The tool list_connections shows those that you can use.",
	severalQueries: "Give the argument query.",
};

export const TOOLS: readonly Tool[] = [
	defineTool({
		name: "list_queries",
		description: "List the saved queries that the user can see, by name.",
		input: {
			search: text.optional().describe("A part of the name, the description or the tags"),
			limit: defineLimit(ROWS.max, LISTED),
		},
		output: { ...counted, queries: objects },
		async read({ client: open }, { search, limit }) {
			const query = { ordering: "name", page_size: String(limit), ...(search === undefined ? {} : { search }) };
			const { count, results } = await (await open()).call(savedQueryRoutes.list, { query });
			const queries = results.map(({ id, name, description, tags_list, enable_time_machine, created_by }) => ({
				id,
				name,
				description,
				tags: tags_list,
				time_machine: enable_time_machine,
				owner: created_by.username,
			}));
			return formatNames("queries", capItems(queries, count, limit));
		},
	}),
	defineTool({
		name: "list_connections",
		description: "List the connections to controllers that the user can see.",
		input: { limit: defineLimit(ROWS.max, LISTED) },
		output: { ...counted, connections: objects },
		async read({ client: open }, { limit }) {
			const query = { page_size: String(limit) };
			const { count, results } = await (await open()).call(connectionRoutes.list, { query });
			const connections = results.map(({ id, name, description, url, is_active, last_test_status }) => ({
				id,
				name,
				description,
				url,
				is_active,
				last_test_status,
			}));
			return formatNames("connections", capItems(connections, count, limit));
		},
	}),
	defineTool({
		name: "list_snapshots",
		description: "List the snapshots of a saved query, most recent first.",
		input: {
			query: text.describe("Name or id of the saved query"),
			connection: text.optional().describe("Name or id of a connection: its snapshots only"),
			limit: defineLimit(ROWS.max, ROWS.fallback),
		},
		output: { shown: counted.shown, snapshots: objects },
		async read({ client: open }, { query, connection, limit }) {
			const client = await open();
			const { id } = await resolveNameOrId(getQueries(client), query);
			const filter =
				connection === undefined
					? {}
					: { connectionId: (await resolveNameOrId(listConnections(client), connection)).id };
			const snapshots: object[] = [];
			for await (const snapshot of iterateSnapshots(client, id, limit, filter)) snapshots.push(snapshot);
			const { items } = capItems(snapshots, snapshots.length, limit);
			return { shown: items.length, snapshots: items, is_complete: snapshots.length < limit };
		},
	}),
	defineTool({
		name: "search_classes",
		description: "Search the classes of the controller's object model by name, label, description or DN fragment.",
		input: { query: z.string().min(1).max(200).describe("Such as bridge domain, or fvBD") },
		output: { ...counted, classes: objects },
		async read({ client: open }, { query }) {
			const client = await open();
			const found = await client.call(mimClassRoutes.enhanced, { query: { q: query, limit: String(SEARCHED) } });
			if (found.packages.length === 0) await requireModel(client);
			const hits = found.packages.flatMap(({ results }) => results).sort((one, other) => other.score - one.score);
			const classes = capItems(hits, hits.length, LISTED);
			return { ...formatNames("classes", classes), total_is_lower_bound: hits.length === SEARCHED };
		},
	}),
	defineTool({
		name: "get_class",
		description: "Show a class: description, naming, DN formats, containment, and its properties with their values.",
		input: { class_name: z.string().min(1).max(128).describe("Such as fvBD") },
		output: { ...counted, name: z.string(), properties: objects },
		async read({ client: open }, { class_name }) {
			const client = await open();
			const read = () => client.call(mimRoutes.detail, { params: { class_name } });
			const { properties, ...about } = await withNearClasses(client, [class_name], read);
			return { ...about, ...formatNames("properties", capItems(properties, properties.length, LISTED * 5)) };
		},
	}),
	defineTool({
		name: "resolve_dn",
		description: "Show the class and the naming values of each part of a distinguished name.",
		input: { dn: z.string().min(1).max(2_000).describe("Such as uni/tn-prod/BD-web") },
		output: { ...counted, parts: objects },
		async read({ client: open }, { dn }) {
			const { parts, ...about } = await (await open()).call(mimToolRoutes.dn, { query: { dn } });
			return { ...about, ...formatNames("parts", capItems(parts, parts.length, LISTED)) };
		},
	}),
	defineTool({
		name: "find_object",
		description:
			"Find objects of kept snapshots by IP address or prefix, MAC address, VLAN, DN or a part of a name; best first.",
		input: {
			text: text.describe("Such as 10.1.1.77, 0050.56ab.cdef, vlan-150 or web"),
			connection: text.optional().describe("Name or id of a connection: its objects only"),
			limit: defineLimit(SEARCHED, ROWS.fallback),
		},
		output: { ...counted, kind: z.string(), objects },
		async read({ client: open }, { text: q, connection, limit }) {
			const client = await open();
			const place =
				connection === undefined ? {} : { connection: (await resolveNameOrId(listConnections(client), connection)).id };
			const query = { q, limit: String(limit), ...place };
			const { objects: found, total, ...about } = await client.call(findRoutes.search, { query });
			return { ...about, ...formatNames("objects", capItems(found, total, limit)) };
		},
	}),
	defineTool({
		name: "get_object",
		description:
			"Show one object of a connection: attributes, changes, relations, children, checks, and the same elsewhere.",
		input: {
			dn: z.string().min(1).max(2_000).describe("Such as uni/tn-prod/BD-web"),
			connection: text.describe("Name or id of the connection"),
		},
		output: { ...counted, dn: z.string(), attributes: objects },
		async read({ client: open }, { dn, connection }) {
			const client = await open();
			const { id } = await resolveNameOrId(listConnections(client), connection);
			const { attributes, ...about } = await client.call(objectRoutes.detail, { query: { connection: id, dn } });
			return { ...about, ...formatNames("attributes", capItems(attributes, attributes.length, LISTED * 5)) };
		},
	}),
	defineTool({
		name: "explain_canvas",
		description:
			"Explain the canvas of a query without running it: its stages, the requests to the controller, and warnings.",
		input: {
			flow_data: z
				.looseObject({ nodes: z.array(z.unknown()), edges: z.array(z.unknown()) })
				.describe("The canvas: nodes and edges, as saved queries have it"),
		},
		output: { ...counted, stages: objects, warnings: z.array(z.unknown()) },
		async read({ client: open }, { flow_data }) {
			const client = await open();
			await requireKnownClasses(client, flow_data.nodes);
			const body = { flow_data: flow_data as never };
			const { stages, warnings } = await client.call(planningRoutes.plan, { body });
			return { ...formatNames("stages", capItems(stages, stages.length, LISTED)), warnings };
		},
	}),
	defineTool({
		name: "run_query",
		description:
			"Run a saved query on one or several controllers and show its first rows with their total. " +
			"Stores a run, and a snapshot where snapshots of the query are on.",
		stores: true,
		input: {
			query: z.string().min(1).max(200).describe("Name or id of the saved query"),
			connections: z
				.array(z.string().min(1).max(200))
				.max(20)
				.default([])
				.describe("Names or ids of connections; the user's default one without any"),
			variables: z
				.record(z.string(), z.union([z.string().max(10_000), z.number(), z.boolean()]))
				.default({})
				.describe("Values of the query's variables"),
			limit: defineLimit(ROWS.max, ROWS.fallback),
		},
		output: { ...counted, rows: objects, is_complete: z.boolean(), runs: objects },
		async read(context, { query, connections: names, variables: given, limit }) {
			const client = await context.client();
			const source = await findSource(client, query);
			const variables = Object.fromEntries(Object.entries(given).map(([id, value]) => [id, String(value)]));
			requireVariables(source, Object.keys(variables), (id) => `Argument "variables": ${id}`);
			const connections = await findConnectionsFor(context, names, WORDS.noConnection);
			const starts = connections.map((connection) => ({
				connection,
				start: (caller: WeftClient, key: string) => source.start(caller, connection.id, variables, key),
			}));
			const ended = await runAll(context, starts);
			const completed = ended.filter(({ run }) => run.status === "completed");
			if (completed.length === 0) requireCompleted(ended);
			const rows: object[] = [];
			for (const { connection, run } of completed) {
				if (rows.length >= limit) break;
				const page = { params: { id: run.id }, query: { page_size: String(limit - rows.length) } };
				const { results } = await client.call(pipelineRoutes.results, page);
				rows.push(...results.map((row) => ({ connection: connection.name, ...row })));
			}
			const total = completed.reduce((sum, { run }) => sum + (run.total_rows ?? 0), 0);
			return {
				...formatNames("rows", capItems(rows, total, limit)),
				is_complete: completed.length === ended.length,
				runs: ended.map(({ connection, run }) => ({
					connection: connection.name,
					run: run.id,
					status: run.status,
					total_rows: run.total_rows,
					error: run.status === "completed" ? null : findProblem(run),
				})),
			};
		},
	}),
	defineTool({
		name: "compare_snapshots",
		description: "Show which objects were added, deleted and modified between two snapshots.",
		input: {
			from: z.string().min(1).max(200).describe("Id or label of the earlier snapshot"),
			to: z.string().min(1).max(200).describe("Id or label of the later snapshot"),
			query: text.optional().describe("Name or id of the saved query, where labels are not unique"),
			connection: text.optional().describe("Name or id of a connection: labels of its snapshots only"),
			to_connection: text.optional().describe("Likewise for the later snapshot, if it is of another connection"),
		},
		output: { ...counted, identical: z.boolean(), changes: objects },
		async read(context, { from, to, query, connection, to_connection }) {
			const client = await context.client();
			const queryId = query === undefined ? null : (await resolveNameOrId(getQueries(client), query)).id;
			const connectionId = await findConnectionId(client, connection);
			const toConnectionId = (await findConnectionId(client, to_connection)) ?? connectionId;
			const scope = { queryId, remedy: WORDS.severalQueries };
			const body: Partial<CompareBody> = {
				snapshot_from_id: await loadSnapshotId(client, from, { ...scope, connectionId }),
				snapshot_to_id: await loadSnapshotId(client, to, { ...scope, connectionId: toConnectionId }),
			};
			const summary = await client.call(timeMachineRoutes.compare, { body, query: { format: "summary" } });
			const changes: unknown[] = [];
			const lines = iterateLines(
				await openAnswer(context, timeMachineRoutes.compare, { body, query: { format: "ndjson" } }),
			);
			for await (const line of lines) if (changes.push(JSON.parse(line)) >= LISTED) break;
			const { total_changes, ...about } = summary as typeof summary & { total_changes: number };
			return { ...about, ...formatNames("changes", capItems(changes, total_changes, LISTED)) };
		},
	}),
	defineTool({
		name: "list_changes",
		description:
			"List what changed on the fabrics and who changed it, newest first, by the snapshots of saved queries: " +
			"of the last 24 hours, or since a time.",
		input: {
			since: text.optional().describe('A time such as 2026-01-31T08:00Z or "2 days ago"'),
			until: text.optional().describe("A time; changes before it"),
			connection: text.optional().describe("Name or id of a connection"),
			user: text.optional().describe("A person of the fabric"),
			tenant: text.optional(),
			class: text.optional().describe("Such as fvBD"),
			change: z.enum(CHANGE_KINDS).optional(),
			severity: z.enum(FINDING_SEVERITIES).optional(),
			search: text.optional().describe("A part of the DN, class, attributes, values or persons"),
			limit: defineLimit(ROWS.max, ROWS.fallback),
		},
		output: { ...counted, changes: objects },
		async read(context, { since, until, connection, limit, ...fields }) {
			const now = context.clock.now();
			const times = {
				...(since === undefined ? {} : { since: await requireTime("since", since, now) }),
				...(until === undefined ? {} : { until: await requireTime("until", until, now) }),
			};
			const client = await context.client();
			const filter = {
				...fields,
				...times,
				...(connection === undefined
					? {}
					: { connection: (await resolveNameOrId(listConnections(client), connection)).id }),
			} as ChangeFilter;
			const changes: object[] = [];
			let total = 0;
			for await (const page of iterateChangePages(client, filter)) {
				total = page.count;
				changes.push(...page.results);
				if (changes.length >= limit) break;
			}
			return formatNames("changes", capItems(changes, total, limit));
		},
	}),
	defineTool({
		name: "get_change_window",
		description: "Show a change window: its state, gate and verdict, and its findings, undeclared ones first.",
		input: {
			window: text.describe("Number of the ticket, or id of the window"),
			class: z.enum(FINDING_CLASSES).optional().describe("Findings of the class only"),
			limit: defineLimit(SEARCHED, ROWS.fallback),
		},
		output: { ...counted, id: z.string(), state: z.string(), findings: objects },
		async read({ client: open }, { window: name, limit, class: only }) {
			const client = await open();
			const { connections: all, ...window } = await findWindow(client, name);
			const query = { page_size: String(limit), ...(only && { class: only }) };
			const call = { params: { id: window.id }, query };
			const { results, count } = await client.call(changeWindowRoutes.findings, call);
			const connections = all.map(({ items: _, ...connection }) => connection);
			return { ...window, connections, ...formatNames("findings", capItems(results, count, limit)) };
		},
	}),
];

/** `total`, how many are shown, and the list under its name. */
const formatNames = (name: string, { total, items }: Capped<unknown>) => ({
	total,
	shown: items.length,
	[name]: items,
});

/** @throws CliError that names the nearest classes, for a class that the loaded model lacks */
async function requireKnownClasses(client: WeftClient, nodes: readonly unknown[]): Promise<void> {
	const names = nodes.flatMap((node) => {
		const name = (node as { data?: { className?: unknown } } | null)?.data?.className;
		return typeof name === "string" && name !== "" ? [name] : [];
	});
	const { total_classes } = await client.call(mimRoutes.stats);
	if (total_classes === 0) return;
	for (const class_name of new Set(names)) {
		await withNearClasses(client, [class_name], () => client.call(mimRoutes.detail, { params: { class_name } }));
	}
}
