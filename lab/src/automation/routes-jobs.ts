/** Routes of jobs and of updates of projects. */
import type { Reply } from "./launch-input.ts";
import { createDetailError, getList } from "./lists.ts";
import type { Json } from "./present.ts";
import { presentEvent, presentHostSummaries, retryCounts } from "./present-events.ts";
import { presentJob, presentUnifiedFields } from "./present-jobs.ts";
import { presentCredential } from "./present-resources.ts";
import {
	type Answer,
	buildListOptions,
	buildOkReply,
	type Call,
	createJobListHandler,
	findJob,
	type Handler,
	type RouteParts,
	type Routes,
} from "./route-access.ts";
import { createEventId, isActive, listStoredEvents } from "./runner.ts";
import { getStdout } from "./stdout.ts";
import type { Job } from "./types.ts";

const ACCEPTED: Reply = { status: 202, body: "" };

function listEvents(lab: RouteParts, call: Call, id: number): Answer {
	const one = findJob(lab, call, id, "job");
	const fields = (counter: number): Json => {
		const spec = one.script?.at(counter - 1);
		return {
			id: createEventId(one, counter),
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
	const present = (counter: number) => presentEvent(lab.world, one, counter, whole);
	const after = Number(call.query.get("counter__gt") ?? 0);
	const counters = listStoredEvents(lab.world, one).filter((counter) => counter > after);
	const how = { order: "start_line", limited: true, extra: ["no_truncate"] };
	return buildOkReply(getList(counters, fields, present, buildListOptions(call, "JobEvent", how)));
}

export function createCancelHandlers(lab: RouteParts, type: Job["type"]): Record<string, Handler> {
	return {
		GET: (call, id) => buildOkReply({ can_cancel: isActive(findJob(lab, call, id as number, type)) }),
		POST: (call, id) => {
			const one = findJob(lab, call, id as number, type);
			const done = type === "workflow_job" ? lab.workflows.cancel(one) : lab.runner.cancel(one);
			if (!done) throw createDetailError(405, 'Method "POST" not allowed.');
			return ACCEPTED;
		},
	};
}

export function createJobRoutes(lab: RouteParts): Routes {
	return {
		"jobs/": { GET: createJobListHandler(lab, (one) => one.type === "job", "Job") },
		"jobs/:id/": {
			GET: (call, id) => buildOkReply(presentJob(lab.world, findJob(lab, call, id as number, "job"), "detail")),
			DELETE: (call, id) => {
				const gone = findJob(lab, call, id as number, "job");
				if (isActive(gone)) throw createDetailError(403, "Cannot delete running job resource.");
				lab.world.jobs.delete(gone.id);
				return { status: 204, body: "" };
			},
		},
		"jobs/:id/cancel/": createCancelHandlers(lab, "job"),
		"jobs/:id/relaunch/": {
			GET: (call, id) => {
				const one = findJob(lab, call, id as number, "job");
				const { all, failed } = retryCounts(lab.world, one);
				const counts = isActive(one)
					? "Relaunch by host status not available until job finishes running."
					: { all, failed: failed.length };
				return buildOkReply({ passwords_needed_to_start: [], retry_counts: counts });
			},
			POST: (call, id) => lab.launch.relaunch(findJob(lab, call, id as number, "job"), call.body(), call.user),
		},
		"jobs/:id/job_events/": { GET: (call, id) => listEvents(lab, call, id) },
		"jobs/:id/job_events/children_summary/": {
			GET: (call, id) => {
				const found = findJob(lab, call, id as number, "job");
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
				const rows = presentHostSummaries(lab.world, findJob(lab, call, id as number, "job"));
				return buildOkReply(
					getList(
						rows,
						(row) => row,
						(row) => row,
						buildListOptions(call, "JobHostSummary"),
					),
				);
			},
		},
		"jobs/:id/credentials/": {
			GET: (call, id) => {
				const ids = findJob(lab, call, id as number, "job").credentials;
				const found = ids.flatMap((credential) => lab.world.credentials.get(credential) ?? []);
				const present = (row: (typeof found)[number]) => presentCredential(lab.world, row);
				return buildOkReply(getList(found, present, present, buildListOptions(call, "Credential")));
			},
		},
		"jobs/:id/stdout/": {
			GET: (call, id) => getStdout(lab.world, findJob(lab, call, id as number, "job"), call.query, call.accept),
		},
		"unified_jobs/": { GET: createJobListHandler(lab, () => true, "UnifiedJob") },
		"project_updates/:id/": {
			GET: (call, id) => {
				const update = findJob(lab, call, id as number, "project_update");
				return buildOkReply({ id: update.id, type: update.type, ...presentUnifiedFields(lab.world, update) });
			},
		},
		"project_updates/:id/stdout/": {
			GET: (call, id) => {
				const update = findJob(lab, call, id as number, "project_update");
				return { status: 200, text: lab.world.updateOutputs.get(update.id) ?? "", type: "text/plain" };
			},
		},
	};
}
