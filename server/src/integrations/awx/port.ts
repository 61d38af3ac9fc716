/**
 * How Weft talks to an automation server (AWX, Ansible Automation Platform): discovery, launches
 * without automatic retry, states of many jobs at once, ordered events, cancel. A driver keeps one
 * socket pool per connection.
 */
import type {
	AutomationKind,
	LaunchPromptValues,
	ServerCredential,
	ServerCredentialType,
	ServerTemplate,
	ServerTemplateDetail,
} from "@weft/contracts";

export interface AutomationTarget {
	/** The connection's id; one pool is kept per id. */
	readonly id: string;
	/** Changes whenever any of the rest changes. */
	readonly revision: string;
	/** http(s) address, with or without the root of the API. */
	readonly url: string;
	/** Empty where only the token counts. */
	readonly username: string;
	readonly token: string;
	readonly verifyTls: boolean;
	/** For one request; launches have at least two minutes. */
	readonly timeoutMs: number;
}

type AutomationErrorKind =
	| "refused"
	| "dns"
	/** The administrator's settings do not allow the address. */
	| "address"
	| "tls"
	| "timeout"
	/** The connection dropped before the answer was complete. */
	| "reset"
	| "credentials"
	/** The token may not do this, or not with this object. */
	| "permission"
	| "not_found"
	/** The server found the request wrong; `text` is its own words. */
	| "invalid"
	/** Not in this state: a job that is over cannot be cancelled. */
	| "conflict"
	| "throttled"
	| "server"
	/** It sends elsewhere: its database is being migrated, or the address is not the server's own. */
	| "redirect"
	| "not_an_automation_server"
	| "bad_answer"
	| "too_big"
	| "cancelled";

/**
 * A failure, in words for a network engineer. No message holds a token. It may repeat the variables
 * of a job in full length: mask it, then cut it, before it is shown or stored.
 */
export class AutomationError extends Error {
	override readonly name = "AutomationError";
	readonly kind: AutomationErrorKind;
	/** HTTP status, where there was an answer. */
	readonly status: number | null;
	/** Whether the same request may succeed later without any change. */
	readonly retryable: boolean;
	/** Whether nothing of the request can have reached the application. */
	readonly unsent: boolean;
	/** Milliseconds after which the server wants to be asked again. */
	readonly retryAfterMs: number | null;

	constructor(
		kind: AutomationErrorKind,
		message: string,
		details: {
			readonly status?: number | null;
			readonly retryable?: boolean;
			readonly unsent?: boolean;
			readonly retryAfterMs?: number | null;
		} = {},
	) {
		super(message);
		this.kind = kind;
		this.status = details.status ?? null;
		this.retryable = details.retryable ?? false;
		this.unsent = details.unsent ?? false;
		this.retryAfterMs = details.retryAfterMs ?? null;
	}

	/** The same error in other words. */
	withMessage(message: string): AutomationError {
		return new AutomationError(this.kind, message, this);
	}
}

export type AutomationTestResult =
	| {
			readonly ok: true;
			readonly version: string | null;
			/** Path of the API's root: `/api/v2/`, `/api/controller/v2/`. */
			readonly root: string;
			readonly username: string;
			readonly product: string;
			readonly latencyMs: number;
			/** False: the token is read only; null where the server does not tell. */
			readonly canLaunch: boolean | null;
			/** What will get in the way: no licence, no capacity. */
			readonly warnings: readonly string[];
	  }
	| { readonly ok: false; readonly kind: AutomationErrorKind; readonly message: string };

export interface ServerPage<Item> {
	readonly count: number;
	readonly items: readonly Item[];
}

export interface PageRequest {
	readonly page: number;
	readonly pageSize: number;
	readonly search?: string | undefined;
}

/** A template as it is now, with what a launch must know. */
export interface LaunchInfo extends ServerTemplateDetail {
	/** Milliseconds since 1970 by the server's clock; null where it does not tell. */
	readonly serverTime: number | null;
	/** Names of the survey's variables, where the survey is switched on. */
	readonly surveyVariables: readonly string[];
}

export interface LaunchPayload {
	readonly extraVars: Readonly<Record<string, unknown>>;
	readonly credentials?: readonly number[];
	readonly jobType?: "check";
	readonly prompts?: LaunchPromptValues;
}

/** Of which sort a job is; decides the paths under which it is found. */
export type ServerJobType =
	| "job"
	| "workflow_job"
	| "project_update"
	| "inventory_update"
	| "system_job"
	| "ad_hoc_command"
	| "workflow_approval";

interface LaunchedJob {
	readonly id: number;
	readonly type: ServerJobType;
	/** Milliseconds since 1970, by the server's clock. */
	readonly created: number;
	readonly templateId: number | null;
	/** `run` or `check`; null for workflows. */
	readonly jobType: string | null;
	/** What the server dropped. */
	readonly ignored: Readonly<Record<string, unknown>>;
}

export type LaunchOutcome =
	| { readonly kind: "launched"; readonly job: LaunchedJob }
	/** Nothing was launched. */
	| { readonly kind: "refused"; readonly error: AutomationError }
	/** It may have been launched, or be launched any moment. */
	| { readonly kind: "unknown"; readonly error: AutomationError };

/** A job that may be the one that was asked for. */
export interface FoundJob {
	readonly id: number;
	readonly type: ServerJobType;
	readonly created: number;
	readonly templateId: number | null;
	readonly jobType: string | null;
	readonly launchType: string;
	readonly extraVars: Readonly<Record<string, unknown>>;
}

