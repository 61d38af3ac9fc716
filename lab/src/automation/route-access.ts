/** Shared parts of the API's routes: their types, the checks of permissions, and lists. */
import type { Launch } from "./launch.ts";
import type { Reply } from "./launch-input.ts";
import { createDetailError, FORBIDDEN, getList, type ListOptions, NOT_FOUND } from "./lists.ts";
import { type Json, presentTemplate } from "./present.ts";
import { presentJob } from "./present-jobs.ts";
import type { Runner } from "./runner.ts";
import type { TextReply } from "./stdout.ts";
import type { Job, Template, User } from "./types.ts";
import type { Workflows } from "./workflows.ts";
import type { World } from "./world.ts";

export interface Call {
	readonly method: string;
	/** With the server's root, as it was asked for. */
	readonly path: string;
	readonly query: URLSearchParams;
	readonly accept: string;
	readonly user: User;
	/** Reads the body as a JSON object. */
	body(): Json;
}

export type Answer = Reply | TextReply;

export type Handler = (call: Call, ...ids: number[]) => Answer;

/** `[methods by name]` by path pattern; `:id` is a number. */
export type Routes = Record<string, Record<string, Handler>>;

export interface RouteParts {
	readonly world: World;
	readonly runner: Runner;
	readonly launch: Launch;
	readonly workflows: Workflows;
}

export const buildOkReply = (body: unknown): Reply => ({ status: 200, body });

const readsAllJobs = (user: User): boolean => user.superuser || user.auditor;

const seesTemplate = (user: User, id: number): boolean =>
	readsAllJobs(user) || (user.execute !== "all" && user.execute.includes(id));

export function findTemplate(lab: RouteParts, call: Call, id: number, kind: Template["kind"]): Template {
	const found = lab.world.templates.get(id);
	if (found?.kind !== kind) throw createDetailError(404, NOT_FOUND);
	if (!seesTemplate(call.user, id)) throw createDetailError(403, FORBIDDEN);
	return found;
}

export function findJob(lab: RouteParts, call: Call, id: number, type: Job["type"]): Job {
	const found = lab.world.jobs.get(id);
	if (found?.type !== type) throw createDetailError(404, NOT_FOUND);
	if (!readsAllJobs(call.user) && found.user.id !== call.user.id) throw createDetailError(403, FORBIDDEN);
	return found;
}

export const buildListOptions = (call: Call, model: string, more: Partial<ListOptions> = {}): ListOptions => ({
	model,
	path: call.path,
	query: call.query,
	...more,
});

export function createTemplateListHandler(lab: RouteParts, kind: Template["kind"]): Handler {
	return (call) => {
		const shown = [...lab.world.templates.values()].filter(
			(one) => one.kind === kind && seesTemplate(call.user, one.id),
		);
		const present = (one: Template) => presentTemplate(lab.world, one, call.user);
		const model = kind === "job" ? "JobTemplate" : "WorkflowJobTemplate";
		return buildOkReply(getList(shown, present, present, buildListOptions(call, model, { order: "name" })));
	};
}

export function createJobListHandler(lab: RouteParts, which: (one: Job) => boolean, model: string): Handler {
	return (call, templateId) => {
		const wanted = call.query.get("id__in")?.split(",").map(Number);
		const all =
			wanted === undefined || wanted.some((id) => !Number.isInteger(id))
				? [...lab.world.jobs.values()]
				: wanted.flatMap((id) => lab.world.jobs.get(id) ?? []);
		const shown = all.filter(
			(one) =>
				which(one) &&
				(templateId === undefined || one.templateId === templateId) &&
				(readsAllJobs(call.user) || one.user.id === call.user.id),
		);
		const present = (one: Job) => presentJob(lab.world, one, "list");
		return buildOkReply(getList(shown, present, present, buildListOptions(call, model)));
	};
}

export const createSurveyHandler =
	(lab: RouteParts, kind: Template["kind"]): Handler =>
	(call, id) =>
		buildOkReply(findTemplate(lab, call, id as number, kind).survey ?? {});
