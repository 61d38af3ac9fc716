/** SQL of launches that wait for a change window, and of the jobs of a window. */
import type { LaunchState } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { HELD_STATES, listSources } from "../rules/states.ts";
import type { ExecutionRow } from "./executions.ts";

type Held = Pick<ExecutionRow, "id" | "request_id">;

/** The update of the launches of a window from whose state the cause leads to the new one. */
const updateHeld = (tx: Tx, windowId: string, cause: "hold" | "block" | "release", state: LaunchState) =>
	tx.db
		.updateTable("automation_executions")
		.set({ launch_state: state })
		.where("change_window_id", "=", windowId)
		.where("launch_state", "in", HELD_STATES)
		.where("launch_state", "in", listSources("launch", cause, state))
		.where("finished_at", "is", null);

/** Makes a new launch, of which nothing was sent, wait for its change window. */
export async function holdNewLaunch(tx: Tx, id: string, state: "waiting_before" | "blocked"): Promise<void> {
	await tx.db
		.updateTable("automation_executions")
		.set({ launch_state: state, lookup_at: null })
		.where("id", "=", id)
		.where("launch_state", "=", "intent")
		.execute();
}

/** Sets the state of launches that wait for a window. Returns those that were in another one. */
export async function markHeldLaunches(
	tx: Tx,
	windowId: string,
	state: "waiting_before" | "blocked",
	at: Date,
): Promise<Held[]> {
	return updateHeld(tx, windowId, state === "blocked" ? "block" : "hold", state)
		.set({ updated_at: at })
		.returning(["id", "request_id"])
		.execute();
}

/** Allows the launches that wait for a window, each once. */
export async function releaseHeldLaunches(tx: Tx, windowId: string, at: Date): Promise<Held[]> {
	return updateHeld(tx, windowId, "release", "intent")
		.set({ lookup_at: at, released_at: at, updated_at: at })
		.returning(["id", "request_id"])
		.execute();
}

/** The launches that wait for a window, kept from changing until the transaction ends. */
export async function lockHeldLaunches(tx: Tx, windowId: string): Promise<ExecutionRow[]> {
	return tx.db
		.selectFrom("automation_executions")
		.selectAll()
		.where("change_window_id", "=", windowId)
		.where("launch_state", "in", HELD_STATES)
		.where("finished_at", "is", null)
		.orderBy("created_at")
		.orderBy("id")
		.forUpdate()
		.execute();
}

/** An execution of a change window. */
export interface WindowJob {
	readonly id: string;
	readonly request_id: string;
	readonly launch_state: LaunchState;
	readonly job_id: number | null;
	/** By the clock of the automation server. */
	readonly finished_at: Date | null;
	/** By the clock of Weft. */
	readonly ended_at: Date | null;
	/** Whether the window was made for the request of the execution. */
	readonly is_own: boolean;
}

/** The executions of a window, oldest first. */
export async function listWindowJobs(db: Db, windowId: string): Promise<WindowJob[]> {
	return db
		.selectFrom("automation_executions as e")
		.innerJoin("automation_requests as r", "r.id", "e.request_id")
		.select(["e.id", "e.request_id", "e.launch_state", "e.job_id", "e.finished_at", "e.ended_at"])
		.select(sql<boolean>`(r.change_plan is not null)`.as("is_own"))
		.where("e.change_window_id", "=", windowId)
		.orderBy("e.created_at")
		.orderBy("e.id")
		.execute();
}

/** Whether something of the launch may have been sent, and its job is not over. */
export const isRunningJob = ({ finished_at, launch_state }: WindowJob): boolean =>
	finished_at === null && !HELD_STATES.includes(launch_state);

/** Whether a job ran until after a time. Both times are of Weft's clock. */
export const isEndedAfter = ({ job_id, ended_at }: WindowJob, at: Date): boolean =>
	job_id !== null && ended_at !== null && ended_at > at;
