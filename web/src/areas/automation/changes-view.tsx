/** Differences of two versions of a request: mode and fields first, then rows. */
import { useMemo } from "react";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { ValueText } from "../../ui/object-link.tsx";
import { Pill } from "../../ui/pill.tsx";
import { type ComparedRequest, getChanges, getFieldChanges } from "./rows-model.ts";

const SHOWN = 200;
const KINDS = { added: ["+ Added", "ok"], removed: ["− Removed", "bad"], changed: ["~ Changed", "warn"] } as const;

interface ChangesViewProps {
	readonly before: ComparedRequest;
	readonly after: ComparedRequest;
	/** Id of the connection to which DNs lead; null if not known. */
	readonly connection?: string | null;
}

export function ChangesView({ before, after, connection = null }: ChangesViewProps) {
	const fields = useMemo(() => getFieldChanges(before, after), [before, after]);
	const rows = useMemo(() => getChanges(before.input_data, after.input_data), [before, after]);
	if (fields.length === 0 && rows.length === 0)
		return <p className="m-0 text-muted">Rows, mode and target are as you read them.</p>;
	return (
		<div className="flex flex-col gap-2">
			{fields.map(({ label, old, now }) => (
				<p key={label} className="m-0">
					<b>{label}:</b> <Old text={old} connection={connection} /> → <New text={now} connection={connection} />
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
										{column}: {old !== null && <Old text={old} connection={connection} />}
										{old !== null && now !== null && " → "}
										{now !== null && <New text={now} connection={connection} />}
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

interface VersionTextProps {
	readonly text: string;
	readonly connection: string | null;
}

const LOOK = "mono inline-block max-w-full rounded-cell px-1 no-underline [overflow-wrap:anywhere]";
const showText = (text: string, connection: string | null) =>
	text === "" ? '""' : <ValueText text={text} connection={connection} />;

export const Old = ({ text, connection }: VersionTextProps) => (
	<del className={`${LOOK} bg-(--diff-old)`}>
		<span className="sr-only">before </span>
		{showText(text, connection)}
	</del>
);
export const New = ({ text, connection }: VersionTextProps) => (
	<ins className={`${LOOK} bg-(--diff-new)`}>
		<span className="sr-only">now </span>
		{showText(text, connection)}
	</ins>
);
