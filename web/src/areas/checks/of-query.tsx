/** The checks of a query: how they stand, in a word, and the list of them behind it. */
import { Link } from "@tanstack/react-router";
import { checkRoutes } from "@weft/contracts/browser";
import { ListChecks, Plus } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { ButtonLink, TextButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/page.tsx";
import { findWorstEntry } from "./entries.ts";
import { useRunsEnding } from "./runs-ending.ts";
import { CheckFlags, CheckState, Marks, Severity } from "./words.tsx";

/** The worst ones; a query may have 200. */
const SHOWN = 50;

export function ChecksOfQuery({ id, name }: { id: string; name: string }) {
	const may = useMay();
	const times = useTimes();
	const [open, setOpen] = useState(false);
	const answer = useAnswer(
		checkRoutes.list,
		{ query: { query: id, ordering: "-state", page_size: String(SHOWN) } },
		{ enabled: may("view_check") },
	);
	useRunsEnding();
	if (answer.data === undefined) return null;
	const { count, results } = answer.data;
	const [worst] = results;
	return (
		<>
			<TextButton className="inline-flex items-center gap-1.5" onClick={() => setOpen(true)}>
				<ListChecks size={13} aria-hidden="true" />
				{count === 0 ? "No checks" : formatPlural(count, "check")}
				{worst && <CheckState state={worst.state} />}
			</TextButton>
			<Dialog
				open={open}
				side="right"
				title={`Checks of ${name}`}
				description="They are evaluated after each run of the query."
				onClose={() => setOpen(false)}
				actions={
					<>
						<ButtonLink to="/checks" search={{ query: id }}>
							Show in Checks
						</ButtonLink>
						{may("add_check") && (
							<ButtonLink variant="primary" icon={Plus} to="/checks/new" search={{ query: id }}>
								New check
							</ButtonLink>
						)}
					</>
				}
			>
				{count === 0 ? (
					<Empty icon={ListChecks}>No check says yet what the rows of this query must be.</Empty>
				) : (
					<ul aria-label="Checks of the query" className="m-0 list-none p-0">
						{results.map((check) => {
							const entry = findWorstEntry(check.states);
							return (
								<li key={check.id} className="flex flex-wrap items-center gap-2 border-line border-b py-2">
									<Link
										to="/checks/$id"
										params={{ id: check.id }}
										className="min-w-32 flex-1 truncate rounded-cell font-medium hover:underline"
										title={check.name}
									>
										{check.name}
									</Link>
									<CheckFlags check={check} />
									{entry && <Marks entry={entry} />}
									{entry && <span className="text-muted text-xs">{times.relative(entry.since)}</span>}
									<Severity severity={check.severity} />
									<CheckState state={check.state} />
								</li>
							);
						})}
					</ul>
				)}
				{count > results.length && <p className="m-0 mt-2 text-muted">{`The worst ${results.length} of ${count}.`}</p>}
			</Dialog>
		</>
	);
}
