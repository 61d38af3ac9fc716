/** Mixed load on a failing service. Records acknowledged changes to prove each exists once. */
import { createHash, randomUUID } from "node:crypto";
import type { RunningLab } from "@weft/lab";
import type pg from "pg";
import type { Caller } from "./caller.ts";

const CANVAS = {
	nodes: [
		{ id: "a", type: "classNode", data: { className: "fvTenant" } },
		{ id: "b", type: "classNode", data: { className: "fvBD" } },
	],
	edges: [{ id: "e", source: "a", target: "b" }],
};
const REQUESTS = "/api/automation/requests/";
/** The version of the model that is imported again and again. */
const MODEL = "521";

interface Setting {
	readonly connectionId: string;
	readonly queryId: string;
	readonly templateId: string;
}

/** What the service has promised. */
export interface Known {
	readonly queries: Set<string>;
	/** Names of requested queries, acknowledged or not: each may exist at most once. */
	readonly asked: Set<string>;
	readonly runs: Set<string>;
	/** Digests of captures by snapshot id. */
	readonly captures: Map<string, string>;
	/** Tasks that became due exactly once. */
	readonly tasks: Set<string>;
	/** Requests whose execution was begun. */
	readonly launches: Set<string>;
	readonly imports: Set<string>;
}

export async function prepareSetting(caller: Caller, { controller, automation }: RunningLab): Promise<Setting> {
	const make = async (path: string, body: object): Promise<string> => {
		const answer = await caller.call("POST", path, body);
		if (answer?.status !== 201) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
		return answer.body.id;
	};
	const { url, username, password } = controller;
	const connectionId = await make("/api/controller/connections/", {
		name: "Fabric",
		url,
		username,
		password,
		verify_ssl: false,
		timeout: 10,
	});
	const queryId = await make("/api/queries/saved-queries/", {
		name: "Bridge domains",
		flow_data: CANVAS,
		enable_time_machine: true,
	});
	const server = await make("/api/automation/connections/", {
		name: "Automation",
		base_url: automation.url,
		oauth_token: automation.token,
		timeout: 5,
	});
	const templateId = await make("/api/automation/templates/", {
		name: "Change",
		automation_connection: server,
		automation_job_template_id: 22,
		requires_approval: true,
		schema: [{ name: "name", field_type: "text" }],
	});
	return { connectionId, queryId, templateId };
}

/**
 * Works until it is stopped.
 * @param slower by how much longer to pause between two calls of a kind
 */
export function createLoad(caller: Caller, pool: pg.Pool, setting: Setting, slower = 1) {
	const { connectionId, queryId, templateId } = setting;
	const known: Known = {
		queries: new Set(),
		asked: new Set(),
		runs: new Set(),
		captures: new Map(),
		tasks: new Set(),
		launches: new Set(),
		imports: new Set(),
	};
	let tried = 0;
	let lost = 0;
	let going = true;
	let moment = 0;

	/** Each with the pause after it, in ms. */
	const kinds: Record<string, readonly [pause: number, work: () => Promise<void>]> = {
		"create a query": [
			60,
			async () => {
				const name = `query ${randomUUID()}`;
				known.asked.add(name);
				const answer = await caller.call("POST", "/api/queries/saved-queries/", { name, flow_data: CANVAS });
				if (answer?.status === 201) known.queries.add(name);
				else if (answer === null) lost++;
			},
		],
		"start a run": [
			60,
			async () => {
				const answer = await caller.call("POST", "/api/queries/pipeline-executions/", {
					flow_data: CANVAS,
					controller_connection_id: connectionId,
				});
				if (answer?.status === 201 || answer?.status === 202) known.runs.add(answer.body.id);
				else if (answer === null) lost++;
			},
		],
		capture: [
			60,
			async () => {
				const imdata = createObjects(++moment);
				const answer = await caller.call("POST", "/api/time-machine/capture/", {
					saved_query_id: queryId,
					controller_connection_id: connectionId,
					result_data: { imdata },
				});
				if (answer?.body?.snapshot_id) known.captures.set(answer.body.snapshot_id, hashValue(imdata));
				else if (answer === null) lost++;
			},
		],
		"become due": [
			60,
			async () => {
				const answer = await caller.call("POST", "/api/queries/scheduled-tasks/", {
					name: `task ${randomUUID()}`,
					saved_query: queryId,
					controller_connection_ids: [connectionId],
					frequency: "monthly",
					day_of_month: getTimeInTwoWeeks(),
					time_of_day: "00:00",
					retry_count: 0,
				});
				if (answer?.status !== 201) return;
				const { id } = answer.body;
				// Due at once; the next one is weeks away, so that each task has exactly one instant.
				await pool
					.query("update scheduled_tasks set next_run_at = now() where id = $1 returning 1", [id])
					.then(({ rowCount }) => rowCount === 1 && known.tasks.add(id))
					.catch(() => {
						// Whether it was set is not known: such a task proves nothing.
					});
			},
		],
		"launch a request": [
			300,
			async () => {
				const made = await caller.insist("POST", REQUESTS, {
					template: templateId,
					title: "Change",
					input_data: [{ name: "a" }],
					idempotency_key: randomUUID(),
				});
				if (made === null || made.status >= 300) return;
				const { id } = made.body;
				const approved = await caller.insist("POST", `${REQUESTS}${id}/approve/`, {});
				if (approved === null || (approved.status >= 300 && !approved.again)) return;
				const begun = await caller.insist("POST", `${REQUESTS}${id}/execute/`);
				// Refused because an earlier try had begun it already.
				if (begun?.status === 202 || (begun?.status === 409 && begun.again)) known.launches.add(id);
				else lost++;
			},
		],
		"import a model": [
			1_000,
			async () => {
				const answer = await caller.call("POST", "/api/mim-registry/remote/install/", { version_key: MODEL });
				if (answer?.status === 202) known.imports.add(answer.body.run_id);
			},
		],
	};

	async function runWorker(name: string, pause: number, work: () => Promise<void>): Promise<void> {
		while (going) {
			tried++;
			await work().catch((error: Error) => {
				throw new Error(`${name}: ${error.message}`, { cause: error });
			});
			await new Promise((resolve) => setTimeout(resolve, pause * slower));
		}
	}
	const workers = Object.entries(kinds).map(([name, [pause, work]]) => runWorker(name, pause, work));

	return {
		known,
		counts: () => ({ tried, "without an answer": lost }),
		async stop(): Promise<void> {
			going = false;
			await Promise.all(workers);
		},
	};
}

/** A day of the month that is not near, whatever day it is. */
const getTimeInTwoWeeks = () => ((new Date().getUTCDate() + 13) % 28) + 1;

const createObjects = (moment: number) =>
	Array.from({ length: 200 }, (_, index) => ({
		fvBD: {
			attributes: {
				dn: `uni/tn-a/BD-${index}`,
				name: `b${index}`,
				descr: index % 40 === moment % 40 ? `at ${moment}` : "",
			},
		},
	}));

export const hashValue = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
