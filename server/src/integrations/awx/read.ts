/**
 * Maps the server's objects to those of this service. Unknown keys are dropped, and with them all
 * URLs of the server.
 */
import type {
	LaunchPrompts,
	ServerCredential,
	ServerCredentialType,
	ServerLaunchNeeds,
	ServerTemplate,
	SurveyQuestion,
} from "@weft/contracts";
import { isObject, type Json } from "./classify.ts";
import type { FoundJob, ItemResult, JobDetail, JobEvent, JobState, ServerJobType, ServerNode } from "./port.ts";

const readText = (value: unknown): string => (typeof value === "string" ? value : "");
const readNumber = (value: unknown): number | null =>
	typeof value === "number" && Number.isFinite(value) ? value : null;
const readObject = (value: unknown): Json => (isObject(value) ? value : {});
const readObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const readIntegers = (value: unknown): number[] =>
	Array.isArray(value) ? value.filter((one) => Number.isInteger(one)) : [];
const readTexts = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const readTime = (value: unknown): number | null => {
	const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
	return Number.isNaN(ms) ? null : ms;
};
const readSummaryField = (row: Json, name: string): Json => readObject(readObject(row.summary_fields)[name]);
const readReference = (row: Json, name: string): { id: number; name: string } | null => {
	const found = readSummaryField(row, name);
	const id = readNumber(found.id);
	return id === null ? null : { id, name: readText(found.name) };
};

function readLaunchPrompts(row: Json, kind: "job" | "workflow"): LaunchPrompts {
	const asks = (word: string) => row[`ask_${word}_on_launch`] === true;
	return {
		variables: asks("variables"),
		limit: asks("limit"),
		inventory: asks("inventory"),
		tags: asks("tags"),
		skip_tags: asks("skip_tags"),
		job_type: kind === "job" && asks("job_type"),
		credential: kind === "job" && asks("credential"),
		verbosity: asks("verbosity"),
		forks: asks("forks"),
		timeout: asks("timeout"),
		diff_mode: asks("diff_mode"),
		labels: asks("labels"),
		execution_environment: asks("execution_environment"),
	};
}

export function readTemplate(row: Json, kind: "job" | "workflow"): ServerTemplate {
	const job = kind === "job";
	return {
		id: readNumber(row.id) ?? 0,
		kind,
		name: readText(row.name),
		description: readText(row.description),
		status: readText(row.status),
		job_type: job ? readText(row.job_type) : null,
		playbook: job ? readText(row.playbook) : null,
		inventory: readReference(row, "inventory"),
		project: readReference(row, "project"),
		organization: readReference(row, "organization"),
		credentials: readObjects(readObject(row.summary_fields).credentials).map((one) => ({
			id: readNumber(one.id) ?? 0,
			name: readText(one.name),
			kind: readText(one.kind),
		})),
		asks: readLaunchPrompts(row, kind),
		survey_enabled: row.survey_enabled === true,
		allow_simultaneous: row.allow_simultaneous === true,
		job_slice_count: readNumber(row.job_slice_count) ?? 1,
		// Where the server does not tell, the launch does.
		can_start: readSummaryField(row, "user_capabilities").start !== false,
		last_job_run: typeof row.last_job_run === "string" ? row.last_job_run : null,
	};
}

/** Line boundaries of Python's str.splitlines, by which the server splits choices. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some boundaries are control characters
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/**
 * `choices` is a list, or lines of one text in older releases, without the blank ones; defaults of
 * passwords are never shown. The default of a multiple selection is lines of one text, too.
 */
function readQuestion(row: Json): SurveyQuestion {
	const choices = Array.isArray(row.choices) ? row.choices : readText(row.choices).split(LINE_ENDS);
	const type = readText(row.type);
	const hidden = type === "password" || row.default === undefined || row.default === "";
	const several = type === "multiselect" && typeof row.default === "string";
	return {
		variable: readText(row.variable),
		question: readText(row.question_name),
		description: readText(row.question_description),
		type,
		required: row.required === true,
		choices: choices.map(String).filter((one) => one.trim() !== ""),
		default: hidden ? null : several ? readText(row.default).split(LINE_ENDS).join("\n") : row.default,
		min: readNumber(row.min),
		max: readNumber(row.max),
	};
}

export const readSurvey = (body: Json) => ({
	name: readText(body.name),
	description: readText(body.description),
	spec: readObjects(body.spec).map(readQuestion),
});

/** The answer of GET on the launch of a template. */
export const readLaunchNeeds = (body: Json): ServerLaunchNeeds => ({
	survey: readTexts(body.variables_needed_to_start),
	passwords: readTexts(body.passwords_needed_to_start),
	inventory: body.inventory_needed_to_start === true,
	nodes: readIntegers(body.node_templates_missing),
});

export const readTemplateNode = (row: Json) => ({
	id: readNumber(row.id) ?? 0,
	identifier: readText(row.identifier),
	template_id: readNumber(row.unified_job_template),
	name: readText(readSummaryField(row, "unified_job_template").name),
	type: readText(readSummaryField(row, "unified_job_template").unified_job_type),
	success_nodes: readIntegers(row.success_nodes),
	failure_nodes: readIntegers(row.failure_nodes),
	always_nodes: readIntegers(row.always_nodes),
});

