/**
 * Workflow jobs: nodes that start after their parents, skipped branches, approvals, nesting,
 * slices.
 */
import { type Reply, readVars } from "./launch-input.ts";
import { ApiError, createDetailError, FORBIDDEN } from "./lists.ts";
import { type Json, ROOT } from "./present.ts";
import { presentJob } from "./present-jobs.ts";
import { isActive, type JobInput, listHosts, type Runner } from "./runner.ts";
import { surveyProblems, surveyVars } from "./survey.ts";
import type { Job, JobNode, Template, TemplateNode, User } from "./types.ts";
import type { World } from "./world.ts";

export interface Workflows {
	launch(template: Template, body: Json, user: User): Reply;
	start(template: Template, input: Partial<JobInput> & { readonly user: User }): Job;
	startSliced(input: JobInput, slices: number): Job;
	cancel(job: Job): boolean;
	/** An approval is given or refused. */
	decide(job: Job, approved: boolean): void;
}

const NOT_ASKED = "Field is not configured to prompt on launch.";
const PROMPTS = ["inventory", "limit", "scm_branch", "labels", "job_tags", "skip_tags"] as const;
const ASKED_AS: Readonly<Record<string, string>> = { job_tags: "tags" };
const isFinal = (job: Job): boolean => !isActive(job);

/** The world of the workflows, and the runner of their jobs. */
interface WorkflowState {
	readonly world: World;
	readonly runner: Runner;
}

function getNodes(engine: WorkflowState, specs: readonly TemplateNode[]): JobNode[] {
	const byId = new Map(specs.map((spec) => [spec.id, engine.world.ids.node++]));
	const map = (list: readonly number[]) => list.map((id) => byId.get(id) ?? 0);
	return specs.map((spec) => ({
		id: byId.get(spec.id) ?? 0,
		spec,
		success: map(spec.success),
		failure: map(spec.failure),
		always: map(spec.always),
		job: null,
		doNotRun: false,
		created: engine.world.time.now(),
		modified: engine.world.time.now(),
	}));
}

function createWorkflowJob(engine: WorkflowState, input: JobInput, specs: readonly TemplateNode[]): Job {
	const job = engine.runner.create({ ...input, type: "workflow_job" });
	job.nodes = getNodes(engine, specs);
	engine.runner.begin(job);
	return job;
}

function startWorkflow(
	engine: WorkflowState,
	template: Template,
	input: Partial<JobInput> & { readonly user: User },
): Job {
	return createWorkflowJob(
		engine,
		{
			template,
			templateId: template.id,
			name: template.name,
			user: input.user,
			inventory: null,
			...(input.extraVars ? { extraVars: input.extraVars } : {}),
			...(input.launchType ? { launchType: input.launchType } : {}),
			parent: input.parent ?? null,
		},
		template.nodes,
	);
}

function launchWorkflow(engine: WorkflowState, template: Template, body: Json, user: User): Reply {
	if (user.execute !== "all" && !user.execute.includes(template.id)) throw createDetailError(403, FORBIDDEN);
	const problems: Json = {};
	for (const field of PROMPTS) {
		if (body[field] === undefined || template.asks.has((ASKED_AS[field] ?? field) as never)) continue;
		problems[field] = [NOT_ASKED];
	}
	const vars = readVars(body.extra_vars);
	const survey = template.surveyEnabled ? template.survey : null;
	const surveyed = new Set(survey?.spec.map(({ variable }) => variable));
	const extra = Object.keys(vars).filter((name) => !surveyed.has(name));
	if (extra.length > 0 && !template.asks.has("variables")) {
		problems.extra_vars = [
			`Variables ${extra.join(", ")} are not allowed on launch. Check the Prompt on Launch setting on ` +
				"the Workflow Job Template to include Extra Variables.",
		];
	}
	const wrong = survey === null ? [] : surveyProblems(survey, vars);
	if (wrong.length > 0) problems.variables_needed_to_start = wrong;
	if (Object.keys(problems).length > 0) throw new ApiError(400, problems);
	const job = startWorkflow(engine, template, { user, extraVars: { ...surveyVars(survey, vars), ...vars } });
	return {
		status: 201,
		body: { workflow_job: job.id, ignored_fields: {}, ...presentJob(engine.world, job, "launch") },
		headers: { Location: `${ROOT}workflow_jobs/${job.id}/` },
	};
}

function startSliced(engine: WorkflowState, input: JobInput, slices: number): Job {
	const specs = Array.from({ length: slices }, (_, at) => ({
		id: -1 - at,
		identifier: `slice-${at + 1}`,
		template: input.templateId,
		success: [],
		failure: [],
		always: [],
		extra: {},
	}));
	return createWorkflowJob(engine, { ...input, sliced: true }, specs);
}

