/** Launching and relaunching job templates: checks, silently dropped fields, and the new job. */
import { type Reply, readVars } from "./launch-input.ts";
import { ApiError, createDetailError, FORBIDDEN } from "./lists.ts";
import { askFlags, type Json, ROOT } from "./present.ts";
import { retryCounts } from "./present-events.ts";
import { presentJob } from "./present-jobs.ts";
import { isActive, listHosts, type Runner } from "./runner.ts";
import { surveyProblems, surveyVars } from "./survey.ts";
import type { Job, Template, User } from "./types.ts";
import type { Workflows } from "./workflows.ts";
import type { World } from "./world.ts";

/** Launch field → the word of its ask flag. */
const FIELDS: Readonly<Record<string, string>> = {
	inventory: "inventory",
	limit: "limit",
	job_type: "job_type",
	verbosity: "verbosity",
	job_tags: "tags",
	skip_tags: "skip_tags",
	diff_mode: "diff_mode",
	scm_branch: "scm_branch",
	credentials: "credential",
	execution_environment: "execution_environment",
	labels: "labels",
	forks: "forks",
	job_slice_count: "job_slice_count",
	timeout: "timeout",
	instance_groups: "instance_groups",
};
const TEXTS = ["limit", "job_tags", "skip_tags"];
const NUMBERS = ["forks", "timeout"];
const VERBOSITIES: readonly unknown[] = [0, 1, 2, 3, 4, 5];
/** Launch fields that a job only shows. */
const SHOWN = ["job_tags", "skip_tags", "forks", "timeout", "diff_mode", "execution_environment", "labels"];

/** The parts that a launch needs: the world, and the runners of jobs and workflows. */
interface LauncherState {
	readonly world: World;
	readonly workflows: Workflows;
	readonly runner: Runner;
}

function assertMayStart(user: User, template: Template): void {
	if (user.execute !== "all" && !user.execute.includes(template.id)) throw createDetailError(403, FORBIDDEN);
}

function checkCredentials(launcher: LauncherState, given: unknown, problems: Json): readonly number[] {
	if (!Array.isArray(given)) throw createDetailError(500, "A server error has occurred.");
	const missing = given.filter((id) => !launcher.world.credentials.has(id));
	if (missing.length > 0) {
		problems.credentials = missing.map((id) => `Invalid pk "${id}" - object does not exist.`);
		return [];
	}
	const found = given.map((id) => launcher.world.credentials.get(id));
	if (found.filter((one) => one?.kind === "ssh").length > 1) {
		problems.credentials = ["Cannot assign multiple Machine credentials."];
	}
	if (found.some((one) => one?.asks)) problems.passwords_needed_to_start = ["ssh_password"];
	return given;
}

