/** What changed since yesterday, per fabric: counts, persons, and the most important changes. */
import { Link } from "@tanstack/react-router";
import type { ChangeSummary } from "@weft/contracts";
import { changeRoutes } from "@weft/contracts/browser";
import { useMemo } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { ObjectLink } from "../../ui/object-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { ComparisonLink, KINDS, TONES } from "../answers/changes/change-list.tsx";
import { listPersons } from "../answers/changes/group-changes.ts";

const EVERY_MS = 60_000;
const IMPORTANT = "5";
const PERSONS = 3;
const DAY_MS = 24 * 3_600_000;
const LINK = "rounded-cell font-medium text-accent-text hover:underline";

export function SinceYesterday() {
	// To the minute of opening: refreshed answers have the same beginning.
	const since = useMemo(() => new Date(Math.floor(Date.now() / EVERY_MS) * EVERY_MS - DAY_MS).toISOString(), []);
	const answer = useAnswer(
		changeRoutes.summary,
		{ query: { since, important: IMPORTANT } },
		{ staleTime: EVERY_MS, every: EVERY_MS },
	);
	return (
		<section aria-label="Since yesterday">
			<Panel
				title="Since yesterday"
				aside={
					<Link to="/changes" className={LINK}>
						All changes
					</Link>
				}
			>
				<Loaded answer={answer} lines={5}>
					{(summary) =>
						summary.totals.changes === 0 ? (
							<Empty>
								No snapshot shows a change since yesterday. Changes come from saved queries with snapshots and a
								schedule.
							</Empty>
						) : (
							<Summary summary={summary} />
						)
					}
				</Loaded>
			</Panel>
		</section>
	);
}

function Summary({ summary: { connections, important } }: { readonly summary: ChangeSummary }) {
	return (
		<>
			<ul aria-label="Changes by fabric" className="m-0 list-none p-0">
				{connections.map(({ id, name, added, deleted, modified, users, users_total }) => (
					<li key={id} className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-3 py-1">
						<Link to="/changes" search={{ fabric: id }} className={`min-w-24 flex-1 truncate ${LINK}`}>
							{name}
						</Link>
						<span className="num">{added} added</span>
						<span className="num">{deleted} deleted</span>
						<span className="num">{modified} changed</span>
						<span className="basis-full text-muted">{formatPersons(users, users_total)}</span>
					</li>
				))}
			</ul>
			<ul aria-label="Most important changes" className="m-0 list-none p-0">
				{important.map((change) => (
					<li
						key={change.id}
						className="flex min-h-9 items-center gap-3 border-line border-b px-3 last:border-b-0 max-sm:flex-wrap max-sm:gap-y-1 max-sm:py-1.5"
					>
						<Pill tone={TONES[change.severity]}>{change.severity}</Pill>
						<span className="shrink-0 text-muted">{KINDS[change.change].toLowerCase()}</span>
						<span className="min-w-0 flex-1 max-sm:order-last max-sm:basis-full">
							<ObjectLink dn={change.dn} connection={change.connection.id} />
						</span>
						<span className="max-w-1/4 truncate text-muted max-sm:hidden">{change.connection.name}</span>
						<span className="max-w-1/4 truncate text-muted max-sm:max-w-none max-sm:flex-1">
							{listPersons(change).join(", ")}
						</span>
						<ComparisonLink change={change} />
					</li>
				))}
			</ul>
		</>
	);
}

/** @param total persons that there are, of which `users` have the most changes */
function formatPersons(users: ChangeSummary["connections"][number]["users"], total: number): string {
	if (users.length === 0) return "by nobody known";
	const persons = users.slice(0, PERSONS).map(({ name, changes }) => `${name} (${changes})`);
	const others = total - persons.length;
	return `by ${persons.join(", ")}${others > 0 ? ` and ${formatPlural(others, "other person", "other persons")}` : ""}`;
}
