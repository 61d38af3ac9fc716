/** Which connections have a key and which lack it, and where its attributes differ. */
import type { GroupExecution, PivotEntry } from "@weft/contracts";
import { groupExecutionRoutes } from "@weft/contracts/browser";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Empty, ProblemBanner } from "../../../ui/page.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { type Column, Table } from "../../../ui/table.tsx";

const SIZE = 100;

interface PivotProps {
	readonly execution: GroupExecution;
	/** The property by which rows belong together. */
	readonly property: string;
	readonly page: number;
	onProperty(property: string): void;
	onPage(page: number): void;
}

const isEntry = (row: unknown): row is PivotEntry =>
	typeof row === "object" && row !== null && "key" in row && "differing" in row && "missing" in row;

export function Pivot({ execution, property, page, onProperty, onPage }: PivotProps) {
	const query = { pivot: property, ignore_identity: "true", page: String(page), page_size: String(SIZE) } as const;
	const answer = useAnswer(
		groupExecutionRoutes.results,
		{ params: { id: execution.id }, query },
		{ keepPrevious: true },
	);
	const [text, setText] = useState(property);
	return (
		<div className="flex flex-col gap-3 p-5 max-sm:p-4">
			<form
				className="flex items-end gap-2"
				onSubmit={(event) => {
					event.preventDefault();
					if (text.trim() !== "") onProperty(text.trim());
				}}
			>
				<TextField
					mono
					label="Property that names an object"
					className="w-64"
					value={text}
					onChange={({ target }) => setText(target.value)}
				/>
				<Button type="submit">Show</Button>
			</form>
			{answer.error !== null ? (
				<ProblemBanner error={answer.error} />
			) : (
				<PagedList
					answer={answer}
					lines={8}
					page={page}
					pageSize={SIZE}
					empty={<Empty>No row has the property {property}.</Empty>}
					onPage={onPage}
				>
					{(rows) => <PivotTable property={property} rows={rows.filter(isEntry)} />}
				</PagedList>
			)}
		</div>
	);
}

const names = new Intl.Collator("en", { numeric: true });

function PivotTable({ property, rows }: Pick<PivotProps, "property"> & { rows: readonly PivotEntry[] }) {
	const all = rows.flatMap(({ connections, missing }) => [...connections, ...missing]);
	const places = [...new Set(all)].sort(names.compare);
	const columns: Column<PivotEntry>[] = [
		{ key: "key", head: property, className: "min-w-32", cell: ({ key }) => <span className="mono">{key}</span> },
		...places.map(
			(place): Column<PivotEntry> => ({
				key: `in ${place}`,
				head: place,
				cell: ({ connections }) => <Presence isThere={connections.includes(place)} />,
			}),
		),
		{
			key: "differing",
			head: "Differing attributes",
			className: "w-1/2 min-w-48",
			cell: ({ differing }) => <Differences differing={differing} />,
		},
	];
	return <Table label={`Objects by ${property}`} columns={columns} rows={rows} getKey={({ key }) => key} />;
}

function Presence({ isThere }: { isThere: boolean }) {
	return isThere ? (
		<CircleCheck size={14} className="text-ok" role="img" aria-label="There" />
	) : (
		<span className="inline-flex items-center gap-1 text-bad">
			<CircleX size={14} aria-hidden="true" />
			Missing
		</span>
	);
}

/** Attributes of one key that are shown; the others are counted. */
const SHOWN = 5;

function Differences({ differing }: Pick<PivotEntry, "differing">) {
	const all = Object.entries(differing);
	if (all.length === 0) return <span className="text-muted">none</span>;
	return (
		<ul className="m-0 flex list-none flex-col gap-0.5 p-0">
			{all.slice(0, SHOWN).map(([attribute, values]) => (
				<li key={attribute} className="break-words">
					<span className="mono font-medium">{attribute}</span>{" "}
					{Object.entries(values)
						.map(([place, value]) => `${place}: ${getText(value)}`)
						.join(" · ")}
				</li>
			))}
			{all.length > SHOWN && <li className="text-muted">and {formatPlural(all.length - SHOWN, "attribute")}</li>}
		</ul>
	);
}

const getText = (value: unknown): string =>
	value === null
		? "absent"
		: value === ""
			? "empty"
			: Array.isArray(value)
				? `${formatCount(value.length)} values`
				: String(value);
