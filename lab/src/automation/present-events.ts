/** Events and summaries of hosts, as the API shows them. */
import { type Json, ROOT } from "./present.ts";
import { getSummary, hasStats } from "./present-jobs.ts";
import { createEventId, listHosts } from "./runner.ts";
import { formatTimestamp } from "./time.ts";
import type { Job } from "./types.ts";
import type { World } from "./world.ts";

const TRUNCATE = 1024;

export function presentEvent(world: World, job: Job, counter: number, whole: boolean): Json {
	const spec = job.script?.at(counter - 1);
	if (spec === undefined) return {};
	const id = createEventId(job, counter);
	const host = world.inventories.get(job.inventory ?? 0)?.hosts.find(({ name }) => name === spec.host);
	const cut = !whole && spec.stdout.length > TRUNCATE && !spec.event.startsWith("playbook_on_");
	return {
		id,
		type: "job_event",
		url: `${ROOT}job_events/${id}/`,
		related: {
			job: `${ROOT}jobs/${job.id}/`,
			children: `${ROOT}job_events/${id}/children/`,
			...(host ? { host: `${ROOT}hosts/${host.id}/` } : {}),
		},
		summary_fields: {
			...(host ? { host: { id: host.id, name: host.name, description: "" } } : {}),
			job: getSummary(world, job),
			role: {},
		},
		created: formatTimestamp((job.started ?? 0) + spec.at, counter),
		modified: formatTimestamp(job.stored[counter - 1] as number, counter),
		job: job.id,
		event: spec.event,
		counter,
		event_display: spec.display,
		event_data: spec.data,
		event_level: spec.level,
		failed: spec.failed ?? false,
		changed: spec.changed ?? false,
		uuid: spec.uuid,
		parent_uuid: spec.parent,
		host: host?.id ?? null,
		host_name: spec.host ?? "",
		playbook: job.template?.playbook ?? "",
		play: spec.play ?? "",
		task: spec.task ?? "",
		role: typeof spec.data.role === "string" ? spec.data.role : "",
		stdout: cut ? `${spec.stdout.slice(0, TRUNCATE)}…\u001b[0m` : spec.stdout,
		start_line: spec.startLine,
		end_line: spec.endLine,
		verbosity: 0,
	};
}

export function presentHostSummaries(world: World, job: Job): Json[] {
	if (!hasStats(world, job)) return [];
	const hosts = world.inventories.get(job.inventory ?? 0)?.hosts ?? [];
	return Object.entries(job.script?.stats ?? {}).map(([name, counts], index) => {
		const host = hosts.find((one) => one.name === name);
		const id = job.id * 10 + index;
		return {
			id,
			type: "job_host_summary",
			url: `${ROOT}job_host_summaries/${id}/`,
			related: { job: `${ROOT}jobs/${job.id}/`, ...(host ? { host: `${ROOT}hosts/${host.id}/` } : {}) },
			summary_fields: {
				...(host ? { host: { id: host.id, name, description: "" } } : {}),
				job: getSummary(world, job),
			},
			created: formatTimestamp(job.finished ?? 0, id),
			modified: formatTimestamp(job.finished ?? 0, id),
			job: job.id,
			host: host?.id ?? null,
			constructed_host: null,
			host_name: name,
			...counts,
			failed: counts.failures + counts.dark > 0,
		};
	});
}

/** Hosts and failed hosts for a relaunch. */
export function retryCounts(world: World, job: Job): { readonly all: number; readonly failed: readonly string[] } {
	const failed = Object.entries(job.script?.stats ?? {})
		.filter(([, counts]) => counts.failures + counts.dark > 0)
		.map(([host]) => host);
	return { all: listHosts(world, job).length, failed };
}
