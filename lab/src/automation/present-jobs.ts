/** How jobs, workflow jobs, their nodes, events and host summaries look from outside. */
import {
	buildLinks,
	type Json,
	PROJECT_SUMMARY,
	presentCredential,
	presentInventoryReference,
	presentNodePrompts,
	presentUserRef,
	ROOT,
} from "./present.ts";
import { EXECUTION_ENVIRONMENT, ORGANIZATION, PROJECT } from "./seed.ts";
import { formatTimestamp } from "./time.ts";
import type { Job, JobNode } from "./types.ts";
import type { World } from "./world.ts";

const formatNullableTime = (ms: number | null, salt: number): string | null =>
	ms === null ? null : formatTimestamp(ms, salt);
export const getStatus = (job: Job): string => job.oddStatus ?? job.status;
export const hasFailed = (job: Job): boolean => ["failed", "error", "canceled"].includes(job.status);

function computeElapsed(world: World, job: Job): number {
	if (job.started === null) return 0;
	return Math.max(0, Math.round((job.finished ?? world.time.now()) - job.started) / 1000);
}

export function formatVars(job: Job): string {
	const shown = Object.fromEntries(
		Object.entries(job.extraVars).map(([name, value]) => [name, job.secretVars.has(name) ? "$encrypted$" : value]),
	);
	return JSON.stringify(shown);
}

/** `detail`: with what lists leave out; `launch`: as the answer of a launch has it. */
export type JobView = "list" | "detail" | "launch";

export function presentJob(world: World, job: Job, view: JobView): Json {
	return job.type === "workflow_job" ? presentWorkflowJob(world, job, view) : presentPlainJob(world, job, view);
}

function getLabels({ prompts }: Job): Json {
	const ids = Array.isArray(prompts.labels) ? prompts.labels : [];
	return { count: ids.length, results: ids.map((id) => ({ id, name: `label-${id}` })) };
}

function presentPlainJob(world: World, job: Job, view: JobView): Json {
	const base = `${ROOT}jobs/${job.id}/`;
	const template = job.template;
	const ran = job.started !== null;
	const placed = ran || job.status === "waiting";
	const named = { id: job.templateId, name: template?.name ?? job.name, description: "" };
	const inventory = presentInventoryReference(world, job.inventory);
	const parent = job.parent === null ? undefined : world.jobs.get(job.parent);
	return {
		id: job.id,
		type: "job",
		url: base,
		related: {
			created_by: `${ROOT}users/${job.user.id}/`,
			...(ran ? {} : { modified_by: `${ROOT}users/${job.user.id}/` }),
			labels: `${base}labels/`,
			...(job.inventory === null ? {} : { inventory: `${ROOT}inventories/${job.inventory}/` }),
			project: `${ROOT}projects/${PROJECT.id}/`,
			organization: `${ROOT}organizations/1/`,
			...buildLinks(
				base,
				"credentials stdout job_events job_host_summaries activity_stream notifications create_schedule cancel relaunch",
			),
			...(ran ? { execution_environment: `${ROOT}execution_environments/1/` } : {}),
			unified_job_template: `${ROOT}job_templates/${job.templateId}/`,
			job_template: `${ROOT}job_templates/${job.templateId}/`,
			...(parent ? { source_workflow_job: `${ROOT}workflow_jobs/${parent.id}/` } : {}),
		},
		summary_fields: {
			organization: ORGANIZATION,
			...(inventory ? { inventory } : {}),
			...(ran ? { execution_environment: EXECUTION_ENVIRONMENT } : {}),
			project: PROJECT_SUMMARY,
			job_template: named,
			unified_job_template: { ...named, unified_job_type: "job" },
			...(placed ? { instance_group: { id: 2, name: "default", is_container_group: false } } : {}),
			created_by: presentUserRef(job.user),
			...(ran ? {} : { modified_by: presentUserRef(job.user) }),
			...(parent ? { source_workflow_job: presentParent(world, parent) } : {}),
			user_capabilities: { delete: true, start: true },
			labels: getLabels(job),
			credentials: job.credentials.map((id) => presentCredential(world, id)),
		},
		...presentUnifiedFields(world, job),
		job_type: job.jobType,
		inventory: job.inventory,
		project: PROJECT.id,
		playbook: template?.playbook ?? "",
		scm_branch: "",
		forks: job.prompts.forks ?? 0,
		limit: job.limit,
		verbosity: job.verbosity,
		extra_vars: formatVars(job),
		job_tags: job.prompts.job_tags ?? "",
		force_handlers: false,
		skip_tags: job.prompts.skip_tags ?? "",
		start_at_task: "",
		timeout: job.prompts.timeout ?? 0,
		use_fact_cache: false,
		organization: 1,
		job_template: job.templateId,
		passwords_needed_to_start: [],
		allow_simultaneous: template?.simultaneous ?? false,
		artifacts: job.finished === null ? {} : getArtifacts(job),
		scm_revision: "",
		instance_group: placed ? 2 : null,
		diff_mode: job.prompts.diff_mode ?? false,
		job_slice_number: job.slice?.number ?? 0,
		job_slice_count: job.slice?.count ?? 1,
		webhook_service: "",
		webhook_credential: null,
		webhook_guid: "",
		execution_environment: job.prompts.execution_environment ?? (ran ? 1 : null),
		execution_node: placed ? "awx-rig" : "",
		controller_node: placed ? "awx-rig" : "",
		...(view === "list" ? {} : presentRunnerFields(world, job, ran)),
		...(view === "detail" ? presentDetailFields(world, job) : {}),
	};
}

