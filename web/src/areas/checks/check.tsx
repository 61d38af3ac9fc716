/** One check: what it expects, its state per connection, evidence, history, and its verbs. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { useEffect, useRef } from "react";
import { invalidateAreas, useAnswer } from "../../platform/call.ts";
import { formatPerson, formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { Banner, PageHead, Panel } from "../../ui/page.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { HeldBanner } from "../calendar/held.tsx";
import { CheckActions } from "./actions.tsx";
import { getDefinition } from "./describe.ts";
import { buildEntryKey, findWorstEntry } from "./entries.ts";
import { Evidence } from "./evidence.tsx";
import { History } from "./history.tsx";
import { useRunsEnding } from "./runs-ending.ts";
import { StateTable } from "./state-table.tsx";
import { useEvaluation } from "./use-evaluation.ts";
import { Violations } from "./violations.tsx";
import { WatchBanner } from "./watch.tsx";
import { CheckFlags, CheckState, Severity, TYPE_NAMES } from "./words.tsx";

const route = getRouteApi("/app/checks/$id");
const CRUMBS = [{ label: "Checks", to: "/checks" as const }];
const EVERY_MS = 60_000;

export function CheckPage() {
	const { id } = route.useParams();
	const answer = useAnswer(checkRoutes.detail, { params: { id } }, { every: EVERY_MS });
	useRunsEnding();
	if (answer.data === undefined) {
		return (
			<Unloaded
				what="Check"
				crumbs={CRUMBS}
				error={answer.error}
				gone="A check is deleted with its query."
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	return <CheckView key={id} check={answer.data} />;
}

function CheckView({ check }: { check: Check }) {
	const { states } = check;
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const evaluation = useEvaluation(check);
	useFreshParts(check);
	const shown = states.find((entry) => buildEntryKey(entry) === search.connection) ?? findWorstEntry(states);
	return (
		<>
			<PageHead
				title={check.name}
				crumbs={CRUMBS}
				facts={
					<>
						<CheckState state={check.state} />
						<Severity severity={check.severity} />
						<CheckFlags check={check} />
						<span>
							on{" "}
							<Link to="/builder/$id" params={{ id: check.saved_query }} className="text-accent-text hover:underline">
								{check.query_name}
							</Link>
						</span>
						<span>by {formatPerson(check.created_by)}</span>
					</>
				}
				actions={<CheckActions check={check} evaluation={evaluation} />}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{!check.is_active && <Banner tone="info" title="This check is off: runs do not change its states." />}
				<HeldBanner held={check.held_by} />
				<WatchBanner check={check} />
				<div className="grid gap-3 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
					<Panel title="States" aside={<span className="text-muted">{formatPlural(states.length, "state")}</span>}>
						<StateTable
							check={check}
							shown={shown}
							onShow={(entry) =>
								set({ connection: buildEntryKey(entry), q: undefined, sort: undefined, group: undefined })
							}
						/>
					</Panel>
					<Definition check={check} />
				</div>
				{shown && (
					<Evidence
						check={check}
						entry={shown}
						filter={search.q ?? ""}
						sort={search.sort}
						group={search.group}
						onFilter={(q) => set({ q })}
						onSort={(sort) => set({ sort })}
						onGroup={(group) => set({ group })}
					/>
				)}
				<Violations check={check} />
				<History check={check} page={search.page ?? "1"} onPage={(page) => set({ page })} />
			</div>
		</>
	);
}

/** Asks for evidence and history anew when the check has been evaluated or changed. */
function useFreshParts({ states, updated_at }: Check): void {
	const seen = [updated_at, ...states.map(({ since, last_evaluated_at }) => `${since} ${last_evaluated_at}`)].join();
	const before = useRef(seen);
	useEffect(() => {
		if (before.current === seen) return;
		before.current = seen;
		void invalidateAreas("checks");
	}, [seen]);
}

function Definition({ check }: { check: Check }) {
	const times = useTimes();
	const [first, ...rest] = getDefinition(check);
	return (
		<Panel title="Definition" padded>
			<p className="m-0 font-medium">{first}</p>
			{rest.length > 0 && (
				<ul className="m-0 mt-1 list-disc pl-5">
					{rest.map((sentence) => (
						<li key={sentence}>{sentence}</li>
					))}
				</ul>
			)}
			{check.description && <p className="m-0 mt-2 whitespace-pre-line text-muted">{check.description}</p>}
			<dl className="m-0 mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
				<dt className="text-muted">Type</dt>
				<dd className="m-0">{TYPE_NAMES[check.type] ?? check.type}</dd>
				<dt className="text-muted">Fabrics</dt>
				<dd className="m-0">
					{check.controller_connection_ids.length === 0
						? "all that the query runs on"
						: formatPlural(check.controller_connection_ids.length, "fabric")}
				</dd>
				{check.schedules.length > 0 && (
					<>
						<dt className="text-muted">Schedules</dt>
						<dd className="m-0">
							{check.schedules.map(({ id, name, frequency, next_run_at }) => (
								<span key={id} className="block">
									<Link to="/schedules/$id" params={{ id }} className="text-accent-text underline">
										{name}
									</Link>
									, {frequency === "minutes" ? "every few minutes" : frequency},{" "}
									{next_run_at === null ? "not planned" : `next ${times.dateTime(next_run_at)}`}
								</span>
							))}
						</dd>
					</>
				)}
				<dt className="text-muted">Changed</dt>
				<dd className="m-0" title={times.zone}>
					{times.dateTime(check.updated_at)}
				</dd>
			</dl>
		</Panel>
	);
}
