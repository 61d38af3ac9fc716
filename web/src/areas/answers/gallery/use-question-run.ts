/** Starts a question on a fabric or a group. */
import type { Question } from "@weft/contracts";
import { galleryRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../../platform/call.ts";
import { keepTarget } from "../../../platform/target.ts";
import { showProblem } from "../../../ui/toast.tsx";

interface QuestionStart {
	/** `connection ID` or `group ID`. */
	readonly place: string;
	readonly values: Readonly<Record<string, unknown>>;
}

/** @param onStarted takes the id of the group run */
export function useQuestionRun({ key }: Question, onStarted: (id: string) => void) {
	return useAction(
		({ place, values }: QuestionStart) => {
			const [kind, id = ""] = place.split(" ");
			if (kind === "connection") keepTarget(id);
			const target = kind === "group" ? { connection_group_id: id } : { controller_connection_ids: [id] };
			return callRoute(galleryRoutes.run, { params: { key }, body: { ...target, variable_values: values } });
		},
		{
			stale: ["group_executions", "pipelines"],
			onSuccess: ({ id }) => onStarted(id),
			onError: (error) => showProblem(error),
		},
	);
}
