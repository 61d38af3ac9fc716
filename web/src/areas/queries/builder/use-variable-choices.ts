/** Choices for variables: values on the fabric of the properties that filters compare with them. */
import { useQuery } from "@tanstack/react-query";
import { planningRoutes } from "@weft/contracts/browser";
import { callRoute } from "../../../platform/call.ts";
import { useMay } from "../../../platform/profile.ts";
import { useTarget } from "../../../platform/target.ts";
import type { VariableUse } from "./model/variables.ts";

const FRESH_MS = 60_000;

type Choices = Readonly<Record<string, readonly string[]>>;

/** Empty where no filter compares a property with a variable, or the fabric does not answer. */
export function useVariableChoices(wanted: readonly VariableUse[]): Choices {
	const target = useTarget();
	const may = useMay()("execute_savedquery");
	const { data } = useQuery({
		queryKey: ["planning.variable_choices", target?.id, wanted],
		queryFn: async ({ signal }): Promise<Choices> => {
			const entries = await Promise.all(
				wanted.map(async ({ variable, className, property }) => {
					const values = await readValues(target?.id ?? "", className, property, signal).catch(() => []);
					return [variable, values] as const;
				}),
			);
			return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
		},
		enabled: may && target !== undefined && wanted.length > 0,
		staleTime: FRESH_MS,
		retry: false,
	});
	return data ?? {};
}

/** Distinct values of the first objects of a class. */
async function readValues(
	connectionId: string,
	className: string,
	property: string,
	signal: AbortSignal,
): Promise<string[]> {
	const node = { id: "class", type: "classNode", position: { x: 0, y: 0 }, data: { className, orderBy: property } };
	const body = { flow_data: { nodes: [node], edges: [] }, node_id: node.id, connection_id: connectionId };
	const { rows } = await callRoute(planningRoutes.preview, { body }, signal);
	const values = rows.map((row) => {
		const object = row[className] as { attributes?: Record<string, unknown> } | undefined;
		return object?.attributes?.[property];
	});
	return [...new Set(values.filter((value) => typeof value === "string" && value !== ""))] as string[];
}
