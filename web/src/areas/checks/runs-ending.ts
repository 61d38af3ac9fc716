/** States of checks follow the runs that the frame of the page watches anyway. */
import { useEffect, useRef } from "react";
import { invalidateAreas } from "../../platform/call.ts";
import { isUnderWay, useRecentJobs } from "../../shell/jobs.ts";

/** Checks are evaluated just after the end of a run. */
const EVALUATED_MS = 2_000;

/** Asks for checks anew when a run has ended. */
export function useRunsEnding(): void {
	const under = (useRecentJobs().data?.results ?? [])
		.filter(isUnderWay)
		.map(({ id }) => id)
		.join();
	const before = useRef(under);
	useEffect(() => {
		const hasEnded = before.current.split(",").some((id) => id !== "" && !under.includes(id));
		before.current = under;
		if (!hasEnded) return;
		void invalidateAreas("checks");
		const timer = setTimeout(() => void invalidateAreas("checks"), EVALUATED_MS);
		return () => clearTimeout(timer);
	}, [under]);
}