function launchTemplate(launcher: LauncherState, template: Template, body: Json, user: User): Reply {
	assertMayStart(user, template);
	const problems: Json = {};
	const ignored: Json = {};
	const takes = (field: string) => template.asks.has((FIELDS[field] ?? field) as never);
	const vars = readVars(body.extra_vars);
	const checked: Record<string, unknown> = {};
	for (const field of Object.keys(FIELDS)) {
		const value = body[field];
		if (value === undefined) continue;
		if (field === "job_type" && value !== "run" && value !== "check") {
			problems.job_type = [`"${value}" is not a valid choice.`];
		} else if (TEXTS.includes(field) && typeof value !== "string") problems[field] = ["Not a valid string."];
		else if (field === "verbosity" && !VERBOSITIES.includes(value)) {
			problems.verbosity = [`"${value}" is not a valid choice.`];
		} else if (NUMBERS.includes(field) && !Number.isInteger(value)) problems[field] = ["A valid integer is required."];
		else if (field === "labels" && !Array.isArray(value)) {
			problems.labels = [`Expected a list of items but got type "${typeof value}".`];
		} else if (field === "inventory" && !launcher.world.inventories.has(value as number)) {
			problems.inventory = [`Invalid pk "${value}" - object does not exist.`];
		} else if (field === "credentials") {
			const ids = checkCredentials(launcher, value, problems);
			if (takes(field)) checked[field] = ids;
			else ignored[field] = value;
		} else if (takes(field)) checked[field] = value;
		else if (!isOwn(template, field, value)) ignored[field] = value;
	}
	const survey = template.surveyEnabled ? template.survey : null;
	const surveyed = new Set(survey?.spec.map(({ variable }) => variable));
	const own = template.extraVars === "" ? {} : readVars(template.extraVars);
	const accepted = Object.fromEntries(
		Object.entries(vars).filter(([name]) => surveyed.has(name) || template.asks.has("variables")),
	);
	const dropped = Object.fromEntries(Object.entries(vars).filter(([name]) => !(name in accepted)));
	if (Object.keys(dropped).length > 0) ignored.extra_vars = dropped;
	const wrong = survey === null ? [] : surveyProblems(survey, accepted);
	if (wrong.length > 0) problems.variables_needed_to_start = wrong;
	if (Object.keys(problems).length > 0) throw new ApiError(400, problems);
	if (user.superuser === false && (checked.credentials !== undefined || checked.inventory !== undefined)) {
		throw createDetailError(403, FORBIDDEN);
	}
	const job = startJob(launcher, template, user, {
		vars: { ...own, ...surveyVars(survey, accepted), ...accepted },
		secret: new Set(survey?.spec.filter(({ type }) => type === "password").map(({ variable }) => variable)),
		checked,
	});
	const view = presentJob(launcher.world, job, "launch");
	const name = job.type === "workflow_job" ? "workflow_job" : "job";
	return {
		status: 201,
		body: { [name]: job.id, ignored_fields: ignored, ...view },
		headers: { Location: `${ROOT}${name}s/${job.id}/` },
	};
}

interface Started {
	readonly vars: Json;
	readonly secret: ReadonlySet<string>;
	readonly checked: Readonly<Record<string, unknown>>;
}

function startJob(launcher: LauncherState, template: Template, user: User, { vars, secret, checked }: Started): Job {
	const input = {
		template,
		templateId: template.id,
		name: template.name,
		user,
		extraVars: vars,
		secretVars: secret,
		...(checked.job_type === undefined ? {} : { jobType: checked.job_type as "run" | "check" }),
		...(checked.limit === undefined ? {} : { limit: checked.limit as string }),
		...(checked.inventory === undefined ? {} : { inventory: checked.inventory as number }),
		...(checked.credentials === undefined ? {} : { credentials: checked.credentials as number[] }),
		prompts: Object.fromEntries(Object.entries(checked).filter(([field]) => SHOWN.includes(field))),
		...(checked.verbosity === undefined ? {} : { verbosity: checked.verbosity as number }),
	};
	const hosts = listHosts(launcher.world, {
		inventory: input.inventory ?? template.inventory,
		limit: input.limit ?? template.limit,
		slice: null,
	});
	const slices = Math.min(template.sliceCount, hosts.length);
	if (slices > 1) return launcher.workflows.startSliced(input, slices);
	const job = launcher.runner.create(input);
	launcher.runner.begin(job);
	return job;
}

function relaunchJob(launcher: LauncherState, job: Job, body: Json, user: User): Reply {
	if (job.type === "workflow_job") {
		const again = launcher.workflows.start(job.template as Template, {
			...job,
			user,
			launchType: "relaunch",
			parent: null,
		});
		return {
			status: 201,
			body: presentJob(launcher.world, again, "launch"),
			headers: { Location: `${ROOT}workflow_jobs/${again.id}/` },
		};
	}
	if (user.execute !== "all") throw createDetailError(403, FORBIDDEN);
	let limit = job.limit;
	if (body.hosts === "failed") {
		if (isActive(job)) {
			throw new ApiError(400, { hosts: "Wait until job finishes before retrying on failed hosts." });
		}
		if (job.script?.stats == null) {
			throw new ApiError(400, { hosts: "Cannot retry on failed hosts, playbook stats not available." });
		}
		const { failed } = retryCounts(launcher.world, job);
		if (failed.length === 0) {
			throw new ApiError(400, { hosts: "Cannot relaunch because previous job had 0 failed hosts." });
		}
		limit = failed.join(",");
	}
	const again = launcher.runner.create({
		template: job.template,
		templateId: job.templateId,
		name: job.name,
		user,
		launchType: "relaunch",
		extraVars: job.extraVars,
		secretVars: job.secretVars,
		inventory: job.inventory,
		limit,
		// What the template does not ask for any more is not taken over.
		jobType: job.template?.asks.has("job_type") ? job.jobType : (job.template?.jobType ?? "run"),
		prompts: job.prompts,
		verbosity: job.verbosity,
		credentials: job.credentials,
	});
	launcher.runner.begin(again);
	return {
		status: 201,
		body: { job: again.id, ...presentJob(launcher.world, again, "launch") },
		headers: { Location: `${ROOT}jobs/${again.id}/` },
	};
}

