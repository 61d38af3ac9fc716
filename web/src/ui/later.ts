/** Chunks that are not needed first: fetched when the page is idle, or on demand. */
import { useEffect, useRef, useState } from "react";
import { reportProgramError } from "../platform/problem.ts";
import { showProblem } from "./toast.tsx";

const QUIET_MS = 1_500;

/** Null until it is there. `load` is an import, the same one at every call. */
export function useLater<Part extends object>(load: () => Promise<Part>, wanted: boolean): Part | null {
	const [part, setPart] = useState<Part | null>(null);
	const start = useRef(load);
	useEffect(() => {
		if (part !== null) return;
		// One that could not be fetched is asked for again when it is wanted again.
		if (wanted) return void start.current().then(setPart, showProblem);
		const timer = setTimeout(() => void start.current().then(setPart, reportProgramError), QUIET_MS);
		return () => clearTimeout(timer);
	}, [part, wanted]);
	return part;
}