const presentParent = (world: World, parent: Job): Json => ({
	id: parent.id,
	name: parent.name,
	description: "",
	status: getStatus(parent),
	failed: hasFailed(parent),
	elapsed: computeElapsed(world, parent),
});

export const presentUnifiedFields = (world: World, job: Job): Json => ({
	created: formatTimestamp(job.created, job.id),
	modified: formatTimestamp(job.modified, job.id + 1),
	name: job.name,
	description: "",
	unified_job_template: job.templateId,
	launch_type: job.launchType,
	status: getStatus(job),
	failed: hasFailed(job),
	started: formatNullableTime(job.started, job.id),
	finished: formatNullableTime(job.finished, job.id),
	canceled_on: formatNullableTime(job.canceledOn, job.id),
	elapsed: computeElapsed(world, job),
	job_explanation: job.explanation,
	launched_by: { id: job.user.id, name: job.user.username, type: "user", url: `${ROOT}users/${job.user.id}/` },
	work_unit_id: null,
});

const getArtifacts = (job: Job): unknown => (job.status === "canceled" ? {} : (job.script?.artifacts ?? {}));

const presentRunnerFields = (world: World, job: Job, ran: boolean): Json => ({
	job_args: ran ? JSON.stringify(["ansible-playbook", "-u", "root", job.template?.playbook ?? ""]) : "",
	job_cwd: ran ? "/tmp/awxrun/project" : "",
	job_env: ran
		? {
				JOB_ID: String(job.id),
				INVENTORY_ID: String(job.inventory ?? ""),
				PROJECT_REVISION: "",
				MAX_EVENT_RES: "700000",
				AWX_HOST: world.uiUrl,
				ANSIBLE_STDOUT_CALLBACK: "awx_display",
				RUNNER_OMIT_EVENTS: "False",
			}
		: {},
	result_traceback: job.traceback,
	event_processing_finished: areEventsDone(world, job),
});

const areEventsDone = (world: World, job: Job): boolean =>
	job.finished !== null && job.eventsDoneAt !== null && job.eventsDoneAt <= world.time.now();

/** Whether the event with the statistics is there. */
export function hasStats(world: World, job: Job): boolean {
	const { script } = job;
	const whole = script !== null && script.stats !== null && job.events === script.length && job.finished !== null;
	return whole && !job.lost.has(job.events) && (job.stored[job.events - 1] as number) <= world.time.now();
}

function presentDetailFields(world: World, job: Job): Json {
	const now = world.time.now();
	let [plays, tasks] = [0, 0];
	for (let index = 0; index < Math.min(job.events, 5000); index++) {
		if ((job.stored[index] as number) > now) continue;
		const name = job.script?.at(index).event;
		if (name === "playbook_on_play_start") plays++;
		if (name === "playbook_on_task_start") tasks++;
	}
	const counts: Record<string, number> = {};
	for (const c of Object.values((hasStats(world, job) && job.script?.stats) || {})) {
		const bucket =
			c.dark > 0 ? "dark" : c.failures > 0 ? "failures" : c.changed > 0 ? "changed" : c.ok > 0 ? "ok" : "skipped";
		counts[bucket] = (counts[bucket] ?? 0) + 1;
	}
	return {
		host_status_counts: hasStats(world, job) ? counts : null,
		playbook_counts: { play_count: plays, task_count: tasks },
		custom_virtualenv: null,
	};
}

