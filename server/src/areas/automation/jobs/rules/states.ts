/**
 * The states of an automation job. One job has five of them side by side: the request's status, the
 * execution's, the server's own, the state of the launch, and that of each snapshot around the job.
 * This table has every allowed transition with its cause. Code that changes a state asserts the
 * transition, or takes the states before it from here as the condition of its update.
 */
import type { AutomationExecutionStatus, LaunchState, RequestStatus } from "@weft/contracts";

/** The words of the automation server for the status of a job; `cancelled` is a later spelling. */
export type ServerStatus =
	| "new"
	| "pending"
	| "waiting"
	| "running"
	| "successful"
	| "failed"
	| "error"
	| "canceled"
	| "cancelled";
export type SnapshotState = "waiting" | "captured" | "failed";
/** The statuses of a new request. */
export type FirstRequestStatus = Extract<RequestStatus, "awaiting_approval" | "pending">;
/** The final statuses of an execution. */
export type FinalExecutionStatus = Extract<AutomationExecutionStatus, "successful" | "failed" | "error" | "cancelled">;

export interface JobStates {
	readonly request: RequestStatus;
	readonly execution: AutomationExecutionStatus;
	readonly server: ServerStatus;
	readonly launch: LaunchState;
	readonly snapshot: SnapshotState;
}
export type StateKind = keyof JobStates;

export interface JobCauses {
	/**
	 * Actions of users, and three others. require_approval: the rules of approval changed; refuse:
	 * the requester of a scheduled launch is not active; end: the last open execution ended.
	 */
	readonly request:
		| "approve"
		| "reject"
		| "edit"
		| "require_approval"
		| "execute"
		| "retry"
		| "relaunch"
		| "refuse"
		| "cancel"
		| "end"
		| "rollback";
	/** poll: the job is not over, or its events are incomplete; end: it is over, or there is none. */
	readonly execution: "poll" | "end";
	readonly server: "server";
	/**
	 * hold: it waits until its change window opens; block: the gate of the window did not pass;
	 * release: the window opened; send: the launch is marked before it is sent; unsend: it surely
	 * made no job; adopt: its job is known; end: the execution ended without a job.
	 */
	readonly launch: "hold" | "block" | "release" | "send" | "unsend" | "adopt" | "end";
	/** capture: the change window has a snapshot of the phase; fail: it has none. */
	readonly snapshot: "capture" | "fail";
}

interface Transition<Kind extends StateKind> {
	readonly by: JobCauses[Kind];
	readonly from: readonly JobStates[Kind][];
	/** Null where the state stays as it is. */
	readonly to: readonly JobStates[Kind][] | null;
}

interface StateTable<Kind extends StateKind> {
	/** The states of a new object. */
	readonly first: readonly JobStates[Kind][];
	/** Final states; a request leaves them only where a user reopens it. */
	readonly over: readonly JobStates[Kind][];
	/** Causes that leave a final state. */
	readonly reopening: readonly JobCauses[Kind][];
	readonly transitions: readonly Transition<Kind>[];
}

const OPEN_EXECUTION = ["pending", "waiting", "running"] as const;
const ENDED_EXECUTION = ["successful", "failed", "error", "cancelled"] as const satisfies FinalExecutionStatus[];
const OPEN_SERVER = ["new", "pending", "waiting", "running"] as const;
const ENDED_SERVER = ["successful", "failed", "error", "canceled", "cancelled"] as const;

