/** An automation server whose jobs change the first fabric, and the requests that lead to them. */
import {
	type AutomationRequestDetail,
	automationConnectionRoutes,
	automationExecutionRoutes,
	automationRequestRoutes,
	automationTemplateRoutes,
} from "@weft/contracts";
import { type JobNotice, type RunningAutomation, startAutomation } from "@weft/lab";
import type { WeftClient } from "@weft/sdk";
import type { DemoClock } from "./clock.ts";
import { AUTOMATION_USER, type Fabrics } from "./fabrics.ts";
import type { Memory } from "./memory.ts";
import type { People } from "./people.ts";
import { BRIDGE_DOMAINS, getId, getQuery, type Known } from "./queries.ts";
import { waitForAnswer } from "./wait.ts";

const SERVER = "awx-lab";
const TEMPLATE = "Create bridge domains";
export const WAITING = "Bridge domains for the web shop";
const FINISHED = "Bridge domains for the branch offices";
/** The simulator's job template that takes rows and runs several jobs at once. */
const ROWS_JOB = { id: 22, name: "Configure the fabric" };
/** Milliseconds. A person can follow a job, and the story does not wait long for it. */
const PACE = { pending_ms: 150, waiting_ms: 100, event_ms: 40, finish_ms: 300 };
/** Where the finished job's tenant and the others are. */
export const TENANT = "Retail-01";
/** The bridge domain that a row makes. */
const DOMAIN_DN = "uni/tn-{tenant}/BD-{name}";

export interface Row {
	readonly name: string;
	readonly tenant: string;
	readonly gateway: string;
}

export interface Automation {
	readonly server: RunningAutomation;
	close(): Promise<void>;
}

/** Starts the server. Its jobs write their rows to the first fabric, as a playbook would. */
export async function startJobs(clock: DemoClock, memory: Memory, fabrics: Fabrics): Promise<Automation> {
	const writes = new Set<Promise<void>>();

	async function carryOut({ id, status, check, template, variables }: JobNotice): Promise<void> {
		if (status !== "running") return;
		memory.data.lastJob = Math.max(memory.data.lastJob, id);
		await memory.save();
		if (check || template !== ROWS_JOB.name) return;
		for (const row of getRows(variables)) {
			const dn = `uni/tn-${row.tenant}`;
			await fabrics.write(0, AUTOMATION_USER, dn, getBridgeDomain(row)).catch((error: Error) => {
				process.stderr.write(`${error.message}\n`);
			});
		}
	}

	const server = await startAutomation({
		now: clock.now,
		behaviour: PACE,
		onJob(job) {
			const write = carryOut(job).finally(() => writes.delete(write));
			writes.add(write);
		},
	});
	// The service knows the jobs of an earlier demo: numbers must not occur twice.
	if (memory.data.lastJob > 0) await server.control("skip_ids", { count: memory.data.lastJob });
	return {
		server,
		async close() {
			await server.close();
			await Promise.all(writes);
		},
	};
}

function getRows({ rows }: Readonly<Record<string, unknown>>): Row[] {
	if (!Array.isArray(rows)) return [];
	return rows.filter((row: Partial<Row> | null) => typeof row?.name === "string" && typeof row.tenant === "string");
}

function getBridgeDomain({ name, gateway }: Row): object {
	const subnet = { fvSubnet: { attributes: { ip: gateway, scope: "public" } } };
	return { fvBD: { attributes: { name, unicastRoute: "yes" }, children: gateway ? [subnet] : [] } };
}

/** Makes connection and template. */
export async function makeTemplate(admin: WeftClient, { url, token }: RunningAutomation): Promise<void> {
	const connection = await admin.call(automationConnectionRoutes.create, {
		body: { name: SERVER, base_url: url, oauth_token: token, is_public: true, is_default: true, approval: "always" },
	});
	await admin.call(automationConnectionRoutes.test, { params: { id: connection.id } });
	await admin.call(automationTemplateRoutes.create, {
		body: {
			name: TEMPLATE,
			description: "Makes a bridge domain with a gateway in fab-dc1 for each row.",
			automation_connection: connection.id,
			automation_job_template_id: ROWS_JOB.id,
			is_public: true,
			requires_approval: true,
			schema: [
				{ name: "name", label: "Bridge domain", field_type: "text", required: true, max_length: 60, unique: true },
				{ name: "tenant", label: "Tenant", field_type: "text", required: true, max_length: 60 },
				{ name: "gateway", label: "Gateway", description: "Such as 10.20.30.1/24", field_type: "text", required: true },
			],
			expects: [
				{ change: "added", class_name: "fvBD", dn: DOMAIN_DN },
				{ change: "added", class_name: "fvSubnet", dn: `${DOMAIN_DN}/subnet-[{gateway}]` },
			],
		},
	});
}

