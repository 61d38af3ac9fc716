/** What the simulated AWX holds. Plain records; how they look from outside is in `present*.ts`. */

export interface User {
	readonly id: number;
	readonly username: string;
	readonly password: string;
	readonly superuser: boolean;
	/** Reads everything, and changes nothing. */
	readonly auditor: boolean;
	/** Ids of job and workflow templates that may be launched; "all" for superusers. */
	readonly execute: "all" | readonly number[];
}

export interface Token {
	readonly id: number;
	readonly text: string;
	readonly user: User;
	readonly scope: "read" | "write";
	readonly description: string;
	readonly created: number;
	revoked: boolean;
}

interface Host {
	readonly id: number;
	readonly name: string;
}

export interface Inventory {
	readonly id: number;
	readonly name: string;
	readonly created: number;
	readonly hosts: readonly Host[];
}

export interface Credential {
	readonly id: number;
	readonly name: string;
	readonly type: number;
	readonly kind: string;
	readonly managed: boolean;
	readonly organization: number | null;
	readonly inputs: Readonly<Record<string, string>>;
	/** A password is asked for at each launch. */
	readonly asks: boolean;
	readonly created: number;
}

export interface CredentialType {
	readonly id: number;
	readonly name: string;
	readonly kind: string;
	readonly namespace: string | null;
	readonly inputs: Readonly<Record<string, unknown>>;
	readonly created: number;
}

export interface SurveyQuestion {
	readonly type: string;
	readonly question_name: string;
	readonly question_description: string;
	readonly variable: string;
	readonly required: boolean;
	readonly min?: number | string | null;
	readonly max?: number | string | null;
	readonly default?: unknown;
	readonly choices?: readonly string[] | string;
}

export interface Survey {
	readonly name: string;
	readonly description: string;
	readonly spec: readonly SurveyQuestion[];
}

/** Launch fields that a job template may ask for, named after `ask_<word>_on_launch`. */
export const JOB_ASKS = [
	"scm_branch",
	"diff_mode",
	"variables",
	"limit",
	"tags",
	"skip_tags",
	"job_type",
	"verbosity",
	"inventory",
	"credential",
	"execution_environment",
	"labels",
	"forks",
	"job_slice_count",
	"timeout",
	"instance_groups",
] as const;
export const WORKFLOW_ASKS = ["variables", "inventory", "scm_branch", "limit", "labels", "skip_tags", "tags"] as const;
export type Ask = (typeof JOB_ASKS)[number];

export interface TemplateNode {
	readonly id: number;
	readonly identifier: string;
	/** A job or workflow template, or an approval's template. */
	readonly template: number;
	readonly success: readonly number[];
	readonly failure: readonly number[];
	readonly always: readonly number[];
	readonly extra: Readonly<Record<string, unknown>>;
	readonly converge?: boolean;
}

export interface Template {
	readonly id: number;
	readonly kind: "job" | "workflow";
	name: string;
	readonly created: number;
	description: string;
	playbook: string;
	inventory: number | null;
	limit: string;
	jobType: "run" | "check";
	verbosity: number;
	extraVars: string;
	asks: ReadonlySet<Ask>;
	survey: Survey | null;
	surveyEnabled: boolean;
	simultaneous: boolean;
	sliceCount: number;
	credentials: readonly number[];
	nodes: readonly TemplateNode[];
	/** Notification templates by trigger. */
	readonly notify: Record<"started" | "success" | "error", number[]>;
}

export type JobStatus = "new" | "pending" | "waiting" | "running" | "successful" | "failed" | "error" | "canceled";

/** Of a job's past: what its playbook said, when, and when it was stored. */
export interface EventSpec {
	readonly event: string;
	readonly level: number;
	/** Milliseconds after the job's start. */
	readonly at: number;
	readonly stdout: string;
	readonly startLine: number;
	readonly endLine: number;
	readonly display: string;
	readonly failed?: boolean;
	readonly changed?: boolean;
	readonly host?: string;
	readonly play?: string;
	readonly task?: string;
	readonly data: Readonly<Record<string, unknown>>;
	readonly uuid: string;
	readonly parent: string;
}

export interface HostCounts {
	ok: number;
	changed: number;
	failures: number;
	dark: number;
	skipped: number;
	ignored: number;
	rescued: number;
	processed: number;
}

