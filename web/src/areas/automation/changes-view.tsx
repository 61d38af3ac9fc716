/** What of a request changed since it was read: mode and fields first, then rows. */
import type { AutomationRequestDetail } from "@weft/contracts";
import { useMemo } from "react";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { Pill } from "../../ui/pill.tsx";
import { getChanges, getFieldChanges } from "./rows-model.ts";

const SHOWN = 200;
const KINDS = { added: ["+ Added", "ok"], removed: ["− Removed", "bad"], changed: ["~ Changed", "warn"] } as const;

export function ChangesView({ before, after }: { before: AutomationRequestDetail; after: AutomationRequestDetail }) {
	const fields = useMemo(() => getFieldChanges(before, after), [before, after]);
	const rows = useMemo(() => getChanges(before.input_data, after.input_data), [before, after]);
	if (fields.length === 0 && rows.length === 0)
		return <p className="m-0 text-muted">Rows, mode and target are as you read them.</p>;
	return (
		<div className="flex flex-col gap-2">
			{fields.map(({ label, old, now }) => (
				<p key={label} className="m-0">
					<b>{label}:</b> <Old text={old} /> → <New text={now} />
				</p>
			))}
			{rows.length > 0 && (
				<ul aria-label="Changed rows" className="m-0 flex list-none flex-col gap-1 p-0">
					{rows.slice(0, SHOWN).map(({ kind, sheet, row, cells }) => {
						const [word, tone] = KINDS[kind];
						return (
							<li key={`${kind} ${sheet} ${row}`} className="flex flex-wrap items-baseline gap-2">
								<Pill tone={tone}>{word}</Pill>
								<span className="num text-muted">
									{sheet === null ? "" : `${sheet}, `}row {formatCount(row)}
								</span>
								{cells.map(({ column, old, now }) => (
									<span key={column} className="[overflow-wrap:anywhere]">
										{column}: {old !== null && <Old text={old} />}
										{old !== null && now !== null && " → "}
										{now !== null && <New text={now} />}
									</span>
								))}
							</li>
						);
					})}
				</ul>
			)}
			{rows.length > SHOWN && (
				<p className="m-0 text-muted">and {formatPlural(rows.length - SHOWN, "more row")} that changed.</p>
			)}
		</div>
	);
}

const Old = ({ text }: { text: string }) => (
	<del className="mono rounded-cell bg-(--diff-old) px-1 no-underline">
		<span className="sr-only">before </span>
		{text === "" ? '""' : text}
	</del>
);
const New = ({ text }: { text: string }) => (
	<ins className="mono rounded-cell bg-(--diff-new) px-1 no-underline">
		<span className="sr-only">now </span>
		{text === "" ? '""' : text}
	</ins>
);
