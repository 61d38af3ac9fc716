/** The API's paths of notification templates: made, read, tried out and attached. */
import type { Reply } from "./launch-input.ts";
import { ApiError, createDetailError, getList, NOT_FOUND } from "./lists.ts";
import { type Json, ROOT } from "./present.ts";
import { presentNotification, presentNotificationTemplate } from "./present-resources.ts";
import type { Call } from "./route-access.ts";
import type { NotificationTemplate } from "./types.ts";
import type { Webhooks } from "./webhooks.ts";
import type { World } from "./world.ts";

type Handler = (call: Call, ...ids: number[]) => Reply;

export function createNotificationRoutes(world: World, webhooks: Webhooks): Map<string, Record<string, Handler>> {
	const sentBy = (id: number) => world.notifications.filter((one) => one.template.id === id);
	const find = (id: number | undefined): NotificationTemplate => {
		const found = world.notificationTemplates.get(id ?? 0);
		if (found === undefined) throw createDetailError(404, NOT_FOUND);
		return found;
	};
	const show = (one: NotificationTemplate, fresh = false) => presentNotificationTemplate(one, sentBy(one.id), fresh);
	const page = (call: Call, rows: readonly Json[], model: string): Reply => ({
		status: 200,
		body: getList(
			rows,
			(row) => row,
			(row) => row,
			{ model, path: call.path, query: call.query },
		),
	});

	const attach =
		(trigger: "started" | "success" | "error"): Handler =>
		(call, id) => {
			const template = world.templates.get(id ?? 0);
			if (template === undefined) throw createDetailError(404, NOT_FOUND);
			const { id: hook } = find(Number(call.body().id));
			if (!template.notify[trigger].includes(hook)) template.notify[trigger].push(hook);
			return { status: 204, body: "" };
		};

	return new Map<string, Record<string, Handler>>([
		[
			"notification_templates/",
			{
				GET: (call) =>
					page(
						call,
						[...world.notificationTemplates.values()].map((one) => show(one)),
						"NotificationTemplate",
					),
				POST: (call) => {
					const made = readTemplate(call.body(), world);
					world.notificationTemplates.set(made.id, made);
					return {
						status: 201,
						body: show(made, true),
						headers: { Location: `${ROOT}notification_templates/${made.id}/` },
					};
				},
			},
		],
		["notification_templates/:id/", { GET: (_call, id) => ({ status: 200, body: show(find(id)) }) }],
		[
			"notification_templates/:id/test/",
			{
				POST: (_call, id) => {
					const template = find(id);
					const next = world.ids.notification;
					const sent = webhooks.send(template, { body: `Test Notification ${next} ${world.uiUrl}` }, null);
					return {
						status: 202,
						body: { notification: sent.id, ...presentNotification(sent) },
						headers: { Location: `${ROOT}notifications/${sent.id}/` },
					};
				},
			},
		],
		[
			"notification_templates/:id/notifications/",
			{ GET: (call, id) => page(call, sentBy(find(id).id).map(presentNotification), "Notification") },
		],
		[
			"jobs/:id/notifications/",
			{
				GET: (call, id) =>
					page(call, world.notifications.filter(({ job }) => job === id).map(presentNotification), "Notification"),
			},
		],
		...["job_templates", "workflow_job_templates"].flatMap((collection) =>
			(["started", "success", "error"] as const).map((trigger): [string, Record<string, Handler>] => [
				`${collection}/:id/notification_templates_${trigger}/`,
				{ POST: attach(trigger) },
			]),
		),
	]);
}

function readTemplate(body: Json, world: World): NotificationTemplate {
	const given = (body.notification_configuration ?? {}) as Json;
	const missing = ["url", "headers"].filter((name) => given[name] === undefined);
	if (missing.length > 0) {
		const names = missing.map((name) => `'${name}'`).join(", ");
		throw new ApiError(400, {
			__all__: [`Missing required fields for Notification Configuration: [${names}].`],
		});
	}
	return {
		id: world.notificationTemplates.size + 1,
		name: String(body.name ?? ""),
		created: world.time.now(),
		url: String(given.url),
		method: given.http_method === "PUT" ? "PUT" : "POST",
		headers: given.headers as Record<string, string>,
		username: String(given.username ?? ""),
		password: String(given.password ?? ""),
	};
}
