/** The changes of an object, newest first, each with who made it. */
import { Link } from "@tanstack/react-router";
import type { ObjectAnswer } from "@weft/contracts";
import { OBJECT_LIMITS } from "@weft/contracts/browser";
import { useTimes } from "../../../platform/profile.ts";
import { Empty, Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { ChangedByView } from "../../history/changed-by.tsx";
import { SIGNS } from "../../history/compare-view.tsx";
import { formatObjectValue } from "./object-value.ts";

type Change = ObjectAnswer["changes"][number];

export function ObjectChanges({ changes }: Pick<ObjectAnswer, "changes">) {
	return (
		<Panel
			title="Changes"
			aside={changes.length >= OBJECT_LIMITS.changes && <span className="text-muted">the newest {changes.length}</span>}
		>
			{changes.length === 0 ? (
				<Empty>It did not change in the kept snapshots.</Empty>
			) : (
				<ol aria-label="Changes of the object" className="m-0 list-none p-0">
					{changes.map((change) => (
						<ChangeItem key={`${change.snapshot_id} ${change.change}`} change={change} />
					))}
				</ol>
			)}
		</Panel>
	);
}

function ChangeItem({
	change: { at, change, attributes, changed_by, changed_by_reason, snapshot_id },
}: {
	change: Change;
}) {
	const times = useTimes();
	const { word, tone, icon } = SIGNS[change];
	const isKnown = changed_by.length > 0 || changed_by_reason !== null;
	return (
		<li className="border-line border-b px-3 py-2 last:border-b-0">
			<div className="flex flex-wrap items-center gap-x-2 gap-y-1">
				<Pill tone={tone} icon={icon}>
					{word}
				</Pill>
				<Link
					to="/time-machine/snapshots/$id"
					params={{ id: snapshot_id }}
					className="num rounded-cell text-accent-text hover:underline"
				>
					{times.dateTime(at)}
				</Link>
				{isKnown && <ChangedByView entry={{ changedBy: changed_by, reason: changed_by_reason }} />}
			</div>
			{attributes.length > 0 && (
				<dl className="m-0 mt-1">
					{attributes.map(({ name, before, after }) => (
						<div key={name} className="grid grid-cols-[minmax(110px,28%)_minmax(0,1fr)] gap-2">
							<dt className="mono truncate text-muted" title={name}>
								{name}
							</dt>
							<dd className="mono m-0 min-w-0 [overflow-wrap:anywhere]">
								<span className="rounded-[3px] bg-(--diff-old) px-1">{describeValue(before)}</span>
								<span className="text-muted"> → </span>
								<span className="rounded-[3px] bg-(--diff-new) px-1">{describeValue(after)}</span>
							</dd>
						</div>
					))}
				</dl>
			)}
		</li>
	);
}

const describeValue = (value: unknown): string =>
	value === null || value === undefined ? "(absent)" : formatObjectValue(value) || "(empty)";
