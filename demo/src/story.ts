/** The demo's story in ten steps, through the public interface, as often as the demo starts. */
import {
	automationRequestRoutes,
	type CompareAnswer,
	chainExecutionChannel,
	checkRoutes,
	groupExecutionChannel,
	groupExecutionRoutes,
	mimRegistryRoutes,
	notificationRoutes,
	pipelineRoutes,
	scheduleRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import { type SocketFactory, watch } from "@weft/sdk";
import { WebSocket } from "ws";
import { launchRequest, TENANT, WAITING } from "./automation.ts";
import { describeCalendar } from "./calendar.ts";
import { describeChanges } from "./comparison.ts";
import { FABRICS, type Fabrics } from "./fabrics.ts";
import { listSnapshots, SCHEDULE } from "./history.ts";
import type { Memory } from "./memory.ts";
import type { People } from "./people.ts";
import { BRIDGE_DOMAIN_CANVAS, BRIDGE_DOMAINS, GROUP, getId, getQuery, type Known } from "./queries.ts";
import { answerQuestions } from "./questions.ts";
import { describeWindows } from "./windows.ts";

interface StoryParts {
	readonly people: People;
	readonly fabrics: Fabrics;
	readonly known: Known;
	readonly memory: Memory;
	readonly url: string;
	say(line: string): void;
}

const openSocket: SocketFactory = (url) => new WebSocket(url);
const ALL = { query: { page_size: "200" } };

async function showService({ people, fabrics, url }: StoryParts): Promise<string[]> {
	const { active } = await (await people.as("ada")).call(mimRegistryRoutes.status);
	const sizes = fabrics.controllers.map((controller) => controller.stats().objects);
	return [
		`${FABRICS.map((name, at) => `${name} (${sizes[at]} objects)`).join(" and ")}, and the service at ${url}`,
		`The class model ${active?.label ?? ""} has ${active?.class_count ?? 0} classes.`,
	];
}

async function runQuery({ people, known }: StoryParts): Promise<string[]> {
	const client = await people.as("olga");
	const job = await client.call(pipelineRoutes.create, {
		body: {
			flow_data: BRIDGE_DOMAIN_CANVAS,
			controller_connection_id: getFirstConnection(known),
			saved_query_id: getQuery(known, BRIDGE_DOMAINS),
		},
	});
	const lines: string[] = [];
	for await (const frame of watch(client, chainExecutionChannel, { job_id: job.id }, openSocket)) {
		if (frame.type === "node_result") lines.push(`${frame.data.node_id}: ${frame.data.row_count} rows`);
		if (frame.type === "execution_failed") throw new Error(`The run failed: ${frame.data.error}`);
	}
	const { total_rows, execution_time_ms } = await client.call(pipelineRoutes.detail, { params: { id: job.id } });
	return [
		"fvTenant where name ≠ common → fvBD → fvSubnet",
		...lines,
		`${total_rows} objects in ${execution_time_ms} ms`,
	];
}

async function runOnBoth({ people, known }: StoryParts): Promise<string[]> {
	const client = await people.as("olga");
	const { id } = await client.call(groupExecutionRoutes.create, {
		body: { saved_query_id: getQuery(known, BRIDGE_DOMAINS), connection_group: known.group },
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
	return [`${total_rows} objects; of ${pivot.count} DNs ${single.length} are in one fabric only`];
}

async function showWeek({ people, known }: StoryParts): Promise<string[]> {
	const client = await people.as("victor");
	const { results: tasks } = await client.call(scheduleRoutes.list, ALL);
	const { results } = await client.call(scheduleRoutes.executions, {
		query: { task_id: getId(tasks, SCHEDULE), page_size: "200" },
	});
	const done = results.filter(({ status }) => status === "success").length;
	const snapshots = (await listSnapshots(client, known, getFirstConnection(known))).filter(
		({ drift }) => drift !== null,
	);
	return [
		`${results.length} executions, ${done} successful; the newest differences in ${FABRICS[0]}:`,
		...snapshots.slice(0, 7).map(({ executed_at, drift }) => {
			const { added = 0, deleted = 0, modified = 0 } = drift ?? {};
			return `${executed_at.slice(0, 16).replace("T", " ")}  ${added} added, ${deleted} deleted, ${modified} modified`;
		}),
	];
}

async function showDrift({ people, known }: StoryParts): Promise<string[]> {
	const client = await people.as("ada");
	const week = await listSnapshots(client, known, getFirstConnection(known));
	const after = week.at(0);
	const before = week.at(-1);
	if (!after || !before) return ["There are no two snapshots to compare."];
	return compareSnapshots(people, before.id, after.id);
}

async function compareSnapshots(people: StoryParts["people"], from: string, to: string): Promise<string[]> {
	const changes = await (await people.as("ada")).call(timeMachineRoutes.compare, {
		body: { snapshot_from_id: from, snapshot_to_id: to, ignore_volatile: true },
		query: { attribution: "1" },
	});
	return describeChanges(changes as CompareAnswer);
}

async function showChecks({ people }: StoryParts): Promise<string[]> {
	const client = await people.as("ada");
	const { results } = await client.call(checkRoutes.list, { query: { ordering: "-state" } });
	const { results: notifications } = await client.call(notificationRoutes.list, { query: { page_size: "200" } });
	return [
		...results.map(({ name, state, states }) => {
			const violations = states.reduce((sum, entry) => sum + entry.violations, 0);
			return `${state.padEnd(8)} ${name}${violations > 0 ? ` (${violations} violations)` : ""}`;
		}),
		`${notifications.length} notifications about drift, checks and jobs.`,
	];
}

async function showRequests({ people }: StoryParts): Promise<string[]> {
	const { results } = await (await people.as("ada")).call(automationRequestRoutes.list, ALL);
	const shown = results.map(({ title, status, row_count, requested_by }) => {
		return `${status.padEnd(18)} ${title} (${row_count} rows, by ${requested_by})`;
	});
	return [...shown.slice(0, 5), `Sign in as ada and approve "${WAITING}".`];
}

async function launchChange({ people, known, memory }: StoryParts): Promise<string[]> {
	const number = ++memory.data.launches;
	await memory.save();
	const name = `bd-demo-${number}`;
	const gateway = `10.60.${number % 256}.1/24`;
	const {
		status,
		summary,
		watch: states,
	} = await launchRequest(people, known, `A bridge domain for demo ${number}`, [{ name, tenant: TENANT, gateway }]);
	const rows = Object.entries(summary).flatMap(([outcome, count]) => (count > 0 ? [`${count} ${outcome}`] : []));
	const lines = [`olga asked, ada approved, the job is ${status}; rows: ${rows.join(", ")}`];
	if (states === null) return lines;
	const { before, after } = states;
	if (before.snapshot_id === null || after.snapshot_id === null) {
		return [...lines, before.problem ?? after.problem ?? "There is no comparison."];
	}
	return [...lines, ...(await compareSnapshots(people, before.snapshot_id, after.snapshot_id))];
}

async function showWindows({ people }: StoryParts): Promise<string[]> {
	const client = await people.as("victor");
	return [
		...(await describeWindows(client)),
		"Change windows in the sidebar shows both, each with its report. Calendar shows the days ahead:",
		...(await describeCalendar(client)),
	];
}

const showQuestions = async ({ people, known }: StoryParts): Promise<string[]> =>
	answerQuestions(await people.as("olga"), known);

const getFirstConnection = ({ connections: [first = ""] }: StoryParts["known"]): string => first;

const STEPS: readonly (readonly [title: string, show: (story: StoryParts) => Promise<string[]>])[] = [
	["Two simulated fabrics", showService],
	[`Run the query "${BRIDGE_DOMAINS}" on ${FABRICS[0]}`, runQuery],
	[`The same query on the group "${GROUP}"`, runOnBoth],
	[`A week of the schedule "${SCHEDULE}"`, showWeek],
	["What changed within the week, and who did it", showDrift],
	["Four checks", showChecks],
	["Requests for changes", showRequests],
	["A launched change, before and after", launchChange],
	["Two change windows: one that passed, and one that another user spoiled", showWindows],
	["Four questions, where to ask them, and the answers", showQuestions],
];

/** Shows each step, with its title and its lines. */
export async function tellStory(story: StoryParts): Promise<void> {
	for (const [at, [title, show]] of STEPS.entries()) {
		story.say(`  ${String(at + 1).padEnd(2)} ${title}`);
		story.say(`${(await show(story)).map((line) => `     ${line}`).join("\n")}\n`);
	}
}
