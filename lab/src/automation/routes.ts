/** The API's paths under its root, each with what it answers. */
import type { Launch } from "./launch.ts";
import type { Reply } from "./launch-input.ts";
import { ApiError, createDetailError, FORBIDDEN, getList, type ListOptions, NOT_FOUND } from "./lists.ts";
import { type Json, presentTemplate, presentTemplateDetail, presentTemplateNode, ROOT } from "./present.ts";
import {
	getStatus,
	presentEvent,
	presentHostSummaries,
	presentJob,
	presentNode,
	retryCounts,
	unifiedFields,
} from "./present-jobs.ts";
import {
	presentCredential,
	presentCredentialType,
	presentInventory,
	presentToken,
	presentUser,
} from "./present-resources.ts";
import type { Profile } from "./profiles.ts";
import { eventId, isActive, type Runner, storedEvents } from "./runner.ts";
import { getStdout, type TextReply } from "./stdout.ts";
import type { Job, Template, Token, User } from "./types.ts";
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
type Handler = (call: Call, ...ids: number[]) => Answer;

export interface RouteDeps {
	readonly world: World;
	readonly runner: Runner;
	readonly launch: Launch;
	readonly workflows: Workflows;
}

const buildOkReply = (body: unknown): Reply => ({ status: 200, body });
const ACCEPTED: Reply = { status: 202, body: "" };

