/** Mail among the channels: its address, and whether it is on. */
import { Link } from "@tanstack/react-router";
import { notificationRoutes } from "@weft/contracts/browser";
import { CircleCheck, CirclePause } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { useProfile } from "../../platform/profile.ts";
import { Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";

const LINK = "rounded-cell text-accent-text underline";

export function MailChannel() {
	const { data } = useAnswer(notificationRoutes.preferences);
	const address = useProfile()?.email ?? "";
	const isOn = data?.email_enabled === true && address !== "";
	return (
		<Panel title="Mail" padded>
			<p className="m-0 flex flex-wrap items-center gap-2">
				<Pill tone={isOn ? "ok" : "neutral"} icon={isOn ? CircleCheck : CirclePause}>
					{isOn ? "On" : "Off"}
				</Pill>
				{address === "" ? (
					<span>
						Your{" "}
						<Link to="/me/profile" className={LINK}>
							profile
						</Link>{" "}
						has no mail address.
					</span>
				) : (
					<span>
						{isOn ? "Mails go to" : "Mails would go to"} <strong className="font-medium">{address}</strong>. Choose
						their kinds under{" "}
						<Link to="/settings/notifications" className={LINK}>
							My notifications
						</Link>
						.
					</span>
				)}
			</p>
		</Panel>
	);
}
