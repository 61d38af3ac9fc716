/** Buttons that make a new request with the rows that the newest job of a request left open. */
import { useNavigate } from "@tanstack/react-router";
import type { AutomationRequestCopy, AutomationRowResults } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import { Copy, CopyPlus } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";

type CopiedRows = AutomationRequestCopy["rows"];

/** Makes a copy of a request, and shows it. */
function useCopyRequest(id: string) {
	const navigate = useNavigate();
	return useAction((rows: CopiedRows) => callRoute(automationRequestRoutes.copy, { params: { id }, body: { rows } }), {
		stale: ["automation_requests"],
		onSuccess(made) {
			showToast("A new request was made. It launches nothing yet.");
			void navigate({ to: "/automation/requests/$id", params: { id: made.id } });
		},
		onError: (error: unknown) => showProblem(error),
	});
}

/** Makes a new request with all rows, whatever became of the one before. */
export function UseAgain({ id }: { id: string }) {
	const may = useMay();
	const copy = useCopyRequest(id);
	if (!may("add_automationrequest")) return null;
	return (
		<Button icon={Copy} busy={copy.isPending} onClick={() => copy.mutate("all")}>
			Use again
		</Button>
	);
}

/** Nothing while a job runs, and where it left no row open. */
export function CopyRows({ id, summary }: { id: string; summary: AutomationRowResults["summary"] }) {
	const may = useMay();
	const copy = useCopyRequest(id);
	if (!may("add_automationrequest")) return null;
	const open = {
		failed: summary.failed + summary.unreachable,
		unknown: summary.unknown + summary.censored,
	};
	return (["failed", "unknown"] as const)
		.filter((rows) => open[rows] > 0)
		.map((rows) => (
			<Button key={rows} icon={CopyPlus} disabled={copy.isPending} onClick={() => copy.mutate(rows)}>
				New request with {formatPlural(open[rows], `${rows} row`)}
			</Button>
		));
}
