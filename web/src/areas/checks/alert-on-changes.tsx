/** "Alert on changes": one click makes the alert, and a banner names its parts and recipients. */
import { Link } from "@tanstack/react-router";
import { BellPlus, Pencil, Undo2 } from "lucide-react";
import { useState } from "react";
import { useAction } from "../../platform/call.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { useTarget } from "../../platform/target.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Banner } from "../../ui/page.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { type ChangeAlert, createChangeAlert, describeReceivers, removeChangeAlert } from "./change-alert.ts";

const STALE = ["checks", "schedules", "saved_queries"];

/**
 * Returns the button and the banner of its result, for two places of a page.
 * @param connectionIds connections of a new schedule; if empty, the default fabric
 */
export function useChangeAlert(queryId: string, connectionIds: readonly string[]) {
	const may = useMay();
	const profile = useProfile();
	const target = useTarget();
	const times = useTimes();
	const [alert, setAlert] = useState<ChangeAlert | null>(null);
	const fallback = target === undefined ? [] : [target.id];
	const make = useAction(
		() =>
			createChangeAlert({
				queryId,
				connectionIds: connectionIds.length > 0 ? connectionIds : fallback,
				email: profile?.email ?? "",
				zone: times.zone,
				maySchedule: may("add_scheduledtask"),
				userId: profile?.id ?? 0,
			}),
		{ stale: STALE, onSuccess: setAlert, onError: (error) => showProblem(error) },
	);
	const undo = useAction((made: ChangeAlert) => removeChangeAlert(made), {
		stale: STALE,
		onSuccess() {
			setAlert(null);
			showToast("The alert on changes is undone");
		},
		onError: (error) => showProblem(error),
	});
	const canMake = may("add_check") && profile !== undefined;
	return {
		button: canMake && alert === null && (
			<Button icon={BellPlus} busy={make.isPending} onClick={() => make.mutate(undefined)}>
				Alert on changes
			</Button>
		),
		result: alert !== null && <AlertBanner alert={alert} isBusy={undo.isPending} onUndo={() => undo.mutate(alert)} />,
	};
}

interface AlertBannerProps {
	readonly alert: ChangeAlert;
	readonly isBusy: boolean;
	onUndo(): void;
}

function AlertBanner({ alert, isBusy, onUndo }: AlertBannerProps) {
	const { check, wasThere, receivers, hasSwitchedSnapshotsOn, scheduleId } = alert;
	const isReached = receivers.length > 0;
	const link = (
		<Link to="/checks/$id" params={{ id: check.id }} className="text-accent-text underline">
			{check.name}
		</Link>
	);
	return (
		<Banner
			tone={isReached && check.is_watched ? "ok" : "warn"}
			title={wasThere ? <>The check {link} already alerts on changes.</> : <>The check {link} was added.</>}
			detail={
				<>
					{hasSwitchedSnapshotsOn && "Snapshots of the query are on now. "}
					{scheduleId !== null && "A schedule runs the query every 15 minutes. "}
					{!check.is_watched && "No active schedule runs the query: it is evaluated only when you run it. "}
					{describeReceivers(receivers)}{" "}
					{!isReached && (
						<Link to="/settings/notifications" className="text-accent-text underline">
							Choose how you are notified
						</Link>
					)}
				</>
			}
			action={
				<span className="flex gap-2">
					{!wasThere && (
						<Button icon={Undo2} busy={isBusy} onClick={onUndo}>
							Undo
						</Button>
					)}
					<ButtonLink icon={Pencil} to="/checks/$id/edit" params={{ id: check.id }}>
						Edit
					</ButtonLink>
				</span>
			}
		/>
	);
}
