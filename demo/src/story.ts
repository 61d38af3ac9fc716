/** The demo's story, through the public API only. It can run again on the same data. */
import {
	type CompareAnswer,
	chainExecutionChannel,
	connectionRoutes,
	pipelineRoutes,
	savedQueryRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import type { RunningController } from "@weft/lab";
import { type SocketFactory, type WeftClient, watch } from "@weft/sdk";
import { WebSocket } from "ws";
import { describeChanges } from "./changes.ts";

const CONNECTION = "Demo fabric";
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
	say(line: string): void;
}

const openSocket: SocketFactory = (url) => new WebSocket(url);

export function createStory({ client, lab, say }: StoryDeps) {
	async function connect(): Promise<string> {
		const { results } = await client.call(connectionRoutes.list, { query: { page_size: "200" } });
		const known = results.find((connection) => connection.name === CONNECTION);
		const settings = { url: lab.url, username: lab.username, password: lab.password, description: "The simulator" };
		const { id } = known
			? await client.call(connectionRoutes.update, { params: { id: known.id }, body: settings })
			: await client.call(connectionRoutes.create, { body: { name: CONNECTION, ...settings } });
		const { message } = await client.call(connectionRoutes.test, { params: { id } });
		say(`  2  Connection "${CONNECTION}"\n     ${message}\n`);
		return id;
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
			const connectionId = await connect();
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
		},
	};
}
