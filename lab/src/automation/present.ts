/** API representation of templates, and parts that other objects share (AWX 22.2.0). */
import { EXECUTION_ENVIRONMENT, ORGANIZATION, PROJECT } from "./seed.ts";
import { formatTimestamp } from "./time.ts";
import { JOB_ASKS, type Template, type TemplateNode, type User, WORKFLOW_ASKS } from "./types.ts";
import type { World } from "./world.ts";

export type Json = Record<string, unknown>;
export const ROOT = "/api/v2/";

export const presentUserRef = (user: User): Json => ({
	id: user.id,
	username: user.username,
	first_name: "",
	last_name: "",
});

/** `{name: path}` of an object's own sub-resources. */
export const buildLinks = (base: string, names: string): Json =>
	Object.fromEntries(names.split(" ").map((name) => [name, `${base}${name}/`]));

export const buildRoles = (object: string, names: string, first: number): Json =>
	Object.fromEntries(
		names
			.split(" ")
			.map((name, at) => [
				`${name.toLowerCase()}_role`,
				{ description: `May ${name.toLowerCase()} the ${object}`, name, id: first + at },
			]),
	);

export const by = { created_by: `${ROOT}users/1/`, modified_by: `${ROOT}users/1/` };
const admin = { id: 1, username: "admin", first_name: "", last_name: "" };
export const byAdmin = { created_by: admin, modified_by: admin };

export function presentInventoryReference(world: World, id: number | null): Json | undefined {
	const inventory = world.inventories.get(id ?? 0);
	if (inventory === undefined) return undefined;
	return {
		id: inventory.id,
		name: inventory.name,
		description: "",
		has_active_failures: false,
		total_hosts: inventory.hosts.length,
		hosts_with_active_failures: 0,
		total_groups: 0,
		has_inventory_sources: false,
		total_inventory_sources: 0,
		inventory_sources_with_failures: 0,
		organization_id: 1,
		kind: "",
	};
}

export const PROJECT_SUMMARY = {
	...PROJECT,
	description: "",
	status: "ok",
	scm_type: "",
	allow_override: false,
};

export function presentCredential(world: World, id: number): Json {
	const credential = world.credentials.get(id);
	return {
		id,
		name: credential?.name ?? "",
		description: "",
		kind: credential?.kind ?? "ssh",
		cloud: false,
	};
}

const buildAskFlags = (template: Template, names: readonly string[]): Json =>
	Object.fromEntries(names.map((name) => [`ask_${name}_on_launch`, template.asks.has(name as never)]));
export const askFlags = (template: Template): Json =>
	buildAskFlags(template, template.kind === "job" ? JOB_ASKS : WORKFLOW_ASKS);

function getLastJob(world: World, template: Template) {
	const jobs = [...world.jobs.values()].filter(
		(job) => job.templateId === template.id && job.type !== "workflow_approval",
	);
	const recent = jobs.slice(-10).reverse();
	const done = jobs.filter((job) => job.finished !== null).at(-1);
	return {
		recent: recent.map((job) => ({
			id: job.id,
			status: job.status,
			finished: job.finished === null ? null : formatTimestamp(job.finished, job.id),
			canceled_on: job.canceledOn === null ? null : formatTimestamp(job.canceledOn, job.id),
			type: job.type,
		})),
		fields: {
			last_job_run: done?.finished == null ? null : formatTimestamp(done.finished, done.id),
			last_job_failed: done !== undefined && done.status !== "successful",
			next_job_run: null,
			status: jobs.at(-1)?.status ?? "never updated",
		},
		last: done,
	};
}

