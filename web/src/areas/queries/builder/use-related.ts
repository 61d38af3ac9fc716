/** Classes that can follow a class on the canvas, with the numbers of their objects on a fabric. */
import { useQuery } from "@tanstack/react-query";
import { mimRoutes, planningRoutes } from "@weft/contracts/browser";
import { callRoute, useAnswer } from "../../../platform/call.ts";
import { useMay } from "../../../platform/profile.ts";
import { type ClassHint, COMMON_CLASSES } from "./model/common-classes.ts";
import type { ClassCounts } from "./store.ts";
import type { Follow } from "./use-class-choices.ts";

const LONG_MS = 10 * 60_000;
const COUNTS_MS = 60_000;
/** Classes that the service counts for one plan. */
const COUNTED_AT_ONCE = 25;

export interface Related {
	readonly children: readonly ClassHint[];
	readonly parents: readonly ClassHint[];
	readonly follows: readonly Follow[];
	readonly isLoading: boolean;
}

/** Children, parents and relations of a class in the model; empty without a model. */
export function useRelated(className: string): Related {
	const may = useMay()("view_modelclass");
	const { data, isLoading } = useAnswer(
		mimRoutes.relationships,
		{ params: { class_name: className }, query: { limit: "200" } },
		{ enabled: may && className !== "", staleTime: LONG_MS },
	);
	return {
		children: sortHints(data?.contained_classes ?? []),
		parents: sortHints(data?.containers ?? []),
		follows: (data?.associations ?? [])
			.filter(({ direction }) => direction === "to")
			.map(({ via, name }) => ({ relation: via, target: name })),
		isLoading,
	};
}

const RANKS = new Map(COMMON_CLASSES.map(({ name }, rank) => [name, rank]));
const getRank = (name: string): number => RANKS.get(name) ?? COMMON_CLASSES.length;

/** Sorts classes by name, common ones first. */
const sortHints = (classes: readonly { readonly name: string; readonly display_name: string }[]): ClassHint[] =>
	classes
		.map(({ name, display_name }) => ({ name, label: display_name }))
		.sort((a, b) => getRank(a.name) - getRank(b.name) || a.name.localeCompare(b.name));

/** Counts the objects of classes on a fabric, by the plan of a canvas of these classes alone. */
export function useClassCounts(
	names: readonly string[],
	connection: { readonly id: string; readonly name: string } | undefined,
): ClassCounts | null {
	const counted = names.slice(0, COUNTED_AT_ONCE);
	const nodes = counted.map((className, index) => ({
		id: `class-${index}`,
		type: "classNode",
		position: { x: 0, y: 0 },
		data: { className },
	}));
	const body = { flow_data: { nodes, edges: [] }, connection_id: connection?.id ?? null };
	const { data } = useQuery({
		queryKey: ["planning.class_counts", connection?.id, counted],
		queryFn: ({ signal }) => callRoute(planningRoutes.plan, { body }, signal),
		enabled: connection !== undefined && counted.length > 0,
		staleTime: COUNTS_MS,
		retry: false,
	});
	return connection === undefined || data === undefined ? null : { fabric: connection.name, byClass: data.counts };
}
