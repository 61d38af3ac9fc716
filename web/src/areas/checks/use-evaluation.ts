/** Evaluates a check, and waits for the states that follow. */
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { UserError } from "../../platform/failures.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { NO_TARGET, useTarget } from "../../platform/target.ts";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { buildEntryKey } from "./entries.ts";

const LOOK_MS = 2_000;
/** A cancelled run changes no state: waiting ends by itself. */
const WAIT_MS = 5 * 60_000;

export interface Evaluation {
	readonly isPending: boolean;
	start(): void;
}

export function useEvaluation(check: Check): Evaluation {
	const { id, states, controller_connection_ids } = check;
	const target = useTarget();
	/** When the states were evaluated before, and how many of them change. */
	const [awaited, setAwaited] = useState<{ readonly before: ReadonlyMap<string, string | null>; count: number } | null>(
		null,
	);
	useAnswer(checkRoutes.detail, { params: { id } }, { every: awaited === null ? false : LOOK_MS });
	const fresh = states.filter((entry) => awaited?.before.get(buildEntryKey(entry)) !== entry.last_evaluated_at).length;
	const isOver = awaited !== null && fresh >= awaited.count;
	useEffect(() => {
		if (awaited === null) return;
		if (isOver) return setAwaited(null);
		const timer = setTimeout(() => setAwaited(null), WAIT_MS);
		return () => clearTimeout(timer);
	}, [awaited, isOver]);
	const start = useAction(
		async () => {
			const before = new Map(states.map((entry) => [buildEntryKey(entry), entry.last_evaluated_at]));
			const evaluate = (body: { controller_connection_ids?: string[] }) =>
				callRoute(checkRoutes.evaluate, { params: { id }, body });
			const { runs } = await evaluate({}).catch((error: unknown) => {
				// A query that has not run on any connection yet runs on the default one.
				const isNew = states.length === 0 && controller_connection_ids.length === 0;
				if (!isNew || findProblem(error).status !== 400) throw error;
				if (target === undefined) throw new UserError(NO_TARGET);
				return evaluate({ controller_connection_ids: [target.id] });
			});
			return { before, runs };
		},
		{
			stale: ["pipelines"],
			onSuccess({ before, runs }) {
				const isAcross = before.has("all");
				// A check that is off keeps its states.
				if (check.is_active) setAwaited({ before, count: isAcross ? 1 : runs.length });
				showToast(`Running the query on ${formatPlural(runs.length, "fabric")}`);
			},
			onError: (error: unknown) => showProblem(error),
		},
	);
	return { isPending: start.isPending || awaited !== null, start: () => start.mutate() };
}
