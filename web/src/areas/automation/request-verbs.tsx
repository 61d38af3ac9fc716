/** Actions of the requester on a request: edit, launch, cancel, run again, roll back. */
import { getRouteApi } from "@tanstack/react-router";
import type { AutomationRequestDetail } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import { Ban, Pencil, Play, RotateCcw, Undo2 } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useProfile } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { buildLaunchBody, showLaunchProblem, useFreezeOverride } from "../calendar/held.tsx";
import { AskAboutJob, type Question } from "./words.tsx";

const route = getRouteApi("/app/automation/requests/$id");

type Verb = "execute" | "cancel" | "retry" | "rollback";

interface Act {
	readonly verb: Verb;
	/** The reason for a launch during a freeze. */
	readonly override: string | undefined;
}

const ACTS: Readonly<Record<Verb, (id: string, override?: string) => Promise<AutomationRequestDetail>>> = {
	execute: (id, override) =>
		callRoute(automationRequestRoutes.execute, { params: { id }, body: buildLaunchBody(override) }),
	cancel: (id) => callRoute(automationRequestRoutes.cancel, { params: { id } }),
	retry: (id, override) =>
		callRoute(automationRequestRoutes.retry, { params: { id }, body: buildLaunchBody(override) }),
	rollback: (id) => callRoute(automationRequestRoutes.rollback, { params: { id }, body: {} }),
};

/** Whether the user has made the request or is an administrator. */
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
	const act = useAction(({ verb, override }: Act) => ACTS[verb](id, override), {
		stale: ["automation_requests", "automation_executions"],
		onSuccess(answer, { verb }) {
			if (verb === "rollback") void navigate({ to: "/automation/requests/$id", params: { id: answer.id } });
			else onRefresh();
		},
		onError: showLaunchProblem,
	});
	const freeze = useFreezeOverride((verb: Verb, override) => act.mutateAsync({ verb, override }));
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
					onConfirm={() => freeze.run(asked)}
					onClose={() => setAsked(null)}
				/>
			)}
			{freeze.dialog}
		</>
	);
}