function presentWorkflowJob(world: World, job: Job, view: JobView): Json {
	const base = `${ROOT}workflow_jobs/${job.id}/`;
	const named = { id: job.templateId, name: job.template?.name ?? job.name, description: "" };
	const sliced = job.sliced;
	const owner = sliced ? "job_template" : "workflow_job_template";
	const inventory = sliced ? presentInventoryReference(world, job.inventory) : undefined;
	const parent = job.parent === null ? undefined : world.jobs.get(job.parent);
	return {
		id: job.id,
		type: "workflow_job",
		url: base,
		related: {
			created_by: `${ROOT}users/${job.user.id}/`,
			modified_by: `${ROOT}users/${job.user.id}/`,
			unified_job_template: `${ROOT}${owner}s/${job.templateId}/`,
			[owner]: `${ROOT}${owner}s/${job.templateId}/`,
			...buildLinks(base, `${sliced ? "" : "notifications "}workflow_nodes labels activity_stream relaunch cancel`),
			...(parent ? { source_workflow_job: `${ROOT}workflow_jobs/${parent.id}/` } : {}),
		},
		summary_fields: {
			organization: ORGANIZATION,
			...(inventory ? { inventory } : {}),
			[owner]: named,
			unified_job_template: { ...named, unified_job_type: sliced ? "job" : "workflow_job" },
			created_by: presentUserRef(job.user),
			modified_by: presentUserRef(job.user),
			...(parent ? { source_workflow_job: presentParent(world, parent) } : {}),
			user_capabilities: { delete: true, start: true },
			labels: { count: 0, results: [] },
		},
		...presentUnifiedFields(world, job),
		...(view === "list" ? {} : { job_args: "", job_cwd: "", job_env: {}, result_traceback: job.traceback }),
		workflow_job_template: sliced ? null : job.templateId,
		extra_vars: formatVars(job),
		allow_simultaneous: job.template?.simultaneous ?? false,
		job_template: sliced ? job.templateId : null,
		is_sliced_job: sliced,
		inventory: job.inventory,
		limit: sliced ? job.limit : null,
		scm_branch: sliced ? "" : null,
		webhook_service: "",
		webhook_credential: null,
		webhook_guid: "",
		skip_tags: sliced ? "" : null,
		job_tags: sliced ? "" : null,
	};
}

const COLLECTION: Readonly<Record<Job["type"], string>> = {
	job: "jobs",
	workflow_job: "workflow_jobs",
	workflow_approval: "workflow_approvals",
	project_update: "project_updates",
};

export function presentNode(world: World, workflow: Job, node: JobNode): Json {
	const base = `${ROOT}workflow_job_nodes/${node.id}/`;
	const child = node.job === null ? undefined : world.jobs.get(node.job);
	const { template } = node.spec;
	const approval = world.approvals.get(template);
	const target = world.templates.get(template);
	const kind = approval !== undefined ? "workflow_approval" : target?.kind === "workflow" ? "workflow_job" : "job";
	return {
		id: node.id,
		type: "workflow_job_node",
		url: base,
		related: {
			...buildLinks(base, "labels credentials instance_groups success_nodes failure_nodes always_nodes"),
			unified_job_template: `${ROOT}${kind}_templates/${template}/`,
			...(child ? { job: `${ROOT}${COLLECTION[child.type]}/${child.id}/` } : {}),
			workflow_job: `${ROOT}workflow_jobs/${workflow.id}/`,
		},
		summary_fields: {
			...(child ? { job: presentNodeJob(world, child) } : {}),
			workflow_job: { id: workflow.id, name: workflow.name, description: "" },
			unified_job_template: {
				id: template,
				name: approval ?? target?.name ?? "",
				description: "",
				unified_job_type: kind,
			},
		},
		created: formatTimestamp(node.created, node.id),
		modified: formatTimestamp(node.modified, node.id),
		...presentNodePrompts(node.spec),
		job: child?.id ?? null,
		workflow_job: workflow.id,
		unified_job_template: template,
		success_nodes: node.success,
		failure_nodes: node.failure,
		always_nodes: node.always,
		all_parents_must_converge: node.spec.converge === true,
		do_not_run: node.doNotRun,
		identifier: node.spec.identifier,
	};
}

const presentNodeJob = (world: World, job: Job): Json => ({
	id: job.id,
	name: job.name,
	description: "",
	status: getStatus(job),
	failed: hasFailed(job),
	elapsed: computeElapsed(world, job),
	type: job.type,
	...(job.type === "workflow_approval" ? { timed_out: false } : {}),
	...(job.canceledOn === null ? {} : { canceled_on: formatTimestamp(job.canceledOn, job.id) }),
});

export const getSummary = (world: World, job: Job): Json => ({
	id: job.id,
	name: job.name,
	description: "",
	status: getStatus(job),
	failed: hasFailed(job),
	elapsed: computeElapsed(world, job),
	type: "job",
	job_template_id: job.templateId,
	job_template_name: job.template?.name ?? "",
});