/** Everything that a job will say, known at its start. */
export interface Script {
	readonly length: number;
	at(index: number): EventSpec;
	/** Milliseconds from start to end. */
	readonly duration: number;
	readonly status: "successful" | "failed";
	/** Null where there is no stats event. */
	readonly stats: Readonly<Record<string, HostCounts>> | null;
	readonly artifacts: unknown;
	readonly plays: number;
	readonly tasks: number;
}

/** A run of ansible-runner. */
export interface Recording {
	/** The files of its `job_events`. */
	readonly events: readonly Readonly<Record<string, unknown>>[];
	readonly status: Script["status"];
}

export interface JobNode {
	readonly id: number;
	readonly spec: TemplateNode;
	readonly success: number[];
	readonly failure: number[];
	readonly always: number[];
	job: number | null;
	doNotRun: boolean;
	readonly created: number;
	modified: number;
}

export interface Job {
	readonly id: number;
	readonly type: "job" | "workflow_job" | "workflow_approval" | "project_update";
	readonly template: Template | null;
	readonly templateId: number;
	name: string;
	readonly user: User;
	readonly created: number;
	modified: number;
	status: JobStatus;
	started: number | null;
	finished: number | null;
	canceledOn: number | null;
	explanation: string;
	/** Of the server itself. */
	traceback: string;
	readonly launchType: string;
	readonly extraVars: Readonly<Record<string, unknown>>;
	/** Shown as `$encrypted$`. */
	readonly secretVars: ReadonlySet<string>;
	readonly jobType: "run" | "check";
	readonly limit: string;
	readonly inventory: number | null;
	readonly verbosity: number;
	readonly credentials: readonly number[];
	/** Launch fields without a meaning here, as they were sent: tags, forks, labels … */
	readonly prompts: Readonly<Record<string, unknown>>;
	/** The workflow job that started it. */
	readonly parent: number | null;
	readonly slice: { readonly number: number; readonly count: number } | null;
	script: Script | null;
	/** How many of its events happened: fewer than there are when it was cut short. */
	events: number;
	/** Id of its first event. */
	firstEventId: number;
	/** By counter - 1: when it was stored, and the place of its id. */
	stored: Float64Array;
	idRank: Int32Array;
	/** Events that are never stored, by counter. */
	lost: ReadonlySet<number>;
	/** Null: the flag is never set. */
	eventsDoneAt: number | null;
	nodes: JobNode[];
	sliced: boolean;
	/** Set for what nobody will end but a control: the status is shown as it is. */
	oddStatus: string | null;
	stop: (() => void) | null;
}

export interface NotificationTemplate {
	readonly id: number;
	readonly name: string;
	readonly created: number;
	readonly url: string;
	readonly method: "POST" | "PUT";
	readonly headers: Readonly<Record<string, string>>;
	readonly username: string;
	readonly password: string;
}

export interface Notification {
	readonly id: number;
	readonly template: NotificationTemplate;
	readonly job: number | null;
	readonly created: number;
	readonly body: unknown;
	status: "pending" | "successful" | "failed";
	error: string;
	sent: number;
}

/** How fast and how orderly the server is. */
export interface Behaviour {
	/** From launch to `waiting`, and from there to `running`, in milliseconds. */
	pending_ms: number;
	waiting_ms: number;
	/** Between two events. */
	event_ms: number;
	/** From the last event to the final status. */
	finish_ms: number;
	/** From cancel to the end of a running job. */
	cancel_ms: number;
	/** Jobs of a cancelled workflow say `canceled` at once, run on, and end as if not cancelled. */
	reverses: boolean;
	/** From an event to its being stored. */
	store_ms: number;
	/** Events are stored in batches, each so long; 0: each by itself. */
	batch_ms: number;
	/** Several receivers store events, so that a later one may be there before an earlier one. */
	shuffle: boolean;
	/** Counters of each job's events that are never stored. */
	lose: readonly number[];
	/** `late`: the flag is set after `flag_ms` only. */
	flag: "right" | "late" | "never";
	flag_ms: number;
	/** False: nothing starts, nothing ends. */
	dispatcher: boolean;
	/** Bytes of output that are shown. */
	display_bytes: number;
	/** Before a webhook without hosts is sent. */
	hostless_webhook_ms: number;
	/** How often each webhook is sent. */
	webhook_copies: number;
	/** Milliseconds that each answer takes. */
	latency_ms: number;
}
