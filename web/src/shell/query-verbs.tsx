/** What the palette does with the queries that it has found: run, schedule, compare. */
import { useNavigate } from "@tanstack/react-router";
import type { SavedQuerySummary } from "@weft/contracts";
import { backgroundRunRoutes, timeMachineRoutes } from "@weft/contracts/browser";
import { resolvePair } from "../areas/history/pair.ts";
import { callRoute } from "../platform/call.ts";
import { UserError } from "../platform/failures.ts";
import { findProblem } from "../platform/problem.ts";
import { useMay } from "../platform/profile.ts";
import { keepTarget, NO_TARGET, useTarget } from "../platform/target.ts";
import { showProblem, showToast } from "../ui/toast.tsx";
import { Group, Item } from "./palette-parts.tsx";

/** Queries that each verb is offered for. */
const MOST = 4;
/** Snapshots among which the one before is looked for. */
const RECENT = "50";
const VERB = /^(run|schedule|compare)\s+/i;

/** A text of the palette without the verb in front of a query's name. */
export const withoutVerb = (text: string): string => text.replace(VERB, "");

interface QueryVerbsProps {
	readonly queries: readonly SavedQuerySummary[];
	/** What the queries were found by. */
	readonly search: string;
	onLeave(): void;
}

export function QueryVerbs({ queries, search, onLeave }: QueryVerbsProps) {
	const navigate = useNavigate();
	const may = useMay();
	const target = useTarget();
	const failed = (error: unknown) => showProblem(error);
	const run = async (id: string) => {
		if (target === undefined) throw new UserError(NO_TARGET);
		const connection = target.id;
		keepTarget(connection);
		const body = { controller_connection_id: connection };
		const job = await callRoute(backgroundRunRoutes.start, { params: { id }, body }).catch((error: unknown) => {
			if (findProblem(error).status !== 400) throw error;
			return null;
		});
		// What a query asks before it runs is asked in the builder.
		if (job === null) await navigate({ to: "/builder/$id", params: { id } });
		else await navigate({ to: "/runs/$id", params: { id: job.id } });
	};
	const compare = async (id: string) => {
		const { snapshots } = await callRoute(timeMachineRoutes.list, { query: { saved_query_id: id, limit: RECENT } });
		const { from: earlier, to: later } = resolvePair(snapshots, undefined, undefined);
		if (later === undefined || earlier === undefined) return showToast("There are no two snapshots of one fabric yet.");
		await navigate({ to: "/time-machine/compare", search: { from: earlier.id, to: later.id, query: id } });
	};
	const verbs = [
		...(may("execute_savedquery") ? [{ verb: "Run", where: target ? ` on ${target.name}` : "", act: run }] : []),
		...(may("add_scheduledtask")
			? [{ verb: "Schedule", where: "", act: (id: string) => navigate({ to: "/schedules", search: { new: id } }) }]
			: []),
		...(may("view_snapshot") ? [{ verb: "Compare", where: " with its previous snapshot", act: compare }] : []),
	];
	if (search === "" || queries.length === 0 || verbs.length === 0) return null;
	return (
		<Group heading="With saved queries">
			{queries.slice(0, MOST).flatMap(({ id, name }) =>
				verbs.map(({ verb, where, act }) => (
					<Item
						key={`${verb} ${id}`}
						value={`${verb} ${name} ${id}`}
						keywords={[search]}
						onSelect={() => {
							onLeave();
							act(id).catch(failed);
						}}
					>
						{verb} {name}
						<span className="text-muted">{where}</span>
					</Item>
				)),
			)}
		</Group>
	);
}
