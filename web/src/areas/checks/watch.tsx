/** The warning on a check whose query no active schedule runs, with a button that mends it. */
import { Link } from "@tanstack/react-router";
import type { Check } from "@weft/contracts";
import { BellRing, CalendarClock } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Banner } from "../../ui/page.tsx";
import { isUnwatched } from "./entries.ts";
import { WatchDialog } from "./watch-dialog.tsx";

export function WatchBanner({ check }: { check: Check }) {
	const may = useMay();
	const [isOpen, setIsOpen] = useState(false);
	if (!isUnwatched(check)) return null;
	const [paused] = check.schedules;
	return (
		<>
			<Banner
				tone="warn"
				title="No schedule runs this check's query."
				detail={
					<>
						It is evaluated only when you run it.
						{paused && (
							<>
								{" "}
								<Link to="/schedules/$id" params={{ id: paused.id }} className="text-accent-text underline">
									{paused.name}
								</Link>{" "}
								is paused.
							</>
						)}
					</>
				}
				action={
					paused ? (
						<ButtonLink icon={CalendarClock} to="/schedules/$id" params={{ id: paused.id }}>
							Open the schedule
						</ButtonLink>
					) : (
						may("add_scheduledtask") && (
							<Button icon={BellRing} onClick={() => setIsOpen(true)}>
								Watch this check
							</Button>
						)
					)
				}
			/>
			{isOpen && <WatchDialog check={check} onClose={() => setIsOpen(false)} />}
		</>
	);
}
