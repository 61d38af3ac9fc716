/** Events of a change window, newest first. */
import { changeWindowRoutes } from "@weft/contracts/browser";
import { useEffect } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useTimes } from "../../platform/profile.ts";
import { Loaded, Panel } from "../../ui/page.tsx";

const WORDS: Readonly<Record<string, string>> = {
	create: "made it",
	update: "changed it",
	submit: "submitted it",
	approve: "approved it",
	reject: "rejected it",
	start: "started it",
	round: "took a round",
	gate: "checked the state before the work",
	retry: "checked again",
	override: "opened it despite the gate",
	finish: "ended the work",
	judge: "judged it",
	recheck: "checked again after the work",
	rollback: "rolled jobs back",
	accept: "accepted a finding",
	expect: "changed the expectations",
	attach_evidence: "attached results of the pre-upgrade script",
	remove_evidence: "removed results of the pre-upgrade script",
	cancel: "cancelled it",
	expire: "ended it",
	sign: "signed it",
};

export function WindowEvents({ id, updatedAt }: { id: string; updatedAt: string }) {
	const times = useTimes();
	const answer = useAnswer(changeWindowRoutes.events, { params: { id } });
	const { refetch } = answer;
	// biome-ignore lint/correctness/useExhaustiveDependencies: each version of the window has events of its own
	useEffect(() => void refetch(), [updatedAt, refetch]);
	return (
		<Panel title="Events">
			<Loaded answer={answer} lines={3}>
				{({ results }) => (
					<ol className="m-0 list-none divide-y divide-line p-0">
						{results.toReversed().map(({ id: event, at, user, event: kind, detail }) => (
							<li key={event} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-1.5">
								<span className="num text-muted text-xs">{times.dateTime(at)}</span>
								<span>
									{user ?? "Weft"} {WORDS[kind] ?? kind}
								</span>
								{detail !== "" && <span className="min-w-0 break-words text-muted">{detail}</span>}
							</li>
						))}
					</ol>
				)}
			</Loaded>
		</Panel>
	);
}