/** `[methods by name]` by path pattern; `:id` is a number. */
export function createRoutes({ world, runner, launch, workflows }: RouteDeps): Map<string, Record<string, Handler>> {
	const readsAll = (user: User): boolean => user.superuser || user.auditor;
	const sees = (user: User, id: number): boolean =>
		readsAll(user) || (user.execute !== "all" && user.execute.includes(id));

	function findTemplate(call: Call, id: number, kind: Template["kind"]): Template {
		const found = world.templates.get(id);
		if (found?.kind !== kind) throw createDetailError(404, NOT_FOUND);
		if (!sees(call.user, id)) throw createDetailError(403, FORBIDDEN);
		return found;
	}

	function findJob(call: Call, id: number, type: Job["type"]): Job {
		const found = world.jobs.get(id);
		if (found?.type !== type) throw createDetailError(404, NOT_FOUND);
		if (!readsAll(call.user) && found.user.id !== call.user.id) throw createDetailError(403, FORBIDDEN);
		return found;
	}

	const options = (call: Call, model: string, more: Partial<ListOptions> = {}): ListOptions => ({
		model,
		path: call.path,
		query: call.query,
		...more,
	});

	function createTemplateListHandler(kind: Template["kind"]): Handler {
		return (call) => {
			const shown = [...world.templates.values()].filter((one) => one.kind === kind && sees(call.user, one.id));
			const present = (one: Template) => presentTemplate(world, one, call.user);
			const model = kind === "job" ? "JobTemplate" : "WorkflowJobTemplate";
			return buildOkReply(getList(shown, present, present, options(call, model, { order: "name" })));
		};
	}

	function createJobListHandler(which: (one: Job) => boolean, model: string): Handler {
		return (call, templateId) => {
			const wanted = call.query.get("id__in")?.split(",").map(Number);
			const all =
				wanted === undefined || wanted.some((id) => !Number.isInteger(id))
					? [...world.jobs.values()]
					: wanted.flatMap((id) => world.jobs.get(id) ?? []);
			const shown = all.filter(
				(one) =>
					which(one) &&
					(templateId === undefined || one.templateId === templateId) &&
					(readsAll(call.user) || one.user.id === call.user.id),
			);
			const present = (one: Job) => presentJob(world, one, "list");
			return buildOkReply(getList(shown, present, present, options(call, model)));
		};
	}

	const events: Handler = (call, id) => {
		const one = findJob(call, id as number, "job");
		const fields = (counter: number): Json => {
			const spec = one.script?.at(counter - 1);
			return {
				id: eventId(one, counter),
				counter,
				event: spec?.event,
				host_name: spec?.host ?? "",
				task: spec?.task ?? "",
				failed: spec?.failed ?? false,
				changed: spec?.changed ?? false,
				start_line: spec?.startLine ?? 0,
				stdout: spec?.stdout ?? "",
			};
		};
		const whole = call.query.has("no_truncate");
		const present = (counter: number) => presentEvent(world, one, counter, whole);
		const after = Number(call.query.get("counter__gt") ?? 0);
		const counters = storedEvents(world, one).filter((counter) => counter > after);
		const how = { order: "start_line", limited: true, extra: ["no_truncate"] };
		return buildOkReply(getList(counters, fields, present, options(call, "JobEvent", how)));
	};

	function createCancelHandlers(type: Job["type"]): Record<string, Handler> {
		return {
			GET: (call, id) => buildOkReply({ can_cancel: isActive(findJob(call, id as number, type)) }),
			POST: (call, id) => {
				const one = findJob(call, id as number, type);
				const done = type === "workflow_job" ? workflows.cancel(one) : runner.cancel(one);
				if (!done) throw createDetailError(405, 'Method "POST" not allowed.');
				return ACCEPTED;
			},
		};
	}

	const simple =
		<T>(all: () => Iterable<T>, present: (one: T) => Json, model: string, order = "name"): Handler =>
		(call) => {
			const shown = call.user.superuser ? [...all()] : [];
			return buildOkReply(getList(shown, present, present, options(call, model, { order })));
		};
	const one =
		<T>(find: (id: number) => T | undefined, present: (one: T) => Json): Handler =>
		(call, id) => {
			const found = find(id as number);
			if (found === undefined) throw createDetailError(404, NOT_FOUND);
			if (!call.user.superuser) throw createDetailError(403, FORBIDDEN);
			return buildOkReply(present(found));
		};

	const nodeList: Handler = (call, id) => {
		const workflow = findJob(call, id as number, "workflow_job");
		const present = (node: Job["nodes"][number]) => presentNode(world, workflow, node);
		return buildOkReply(getList(workflow.nodes, present, present, options(call, "WorkflowJobNode")));
	};

	function createToken(call: Call): Reply {
		const body = call.body();
		const made: Token = {
			id: world.ids.token++,
			user: call.user,
			created: world.time.now(),
			revoked: false,
			text: `lab${world.ids.token}token`.padEnd(30, "x"),
			scope: body.scope === "read" ? "read" : "write",
			description: String(body.description ?? ""),
		};
		world.tokens.push(made);
		return { status: 201, body: presentToken(made, true), headers: { Location: `${ROOT}tokens/${made.id}/` } };
	}

	const survey =
		(kind: Template["kind"]): Handler =>
		(call, id) =>
			buildOkReply(findTemplate(call, id as number, kind).survey ?? {});
	const decide = (approved: boolean): Record<string, Handler> => ({
		POST: (call, id) => {
			const approval = findJob(call, id as number, "workflow_approval");
			if (!isActive(approval))
				throw new ApiError(400, { error: "This workflow step has already been approved or denied." });
			workflows.decide(approval, approved);
			return { status: 204, body: "" };
		},
	});

	const table: Record<string, Record<string, Handler>> = {
		"me/": {
			GET: (call) => {
				const present = (user: User) => presentUser(user, world.born);
				return buildOkReply(getList([call.user], present, present, options(call, "User")));
			},
		},
		"config/": { GET: () => buildOkReply(getConfig(world)) },
		"job_templates/": { GET: createTemplateListHandler("job") },
		"job_templates/:id/": {
			GET: (call, id) => buildOkReply(presentTemplateDetail(world, findTemplate(call, id as number, "job"), call.user)),
			DELETE: (call, id) => {
				const gone = findTemplate(call, id as number, "job");
				const busy = [...world.jobs.values()].filter((one) => one.templateId === gone.id && isActive(one));
				if (busy.length > 0) {
					throw new ApiError(409, {
						error: "Resource is being used by running jobs.",
						active_jobs: busy.map((one) => ({ id: one.id, type: one.type })),
					});
				}
				world.templates.delete(gone.id);
				return { status: 204, body: "" };
			},
		},
		"job_templates/:id/survey_spec/": { GET: survey("job") },
		"job_templates/:id/launch/": {
			GET: (call, id) => buildOkReply(launch.describe(findTemplate(call, id as number, "job"))),
			POST: (call, id) => launch.launch(findTemplate(call, id as number, "job"), call.body(), call.user),
		},
		"job_templates/:id/jobs/": { GET: createJobListHandler((one) => one.type === "job", "Job") },
		"job_templates/:id/slice_workflow_jobs/": { GET: createJobListHandler((one) => one.sliced, "WorkflowJob") },
		"workflow_job_templates/": { GET: createTemplateListHandler("workflow") },
		"workflow_job_templates/:id/": {
			GET: (call, id) => buildOkReply(presentTemplate(world, findTemplate(call, id as number, "workflow"), call.user)),
		},
		"workflow_job_templates/:id/survey_spec/": { GET: survey("workflow") },
		"workflow_job_templates/:id/launch/": {
			GET: (call, id) => buildOkReply(launch.describe(findTemplate(call, id as number, "workflow"))),
			POST: (call, id) => workflows.launch(findTemplate(call, id as number, "workflow"), call.body(), call.user),
		},
		"workflow_job_templates/:id/workflow_nodes/": {
			GET: (call, id) => {
				const found = findTemplate(call, id as number, "workflow");
				const present = (node: Template["nodes"][number]) => presentTemplateNode(world, found, node);
				return buildOkReply(getList(found.nodes, present, present, options(call, "WorkflowJobTemplateNode")));
			},
		},
		"workflow_job_templates/:id/workflow_jobs/": {
			GET: createJobListHandler((one) => one.type === "workflow_job" && !one.sliced, "WorkflowJob"),
		},
		"credentials/": {
			GET: (call) => {
				// A filter that goes through the type.
				const kind = call.query.get("credential_type__kind");
				const all = [...world.credentials.values()].filter(
					(one) => kind === null || world.credentialTypes.get(one.type)?.kind === kind,
				);
				const present = (one: (typeof all)[number]) => presentCredential(world, one);
				const how = { order: "name", extra: ["credential_type__kind"] };
				return buildOkReply(
					getList(call.user.superuser ? all : [], present, present, options(call, "Credential", how)),
				);
			},
		},
		"credentials/:id/": {
			GET: one(
				(id) => world.credentials.get(id),
				(found) => presentCredential(world, found),
			),
		},
		"credential_types/": { GET: simple(() => world.credentialTypes.values(), presentCredentialType, "CredentialType") },
		"inventories/": {
			GET: simple(
				() => world.inventories.values(),
				(found) => presentInventory(world, found),
				"Inventory",
			),
		},
		"tokens/": {
			GET: simple(
				() => world.tokens.filter(({ revoked }) => !revoked),
				(found) => presentToken(found, false),
				"OAuth2AccessToken",
				"id",
			),
			POST: createToken,
		},
		"tokens/:id/": {
			DELETE: (_call, id) => {
				const found = world.tokens.find((one_) => one_.id === id);
				if (found === undefined) throw createDetailError(404, NOT_FOUND);
				found.revoked = true;
				return { status: 204, body: "" };
			},
		},
		"users/:id/personal_tokens/": { POST: createToken },
		"jobs/": { GET: createJobListHandler((one) => one.type === "job", "Job") },
		"jobs/:id/": {
			GET: (call, id) => buildOkReply(presentJob(world, findJob(call, id as number, "job"), "detail")),
			DELETE: (call, id) => {
				const gone = findJob(call, id as number, "job");
				if (isActive(gone)) throw createDetailError(403, "Cannot delete running job resource.");
				world.jobs.delete(gone.id);
				return { status: 204, body: "" };
			},
		},
		"jobs/:id/cancel/": createCancelHandlers("job"),
		"jobs/:id/relaunch/": {
			GET: (call, id) => {
				const one = findJob(call, id as number, "job");
				const { all, failed } = retryCounts(world, one);
				const counts = isActive(one)
					? "Relaunch by host status not available until job finishes running."
					: { all, failed: failed.length };
				return buildOkReply({ passwords_needed_to_start: [], retry_counts: counts });
			},
			POST: (call, id) => launch.relaunch(findJob(call, id as number, "job"), call.body(), call.user),
		},
		"jobs/:id/job_events/": { GET: events },
		"jobs/:id/job_events/children_summary/": {
			GET: (call, id) => {
				const found = findJob(call, id as number, "job");
				const finished = found.finished !== null;
				const one_ = { rowNumber: 0, numChildren: Math.max(0, found.events - 1) };
				return buildOkReply({
					children_summary: { 1: one_ },
					meta_event_nested_uuid: {},
					event_processing_finished: finished,
					is_tree: true,
				});
			},
		},
		"jobs/:id/job_host_summaries/": {
			GET: (call, id) => {
				const rows = presentHostSummaries(world, findJob(call, id as number, "job"));
				return buildOkReply(
					getList(
						rows,
						(row) => row,
						(row) => row,
						options(call, "JobHostSummary"),
					),
				);
			},
		},
		"jobs/:id/credentials/": {
			GET: (call, id) => {
				const ids = findJob(call, id as number, "job").credentials;
				const found = ids.flatMap((credential) => world.credentials.get(credential) ?? []);
				const present = (row: (typeof found)[number]) => presentCredential(world, row);
				return buildOkReply(getList(found, present, present, options(call, "Credential")));
			},
		},
		"jobs/:id/stdout/": {
			GET: (call, id) => getStdout(world, findJob(call, id as number, "job"), call.query, call.accept),
		},
		"unified_jobs/": { GET: createJobListHandler(() => true, "UnifiedJob") },
		"workflow_jobs/": { GET: createJobListHandler((one) => one.type === "workflow_job", "WorkflowJob") },
		"workflow_jobs/:id/": {
			GET: (call, id) => buildOkReply(presentJob(world, findJob(call, id as number, "workflow_job"), "detail")),
		},
		"workflow_jobs/:id/cancel/": createCancelHandlers("workflow_job"),
		"workflow_jobs/:id/relaunch/": {
			POST: (call, id) => launch.relaunch(findJob(call, id as number, "workflow_job"), call.body(), call.user),
		},
		"workflow_jobs/:id/workflow_nodes/": { GET: nodeList },
		"project_updates/:id/": {
			GET: (call, id) => {
				const update = findJob(call, id as number, "project_update");
				return buildOkReply({ id: update.id, type: update.type, ...unifiedFields(world, update) });
			},
		},
		"project_updates/:id/stdout/": {
			GET: (call, id) => {
				const update = findJob(call, id as number, "project_update");
				return { status: 200, text: world.updateOutputs.get(update.id) ?? "", type: "text/plain" };
			},
		},
		"workflow_approvals/:id/": {
			GET: (call, id) => {
				const approval = findJob(call, id as number, "workflow_approval");
				return buildOkReply({ id: approval.id, type: approval.type, name: approval.name, status: getStatus(approval) });
			},
		},
		"workflow_approvals/:id/approve/": decide(true),
		"workflow_approvals/:id/deny/": decide(false),
	};
	return new Map(Object.entries(table));
}

export function getPing(world: World): Json {
	const now = new Date(world.time.now()).toISOString();
	const node = "awx-rig";
	const groups = ["controlplane", "default"].map((name) => ({ name, capacity: 220, instances: [node] }));
	const capacity = world.behaviour.dispatcher ? 220 : 0;
	return {
		ha: false,
		version: world.version,
		active_node: node,
		install_uuid: world.installUuid,
		instances: [
			{
				node,
				node_type: "hybrid",
				uuid: "00000000-0000-0000-0000-000000000000",
				heartbeat: now,
				capacity,
				version: world.version,
			},
		],
		instance_groups: groups,
	};
}

const getLicence = ({ licence }: Profile): Json => ({
	license_type: licence.type,
	valid_key: true,
	subscription_name: licence.type === "open" ? "OPEN" : licence.product,
	product_name: licence.product,
});

const getConfig = (world: World): Json => ({
	time_zone: "UTC",
	license_info: getLicence(world.profile),
	version: world.version,
	eula: "",
	analytics_status: "off",
	analytics_collectors: {},
	become_methods: [["sudo", "Sudo"]],
	ui_next: false,
});
