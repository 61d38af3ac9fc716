/** The WebSocket channel of notifications. */
import * as z from "zod";
import { defineChannel } from "../core/channel.ts";
import { notificationsChannelPath } from "./paths.ts";
import { notification } from "./shapes.ts";

export const notificationsChannel = defineChannel({
	...notificationsChannelPath,
	summary: "Every notification of the connected user, as it comes; begins with the number of unread ones",
	params: z.object({}),
	frames: {
		notification_created: notification.pick({
			id: true,
			category: true,
			severity: true,
			title: true,
			body: true,
			link: true,
		}),
		notification_read: z.object({ id: z.string() }),
		notification_deleted: z.object({ id: z.string() }),
		unread_count: z.object({ count: z.int() }),
	},
});
