/** Runs the query once, so that its result becomes a snapshot. */
import { backgroundRunRoutes } from "@weft/contracts/browser";
import { Camera } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { UserError } from "../../platform/failures.ts";
import { keepTarget, NO_TARGET, useTarget, useTargets } from "../../platform/target.ts";
import { Button } from "../../ui/button.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";

interface CaptureButtonProps {
	readonly queryId: string;
	/** The controller whose snapshots are shown; undefined: those of all. */
	readonly controller: string | undefined;
}

export function CaptureButton({ queryId, controller }: CaptureButtonProps) {
	const standard = useTarget();
	const targets = useTargets();
	// A capture beside the snapshots of one controller is of that controller.
	const target = controller === undefined ? standard : targets.find(({ id }) => id === controller);
	const capture = useAction(
		async () => {
			if (target === undefined) throw new UserError(NO_TARGET);
			if (controller === undefined) keepTarget(target.id);
			return callRoute(backgroundRunRoutes.start, {
				params: { id: queryId },
				body: { controller_connection_id: target.id },
			});
		},
		{
			stale: ["pipelines"],
			onSuccess: () =>
				showToast(
					`Running on ${target?.name}. The snapshot appears when the run ends, unless it equals the latest one.`,
				),
			onError: (error: unknown) => showProblem(error),
		},
	);
	return (
		<Button icon={Camera} busy={capture.isPending} onClick={() => capture.mutate()}>
			<span className="max-w-44 truncate">{target ? `Capture on ${target.name}` : "Capture now"}</span>
		</Button>
	);
}
