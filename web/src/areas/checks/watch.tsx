/** The warning on a check whose query no active schedule runs, with a button that makes one. */
import { Link, useNavigate } from "@tanstack/react-router";
import type { Check } from "@weft/contracts";
import { scheduleRoutes } from "@weft/contracts/browser";
import { CalendarClock } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useTarget } from "../../platform/target.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Banner } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { isUnwatched } from "./entries.ts";

const STALE = ["schedules", "checks"];

export function WatchBanner({ check }: { check: Check }) {
	const { schedules, saved_query } = check;
	const may = useMay();
	const times = useTimes();
	const navigate = useNavigate();
	const target = useTarget();
	const openForm = () => void navigate({ to: "/schedules", search: { new: saved_query } });
	const undo = useAction((id: string) => callRoute(scheduleRoutes.remove, { params: { id } }), {
		stale: STALE,
		onError: (error) => showToast(`${findProblem(error).title}. ${findProblem(error).detail}`),
	});
	const add = useAction(
		(connectionIds: readonly string[]) =>
			callRoute(scheduleRoutes.create, {
				body: {
					name: check.query_name,
					saved_query,
					controller_connection_ids: [...connectionIds],
					frequency: "hourly",
					minute_of_hour: 0,
					timezone: times.zone,
					email_on_failure: true,
				},
			}),
		{
			stale: STALE,
			onSuccess: ({ id, schedule_description }) =>
				showToast(`${check.query_name}: ${schedule_description}`, { label: "Undo", run: () => undo.mutate(id) }),
			onError: (error) => {
				const { title, detail, fields } = findProblem(error);
				const reasons = Object.values(fields).join(" ");
				showToast(`${title}. ${reasons || detail}`, { label: "Open the form", run: openForm });
			},
		},
	);
	if (!isUnwatched(check)) return null;
	const connectionIds = findConnectionIds(check, target?.id);
	const [paused] = schedules;
	return (
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
						<Button
							icon={CalendarClock}
							busy={add.isPending}
							onClick={() => (connectionIds.length === 0 ? openForm() : add.mutate(connectionIds))}
						>
							Run it every hour
						</Button>
					)
				)
			}
		/>
	);
}

/** The connections that the check looks at: named, evaluated before, or the default one. */
function findConnectionIds({ controller_connection_ids, states }: Check, fallback: string | undefined): string[] {
	if (controller_connection_ids.length > 0) return controller_connection_ids;
	const known = states.flatMap(({ controller_connection_id: id }) => (id === null ? [] : [id]));
	return known.length > 0 ? known : fallback === undefined ? [] : [fallback];
}