export const STATES: { readonly [Kind in StateKind]: StateTable<Kind> } = {
	request: {
		first: ["awaiting_approval", "pending"],
		over: ["rejected", "successful", "failed", "cancelled"],
		reopening: ["edit", "retry", "relaunch"],
		transitions: [
			{ by: "approve", from: ["awaiting_approval"], to: ["approved"] },
			{ by: "reject", from: ["awaiting_approval"], to: ["rejected"] },
			{ by: "edit", from: ["awaiting_approval", "pending"], to: ["awaiting_approval", "pending"] },
			{ by: "edit", from: ["rejected"], to: ["awaiting_approval"] },
			{ by: "require_approval", from: ["pending"], to: ["awaiting_approval"] },
			// A launch that lacks an approval which is required by now makes the request wait for it.
			{ by: "execute", from: ["pending"], to: ["running", "awaiting_approval"] },
			{ by: "execute", from: ["approved"], to: ["running"] },
			{ by: "retry", from: ["failed", "cancelled"], to: ["running", "awaiting_approval"] },
			// A request that was executed before may be pending or approved again after a retry.
			{ by: "relaunch", from: ["successful", "failed", "cancelled", "pending", "approved"], to: ["running"] },
			{ by: "refuse", from: ["pending", "approved"], to: ["failed"] },
			{ by: "cancel", from: ["awaiting_approval", "approved", "pending"], to: ["cancelled"] },
			// Its executions are cancelled; the request ends with them.
			{ by: "cancel", from: ["running"], to: null },
			{ by: "end", from: ["running"], to: ["successful", "failed", "cancelled"] },
			// A rollback is another request.
			{ by: "rollback", from: ["successful", "failed"], to: null },
		],
	},
	execution: {
		first: ["pending"],
		over: ENDED_EXECUTION,
		reopening: [],
		transitions: [
			{ by: "poll", from: OPEN_EXECUTION, to: OPEN_EXECUTION },
			{ by: "end", from: OPEN_EXECUTION, to: ENDED_EXECUTION },
		],
	},
	server: {
		first: ["new", "pending"],
		over: ENDED_SERVER,
		reopening: [],
		transitions: [{ by: "server", from: OPEN_SERVER, to: [...OPEN_SERVER, ...ENDED_SERVER] }],
	},
	launch: {
		first: ["intent"],
		over: ["launched", "ended"],
		reopening: [],
		transitions: [
			{ by: "hold", from: ["intent", "blocked"], to: ["waiting_before"] },
			{ by: "block", from: ["intent", "waiting_before"], to: ["blocked"] },
			{ by: "release", from: ["waiting_before", "blocked"], to: ["intent"] },
			{ by: "send", from: ["intent"], to: ["sending"] },
			{ by: "unsend", from: ["sending"], to: ["intent"] },
			{ by: "adopt", from: ["sending"], to: ["launched"] },
			{ by: "end", from: ["intent", "waiting_before", "blocked", "sending"], to: ["ended"] },
			{ by: "end", from: ["launched"], to: null },
		],
	},
	snapshot: {
		first: ["waiting"],
		over: ["captured", "failed"],
		reopening: [],
		transitions: [
			{ by: "capture", from: ["waiting"], to: ["captured"] },
			{ by: "fail", from: ["waiting"], to: ["failed"] },
		],
	},
};

/** The table of one kind. The compiler does not follow a generic kind into its own table. */
const getTable = <Kind extends StateKind>(kind: Kind): StateTable<Kind> => STATES[kind] as unknown as StateTable<Kind>;

/**
 * The states in which a cause is allowed, in the order of the table.
 * @param to only those from which it may lead to this state
 */
export function listSources<Kind extends StateKind>(
	kind: Kind,
	by: JobCauses[Kind],
	to?: JobStates[Kind],
): JobStates[Kind][] {
	const sources = getTable(kind).transitions.flatMap((one) => (one.by === by ? one.from : []));
	return [...new Set(sources)].filter((from) => to === undefined || canTransition(kind, from, to, by));
}

/** The states that a cause may lead to, in the order of the table. */
export const listTargets = <Kind extends StateKind>(kind: Kind, by: JobCauses[Kind]): JobStates[Kind][] => [
	...new Set(getTable(kind).transitions.flatMap((one) => (one.by === by ? (one.to ?? one.from) : []))),
];

/** The states that are not final, in the order in which the table reaches them. */
export const listOpenStates = <Kind extends StateKind>(kind: Kind): JobStates[Kind][] =>
	listStates(kind).filter((state) => !isOver(kind, state));

/** All states, in the order in which the table reaches them. */
export function listStates<Kind extends StateKind>(kind: Kind): JobStates[Kind][] {
	const { first, transitions } = getTable(kind);
	return [...new Set([...first, ...transitions.flatMap(({ from, to }) => [...from, ...(to ?? [])])])];
}

export const isOver = <Kind extends StateKind>(kind: Kind, state: JobStates[Kind]): boolean =>
	getTable(kind).over.includes(state);

export const isFinalExecution = (status: AutomationExecutionStatus): status is FinalExecutionStatus =>
	isOver("execution", status);