export const readCredential = (row: Json): ServerCredential => ({
	id: readNumber(row.id) ?? 0,
	name: readText(row.name),
	description: readText(row.description),
	kind: readText(row.kind),
	credential_type: readNumber(row.credential_type) ?? 0,
	credential_type_name: readText(readSummaryField(row, "credential_type").name),
	organization: readNumber(row.organization),
	managed: row.managed === true,
	can_use: readSummaryField(row, "user_capabilities").use === true,
});

export const readCredentialType = (row: Json): ServerCredentialType => ({
	id: readNumber(row.id) ?? 0,
	name: readText(row.name),
	description: readText(row.description),
	kind: readText(row.kind),
	namespace: typeof row.namespace === "string" ? row.namespace : null,
	managed: row.managed === true,
});

const TYPES: readonly ServerJobType[] = [
	"job",
	"workflow_job",
	"project_update",
	"inventory_update",
	"system_job",
	"ad_hoc_command",
	"workflow_approval",
];
const getType = (value: unknown): ServerJobType | null => TYPES.find((type) => type === value) ?? null;

export function readState(row: Json): JobState {
	return {
		id: readNumber(row.id) ?? 0,
		type: getType(row.type) ?? "job",
		status: readText(row.status),
		created: readTime(row.created) ?? 0,
		templateId: readNumber(row.unified_job_template),
		started: readTime(row.started),
		finished: readTime(row.finished),
		canceledOn: readTime(row.canceled_on),
		elapsed: readNumber(row.elapsed) ?? 0,
		explanation: readText(row.job_explanation),
	};
}

export const readDetail = (row: Json): JobDetail => ({
	...readState(row),
	eventsStored: typeof row.event_processing_finished === "boolean" ? row.event_processing_finished : null,
	artifacts: row.artifacts ?? {},
	taskCount: readNumber(readObject(row.playbook_counts).task_count),
	traceback: readText(row.result_traceback),
});

/** `extra_vars` is the JSON text of an object; anything else counts as empty. */
function readVars(value: unknown): Json {
	if (isObject(value)) return value;
	try {
		return readObject(JSON.parse(readText(value)));
	} catch {
		return {};
	}
}

export const readFound = (row: Json): FoundJob => ({
	id: readNumber(row.id) ?? 0,
	type: getType(row.type) ?? "job",
	created: readTime(row.created) ?? 0,
	templateId: readNumber(row.unified_job_template),
	launchType: readText(row.launch_type),
	jobType: typeof row.job_type === "string" ? row.job_type : null,
	extraVars: readVars(row.extra_vars),
});

const ITEM_EVENT = /^runner_item_on_/;

export function readEvent(row: Json): JobEvent {
	const data = readObject(row.event_data);
	const event = readText(row.event);
	const res = readObject(data.res);
	const item = ITEM_EVENT.test(event) ? readItem(res) : undefined;
	const task = readText(row.task);
	const role = readText(row.role);
	return {
		counter: readNumber(row.counter) ?? 0,
		event,
		stdout: readText(row.stdout),
		play: readText(row.play),
		host: readText(row.host_name) || null,
		task: role === "" ? task : `${role} : ${task}`,
		taskUuid: readText(data.task_uuid),
		failed: row.failed === true,
		changed: row.changed === true,
		ignoreErrors: data.ignore_errors === true,
		...(item ? { item } : {}),
		...(event === "playbook_on_stats" ? { stats: getStats(data) } : {}),
	};
}

/** The item is under the name of the loop's variable; `no_log` leaves neither of them. */
function readItem(res: Json): ItemResult | undefined {
	const name = readText(res.ansible_loop_var) || "item";
	const known = Object.hasOwn(res, name);
	const hidden = !known && "censored" in res;
	if (!known && !hidden) return undefined;
	return {
		value: known ? res[name] : undefined,
		hidden,
		passedOn: passOnError(res),
		message: formatMessage(res),
		unreachable: res.unreachable === true,
	};
}

/** `started` and `finished` are 0 and 1, or booleans in later releases. */
function passOnError(res: Json): ItemResult["passedOn"] {
	if ("include_args" in res || "include" in res) return "included";
	const goesOn = "ansible_job_id" in res && Boolean(res.started) && !res.finished;
	return goesOn ? "started" : null;
}

function formatMessage(res: Json): string {
	const said = [res.msg, res.stderr, res.skip_reason].find((one) => typeof one === "string" && one !== "");
	return readText(said);
}

function getStats(data: Json) {
	const sum = (name: string) =>
		Object.values(readObject(data[name])).reduce((total: number, one) => total + (readNumber(one) ?? 0), 0);
	return { ok: sum("ok"), changed: sum("changed"), failed: sum("failures") + sum("dark") };
}

export function readNode(row: Json): ServerNode {
	const job = readSummaryField(row, "job");
	return {
		id: readNumber(row.id) ?? 0,
		identifier: readText(row.identifier),
		name: readText(job.name) || readText(readSummaryField(row, "unified_job_template").name),
		jobId: readNumber(row.job),
		jobType: row.job === null ? null : getType(job.type),
		status: typeof job.status === "string" ? job.status : null,
		elapsed: readNumber(job.elapsed) ?? 0,
		doNotRun: row.do_not_run === true,
		next: [...readIntegers(row.success_nodes), ...readIntegers(row.failure_nodes), ...readIntegers(row.always_nodes)],
	};
}
