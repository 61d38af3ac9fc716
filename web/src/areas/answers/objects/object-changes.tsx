/** The changes of an object, newest first, each with who made it. */
import { Link } from "@tanstack/react-router";
import type { ObjectAnswer } from "@weft/contracts";
import { Fragment } from "react";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Empty, Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { ChangedByView } from "../../history/changed-by.tsx";
import { SIGNS } from "../../history/compare-view.tsx";
import { ComparisonLink } from "../changes/change-list.tsx";
import { describeValue } from "./object-value.ts";

type Change = ObjectAnswer["changes"][number];
/** Characters of a search of the feed. */
const SEARCH_MAX = 200;
const LINK = "rounded-cell text-accent-text hover:underline";

export function ObjectChanges({ object }: { object: ObjectAnswer }) {
	const { changes, changes_since, are_changes_pending, truncated, dn, connection } = object;
	const times = useTimes();
	const since = changes_since === null ? null : times.dateTime(changes_since);
	return (
		<Panel
			title="Changes"
			aside={
				truncated.includes("changes") && (
					<span className="text-muted">
						the newest {formatCount(changes.length)}
						{dn.length <= SEARCH_MAX && (
							<>
								,{" "}
								<Link to="/changes" search={{ fabric: connection.id, q: dn, hours: "2160" }} className={LINK}>
									see more
								</Link>
							</>
						)}
					</span>
				)
			}
		>
			{are_changes_pending && (
				<p className="m-0 border-line border-b px-3 py-2 text-muted" role="status">
					The newest snapshots are still being compared: more changes may appear.
				</p>
			)}
			{changes.length === 0 ? (
				<Empty>{since === null ? "No snapshot has it: its changes are not known." : `No change since ${since}.`}</Empty>
			) : (
				<>
					<ol aria-label="Changes of the object" className="m-0 list-none p-0">
						{changes.map((change) => (
							<ChangeItem key={change.id} change={change} dn={dn} />
						))}
					</ol>
					{since !== null && !truncated.includes("changes") && (
						<p className="m-0 px-3 py-2 text-muted">No other change since {since}.</p>
					)}
				</>
			)}
		</Panel>
	);
}

function ChangeItem({ change, dn }: { change: Change; dn: string }) {
	const { at, attributes, attributes_omitted, changed_by, changed_by_reason, snapshot_id, saved_queries } = change;
	const times = useTimes();
	const { word, tone, icon } = SIGNS[change.change];
	return (
		<li className="border-line border-b px-3 py-2">
			<div className="flex flex-wrap items-center gap-x-2 gap-y-1">
				<Pill tone={tone} icon={icon}>
					{word}
				</Pill>
				{snapshot_id === null ? (
					<span className="num">{times.dateTime(at)}</span>
				) : (
					<Link to="/time-machine/snapshots/$id" params={{ id: snapshot_id }} className={`num ${LINK}`}>
						{times.dateTime(at)}
					</Link>
				)}
				{changed_by.length > 0 || changed_by_reason !== null ? (
					<ChangedByView entry={{ changedBy: changed_by, reason: changed_by_reason }} />
				) : (
					<span className="text-muted text-xs">nobody known</span>
				)}
				<span className="flex-1" />
				<ComparisonLink change={{ ...change, dn }} />
			</div>
			{attributes.length > 0 && (
				<dl className="m-0 mt-1 grid grid-cols-[minmax(110px,28%)_minmax(0,1fr)] gap-x-2">
					{attributes.map(({ name, before, after }) => (
						<Fragment key={name}>
							<dt className="mono truncate text-muted" title={name}>
								{name}
							</dt>
							<dd className="mono m-0 min-w-0 [overflow-wrap:anywhere]">
								<span className="rounded-[3px] bg-(--diff-old) px-1">{describeValue(before)}</span>
								<span className="text-muted"> → </span>
								<span className="rounded-[3px] bg-(--diff-new) px-1">{describeValue(after)}</span>
							</dd>
						</Fragment>
					))}
				</dl>
			)}
			{attributes_omitted > 0 && (
				<p className="m-0 text-muted text-xs">
					and {formatPlural(attributes_omitted, "more attribute")}, which the comparison shows
				</p>
			)}
			<p className="m-0 mt-1 text-muted text-xs">Seen by {saved_queries.map(({ name }) => name).join(", ")}</p>
		</li>
	);
}
