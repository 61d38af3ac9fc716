/** Starts a query on the fabrics of a group, or on several fabrics. */
import type { GroupExecution } from "@weft/contracts";
import { groupExecutionRoutes } from "@weft/contracts/browser";
import type { Call } from "@weft/sdk";
import { callRoute, useAction } from "../../../platform/call.ts";

type Body = Call<typeof groupExecutionRoutes.create>["body"];

/** The content of a query that is not saved. */
export type Content = Pick<Body, "flow_data" | "post_processors" | "variables">;

interface GroupStart {
	/** The id of a saved query, or the content of one that is not saved. */
	readonly query: string | Content;
	readonly fabrics: { readonly connection_group: string } | { readonly connection_ids: string[] };
	/** By the ids of variables. */
	readonly values: Readonly<Record<string, unknown>>;
}

const startGroupRun = ({ query, fabrics, values }: GroupStart): Promise<GroupExecution> =>
	callRoute(groupExecutionRoutes.create, {
		body: {
			...(typeof query === "string" ? { saved_query_id: query } : query),
			...fabrics,
			variable_values: values,
		},
	});

/** @param onError without it the form that starts shows the failure */
export function useGroupStart<Input>(
	getStart: (input: Input) => GroupStart,
	onStarted: (execution: GroupExecution) => void,
	onError?: (error: unknown) => void,
) {
	return useAction((input: Input) => startGroupRun(getStart(input)), {
		stale: ["group_executions", "pipelines"],
		onSuccess: onStarted,
		...(onError === undefined ? {} : { onError }),
	});
}