/** GET of a launch: what the template asks for, and its defaults. */
function describeLaunch(launcher: LauncherState, template: Template): Json {
	const inventory = launcher.world.inventories.get(template.inventory ?? 0);
	const survey = template.surveyEnabled ? template.survey : null;
	const needed = survey?.spec.filter(({ required }) => required).map(({ variable }) => variable) ?? [];
	const data = { name: template.name, id: template.id, description: template.description };
	const common = { survey_enabled: template.surveyEnabled, variables_needed_to_start: needed };
	if (template.kind === "workflow") {
		return {
			...askFlags(template),
			...common,
			can_start_without_user_input: needed.length === 0,
			defaults: {
				inventory: { name: inventory?.name ?? null, id: inventory?.id ?? null },
				limit: null,
				scm_branch: null,
				job_tags: null,
				skip_tags: null,
				extra_vars: template.extraVars,
			},
			node_templates_missing: template.nodes
				.filter((node) => !launcher.world.templates.has(node.template) && !launcher.world.approvals.has(node.template))
				.map(({ id }) => id),
			node_prompts_rejected: [],
			workflow_job_template_data: data,
		};
	}
	return {
		can_start_without_user_input: template.asks.size === 0 && needed.length === 0,
		passwords_needed_to_start: template.credentials.some((id) => launcher.world.credentials.get(id)?.asks)
			? ["ssh_password"]
			: [],
		...askFlags(template),
		...common,
		credential_needed_to_start: false,
		inventory_needed_to_start: inventory === undefined,
		job_template_data: data,
		defaults: {
			inventory: { name: inventory?.name ?? null, id: inventory?.id ?? null },
			limit: template.limit,
			scm_branch: "",
			job_tags: "",
			skip_tags: "",
			extra_vars: template.extraVars,
			diff_mode: false,
			job_type: template.jobType,
			verbosity: template.verbosity,
			...(template.credentials.length === 0 ? {} : { credentials: getCredentials(launcher, template) }),
			execution_environment: {},
			forks: 0,
			job_slice_count: template.sliceCount,
			timeout: 0,
			instance_groups: [],
		},
	};
}

const getCredentials = (launcher: LauncherState, template: Template): Json[] =>
	template.credentials.map((id) => ({
		id,
		name: launcher.world.credentials.get(id)?.name ?? "",
		credential_type: launcher.world.credentials.get(id)?.type ?? 1,
		passwords_needed: [],
	}));

export function createLaunch(world: World, runner: Runner, workflows: Workflows) {
	const launcher: LauncherState = { world, workflows, runner };

	return {
		launch: (template: Template, body: Json, user: User) => launchTemplate(launcher, template, body, user),
		relaunch: (job: Job, body: Json, user: User) => relaunchJob(launcher, job, body, user),
		describe: (template: Template) => describeLaunch(launcher, template),
		mayStart: assertMayStart,
	};
}
export type Launch = ReturnType<typeof createLaunch>;

/** The template's own value is neither used nor called ignored. */
function isOwn(template: Template, field: string, value: unknown): boolean {
	if (field === "limit") return value === template.limit;
	if (field === "job_type") return value === template.jobType;
	if (field === "inventory") return value === template.inventory;
	if (field === "verbosity") return value === template.verbosity;
	return false;
}
