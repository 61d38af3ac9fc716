/** The pages of notifications: the user's own kinds, the channels, and their deliveries. */
import { SectionFrame, type SectionFrameProps, SectionNav, type SectionPage } from "../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/settings/notifications", label: "My notifications" },
	{ to: "/settings/notifications/channels", label: "Channels" },
	{ to: "/settings/notifications/deliveries", label: "Deliveries" },
];

export const NotificationsFrame = ({ children, ...props }: SectionFrameProps) => (
	<SectionFrame crumb="Settings" nav={<SectionNav label="Notifications and channels" pages={PAGES} />} {...props}>
		<div className="flex flex-col gap-3">{children}</div>
	</SectionFrame>
);
