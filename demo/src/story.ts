/** The demo's story, through the public API only. It can run again on the same data. */
import {
	type CompareAnswer,
	chainExecutionChannel,
	checkRoutes,
	connectionGroupRoutes,
	connectionRoutes,
	groupExecutionChannel,
	groupExecutionRoutes,
	pipelineRoutes,
	savedQueryRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import type { RunningController } from "@weft/lab";
import { type SocketFactory, type WeftClient, watch } from "@weft/sdk";
import { WebSocket } from "ws";
import { describeChanges } from "./changes.ts";

const CONNECTION = "Demo fabric";
const SECOND_CONNECTION = "Second fabric";
const GROUP = "Both fabrics";
const CHECK = "Every bridge domain routes";
const QUERY = "Bridge domains and subnets";

/** Tenants, the bridge domains that they contain, and the subnets of those. */
const CANVAS = {
	nodes: [
		{ id: "start", type: "startNode", position: { x: 0, y: 0 }, data: {} },
		{ id: "tenants", type: "classNode", position: { x: 200, y: 0 }, data: { className: "fvTenant" } },
		{
			id: "not-common",
			type: "filterNode",
			position: { x: 200, y: 160 },
			data: { filterType: "property", property: "name", operator: "ne", value: "common" },
		},
		{ id: "domains", type: "classNode", position: { x: 440, y: 0 }, data: { className: "fvBD" } },
		{ id: "subnets", type: "classNode", position: { x: 680, y: 0 }, data: { className: "fvSubnet" } },
		{ id: "out", type: "outputNode", position: { x: 920, y: 0 }, data: { enableTimeMachine: true } },
	],
	edges: [
		{ id: "e1", source: "start", target: "tenants" },
		{ id: "e2", source: "tenants", target: "not-common" },
		{ id: "e3", source: "tenants", target: "domains" },
		{ id: "e4", source: "domains", target: "subnets" },
		{ id: "e5", source: "domains", target: "out" },
		{ id: "e6", source: "subnets", target: "out" },
	],
};

interface StoryDeps {
	readonly client: WeftClient;
	readonly lab: RunningController;
	/** The controller of another fabric. */
	readonly second: RunningController;
	say(line: string): void;
}

const openSocket: SocketFactory = (url) => new WebSocket(url);

export function createStory({ client, lab, second, say }: StoryDeps) {
	/** Stores a connection, or its address of this time. Returns its id. */
	async function connect(name: string, { url, username, password }: RunningController): Promise<string> {
		const { results } = await client.call(connectionRoutes.list, { query: { page_size: "200" } });
		const known = results.find((connection) => connection.name === name);
		const settings = { url, username, password, description: "The simulator" };
		const { id } = known
			? await client.call(connectionRoutes.update, { params: { id: known.id }, body: settings })
			: await client.call(connectionRoutes.create, { body: { name, ...settings } });
		return id;
	}

	/** Runs the query on both fabrics at once, and tells in which of them its objects are. */
	async function runOnBoth(queryId: string, connection_ids: string[]): Promise<void> {
		const { results } = await client.call(connectionGroupRoutes.list, { query: { page_size: "200" } });
		const group =
			results.find(({ name }) => name === GROUP) ??
			(await client.call(connectionGroupRoutes.create, { body: { name: GROUP, connection_ids } }));
		const { id } = await client.call(groupExecutionRoutes.create, {
			body: { saved_query_id: queryId, connection_group: group.id },
		});
		for await (const frame of watch(client, groupExecutionChannel, { id }, openSocket)) {
			if (frame.type === "group_complete" && frame.data.status !== "completed") {
				throw new Error(`The run on both fabrics is ${frame.data.status}.`);
			}
		}
		const { total_rows } = await client.call(groupExecutionRoutes.detail, { params: { id } });
		const pivot = await client.call(groupExecutionRoutes.results, {
			params: { id },
			query: { pivot: "dn", page_size: "200" },
		});
		const single = pivot.results.filter((entry) => Array.isArray(entry.missing) && entry.missing.length > 0);
		say(
			`  8  The same query on the group "${GROUP}"\n     ${total_rows} objects; of ${pivot.count} DNs ${single.length} are in one fabric only\n`,
		);
	}

	/** Makes a check of the query, and evaluates it on the latest run of each fabric. */
	async function check(saved_query: string): Promise<void> {
		const config = {
			conditions: [
				{ field: "class", operator: "ne", value: "fvBD" },
				{ field: "unicastRoute", operator: "eq", value: "yes" },
			],
			match: "any",
		};
		const { results } = await client.call(checkRoutes.list, { query: { query: saved_query } });
		if (!results.some(({ name }) => name === CHECK)) {
			await client.call(checkRoutes.create, { body: { name: CHECK, saved_query, type: "each_row", config } });
		}
		const found = await client.call(checkRoutes.preview, { body: { saved_query, type: "each_row", config } });
		const lines = found.results.map(
			({ controller_connection_name, state, violations }) =>
				`     ${controller_connection_name}: ${state}${violations > 0 ? `, ${violations} do not` : ""}`,
		);
		say(`  9  The check "${CHECK}"\n${lines.join("\n")}\n`);
	}

	async function draw(): Promise<string> {
		const { results } = await client.call(savedQueryRoutes.list, { query: { search: QUERY } });
		const known = results.find((query) => query.name === QUERY);
		const { id, version_string } =
			known ??
			(await client.call(savedQueryRoutes.create, {
				body: { name: QUERY, flow_data: CANVAS, enable_time_machine: true },
			}));
		say(
			`  3  Query "${QUERY}" ${version_string}\n     fvTenant where name ≠ common\n       └─ fvBD\n          └─ fvSubnet\n`,
		);
		return id;
	}

	/** Runs the query with its progress on the screen, and keeps the answer. */
	async function runAndKeep(connectionId: string, queryId: string, number: string): Promise<string> {
		const job = await client.call(pipelineRoutes.create, {
			body: { flow_data: CANVAS, controller_connection_id: connectionId, saved_query_id: queryId },
		});
		say(`  ${number}  Run`);
		for await (const frame of watch(client, chainExecutionChannel, { job_id: job.id }, openSocket)) {
			if (frame.type === "node_start") say(`     ${frame.data.class_name} …`);
			if (frame.type === "node_result") say(`     ${frame.data.node_id}: ${frame.data.row_count} rows`);
			if (frame.type === "execution_failed") throw new Error(`The run failed: ${frame.data.error}`);
		}
		const done = await client.call(pipelineRoutes.detail, { params: { id: job.id } });
		// The export is the whole result as one array, which is what a snapshot keeps.
		const rows: unknown = await client.call(pipelineRoutes.results, {
			params: { id: job.id },
			query: { export: "json" },
		});
		const kept = await client.call(timeMachineRoutes.capture, {
			body: {
				result_data: { totalCount: String(done.total_rows), imdata: rows },
				controller_connection_id: connectionId,
				controller_connection_name: CONNECTION,
				saved_query_id: queryId,
				query_name: QUERY,
				class_name: "fvBD",
				execution_time_ms: done.execution_time_ms ?? 0,
			},
		});
		if (!kept.success) throw new Error("The answer was not kept.");
		const id = "snapshot_id" in kept ? kept.snapshot_id : kept.previous_snapshot_id;
		const how = "snapshot_id" in kept ? "kept as a snapshot" : "the same as the snapshot before";
		say(`     ${done.total_rows} objects in ${done.execution_time_ms} ms, ${how}\n`);
		return id;
	}

	return {
		async tell(): Promise<void> {
			say(`  1  A simulated fabric of ${lab.stats().objects} objects, and the service at ${client.baseUrl}\n`);
			const connectionId = await connect(CONNECTION, lab);
			const { message } = await client.call(connectionRoutes.test, { params: { id: connectionId } });
			say(`  2  Connection "${CONNECTION}"\n     ${message}\n`);
			const queryId = await draw();
			const before = await runAndKeep(connectionId, queryId, "4");
			const drift = lab.advance({ steps: 3, change_rate: 0.04 });
			say(
				`  5  Some hours pass, and people work on the fabric (${drift.created.length + drift.deleted.length} objects come or go)\n`,
			);
			const after = await runAndKeep(connectionId, queryId, "6");
			const changes = await client.call(timeMachineRoutes.compare, {
				body: { snapshot_from_id: before, snapshot_to_id: after },
				query: {},
			});
			say(`  7  What changed\n\n${describeChanges(changes as CompareAnswer).join("\n")}\n`);
			await runOnBoth(queryId, [connectionId, await connect(SECOND_CONNECTION, second)]);
			await check(queryId);
		},
	};
}