/** Whether the cause is allowed in the state, wherever it leads. */
export const allowsCause = <Kind extends StateKind>(kind: Kind, state: JobStates[Kind], by: JobCauses[Kind]): boolean =>
	listSources(kind, by).includes(state);

export const canTransition = <Kind extends StateKind>(
	kind: Kind,
	from: JobStates[Kind],
	to: JobStates[Kind],
	by: JobCauses[Kind],
): boolean =>
	getTable(kind).transitions.some(
		(one) => one.by === by && one.from.includes(from) && (one.to === null ? to === from : one.to.includes(to)),
	);

/** @throws Error for a transition that the table does not have, which is a fault of the caller */
export function assertTransition<Kind extends StateKind>(
	kind: Kind,
	from: JobStates[Kind],
	to: JobStates[Kind],
	by: JobCauses[Kind],
): void {
	if (!canTransition(kind, from, to, by)) throw new Error(`${kind}: ${by} cannot lead from ${from} to ${to}`);
}

const STATUS_TEXTS: Readonly<Record<RequestStatus, string>> = {
	awaiting_approval: "is waiting for approval",
	approved: "has been approved",
	rejected: "has been rejected",
	pending: "has not been executed yet",
	running: "is running",
	successful: "was successful",
	failed: "has failed",
	cancelled: "has been cancelled",
};

/** The states of a launch that waits for its change window. */
export const HELD_STATES: readonly LaunchState[] = listSources("launch", "release");

/** The states in which a launch waits to be sent, or for its job to be found. */
export const STEP_STATES: readonly LaunchState[] = [
	...listSources("launch", "send"),
	...listSources("launch", "adopt"),
];

/** Whether nothing of a launch was sent. */
export const isUnsent = (state: LaunchState): boolean => state === "intent" || HELD_STATES.includes(state);

/** Explains to users why an action on a request is refused. */
export const explainRefusal = (status: RequestStatus, action: JobCauses["request"]): string =>
	`The request ${STATUS_TEXTS[status]}; ${action} is possible for requests that are ${listSources("request", action).join(" or ")}.`;

/** The columns of an execution that decide on the outcome of its request. */
export interface ExecutionEnd {
	readonly status: AutomationExecutionStatus;
	readonly finished_at: Date | null;
	readonly job_id: number | null;
	readonly relaunch_of: string | null;
}
export type RequestOutcome = Extract<RequestStatus, "successful" | "failed" | "cancelled">;

/** Maps the final status of an execution to the status of its request. */
export const deriveRequestEnd = (execution: AutomationExecutionStatus): RequestOutcome =>
	execution === "successful" || execution === "cancelled" ? execution : "failed";

/**
 * The outcome of a request: that of its last launch that is over. A job that was to be launched
 * again, and never was, changes nothing. Null before the first end.
 * @param executions in the order in which they were made
 */
export function deriveRequestOutcome(executions: readonly ExecutionEnd[]): RequestOutcome | null {
	const last = executions.findLast(
		({ finished_at, job_id, relaunch_of }) => finished_at !== null && (job_id !== null || relaunch_of === null),
	);
	return last === undefined ? null : deriveRequestEnd(last.status);
}

const BY_SERVER: Readonly<Record<ServerStatus, AutomationExecutionStatus>> = {
	new: "pending",
	pending: "pending",
	waiting: "waiting",
	running: "running",
	successful: "successful",
	failed: "failed",
	error: "error",
	canceled: "cancelled",
	cancelled: "cancelled",
};

/** Null for a status of no known release; the job is then polled again. */
export const readServerStatus = (word: string): AutomationExecutionStatus | null =>
	Object.hasOwn(BY_SERVER, word) ? BY_SERVER[word as ServerStatus] : null;

/**
 * The status that is shown while a job is not over. A final status waits for the job's events:
 * until they are complete, the job is shown as running.
 */
export function deriveExecutionStatus(word: string, before: AutomationExecutionStatus): AutomationExecutionStatus {
	const status = readServerStatus(word);
	if (status === null) return before;
	if (!isOver("execution", status)) return status;
	return before === "pending" || before === "waiting" ? before : "running";
}

/** The state of a launch whose execution ends: a job that is known stays known. */
export const deriveEndedLaunch = (launch: LaunchState): LaunchState => (launch === "launched" ? launch : "ended");
