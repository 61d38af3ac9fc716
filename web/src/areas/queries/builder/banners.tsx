/** Notices above the canvas: a restored draft, and what failed. */
import type { SavedQuery } from "@weft/contracts";
import { useEffect, useRef } from "react";
import { findProblem, type Problem } from "../../../platform/problem.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button, TextButton } from "../../../ui/button.tsx";
import { useLater } from "../../../ui/later.ts";
import { Banner, ProblemBanner } from "../../../ui/page.tsx";
import type { Draft } from "./drafts.ts";
import type { Doc } from "./model/canvas.ts";
import { getName } from "./model/describe.ts";
import { placeProblems } from "./model/problems.ts";
import { useDoc } from "./store.ts";
import type { Run } from "./use-run.ts";
import type { Save } from "./use-save.ts";

interface DraftBannerProps {
	readonly draft: Draft;
	readonly saved: SavedQuery | null;
	onDiscard(): void;
	onKeep(): void;
}

export function DraftBanner({ draft, saved, onDiscard, onKeep }: DraftBannerProps) {
	const times = useTimes();
	return (
		<div className="border-line border-b px-5 py-2">
			<Banner
				tone="info"
				title={`Unsaved draft from ${times.dateTime(draft.at)} restored`}
				detail={
					draft.base !== null && saved && draft.base !== saved.version_string
						? `It is based on ${draft.base}; ${saved.version_string} has been saved since.`
						: ""
				}
				action={
					<>
						<Button onClick={onDiscard}>Discard it</Button>
						<TextButton onClick={onKeep}>Keep it</TextButton>
					</>
				}
			/>
		</div>
	);
}

/** A refused canvas in words: nodes and edges by their titles, not by position. */
function explainProblem(doc: Doc, { status, fields, detail }: Problem): string {
	if (status !== 400 || !Object.keys(fields).some((path) => path.startsWith("flow_data"))) return detail;
	const { byId, general } = placeProblems(doc, fields);
	const placed = [...byId].map(([id, message]) => `${getName(doc, id)}: ${message}`);
	return [...placed, ...general].join(" ");
}

/** The failure of a run or of a save, until it is closed. */
export function FailureBanner({
	run: { begin, look, stop },
	save,
}: {
	readonly run: Run;
	readonly save: Save["action"];
}) {
	const doc = useDoc();
	const failure = begin.error ?? look.error ?? save.error ?? stop.error;
	const mistaken = failure !== null && findProblem(failure).status === 400;
	const shown = useRef(doc);
	// A mistake was one of the canvas that was sent: the next canvas may be without it.
	useEffect(() => {
		if (shown.current === doc) return;
		shown.current = doc;
		if (mistaken) for (const each of [begin, look, save]) each.reset();
	}, [doc, mistaken, begin, look, save]);
	const problem = useLater(() => import("../../../ui/save-problem.tsx"), failure !== null);
	if (failure === null) return null;
	const closeButton = (
		<TextButton
			onClick={() => {
				for (const each of [begin, look, save, stop]) each.reset();
			}}
		>
			Close
		</TextButton>
	);
	return (
		<div className="border-line border-b px-5 py-2">
			{mistaken ? (
				<Banner
					tone="bad"
					title={failure === save.error ? "Can't save this query." : "Can't run this query."}
					detail={explainProblem(doc, findProblem(failure))}
					action={closeButton}
				/>
			) : (
				<div className="flex flex-wrap items-center gap-2">
					<div className="min-w-0 flex-1">
						{problem === null ? (
							<ProblemBanner error={failure} />
						) : (
							<problem.SaveProblem error={failure} onSaveMine={() => save.mutate(undefined)} />
						)}
					</div>
					{closeButton}
				</div>
			)}
		</div>
	);
}