export interface JobState {
	readonly id: number;
	readonly type: ServerJobType;
	/** The server's word, whatever it is. */
	readonly status: string;
	readonly created: number;
	readonly templateId: number | null;
	readonly started: number | null;
	readonly finished: number | null;
	readonly canceledOn: number | null;
	/** Seconds. */
	readonly elapsed: number;
	readonly explanation: string;
}

export interface JobDetail extends JobState {
	/** True when every event is stored; null where the server does not tell (workflows). */
	readonly eventsStored: boolean | null;
	/** An object, or a sentence where it is hidden. */
	readonly artifacts: unknown;
	readonly taskCount: number | null;
	/** Of the server itself, where it could not run the job; else empty. */
	readonly traceback: string;
}

/** What became of one item of a loop. */
export interface ItemResult {
	/** The value of the loop's variable, whatever its name; undefined where it is hidden. */
	readonly value: unknown;
	/** The task has `no_log`: neither the item nor its result is known. */
	readonly hidden: boolean;
	/**
	 * The item was only passed on: to the tasks of an included file or role, or to a task that goes
	 * on in the background. Null: this is its result.
	 */
	readonly passedOn: "included" | "started" | null;
	readonly message: string;
	readonly unreachable: boolean;
}

/** What one event says, as far as it counts here. */
export interface JobEvent {
	readonly counter: number;
	readonly event: string;
	readonly stdout: string;
	readonly host: string | null;
	readonly play: string;
	readonly task: string;
	readonly taskUuid: string;
	readonly failed: boolean;
	readonly changed: boolean;
	readonly ignoreErrors: boolean;
	/** Of item events; undefined for other events, and where the server dropped the result. */
	readonly item?: ItemResult;
	/** Of the event with the statistics. */
	readonly stats?: { readonly ok: number; readonly changed: number; readonly failed: number };
}

export interface ServerNode {
	readonly id: number;
	readonly identifier: string;
	readonly name: string;
	readonly jobId: number | null;
	readonly jobType: ServerJobType | null;
	/** The job's status; null where there is none. */
	readonly status: string | null;
	readonly elapsed: number;
	readonly doNotRun: boolean;
	/** Ids of the nodes that it leads to. */
	readonly next: readonly number[];
}

export interface HostTotals {
	readonly hosts: number;
	readonly ok: number;
	readonly changed: number;
	readonly failed: number;
}

export interface AutomationDriver {
	/** Why the settings refuse an address; null if they do not, or if only DNS can tell. */
	refusal(url: string): string | null;
	/** Finds the API, signs in, without retries. Rejects only with kind `cancelled`. */
	test(target: AutomationTarget, signal?: AbortSignal): Promise<AutomationTestResult>;
	templates(target: AutomationTarget, kind: AutomationKind, page: PageRequest): Promise<ServerPage<ServerTemplate>>;
	/** @param withinMs upper bound of the wait, in milliseconds; absent: that of the connection */
	template(target: AutomationTarget, kind: AutomationKind, id: number, withinMs?: number): Promise<LaunchInfo>;
	credentials(target: AutomationTarget, page: PageRequest): Promise<ServerPage<ServerCredential>>;
	/** ssh, vault, net …; null where the credential is not there or not to be seen. */
	credentialKind(target: AutomationTarget, id: number): Promise<string | null>;
	credentialTypes(target: AutomationTarget, page: PageRequest): Promise<ServerPage<ServerCredentialType>>;
	/** Sends the launch once. Never rejects: what went wrong is in the outcome. */
	launch(
		target: AutomationTarget,
		kind: AutomationKind,
		templateId: number,
		payload: LaunchPayload,
	): Promise<LaunchOutcome>;
	/** The same job again. Sends once; never rejects. */
	relaunch(
		target: AutomationTarget,
		type: ServerJobType,
		jobId: number,
		hosts: "all" | "failed",
	): Promise<LaunchOutcome>;
	/** Hosts that failed in a job that is over; null where the server cannot tell. */
	failedHosts(target: AutomationTarget, jobId: number): Promise<number | null>;
	/** Jobs of a template that were made since, newest first, slices and all. */
	launchedSince(target: AutomationTarget, kind: AutomationKind, templateId: number, since: number): Promise<FoundJob[]>;
	/** Jobs and workflow jobs by id, 200 per request. Deleted or invisible jobs are absent. */
	states(target: AutomationTarget, ids: readonly number[]): Promise<ReadonlyMap<number, JobState>>;
	/** Null when there is no such job. */
	job(target: AutomationTarget, type: ServerJobType, id: number): Promise<JobDetail | null>;
	/** Events with a counter above `after`, in order; at most `limit`, and there may be gaps. */
	events(target: AutomationTarget, jobId: number, after: number, limit: number): Promise<readonly JobEvent[]>;
	/** Number of hosts, and tasks over all of them; null where the server has none (yet). */
	hostTotals(target: AutomationTarget, jobId: number): Promise<HostTotals | null>;
	/** The first nodes of a workflow job, at most `limit`. */
	nodes(target: AutomationTarget, workflowJobId: number, limit: number): Promise<readonly ServerNode[]>;
	/** `over`: it had ended before. */
	cancel(target: AutomationTarget, type: ServerJobType, id: number): Promise<"asked" | "over">;
	/** The output of jobs without events (project and inventory updates), at most `maxBytes`. */
	output(target: AutomationTarget, type: ServerJobType, id: number, maxBytes: number): Promise<string>;
	/** Drops the sockets of a connection; requests under way still finish. */
	forget(targetId: string): void;
	/** Cancels in-flight requests and closes all sockets. */
	close(): Promise<void>;
}
