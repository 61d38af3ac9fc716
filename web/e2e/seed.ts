/** Fills a new service through its API: connection, queries, runs, snapshots with drift. */
import {
	apiTokenRoutes,
	authRoutes,
	backgroundRunRoutes,
	calendarEntryRoutes,
	connectionRoutes,
	groupExecutionRoutes,
	groupRoutes,
	mimRegistryRoutes,
	notificationRoutes,
	pipelineRoutes,
	savedQueryRoutes,
	scheduleRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import type { RunningController } from "@weft/lab";
import { createClient, type WeftClient } from "@weft/sdk";
import { type SeededAutomation, seedAutomation } from "./seed-automation.ts";
import { seedChecks } from "./seed-checks.ts";
import { seedSettings } from "./seed-settings.ts";
import { seedWindows } from "./seed-windows.ts";
import { PASSWORD, USERNAME } from "./world.ts";

export interface Seeded {
	readonly connectionId: string;
	/** Bridge domains and subnets, with snapshots. */
	readonly queryId: string;
	/** Of the query's last run. */
	readonly runId: string;
	readonly scheduleId: string;
	/** Of the query, and failing. */
	readonly checkId: string;
	/** Of the class model that is in use. */
	readonly importId: string;
	/** Oldest first. */
	readonly snapshotIds: readonly string[];
	readonly automationSeed: SeededAutomation;
	/** Of the first user. */
	readonly userId: number;
	/** Of the group Operator. */
	readonly groupId: number;
	/** Of a query on a group of connections. */
	readonly groupRunId: string;
	/** Of a change window with a verdict. */
	readonly windowId: string;
}

export const CONNECTION = "fab-dc1";
export const QUERY = "Bridge domains and subnets";

const createPosition = (x: number, y: number) => ({ position: { x, y } });

const CANVAS = {
	nodes: [
		{ id: "start", type: "startNode", ...createPosition(0, 80), data: {} },
		{ id: "tenants", type: "classNode", ...createPosition(230, 80), data: { className: "fvTenant" } },
		{
			id: "not-common",
			type: "filterNode",
			...createPosition(460, 210),
			data: { filterType: "property", property: "name", operator: "ne", value: "common" },
		},
		{ id: "domains", type: "classNode", ...createPosition(460, 40), data: { className: "fvBD" } },
		{ id: "subnets", type: "classNode", ...createPosition(690, 130), data: { className: "fvSubnet" } },
		{ id: "out", type: "outputNode", ...createPosition(920, 40), data: { enableTimeMachine: true } },
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

export async function seedWorld(
	url: string,
	lab: RunningController,
	automation: { readonly url: string; readonly token: string },
): Promise<Seeded> {
	const client = createClient({ baseUrl: url });
	await client.signIn(USERNAME, PASSWORD);
	await client.call(apiTokenRoutes.create, {
		body: { name: "nightly-drift", expires_in_days: 365, read_only: true, allowed_addresses: ["10.1.0.0/16"] },
	});
	const connection = await client.call(connectionRoutes.create, {
		body: {
			name: CONNECTION,
			url: lab.url,
			username: lab.username,
			password: lab.password,
			description: "The simulated fabric",
			is_public: true,
		},
	});
	await client.call(connectionRoutes.test, { params: { id: connection.id } });
	await client.call(authRoutes.updatePreferences, { body: { default_controller_connection_id: connection.id } });
	const query = await client.call(savedQueryRoutes.create, {
		body: {
			name: QUERY,
			description: "What is bridged where, and with which gateways",
			flow_data: CANVAS,
			enable_time_machine: true,
			tags_list: ["hygiene", "l2"],
		},
	});
	const faults = await client.call(savedQueryRoutes.create, {
		body: {
			name: "Faults by severity",
			flow_data: {
				nodes: [
					{ id: "start", type: "startNode", ...createPosition(0, 40), data: {} },
					{ id: "faults", type: "classNode", ...createPosition(200, 40), data: { className: "faultInst" } },
					{ id: "out", type: "outputNode", ...createPosition(460, 40), data: {} },
				],
				edges: [
					{ id: "e1", source: "start", target: "faults" },
					{ id: "e2", source: "faults", target: "out" },
				],
			},
			post_processors: [{ type: "aggregate", config: { groupBy: ["severity"] } }],
		},
	});
	const schedule = await client.call(scheduleRoutes.create, {
		body: {
			name: "Nightly bridge domains",
			saved_query: query.id,
			controller_connection_ids: [connection.id],
			frequency: "daily",
			time_of_day: "06:30",
			timezone: "Europe/Paris",
		},
	});
	await client.call(calendarEntryRoutes.create, {
		body: {
			kind: "maintenance",
			title: "Upgrade of the leaves",
			controller_connection_ids: [connection.id],
			starts_at: "2030-03-02T21:00:00Z",
			ends_at: "2030-03-03T03:00:00Z",
			rrule: "FREQ=MONTHLY;BYDAY=1SA",
			time_zone: "Europe/Paris",
		},
	});
	const importId = await importModel(client);
	const contexts = await client.call(savedQueryRoutes.create, {
		body: {
			name: "Contexts",
			flow_data: {
				nodes: [{ id: "a", type: "classNode", ...createPosition(0, 40), data: { className: "fvCtx" } }],
				edges: [],
			},
			enable_time_machine: true,
		},
	});
	const windowId = await seedWindows(client, contexts.id, connection.id);
	const checkId = await seedChecks(client, query.id);
	await client.call(notificationRoutes.announce, {
		body: {
			title: "Maintenance on Sunday",
			body: "The fabric is out of reach from 02:00 to 04:00.",
			severity: "warning",
		},
	});
	let runId = "";
	for (let round = 0; round < 3; round++) {
		if (round > 0) lab.advance({ steps: 3, change_rate: 0.04 });
		runId = await runToItsEnd(client, query.id, connection.id);
	}
	const groupRunId = await runOnGroup(client, faults.id, [connection.id]);
	const { snapshots } = await waitForSnapshots(client, query.id, 3);
	await seedSettings(client);
	const automationSeed = await seedAutomation(url, client, automation);
	const { id: userId } = await client.call(authRoutes.profile);
	const groups = (await client.call(groupRoutes.list, { query: {} })).results;
	return {
		automationSeed,
		userId,
		groupId: groups.find(({ name }) => name === "Operator")?.id ?? 0,
		groupRunId,
		windowId,
		connectionId: connection.id,
		queryId: query.id,
		runId,
		scheduleId: schedule.id,
		checkId,
		importId,
		snapshotIds: snapshots.map(({ id }) => id).reverse(),
	};
}

async function importModel(client: WeftClient): Promise<string> {
	const { run_id } = await client.call(mimRegistryRoutes.install, { body: { version_key: "521", concurrency: 10 } });
	for (;;) {
		const { run } = await client.call(mimRegistryRoutes.run, { params: { run_id } });
		if (run.state === "completed") return run_id;
		if (run.state === "failed") throw new Error(`The import failed: ${run.error_summary}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

async function runToItsEnd(client: WeftClient, queryId: string, connectionId: string): Promise<string> {
	const { id } = await client.call(backgroundRunRoutes.start, {
		params: { id: queryId },
		body: { controller_connection_id: connectionId },
	});
	for (;;) {
		const job = await client.call(pipelineRoutes.detail, { params: { id } });
		if (job.status === "completed") return id;
		if (job.status === "failed" || job.status === "cancelled")
			throw new Error(`The run ${job.status}: ${JSON.stringify(job.errors)}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

async function runOnGroup(client: WeftClient, queryId: string, connectionIds: string[]): Promise<string> {
	const { id } = await client.call(groupExecutionRoutes.create, {
		body: { saved_query_id: queryId, connection_ids: connectionIds },
	});
	for (;;) {
		const { status } = await client.call(groupExecutionRoutes.detail, { params: { id } });
		if (status === "completed") return id;
		if (status !== "running") throw new Error(`The group run is ${status}.`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** The snapshot of a run is written just after its end. */
async function waitForSnapshots(client: WeftClient, queryId: string, count: number) {
	for (;;) {
		const list = await client.call(timeMachineRoutes.list, { query: { saved_query_id: queryId } });
		if (list.total_count >= count) return list;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}
