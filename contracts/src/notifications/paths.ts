/** Addresses of notifications: one entry per route, and the channel. */

export const notificationPaths = {
	list: { id: "notifications.list", method: "GET", path: "/api/notifications/notifications/", auth: "bearer" },
	markRead: {
		id: "notifications.mark_read",
		method: "POST",
		path: "/api/notifications/notifications/:id/mark_read/",
		auth: "bearer",
	},
	markAllRead: {
		id: "notifications.mark_all_read",
		method: "POST",
		path: "/api/notifications/notifications/mark_all_read/",
		auth: "bearer",
	},
	unreadCount: {
		id: "notifications.unread_count",
		method: "GET",
		path: "/api/notifications/notifications/unread_count/",
		auth: "bearer",
	},
	remove: {
		id: "notifications.delete",
		method: "DELETE",
		path: "/api/notifications/notifications/:id/",
		auth: "bearer",
	},
	preferences: {
		id: "notifications.preferences",
		method: "GET",
		path: "/api/notifications/preferences/",
		auth: "bearer",
	},
	changePreferences: {
		id: "notifications.change_preferences",
		method: "PATCH",
		path: "/api/notifications/preferences/",
		auth: "bearer",
	},
	announce: { id: "notifications.announce", method: "POST", path: "/api/notifications/announcements/", auth: "bearer" },
} as const;

export const notificationsChannelPath = {
	path: "/ws/notifications/",
	frameTypes: ["notification_created", "notification_read", "notification_deleted", "unread_count"],
	final: [],
} as const;
