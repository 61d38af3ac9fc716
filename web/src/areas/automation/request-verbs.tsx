/** What the requester does with a request: edit, launch, cancel, run again, roll back. */
import { getRouteApi } from "@tanstack/react-router";
import type { AutomationRequestDetail, FreezeRef } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import { Ban, Pencil, Play, RotateCcw, Undo2 } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useProfile } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { FreezeDialog, findFreeze } from "../calendar/held.tsx";
import { AskAboutJob, type Question } from "./words.tsx";

const route = getRouteApi("/app/automation/requests/$id");

type Verb = "execute" | "cancel" | "retry" | "rollback";

/** A verb, for a launch with the reason why it is carried out during a freeze. */
interface Act {
	readonly verb: Verb;
	readonly override?: string;
}

const getLaunchBody = ({ override }: Act) => (override === undefined ? {} : { override_freeze: { reason: override } });

const ACTS: Readonly<Record<Verb, (id: string, act: Act) => Promise<AutomationRequestDetail>>> = {
	execute: (id, act) => callRoute(automationRequestRoutes.execute, { params: { id }, body: getLaunchBody(act) }),
	cancel: (id) => callRoute(automationRequestRoutes.cancel, { params: { id } }),
	retry: (id, act) => callRoute(automationRequestRoutes.retry, { params: { id }, body: getLaunchBody(act) }),
	rollback: (id) => callRoute(automationRequestRoutes.rollback, { params: { id }, body: {} }),
};

/** Whether the request is the user's own, or the user an administrator. */
export function useIsOwn({ requested_by }: AutomationRequestDetail): boolean {
	const profile = useProfile();
	return profile !== undefined && (profile.is_admin || profile.username === requested_by);
}

export function Verbs({ request, onRefresh }: { request: AutomationRequestDetail; onRefresh(): void }) {
	const { id, title, status, check_mode, can_execute, can_cancel, can_edit, can_rollback } = request;
	const navigate = route.useNavigate();
	const may = useMay();
	const isOwn = useIsOwn(request);
	const [asked, setAsked] = useState<Verb | null>(null);
	const canRetry = (status === "failed" || status === "cancelled") && isOwn && may("launch_automationrequest");
	const [refused, setRefused] = useState<{ verb: Verb; freeze: FreezeRef } | null>(null);
	const act = useAction((one: Act) => ACTS[one.verb](id, one), {
		stale: ["automation_requests", "automation_executions"],
		onSuccess(answer, { verb }) {
			if (verb === "rollback") void navigate({ to: "/automation/requests/$id", params: { id: answer.id } });
			else onRefresh();
		},
		onError(error: unknown) {
			if (findFreeze(error) === null) showProblem(error);
		},
	});
	/** A freeze is answered by a dialog of its own. */
	const confirm = async (verb: Verb) => {
		await act.mutateAsync({ verb }).catch((error: unknown) => {
			const freeze = findFreeze(error);
			if (freeze === null) throw error;
			setRefused({ verb, freeze });
		});
	};
	const where = request.target_controller_name || request.automation_connection_name;
	const launch = check_mode ? "Start the dry run" : "Launch the job";
	const words: Record<Verb, Question> = {
		execute: [
			`${launch}?`,
			launch,
			check_mode
				? `The job checks ${formatPlural(request.row_count, "row")} against ${where} and changes nothing.`
				: `The job applies ${formatPlural(request.row_count, "row")} to ${where}. This changes the network.`,
		],
		retry: [
			"Launch it again?",
			launch,
			`All ${formatPlural(request.row_count, "row")} are sent again, also those that are done. ` +
				(check_mode ? "It is a dry run." : "This changes the network."),
		],
		cancel: [
			`Cancel "${title}"?`,
			"Cancel the request",
			status === "running"
				? "The job is cancelled on the server. What it has changed already stays."
				: "It will not be launched.",
		],
		rollback: [
			"Roll back?",
			"Request the rollback",
			"A new request with the template's rollback is made. It launches nothing yet.",
		],
	};
	return (
		<>
			{can_rollback && (
				<Button icon={Undo2} onClick={() => setAsked("rollback")}>
					Roll back
				</Button>
			)}
			{can_edit && (
				<ButtonLink
					{...(status === "rejected" ? { variant: "primary" as const } : {})}
					icon={Pencil}
					to="/automation/requests/$id/edit"
					params={{ id }}
				>
					{status === "rejected" ? "Edit and submit again" : "Edit"}
				</ButtonLink>
			)}
			{can_cancel && (
				<Button icon={Ban} onClick={() => setAsked("cancel")}>
					Cancel request
				</Button>
			)}
			{canRetry && (
				<Button icon={RotateCcw} onClick={() => setAsked("retry")}>
					Run again (all {formatPlural(request.row_count, "row")})
				</Button>
			)}
			{can_execute && (
				<Button variant="primary" icon={Play} onClick={() => setAsked("execute")}>
					{launch}
				</Button>
			)}
			{asked !== null && (
				<AskAboutJob
					question={words[asked]}
					dryRun={check_mode}
					onConfirm={() => confirm(asked)}
					onClose={() => setAsked(null)}
				/>
			)}
			{refused !== null && (
				<FreezeDialog
					freeze={refused.freeze}
					onOverride={(override) => act.mutateAsync({ verb: refused.verb, override })}
					onClose={() => setRefused(null)}
				/>
			)}
		</>
	);
}
