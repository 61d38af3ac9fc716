/** The API's paths under its root, each with what it answers. */
import type { Launch } from "./launch.ts";
import type { Reply } from "./launch-input.ts";
import { ApiError, detail, FORBIDDEN, getList, type ListOptions, NOT_FOUND } from "./lists.ts";
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

const ok = (body: unknown): Reply => ({ status: 200, body });
const ACCEPTED: Reply = { status: 202, body: "" };

/** `[methods by name]` by path pattern; `:id` is a number. */
export function createRoutes({ world, runner, launch, workflows }: RouteDeps): Map<string, Record<string, Handler>> {
	const readsAll = (user: User): boolean => user.superuser || user.auditor;
	const sees = (user: User, id: number): boolean =>
		readsAll(user) || (user.execute !== "all" && user.execute.includes(id));

	function template(call: Call, id: number, kind: Template["kind"]): Template {
		const found = world.templates.get(id);
		if (found?.kind !== kind) throw detail(404, NOT_FOUND);
		if (!sees(call.user, id)) throw detail(403, FORBIDDEN);
		return found;
	}

	function job(call: Call, id: number, type: Job["type"]): Job {
		const found = world.jobs.get(id);
		if (found?.type !== type) throw detail(404, NOT_FOUND);
		if (!readsAll(call.user) && found.user.id !== call.user.id) throw detail(403, FORBIDDEN);
		return found;
	}

	const options = (call: Call, model: string, more: Partial<ListOptions> = {}): ListOptions => ({
		model,
		path: call.path,
		query: call.query,
		...more,
	});

	function templates(kind: Template["kind"]): Handler {
		return (call) => {
			const shown = [...world.templates.values()].filter((one) => one.kind === kind && sees(call.user, one.id));
			const present = (one: Template) => presentTemplate(world, one, call.user);
			const model = kind === "job" ? "JobTemplate" : "WorkflowJobTemplate";
			return ok(getList(shown, present, present, options(call, model, { order: "name" })));
		};
	}

	function jobs(which: (one: Job) => boolean, model: string): Handler {
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
			return ok(getList(shown, present, present, options(call, model)));
		};
	}

	const events: Handler = (call, id) => {
		const one = job(call, id as number, "job");
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
		return ok(getList(counters, fields, present, options(call, "JobEvent", how)));
	};

	function cancel(type: Job["type"]): Record<string, Handler> {
		return {
			GET: (call, id) => ok({ can_cancel: isActive(job(call, id as number, type)) }),
			POST: (call, id) => {
				const one = job(call, id as number, type);
				const done = type === "workflow_job" ? workflows.cancel(one) : runner.cancel(one);
				if (!done) throw detail(405, 'Method "POST" not allowed.');
				return ACCEPTED;
			},
		};
	}

	const simple =
		<T>(all: () => Iterable<T>, present: (one: T) => Json, model: string, order = "name"): Handler =>
		(call) => {
			const shown = call.user.superuser ? [...all()] : [];
			return ok(getList(shown, present, present, options(call, model, { order })));
		};
	const one =
		<T>(find: (id: number) => T | undefined, present: (one: T) => Json): Handler =>
		(call, id) => {
			const found = find(id as number);
			if (found === undefined) throw detail(404, NOT_FOUND);
			if (!call.user.superuser) throw detail(403, FORBIDDEN);
			return ok(present(found));
		};

	const nodeList: Handler = (call, id) => {
		const workflow = job(call, id as number, "workflow_job");
		const present = (node: Job["nodes"][number]) => presentNode(world, workflow, node);
		return ok(getList(workflow.nodes, present, present, options(call, "WorkflowJobNode")));
	};

	function token(call: Call): Reply {
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
			ok(template(call, id as number, kind).survey ?? {});
	const decide = (approved: boolean): Record<string, Handler> => ({
		POST: (call, id) => {
			const approval = job(call, id as number, "workflow_approval");
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
				return ok(getList([call.user], present, present, options(call, "User")));
			},
		},
		"config/": { GET: () => ok(getConfig(world)) },
		"job_templates/": { GET: templates("job") },
		"job_templates/:id/": {
			GET: (call, id) => ok(presentTemplateDetail(world, template(call, id as number, "job"), call.user)),
			DELETE: (call, id) => {
				const gone = template(call, id as number, "job");
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
			GET: (call, id) => ok(launch.describe(template(call, id as number, "job"))),
			POST: (call, id) => launch.launch(template(call, id as number, "job"), call.body(), call.user),
		},
		"job_templates/:id/jobs/": { GET: jobs((one) => one.type === "job", "Job") },
		"job_templates/:id/slice_workflow_jobs/": { GET: jobs((one) => one.sliced, "WorkflowJob") },
		"workflow_job_templates/": { GET: templates("workflow") },
		"workflow_job_templates/:id/": {
			GET: (call, id) => ok(presentTemplate(world, template(call, id as number, "workflow"), call.user)),
		},
		"workflow_job_templates/:id/survey_spec/": { GET: survey("workflow") },
		"workflow_job_templates/:id/launch/": {
			GET: (call, id) => ok(launch.describe(template(call, id as number, "workflow"))),
			POST: (call, id) => workflows.launch(template(call, id as number, "workflow"), call.body(), call.user),
		},
		"workflow_job_templates/:id/workflow_nodes/": {
			GET: (call, id) => {
				const found = template(call, id as number, "workflow");
				const present = (node: Template["nodes"][number]) => presentTemplateNode(world, found, node);
				return ok(getList(found.nodes, present, present, options(call, "WorkflowJobTemplateNode")));
			},
		},
		"workflow_job_templates/:id/workflow_jobs/": {
			GET: jobs((one) => one.type === "workflow_job" && !one.sliced, "WorkflowJob"),
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
				return ok(getList(call.user.superuser ? all : [], present, present, options(call, "Credential", how)));
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
			POST: token,
		},
		"tokens/:id/": {
			DELETE: (_call, id) => {
				const found = world.tokens.find((one_) => one_.id === id);
				if (found === undefined) throw detail(404, NOT_FOUND);
				found.revoked = true;
				return { status: 204, body: "" };
			},
		},
		"users/:id/personal_tokens/": { POST: token },
		"jobs/": { GET: jobs((one) => one.type === "job", "Job") },
		"jobs/:id/": {
			GET: (call, id) => ok(presentJob(world, job(call, id as number, "job"), "detail")),
			DELETE: (call, id) => {
				const gone = job(call, id as number, "job");
				if (isActive(gone)) throw detail(403, "Cannot delete running job resource.");
				world.jobs.delete(gone.id);
				return { status: 204, body: "" };
			},
		},
		"jobs/:id/cancel/": cancel("job"),
		"jobs/:id/relaunch/": {
			GET: (call, id) => {
				const one = job(call, id as number, "job");
				const { all, failed } = retryCounts(world, one);
				const counts = isActive(one)
					? "Relaunch by host status not available until job finishes running."
					: { all, failed: failed.length };
				return ok({ passwords_needed_to_start: [], retry_counts: counts });
			},
			POST: (call, id) => launch.relaunch(job(call, id as number, "job"), call.body(), call.user),
		},
		"jobs/:id/job_events/": { GET: events },
		"jobs/:id/job_events/children_summary/": {
			GET: (call, id) => {
				const found = job(call, id as number, "job");
				const finished = found.finished !== null;
				const one_ = { rowNumber: 0, numChildren: Math.max(0, found.events - 1) };
				return ok({
					children_summary: { 1: one_ },
					meta_event_nested_uuid: {},
					event_processing_finished: finished,
					is_tree: true,
				});
			},
		},
		"jobs/:id/job_host_summaries/": {
			GET: (call, id) => {
				const rows = presentHostSummaries(world, job(call, id as number, "job"));
				return ok(
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
				const ids = job(call, id as number, "job").credentials;
				const found = ids.flatMap((credential) => world.credentials.get(credential) ?? []);
				const present = (row: (typeof found)[number]) => presentCredential(world, row);
				return ok(getList(found, present, present, options(call, "Credential")));
			},
		},
		"jobs/:id/stdout/": {
			GET: (call, id) => getStdout(world, job(call, id as number, "job"), call.query, call.accept),
		},
		"unified_jobs/": { GET: jobs(() => true, "UnifiedJob") },
		"workflow_jobs/": { GET: jobs((one) => one.type === "workflow_job", "WorkflowJob") },
		"workflow_jobs/:id/": {
			GET: (call, id) => ok(presentJob(world, job(call, id as number, "workflow_job"), "detail")),
		},
		"workflow_jobs/:id/cancel/": cancel("workflow_job"),
		"workflow_jobs/:id/relaunch/": {
			POST: (call, id) => launch.relaunch(job(call, id as number, "workflow_job"), call.body(), call.user),
		},
		"workflow_jobs/:id/workflow_nodes/": { GET: nodeList },
		"project_updates/:id/": {
			GET: (call, id) => {
				const update = job(call, id as number, "project_update");
				return ok({ id: update.id, type: update.type, ...unifiedFields(world, update) });
			},
		},
		"project_updates/:id/stdout/": {
			GET: (call, id) => {
				const update = job(call, id as number, "project_update");
				return { status: 200, text: world.updateOutputs.get(update.id) ?? "", type: "text/plain" };
			},
		},
		"workflow_approvals/:id/": {
			GET: (call, id) => {
				const approval = job(call, id as number, "workflow_approval");
				return ok({ id: approval.id, type: approval.type, name: approval.name, status: getStatus(approval) });
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
