/** A launch that waits for its change window, and the way to the window. */
import { Link } from "@tanstack/react-router";
import type { AutomationExecution } from "@weft/contracts";
import { Banner } from "../../ui/page.tsx";

type Held = Pick<AutomationExecution, "launch_state" | "change_window">;

/** Whether nothing is sent before the change window opens. */
export const isHeld = ({ launch_state }: Held): boolean =>
	launch_state === "waiting_before" || launch_state === "blocked";

/** Nothing for a launch without a change window. */
export function LaunchGate({ execution }: { execution: Held }) {
	const { launch_state, change_window } = execution;
	if (change_window === null) return null;
	return (
		<>
			{launch_state === "waiting_before" && (
				<Banner
					tone="info"
					title="Waiting for the before-phase."
					detail="The job is launched when the gate has passed."
				/>
			)}
			{launch_state === "blocked" && (
				<Banner
					tone="bad"
					title="Blocked."
					detail="The gate of the change window did not pass. Nothing was sent: check again or override the gate in the window."
				/>
			)}
			<WindowLink id={change_window} />
		</>
	);
}

export const WindowLink = ({ id }: { id: string }) => (
	<Link to="/change-windows/$id" params={{ id }} className="self-start rounded-cell font-medium hover:underline">
		Open the change window
	</Link>
);