export function presentTemplate(world: World, template: Template, user: User): Json {
	const job = template.kind === "job";
	const collection = job ? "job_templates" : "workflow_job_templates";
	const base = `${ROOT}${collection}/${template.id}/`;
	const { recent, fields, last } = getLastJob(world, template);
	const start = user.execute === "all" || user.execute.includes(template.id);
	const subs = job
		? "labels credentials jobs schedules activity_stream launch webhook_key " +
			"notification_templates_started notification_templates_success notification_templates_error " +
			"access_list survey_spec object_roles instance_groups slice_workflow_jobs copy"
		: "workflow_jobs schedules launch webhook_key workflow_nodes labels activity_stream " +
			"notification_templates_started notification_templates_success notification_templates_error " +
			"notification_templates_approvals access_list object_roles survey_spec copy";
	const inventory = presentInventoryReference(world, template.inventory);
	return {
		id: template.id,
		type: job ? "job_template" : "workflow_job_template",
		url: base,
		related: {
			named_url: `${ROOT}${collection}/${template.name}++Default/`,
			...by,
			...buildLinks(base, subs),
			webhook_receiver: "",
			organization: `${ROOT}organizations/1/`,
			...(job ? { project: `${ROOT}projects/${PROJECT.id}/` } : {}),
			...(template.inventory === null ? {} : { inventory: `${ROOT}inventories/${template.inventory}/` }),
			...(last === undefined ? {} : { last_job: `${ROOT}${last.type}s/${last.id}/` }),
		},
		summary_fields: {
			organization: ORGANIZATION,
			...(inventory ? { inventory } : {}),
			...(job ? { project: PROJECT_SUMMARY } : {}),
			...(last === undefined
				? {}
				: {
						last_job: {
							id: last.id,
							name: last.name,
							description: "",
							status: last.status,
							failed: last.status !== "successful",
							finished: formatTimestamp(last.finished ?? 0, last.id),
						},
					}),
			...(template.survey && template.surveyEnabled
				? { survey: { title: template.survey.name, description: template.survey.description } }
				: {}),
			...byAdmin,
			object_roles: buildRoles("template", job ? "Admin Execute Read" : "Admin Execute Read Approval", template.id * 8),
			user_capabilities: {
				edit: user.superuser,
				delete: user.superuser,
				start,
				schedule: start,
				copy: user.superuser,
			},
			labels: { count: 0, results: [] },
			recent_jobs: recent,
			...(job ? { credentials: template.credentials.map((id) => presentCredential(world, id)) } : {}),
		},
		created: formatTimestamp(template.created, template.id),
		modified: formatTimestamp(template.created, template.id + 1),
		name: template.name,
		description: template.description,
		...(job ? presentJobTemplateFields(template) : presentWorkflowTemplateFields(template)),
		...fields,
		...askFlags(template),
		survey_enabled: template.surveyEnabled,
		allow_simultaneous: template.simultaneous,
		webhook_service: "",
		webhook_credential: null,
	};
}

/** With what lists leave out. */
export function presentTemplateDetail(world: World, template: Template, user: User): Json {
	const shown = presentTemplate(world, template, user);
	const summary = shown.summary_fields as Json;
	return { ...shown, summary_fields: { ...summary, resolved_environment: EXECUTION_ENVIRONMENT } };
}

const presentJobTemplateFields = (template: Template): Json => ({
	job_type: template.jobType,
	inventory: template.inventory,
	project: PROJECT.id,
	playbook: template.playbook,
	scm_branch: "",
	forks: 0,
	limit: template.limit,
	verbosity: template.verbosity,
	extra_vars: template.extraVars,
	job_tags: "",
	force_handlers: false,
	skip_tags: "",
	start_at_task: "",
	timeout: 0,
	use_fact_cache: false,
	organization: 1,
	execution_environment: null,
	host_config_key: "",
	become_enabled: false,
	diff_mode: false,
	custom_virtualenv: null,
	job_slice_count: template.sliceCount,
	prevent_instance_group_fallback: false,
});

const presentWorkflowTemplateFields = (template: Template): Json => ({
	extra_vars: template.extraVars,
	organization: 1,
	inventory: template.inventory,
	limit: null,
	scm_branch: null,
	skip_tags: null,
	job_tags: null,
});

export function presentTemplateNode(world: World, template: Template, node: TemplateNode): Json {
	const base = `${ROOT}workflow_job_template_nodes/${node.id}/`;
	const target = world.templates.get(node.template);
	const approval = world.approvals.get(node.template);
	const kind = approval !== undefined ? "workflow_approval" : target?.kind === "workflow" ? "workflow_job" : "job";
	return {
		id: node.id,
		type: "workflow_job_template_node",
		url: base,
		related: {
			...buildLinks(base, "labels credentials instance_groups success_nodes failure_nodes always_nodes"),
			create_approval_template: `${base}create_approval_template/`,
			unified_job_template: `${ROOT}${kind}_templates/${node.template}/`,
			workflow_job_template: `${ROOT}workflow_job_templates/${template.id}/`,
		},
		summary_fields: {
			workflow_job_template: { id: template.id, name: template.name, description: "" },
			unified_job_template: {
				id: node.template,
				name: approval ?? target?.name ?? "",
				description: "",
				unified_job_type: kind,
			},
		},
		created: formatTimestamp(template.created, node.id),
		modified: formatTimestamp(template.created, node.id),
		...presentNodePrompts(node),
		workflow_job_template: template.id,
		unified_job_template: node.template,
		success_nodes: node.success,
		failure_nodes: node.failure,
		always_nodes: node.always,
		all_parents_must_converge: node.converge === true,
		identifier: node.identifier,
	};
}

export const presentNodePrompts = (node: TemplateNode): Json => ({
	extra_data: node.extra,
	inventory: null,
	scm_branch: null,
	job_type: null,
	job_tags: null,
	skip_tags: null,
	limit: null,
	diff_mode: null,
	verbosity: null,
	execution_environment: null,
	forks: null,
	job_slice_count: null,
	timeout: null,
});