/** Tells the service where the simulator is this time. */
export async function findServer(admin: WeftClient, { url, token }: RunningAutomation): Promise<void> {
	const { results } = await admin.call(automationConnectionRoutes.list, { query: { page_size: "200" } });
	const id = getId(results, SERVER);
	await admin.call(automationConnectionRoutes.update, { params: { id }, body: { base_url: url, oauth_token: token } });
}

interface RequestInput {
	readonly title: string;
	readonly rows: readonly Row[];
	/** The query whose snapshots show the first fabric before and after the job. */
	readonly watched?: string;
}

/** The operator asks for rows. Returns the request's id. */
export async function createRequest(
	operator: WeftClient,
	known: Known,
	{ title, rows, watched }: RequestInput,
): Promise<string> {
	const { results } = await operator.call(automationTemplateRoutes.list, { query: { page_size: "200" } });
	const { id } = await operator.call(automationRequestRoutes.create, {
		body: {
			template: getId(results, TEMPLATE),
			title,
			input_data: rows.map((row) => ({ ...row })),
			target_controller: known.connections[0] ?? null,
			watch_query_id: watched ?? null,
		},
	});
	return id;
}

/** A job of the operator that ends well. */
export async function makeFinishedJob(people: People, known: Known): Promise<void> {
	const branch = (place: string, net: number): Row => ({
		name: `bd-${place}`,
		tenant: TENANT,
		gateway: `10.40.${net}.1/24`,
	});
	await launchRequest(people, known, FINISHED, [branch("lyon", 1), branch("turin", 2), branch("ghent", 3)]);
}

/** A request of the operator that awaits approval. */
export async function makeWaitingRequest(people: People, known: Known): Promise<void> {
	const rows = [
		{ name: "bd-shop-web", tenant: TENANT, gateway: "10.50.1.1/24" },
		{ name: "bd-shop-db", tenant: TENANT, gateway: "10.50.2.1/24" },
	];
	const watched = getQuery(known, BRIDGE_DOMAINS);
	await createRequest(await people.as("olga"), known, { title: WAITING, rows, watched });
}

export async function approveRequest(admin: WeftClient, id: string): Promise<void> {
	await admin.call(automationRequestRoutes.approve, { params: { id }, body: { comment: "Approved for the demo." } });
}

/** The operator asks, the administrator approves, the operator launches. Returns how it ended. */
export async function launchRequest(people: People, known: Known, title: string, rows: Row[]) {
	const [operator, admin] = [await people.as("olga"), await people.as("ada")];
	const id = await createRequest(operator, known, { title, rows, watched: getQuery(known, BRIDGE_DOMAINS) });
	await approveRequest(admin, id);
	return launchApproved(operator, id);
}

/** Launches an approved request. Returns how its job ended, when its rows have been read. */
export async function launchApproved(operator: WeftClient, id: string) {
	await operator.call(automationRequestRoutes.execute, { params: { id } });
	return waitForAnswer("the job of a request ends", async () => {
		const request: AutomationRequestDetail = await operator.call(automationRequestRoutes.detail, { params: { id } });
		const { results } = await operator.call(automationExecutionRoutes.list, { query: { automation_request: id } });
		const [execution] = results;
		if (request.launch_error !== null) throw new Error(`The job was not launched: ${request.launch_error}`);
		if (execution?.error) throw new Error(`The job cannot be followed: ${execution.error}`);
		if (!execution?.output_complete || execution.watch?.after.status === "waiting") return null;
		if (!["successful", "failed", "cancelled"].includes(request.status)) return null;
		const { summary } = await operator.call(automationExecutionRoutes.rowResults, { params: { id: execution.id } });
		return { status: request.status, summary, watch: execution.watch };
	});
}
