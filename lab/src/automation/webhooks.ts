/**
 * Webhook notifications: sent once, unsigned, never retried; late for jobs without hosts, none for
 * jobs that never ran.
 */
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { presentHostSummaries } from "./present-events.ts";
import { formatVars, getStatus, hasFailed } from "./present-jobs.ts";
import { PROJECT } from "./seed.ts";
import { formatTimestamp } from "./time.ts";
import type { Job, Notification, NotificationTemplate, Template } from "./types.ts";
import type { World } from "./world.ts";

const HOPS = 5;
/** Python writes times of notifications with an offset. */
const formatOffsetTime = (ms: number | null, salt: number): string | null =>
	ms === null ? null : formatTimestamp(ms, salt).replace("Z", "+00:00");

const WORDS: Readonly<Record<Job["type"], string>> = {
	job: "playbook",
	workflow_job: "workflow",
	workflow_approval: "workflow",
	project_update: "project",
};

function getBody(world: World, job: Job): Record<string, unknown> {
	const first = {
		id: job.id,
		name: job.name,
		url: `${world.uiUrl}${world.profile.jobPages}${WORDS[job.type]}/${job.id}`,
		created_by: job.user.username,
		started: formatOffsetTime(job.started, job.id),
		finished: formatOffsetTime(job.finished, job.id),
		status: getStatus(job),
		traceback: "",
	};
	const inventory = world.inventories.get(job.inventory ?? 0)?.name ?? null;
	if (job.type === "workflow_job") {
		const lines = job.nodes.map((node) => {
			const child = node.job === null ? undefined : world.jobs.get(node.job);
			const spawned = child
				? `job #${child.id}, "${child.name}", which finished with status ${getStatus(child)}`
				: "no job";
			return `- node #${node.id} spawns ${spawned}.`;
		});
		const body = `Workflow job summary:\n\n${lines.join("\n")}`;
		return { ...first, body, inventory, limit: null, extra_vars: formatVars(job) };
	}
	const machine = job.credentials.map((id) => world.credentials.get(id)).find((one) => one?.kind === "ssh");
	const hosts: Record<string, unknown> = {};
	for (const row of presentHostSummaries(world, job)) {
		const { failed, changed, dark, failures, ok, processed, skipped, rescued, ignored } = row;
		hosts[row.host_name as string] = {
			failed,
			changed,
			dark,
			failures,
			ok,
			processed,
			skipped,
			rescued,
			ignored,
		};
	}
	return {
		...first,
		inventory,
		project: PROJECT.name,
		playbook: job.template?.playbook ?? "",
		credential: machine?.name ?? null,
		limit: job.limit,
		extra_vars: formatVars(job),
		hosts,
	};
}

export interface Webhooks {
	changed(job: Job): void;
	send(template: NotificationTemplate, body: unknown, job: Job | null): Notification;
}

export function createWebhooks(world: World): Webhooks {
	const { time, behaviour } = world;

	function sendNotification(template: NotificationTemplate, body: unknown, job: Job | null): Notification {
		const notification: Notification = {
			id: world.ids.notification++,
			template,
			job: job?.id ?? null,
			created: time.now(),
			body,
			status: "pending",
			error: "",
			sent: 0,
		};
		world.notifications.push(notification);
		void deliverWebhook(template.url, template, JSON.stringify(body), formatAgent(world), HOPS)
			.then((status) => {
				notification.status = status >= 400 ? "failed" : "successful";
				notification.error = status >= 400 ? `Error sending webhook notification: ${status}` : "";
				notification.sent = status < 300 ? 1 : 0;
			})
			.catch((error: unknown) => {
				notification.status = "failed";
				notification.error = String(error);
			});
		return notification;
	}

	function listTriggeredTemplates(
		template: Template | null,
		trigger: "started" | "success" | "error",
	): NotificationTemplate[] {
		return (template?.notify[trigger] ?? []).flatMap((id) => world.notificationTemplates.get(id) ?? []);
	}

	return {
		changed(job) {
			if (job.type === "workflow_approval") return;
			// No notification for a job that was cancelled before it ran.
			if (job.started === null && job.status === "canceled") return;
			const trigger = job.status === "running" ? "started" : hasFailed(job) ? "error" : "success";
			for (const template of listTriggeredTemplates(job.template, trigger)) {
				const hostless =
					job.status !== "running" && job.type === "job" && presentHostSummaries(world, job).length === 0;
				const wait = hostless ? behaviour.hostless_webhook_ms : 0;
				const started = trigger === "started" ? getBody(world, job) : null;
				for (let copy = 0; copy < behaviour.webhook_copies; copy++) {
					time.after(wait, () => void sendNotification(template, started ?? getBody(world, job), job));
				}
			}
		},
		send: sendNotification,
	};
}

const formatAgent = ({ profile, version }: World) => `${profile.product} ${version} (${profile.licence.type})`;

/** 301 and 307 are followed, with body and credentials; other redirects are taken for success. */
function deliverWebhook(
	url: string,
	template: NotificationTemplate,
	body: string,
	agent: string,
	hops: number,
): Promise<number> {
	return new Promise((resolve, reject) => {
		const target = new URL(url);
		const basic =
			template.username === "" && template.password === ""
				? {}
				: {
						Authorization: `Basic ${Buffer.from(`${template.username}:${template.password}`).toString("base64")}`,
					};
		const send = target.protocol === "https:" ? secureRequest : request;
		const call = send(
			target,
			{
				method: template.method,
				agent: false,
				headers: {
					"User-Agent": agent,
					"Accept-Encoding": "gzip, deflate",
					Accept: "*/*",
					"Content-Type": "application/json",
					...basic,
					...template.headers,
					"Content-Length": Buffer.byteLength(body),
				},
			},
			(response) => {
				response.resume();
				const status = response.statusCode ?? 0;
				const { location } = response.headers;
				if ((status === 301 || status === 307) && location !== undefined && hops > 0) {
					deliverWebhook(new URL(location, target).href, template, body, agent, hops - 1).then(resolve, reject);
				} else resolve(status);
			},
		);
		call.on("error", reject);
		call.end(body);
	});
}
