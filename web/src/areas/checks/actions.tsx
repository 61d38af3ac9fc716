/** The verbs of a check, each as the service allows it. */
import { useNavigate } from "@tanstack/react-router";
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { BellOff, BellRing, CalendarClock, Ellipsis, Pencil, PlayCircle, Trash2, UserCheck } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useProfile } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { AcknowledgeDialog } from "./acknowledge.tsx";
import { isMuted, isProblem } from "./entries.ts";
import { MuteDialog } from "./mute.tsx";
import type { Evaluation } from "./use-evaluation.ts";

interface ActionsProps {
	readonly check: Check;
	readonly evaluation: Evaluation;
}

export function CheckActions({ check, evaluation }: ActionsProps) {
	const { id, name, states, can_edit, created_by } = check;
	const may = useMay();
	const profile = useProfile();
	const navigate = useNavigate();
	const [open, setOpen] = useState<"acknowledge" | "mute" | "remove" | null>(null);
	const unmute = useAction(() => callRoute(checkRoutes.mute, { params: { id }, body: { until: null } }), {
		stale: ["checks"],
		onSuccess: () => showToast(`${name}: notifications are sent again`),
		onError: (error: unknown) => showProblem(error),
	});
	const remove = useAction(() => callRoute(checkRoutes.remove, { params: { id } }), {
		stale: ["checks"],
		onSuccess: () => void navigate({ to: "/checks" }),
	});
	const isOwner = profile !== undefined && (profile.is_admin || profile.id === created_by.id);
	const can = {
		evaluate: may("execute_savedquery"),
		acknowledge: may("change_check") && states.some(isProblem),
		remove: isOwner && may("delete_check"),
		schedule: may("add_scheduledtask"),
	};
	const edit = () => void navigate({ to: "/checks/$id/edit", params: { id } });
	const muted = [check, ...states].some((one) => isMuted(one, Date.now()));
	useCommands([
		...(can.evaluate
			? [{ id: "check.evaluate", label: "Evaluate the check now", group: "Check", keys: "r", run: evaluation.start }]
			: []),
		...(can.acknowledge
			? [
					{
						id: "check.acknowledge",
						label: "Acknowledge the problem",
						group: "Check",
						keys: "a",
						run: () => setOpen("acknowledge"),
					},
				]
			: []),
		...(can_edit
			? [
					{ id: "check.mute", label: "Mute the check", group: "Check", run: () => setOpen("mute") },
					{ id: "check.edit", label: "Edit the check", group: "Check", keys: "e", run: edit },
				]
			: []),
	]);
	const more = [
		[
			...(can_edit ? [{ label: "Mute", icon: BellOff, run: () => setOpen("mute") }] : []),
			...(can_edit && muted ? [{ label: "End mute", icon: BellRing, run: () => unmute.mutate() }] : []),
			...(can.schedule
				? [
						{
							label: "Schedule the query",
							icon: CalendarClock,
							run: () => void navigate({ to: "/schedules", search: { new: check.saved_query } }),
						},
					]
				: []),
		],
		can.remove ? [{ label: "Delete", icon: Trash2, danger: true, run: () => setOpen("remove") }] : [],
	].filter((group) => group.length > 0);
	return (
		<>
			<CopyAs call={() => ({ route: checkRoutes.detail, params: { id } })} />
			{more.length > 0 && <Menu trigger={<IconButton label="More about this check" icon={Ellipsis} />} groups={more} />}
			{can.acknowledge && (
				<Button icon={UserCheck} keys="a" onClick={() => setOpen("acknowledge")}>
					Acknowledge
				</Button>
			)}
			{can.evaluate && (
				<Button icon={PlayCircle} keys="r" busy={evaluation.isPending} onClick={evaluation.start}>
					{evaluation.isPending ? "Evaluating" : "Evaluate now"}
				</Button>
			)}
			{can_edit && (
				<Button variant="primary" icon={Pencil} keys="e" onClick={edit}>
					Edit
				</Button>
			)}
			{open === "acknowledge" && <AcknowledgeDialog check={check} onClose={() => setOpen(null)} />}
			{open === "mute" && <MuteDialog check={check} onClose={() => setOpen(null)} />}
			<Confirm
				open={open === "remove"}
				title={`Delete ${name}?`}
				verb="Delete the check"
				onConfirm={() => remove.mutateAsync()}
				onClose={() => setOpen(null)}
			>
				<p className="m-0">Its states, evidence and history go with it. The query and its runs stay.</p>
			</Confirm>
		</>
	);
}