function spawnNode(engine: WorkflowState, workflow: Job, node: JobNode): void {
	const { template: id, extra } = node.spec;
	const vars = { ...workflow.extraVars, ...extra };
	const common = { user: workflow.user, extraVars: vars, parent: workflow.id, launchType: "workflow" };
	const approval = engine.world.approvals.get(id);
	const target = engine.world.templates.get(id);
	node.modified = engine.world.time.now();
	if (approval !== undefined) {
		const job = engine.runner.create({
			...common,
			template: null,
			templateId: id,
			type: "workflow_approval",
			name: approval,
		});
		job.started = engine.world.time.now();
		node.job = job.id;
	} else if (target?.kind === "workflow") node.job = startWorkflow(engine, target, common).id;
	else if (target !== undefined) {
		const hosts = listHosts(engine.world, { inventory: target.inventory, limit: target.limit, slice: null });
		const slices = workflow.sliced ? 1 : Math.min(target.sliceCount, hosts.length);
		if (slices > 1) {
			node.job = startSliced(engine, { ...common, template: target, templateId: id, name: target.name }, slices).id;
			return;
		}
		const slice = workflow.sliced ? { number: workflow.nodes.indexOf(node) + 1, count: workflow.nodes.length } : null;
		const job = engine.runner.create({
			...common,
			template: target,
			templateId: id,
			name: target.name,
			slice,
			...(workflow.sliced ? { limit: workflow.limit, inventory: workflow.inventory, jobType: workflow.jobType } : {}),
			...(workflow.sliced ? { credentials: workflow.credentials } : {}),
		});
		node.job = job.id;
		engine.runner.begin(job);
	}
}

const getChild = (engine: WorkflowState, node: JobNode): Job | undefined =>
	node.job === null ? undefined : engine.world.jobs.get(node.job);

function isNodeEnded(engine: WorkflowState, node: JobNode): boolean {
	const child = getChild(engine, node);
	return child !== undefined && isFinal(child);
}

/** State of the edge from an ended or skipped parent to the node: taken, closed or undecided. */
function findEdgeState(engine: WorkflowState, workflow: Job, node: JobNode): "taken" | "closed" | "open" {
	const parents = workflow.nodes.filter((one) => [...one.success, ...one.failure, ...one.always].includes(node.id));
	if (parents.length === 0) return "taken";
	const ways = parents.map((parent) => {
		if (parent.doNotRun) return "closed";
		if (!isNodeEnded(engine, parent)) return "open";
		const good = getChild(engine, parent)?.status === "successful";
		const list = good ? parent.success : parent.failure;
		return list.includes(node.id) || parent.always.includes(node.id) ? "taken" : "closed";
	});
	if (node.spec.converge === true) {
		return ways.includes("closed") ? "closed" : ways.includes("open") ? "open" : "taken";
	}
	return ways.includes("taken") ? "taken" : ways.includes("open") ? "open" : "closed";
}

function advanceWorkflow(engine: WorkflowState, workflow: Job): void {
	if (workflow.status !== "running") return;
	for (let again = true; again; ) {
		again = false;
		for (const node of workflow.nodes) {
			if (node.job !== null || node.doNotRun) continue;
			const way = workflow.canceledOn === null ? findEdgeState(engine, workflow, node) : "closed";
			if (way === "open") continue;
			again = true;
			if (way === "taken") spawnNode(engine, workflow, node);
			else {
				node.doNotRun = true;
				node.modified = engine.world.time.now();
			}
		}
	}
	if (!workflow.nodes.every((node) => node.doNotRun || isNodeEnded(engine, node))) return;
	if (workflow.canceledOn !== null) {
		engine.runner.end(workflow, "canceled");
		return;
	}
	const unhandled = workflow.nodes.some((node) => {
		const child = getChild(engine, node);
		return child !== undefined && child.status !== "successful" && node.failure.length + node.always.length === 0;
	});
	if (unhandled) engine.runner.end(workflow, "failed", "No error handling paths found, marking workflow as failed");
	else engine.runner.end(workflow, "successful");
}

function cancelWorkflow(engine: WorkflowState, workflow: Job): boolean {
	if (!isActive(workflow)) return false;
	if (workflow.status !== "running") return engine.runner.cancel(workflow);
	workflow.canceledOn ??= engine.world.time.now();
	for (const node of workflow.nodes) {
		const child = getChild(engine, node);
		if (child === undefined || isFinal(child)) continue;
		if (child.type === "workflow_job") cancelWorkflow(engine, child);
		else if (engine.world.behaviour.reverses && child.status === "running" && child.type === "job")
			engine.runner.cancelEarly(child);
		else engine.runner.cancel(child);
	}
	advanceWorkflow(engine, workflow);
	return true;
}

export function createWorkflows(world: World, runner: Runner): Workflows {
	const engine: WorkflowState = { world, runner };

	runner.onChange((job) => {
		if (job.type === "workflow_job" && job.status === "running") advanceWorkflow(engine, job);
		const parent = job.parent === null ? undefined : world.jobs.get(job.parent);
		if (parent !== undefined && isFinal(job)) advanceWorkflow(engine, parent);
	});

	return {
		launch: (template, body, user) => launchWorkflow(engine, template, body, user),
		start: (template, input) => startWorkflow(engine, template, input),
		startSliced: (input, slices) => startSliced(engine, input, slices),
		cancel: (workflow) => cancelWorkflow(engine, workflow),
		decide: (job, approved) => runner.end(job, approved ? "successful" : "failed"),
	};
}
