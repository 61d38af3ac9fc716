/** Four processes as one service: nodes see each other's changes and finish each other's work. */
import {
	authRoutes,
	chainExecutionChannel,
	connectionRoutes,
	pipelineRoutes,
	savedQueryRoutes,
	scheduleRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { type SocketFactory, type WeftClient, WeftError, watch } from "@weft/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { waitUntil } from "../support/harness.ts";
import { type Cluster, type Node, startCluster } from "./cluster.ts";

const CANVAS = {
	nodes: [
		{ id: "a", type: "classNode", data: { className: "fvTenant" } },
		{ id: "b", type: "classNode", data: { className: "fvBD" } },
	],
	edges: [{ id: "e", source: "a", target: "b" }],
};

let lab: RunningController;
let cluster: Cluster;
let client: WeftClient;
let connectionId: string;
let queryId: string;

const openSocket: SocketFactory = (url) => new WebSocket(url, { rejectUnauthorized: false }) as never;
const getFirstItem = <T>(list: readonly T[]): T => {
	if (list[0] === undefined) throw new Error("There is none.");
	return list[0];
};

beforeAll(async () => {
	lab = await startController({ size: "small" });
	cluster = await startCluster();
	client = await cluster.client();
	const { url, username, password } = lab;
	connectionId = (
		await client.call(connectionRoutes.create, { body: { name: "Fabric", url, username, password, verify_ssl: false } })
	).id;
	queryId = (
		await client.call(savedQueryRoutes.create, {
			body: { name: "Bridge domains", flow_data: CANVAS, enable_time_machine: true },
		})
	).id;
}, 120_000);
afterAll(async () => {
	await cluster?.stop();
	await lab?.close();
}, 60_000);

const startRun = () =>
	client.call(pipelineRoutes.create, {
		body: { flow_data: CANVAS, controller_connection_id: connectionId, saved_query_id: queryId },
	});

/** Gently: the proxy allows 30 requests a second. */
const awaitRunEnd = (id: string) =>
	waitUntil(
		"the run has ended",
		async () => {
			await new Promise((resolve) => setTimeout(resolve, 200));
			const job = await client.call(pipelineRoutes.detail, { params: { id } });
			return ["completed", "failed", "cancelled"].includes(job.status) ? job : null;
		},
		60_000,
	);

describe("a journey through the proxy", () => {
	it("runs, watches, keeps and compares", async () => {
		const keep = async (): Promise<string> => {
			// It must not be over before anybody watches.
			lab.setFaults({ latency: { ms: 300 } });
			const job = await startRun();
			const types: string[] = [];
			for await (const frame of watch(client, chainExecutionChannel, { job_id: job.id }, openSocket))
				types.push(frame.type);
			lab.setFaults({ latency: { on: false } });
			expect(types[0]).toBe("node_start");
			expect(types.at(-1)).toBe("execution_complete");
			const imdata: unknown = await client.call(pipelineRoutes.results, {
				params: { id: job.id },
				query: { export: "json" },
			});
			const kept = await client.call(timeMachineRoutes.capture, {
				body: { result_data: { imdata }, saved_query_id: queryId, controller_connection_id: connectionId },
			});
			if (!kept.success || !("snapshot_id" in kept)) throw new Error(`not kept: ${JSON.stringify(kept)}`);
			return kept.snapshot_id;
		};
		const before = await keep();
		lab.advance({ steps: 4, change_rate: 0.1 });
		const after = await keep();
		const changes = await client.call(timeMachineRoutes.compare, {
			body: { snapshot_from_id: before, snapshot_to_id: after },
			query: {},
		});
		expect(JSON.stringify(changes)).toContain("uni/tn-");
	});
});

describe("what one node does", () => {
	it("opens a socket on the other node with a ticket of the first, once", async () => {
		const [a, b] = cluster.web as [Node, Node];
		const onA = await cluster.client(a);
		const { ticket } = (await onA.call(authRoutes.wsTicket)) as { ticket: string };
		const job = await startRun();
		const open = (node: Node) =>
			new Promise<number | "open">((resolve) => {
				const opened = new WebSocket(`ws://127.0.0.1:${node.port}/ws/chain-execution/${job.id}/?ticket=${ticket}`);
				opened.once("message", () => {
					resolve("open");
					opened.close();
				});
				opened.once("close", resolve);
			});
		expect(await open(b)).toBe("open");
		expect(await open(a)).toBe(4001);
		await awaitRunEnd(job.id);
	});

	it("is known to the others: a session that ended on one is over on both", async () => {
		const [a, b] = cluster.web as [Node, Node];
		const onA = await cluster.client(a);
		const { access } = await listTokens(a);
		const at = (node: Node, path: string, method = "GET") =>
			fetch(`http://127.0.0.1:${node.port}${path}`, { method, headers: { authorization: `Bearer ${access}` } });
		expect((await at(b, "/api/auth/profile/")).status).toBe(200);
		expect((await at(a, "/api/auth/logout/", "POST")).status).toBeLessThan(300);
		await waitUntil("the other node knows", async () => (await at(b, "/api/auth/profile/")).status === 401);
		await onA.signOut();
	});

	it("counts towards one rate", async () => {
		const { access } = await listTokens(getFirstItem(cluster.web));
		const statuses: number[] = [];
		for (let i = 0; i < 8; i++) {
			const node = cluster.web[i % 2] as Node;
			const answer = await fetch(`http://127.0.0.1:${node.port}/api/auth/email/send-verification/`, {
				method: "POST",
				headers: { authorization: `Bearer ${access}` },
			});
			statuses.push(answer.status);
		}
		// Five in an hour for everybody, whichever node counts them.
		expect(statuses.slice(0, 5)).not.toContain(429);
		expect(statuses.slice(5)).toEqual([429, 429, 429]);
	});
});

describe("what is due", () => {
	it("runs once, though two processes look", async () => {
		const task = await client.call(scheduleRoutes.create, {
			body: {
				name: "Due now",
				saved_query: queryId,
				controller_connection_ids: [connectionId],
				frequency: "daily",
				time_of_day: "00:00",
			},
		});
		await cluster.pool.query("update scheduled_tasks set next_run_at = now() where id = $1", [task.id]);
		await waitUntil("it has run", async () => {
			const { rows } = await cluster.pool.query(
				"select count(*)::int as runs from scheduled_executions where task_id = $1 and status = 'success'",
				[task.id],
			);
			return rows[0].runs > 0;
		});
		const { rows } = await cluster.pool.query(
			"select execution_count, (select count(*)::int from scheduled_executions e where e.task_id = " +
				"t.id) as runs from scheduled_tasks t where id = $1",
			[task.id],
		);
		expect(rows[0]).toEqual({ execution_count: 1, runs: 1 });
	});
});

describe("what one node leaves", () => {
	it("is finished by another worker", async () => {
		lab.setFaults({ latency: { ms: 300 } });
		try {
			const job = await startRun();
			await waitUntil("it runs", async () => {
				const { rows } = await cluster.pool.query("select status from pipeline_jobs where id = $1", [job.id]);
				return rows[0].status === "running";
			});
			const victim = getFirstItem(cluster.workers);
			victim.child.kill("SIGKILL");
			const done = await awaitRunEnd(job.id);
			expect(done.status).toBe("completed");
			await cluster.replace(victim);
		} finally {
			lab.setFaults({ latency: { on: false } });
		}
		// Whichever process took it, a second run also ends.
		expect((await awaitRunEnd((await startRun()).id)).status).toBe("completed");
	});

	it("is taken over by the other web node, one by one, and no reader notices", async () => {
		const failures: unknown[] = [];
		let reads = 0;
		let going = true;
		const reading = (async () => {
			while (going) {
				await client.call(savedQueryRoutes.list, { query: {} }).catch((error: unknown) => {
					if (!(error instanceof WeftError && error.status === 429)) failures.push(error);
				});
				reads++;
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		})();
		for (const node of [...cluster.web]) {
			node.child.kill("SIGTERM");
			expect(await node.ended).toBe(0);
			const next = await cluster.replace(node);
			await waitUntil("the proxy asks the new process", () => next.output.stderr.includes("saved-queries"));
		}
		going = false;
		await reading;
		expect(failures).toEqual([]);
		expect(reads).toBeGreaterThan(10);
	});
});

async function listTokens(node: Node): Promise<{ access: string }> {
	const answer = await fetch(`http://127.0.0.1:${node.port}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username: "admin", password: "correct horse battery" }),
	});
	return (await answer.json()) as { access: string };
}
