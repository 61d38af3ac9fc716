/** The unread count, updated live. Serious notifications are also shown as toasts. */
import { Link } from "@tanstack/react-router";
import { notificationsChannel } from "@weft/contracts/browser";
import { Bell as BellIcon } from "lucide-react";
import { useState } from "react";
import { invalidateAreas } from "../platform/call.ts";
import { formatPlural } from "../platform/format.ts";
import { useMay } from "../platform/profile.ts";
import { useChannel } from "../platform/sockets.ts";
import { showToast } from "../ui/toast.tsx";

const MOST = 99;
/** Areas of the API that a category tells of. */
const ABOUT: Readonly<Record<string, readonly string[]>> = {
	scheduled_task: ["schedules", "pipelines", "checks"],
	time_machine: ["time_machine"],
	system: ["mim_registry"],
};

export function Bell() {
	const allowed = useMay()("view_notification");
	const [unread, setUnread] = useState(0);
	useChannel(notificationsChannel, allowed ? {} : null, {
		frame(frame) {
			if (frame.type === "unread_count") {
				setUnread(frame.data.count);
				return;
			}
			void invalidateAreas("notifications");
			// What it is about has changed, too.
			if (frame.type === "notification_created") void invalidateAreas(...(ABOUT[frame.data.category] ?? []));
			const onPage = location.pathname.endsWith("/notifications");
			if (frame.type === "notification_created" && frame.data.severity !== "info" && !onPage)
				showToast(frame.data.title);
		},
	});
	if (!allowed) return null;
	const label = unread === 0 ? "Notifications: none unread" : `Notifications: ${formatPlural(unread, "unread one")}`;
	return (
		<Link
			to="/notifications"
			aria-label={label}
			data-tip={label}
			className="flex h-7 items-center gap-1.5 rounded-control px-1.5 hover:bg-sunken"
		>
			<BellIcon size={15} aria-hidden="true" />
			{unread > 0 && (
				<span className="num grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 font-medium text-2xs text-accent-fg">
					{unread > MOST ? `${MOST}+` : unread}
				</span>
			)}
		</Link>
	);
}
