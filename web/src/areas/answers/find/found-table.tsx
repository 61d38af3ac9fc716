/** Objects that a search found, with the attribute that matched and when each was seen. */
import { Link } from "@tanstack/react-router";
import type { FoundObject } from "@weft/contracts";
import { useTimes } from "../../../platform/profile.ts";
import { ObjectLink } from "../../../ui/object-link.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, ShortName, Table } from "../../../ui/table.tsx";

interface FoundTableProps {
	readonly label: string;
	readonly objects: readonly FoundObject[];
}

export function FoundTable({ label, objects }: FoundTableProps) {
	const times = useTimes();
	const columns: Column<FoundObject>[] = [
		{
			key: "object",
			head: "Object",
			className: "w-1/2 min-w-64 py-1 max-w-0! max-sm:min-w-48",
			cell: ({ dn, label: name, class_name, connection }) => (
				<>
					<span className="flex items-center gap-2">
						<span className="min-w-0 truncate font-medium">{name}</span>
						<span className="mono shrink-0 text-2xs text-muted">{class_name}</span>
					</span>
					<ObjectLink dn={dn} connection={connection.id} />
				</>
			),
		},
		{ key: "fabric", head: "Fabric", cell: ({ connection }) => <ShortName name={connection.name} /> },
		{
			key: "matched",
			head: "Matched",
			className: "w-1/4 min-w-40",
			cell: ({ matched: { attribute, value } }) => (
				<span className="mono block truncate" title={value}>
					<span className="text-muted">{attribute}</span> {attribute === "dn" ? "" : value}
				</span>
			),
		},
		{
			key: "seen",
			head: "Seen",
			cell: ({ seen_at, is_current, saved_query }) => (
				<span className="flex items-center gap-2 whitespace-nowrap">
					<span className="num text-muted" title={times.dateTime(seen_at)}>
						{times.relative(seen_at)}
					</span>
					{!is_current && <Pill tone="warn">not in the latest snapshot</Pill>}
					{saved_query && (
						<Link
							to="/time-machine/$queryId"
							params={{ queryId: saved_query.id }}
							className="rounded-cell text-accent-text hover:underline"
						>
							{saved_query.name}
						</Link>
					)}
				</span>
			),
		},
	];
	return (
		<Table label={label} columns={columns} rows={objects} getKey={({ connection, dn }) => `${connection.id} ${dn}`} />
	);
}
