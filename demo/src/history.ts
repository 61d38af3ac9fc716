/** A week of nightly runs on both fabrics, made by moving the clock from night to night. */
import { backgroundRunRoutes, pipelineRoutes, scheduleRoutes, timeMachineRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { DemoClock } from "./clock.ts";
import type { Fabrics } from "./fabrics.ts";
import type { People } from "./people.ts";
import { BRIDGE_DOMAINS, CRITICAL_FAULTS, type Known, queryOf } from "./queries.ts";
import { until } from "./wait.ts";

export const SCHEDULE = "Nightly bridge domains";
const NIGHTS = 7;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of a run, in hours and minutes UTC. */
const NIGHTLY = { text: "02:30", ms: 2.5 * HOUR_MS };
/** People have worked on the fabrics so many hours before a run. */
const WORK_BEFORE_MS = 12 * HOUR_MS;
const WORK = { hours: 4, rate: 0.02 };

/** The latest nightly run before a moment. */
const lastNight = (now: number): number => {
	const today = Math.floor(now / DAY_MS) * DAY_MS + NIGHTLY.ms;
	return today < now - HOUR_MS ? today : today - DAY_MS;
};

/** The moment at which the data begins: two days before the first nightly run. */
export const firstMoment = (now: number): number => lastNight(now) - (NIGHTS + 1) * DAY_MS;

/** Makes the schedule; its first run is in the first night. */
export async function makeSchedule(admin: WeftClient, known: Known): Promise<string> {
	const { id } = await admin.call(scheduleRoutes.create, {
		body: {
			name: SCHEDULE,
			description: "Both fabrics, every night",
			saved_query: queryOf(known, BRIDGE_DOMAINS),
			controller_connection_ids: [],
			connection_group: known.group,
			frequency: "daily",
			time_of_day: NIGHTLY.text,
			timezone: "UTC",
		},
	});
	return id;
}

interface HistoryDeps {
	readonly people: People;
	readonly fabrics: Fabrics;
	readonly clock: DemoClock;
	readonly known: Known;
	readonly schedule: string;
	/** Called in the working hours before the last but one night. */
	work(): Promise<void>;
}

/** Lets the nights pass. The last one is the latest before `present`. */
export async function makeHistory({ people, fabrics, clock, known, schedule, work }: HistoryDeps, present: number) {
	const last = lastNight(present);
	for (let night = 0; night < NIGHTS; night++) {
		const run = last - (NIGHTS - 1 - night) * DAY_MS;
		clock.moveTo(run - WORK_BEFORE_MS);
		if (night > 0) for (const fabric of fabrics.controllers.keys()) await fabrics.drift(fabric, WORK.hours, WORK.rate);
		if (night === NIGHTS - 2) await work();
		clock.moveTo(run + 1_000);
		const client = await people.as("ada");
		await until("the nightly runs end", async () => {
			const { results } = await client.call(scheduleRoutes.executions, {
				query: { task_id: schedule, page_size: "200" },
			});
			const ended = results.filter(({ status }) => status !== "pending" && status !== "running");
			const failed = ended.find(({ status }) => status !== "success");
			if (failed !== undefined) throw new Error(`A nightly run ${failed.status}: ${failed.error_message}`);
			return ended.length >= (night + 1) * fabrics.controllers.length ? true : null;
		});
	}
	clock.moveTo(last + 5 * HOUR_MS);
	await runOnce(await people.as("ada"), queryOf(known, CRITICAL_FAULTS), known.connections);
}

/** Runs a query in the background on each connection. */
async function runOnce(client: WeftClient, query: string, connections: readonly string[]): Promise<void> {
	for (const controller_connection_id of connections) {
		const { id } = await client.call(backgroundRunRoutes.start, {
			params: { id: query },
			body: { controller_connection_id },
		});
		await until("a run in the background ends", async () => {
			const { status } = await client.call(pipelineRoutes.detail, { params: { id } });
			if (status === "failed" || status === "cancelled") throw new Error(`A run in the background ${status}.`);
			return status === "completed" ? true : null;
		});
	}
}

/** Snapshots of the nightly query on a connection, the newest first. */
export async function snapshotsOf(client: WeftClient, known: Known, connection: string) {
	const { snapshots } = await client.call(timeMachineRoutes.list, {
		query: { saved_query_id: queryOf(known, BRIDGE_DOMAINS), limit: "200" },
	});
	return snapshots.filter(({ controller_connection_id }) => controller_connection_id === connection);
}
