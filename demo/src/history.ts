/** A week of nightly runs on both fabrics, made by moving the clock from night to night. */
import { backgroundRunRoutes, executionLogRoutes, scheduleRoutes, timeMachineRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { DemoClock } from "./clock.ts";
import type { Fabrics } from "./fabrics.ts";
import type { People } from "./people.ts";
import {
	BRIDGE_DOMAINS,
	CRITICAL_FAULTS,
	ENDPOINTS,
	FAULTS,
	getQuery,
	type Known,
	POLICY,
	TOPOLOGY,
} from "./queries.ts";
import { waitForAnswer } from "./wait.ts";

export const SCHEDULE = "Nightly bridge domains";
const NIGHTS = 7;
/** The nightly schedules, and in how many of the nights each has run. */
const SCHEDULES = [
	{ name: SCHEDULE, query: BRIDGE_DOMAINS, nights: NIGHTS },
	{ name: "Nightly endpoints", query: ENDPOINTS, nights: 2 },
	{ name: "Nightly faults", query: FAULTS, nights: 2 },
	{ name: "Nightly topology", query: TOPOLOGY, nights: 2 },
	{ name: "Nightly policy", query: POLICY, nights: 2 },
] as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Times of day, UTC. The schedule has one that is not near: no run is due meanwhile. */
const TIMES = [
	{ text: "02:30", ms: 2.5 * HOUR_MS },
	{ text: "22:30", ms: 22.5 * HOUR_MS },
] as const;
/** Distance of the present from a run, before and after it. */
const NEAR_MS = 2 * HOUR_MS;
/** People have worked on the fabrics so long before a run. */
const WORK_BEFORE_MS = 12 * HOUR_MS;
const WORK = { hours: 4, rate: 0.02 };

interface Nights {
	/** When the schedule runs, as `HH:MM` UTC. */
	readonly timeOfDay: string;
	/** The nightly runs in the past, oldest first, in milliseconds since 1970. */
	readonly runs: readonly number[];
	/** When the data begins: on the day before the first run. */
	readonly beginning: number;
}

/** The week of nights that ends at the latest one before the present. */
export function planNights(present: number): Nights {
	const sinceMidnight = present % DAY_MS;
	const [usual, other] = TIMES;
	const time = Math.abs(sinceMidnight - usual.ms) < NEAR_MS ? other : usual;
	const today = present - sinceMidnight + time.ms;
	const last = today < present ? today : today - DAY_MS;
	const runs = Array.from({ length: NIGHTS }, (_, night) => last - (NIGHTS - 1 - night) * DAY_MS);
	return { timeOfDay: time.text, runs, beginning: last - (NIGHTS - 1) * DAY_MS - WORK_BEFORE_MS };
}

/** Makes a schedule; its first run is in the next night. Returns its id. */
async function makeSchedule(
	admin: WeftClient,
	known: Known,
	{ name, query }: (typeof SCHEDULES)[number],
	{ timeOfDay }: Nights,
): Promise<string> {
	const { id } = await admin.call(scheduleRoutes.create, {
		body: {
			name,
			description: "Both fabrics, every night",
			saved_query: getQuery(known, query),
			controller_connection_ids: [],
			connection_group: known.group,
			frequency: "daily",
			time_of_day: timeOfDay,
			timezone: "UTC",
		},
	});
	return id;
}

interface HistoryParts {
	readonly people: People;
	readonly fabrics: Fabrics;
	readonly clock: DemoClock;
	readonly known: Known;
	readonly nights: Nights;
	/** Work of people in the hours before a night, by the number of nights after that one. */
	readonly work: ReadonlyMap<number, () => Promise<void>>;
}

/** Lets the nights pass. */
export async function makeHistory({ people, fabrics, clock, known, nights, work }: HistoryParts) {
	const executions = new Map<string, number>();
	for (const [night, run] of nights.runs.entries()) {
		clock.moveTo(run - WORK_BEFORE_MS);
		for (const schedule of SCHEDULES.filter((each) => each.nights === NIGHTS - night))
			executions.set(await makeSchedule(await people.as("ada"), known, schedule, nights), 0);
		if (night > 0) for (const fabric of fabrics.controllers.keys()) await fabrics.drift(fabric, WORK.hours, WORK.rate);
		await work.get(NIGHTS - 1 - night)?.();
		clock.moveTo(run + 1_000);
		const client = await people.as("ada");
		for (const [schedule, before] of executions) {
			const expected = before + fabrics.controllers.length;
			await waitForExecutions(client, schedule, expected);
			executions.set(schedule, expected);
		}
	}
	clock.moveTo((nights.runs.at(-1) ?? 0) + HOUR_MS);
	await runOnce(await people.as("ada"), getQuery(known, CRITICAL_FAULTS), known.connections);
}

async function waitForExecutions(client: WeftClient, task_id: string, expected: number): Promise<void> {
	await waitForAnswer("the nightly runs end", async () => {
		const { results } = await client.call(scheduleRoutes.executions, { query: { task_id, page_size: "200" } });
		const ended = results.filter(({ status }) => status !== "pending" && status !== "running");
		const failed = ended.find(({ status }) => status !== "success");
		if (failed !== undefined) throw new Error(`A nightly run ${failed.status}: ${failed.error_message}`);
		return ended.length >= expected ? true : null;
	});
}

/**
 * Runs a query in the background on each connection, until the ends are recorded: for a service
 * whose clock then moves, they would be overdue.
 */
async function runOnce(client: WeftClient, query: string, connections: readonly string[]): Promise<void> {
	for (const controller_connection_id of connections) {
		await client.call(backgroundRunRoutes.start, { params: { id: query }, body: { controller_connection_id } });
	}
	await waitForAnswer("the runs in the background end", async () => {
		const { results } = await client.call(executionLogRoutes.list, { query: { query } });
		const failed = results.find(({ success }) => !success);
		if (failed !== undefined) throw new Error(`A run in the background failed: ${failed.error_message}`);
		return results.length >= connections.length ? true : null;
	});
}

/** Snapshots of the nightly query on a connection, the newest first. */
export async function listSnapshots(client: WeftClient, known: Known, connection: string) {
	const { snapshots } = await client.call(timeMachineRoutes.list, {
		query: { saved_query_id: getQuery(known, BRIDGE_DOMAINS), limit: "200" },
	});
	return snapshots.filter(({ controller_connection_id }) => controller_connection_id === connection);
}
