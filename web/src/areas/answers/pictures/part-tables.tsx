/** The nodes and links of a picture as tables. */
import { Link } from "@tanstack/react-router";
import type { PictureEdge, PictureNode, TopologyPicture } from "@weft/contracts";
import { useState } from "react";
import { formatCount } from "../../../platform/format.ts";
import { Button } from "../../../ui/button.tsx";
import { ObjectLink } from "../../../ui/object-link.tsx";
import { Empty, Panel } from "../../../ui/page.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { describeMarks, EDGE_NAMES, KIND_NAMES, NAMED_ONLY } from "./looks.ts";

/** Rows that a table shows at first. */
const FIRST = 20;

interface TablesProps {
	readonly picture: TopologyPicture;
}

export function PartTables({ picture }: TablesProps) {
	const { nodes, edges, connection, checks } = picture;
	const names = new Map(nodes.map(({ dn, label }) => [dn, label]));
	const nodeColumns: Column<PictureNode>[] = [
		{ key: "label", head: "Name", cell: ({ label }) => label },
		{
			key: "kind",
			head: "Kind",
			cell: ({ kind, class_name }) => `${KIND_NAMES[kind]}${class_name === null ? `, ${NAMED_ONLY}` : ""}`,
		},
		{ key: "marks", head: "Marks", cell: (node) => describeMarks(node).join(", ") },
		{
			key: "facts",
			head: "Values",
			cell: ({ facts }) => facts.map(({ name, value }) => `${name} ${value}`).join(", "),
		},
		{
			key: "dn",
			head: "Object",
			className: "grow",
			cell: ({ dn }) => <ObjectLink dn={dn} connection={connection.id} />,
		},
	];
	const edgeColumns: Column<PictureEdge>[] = [
		{ key: "from", head: "From", cell: ({ from }) => names.get(from) },
		{ key: "kind", head: "Kind", cell: ({ kind, label }) => `${EDGE_NAMES[kind]}${label === "" ? "" : ` ${label}`}` },
		{ key: "to", head: "To", cell: ({ to }) => names.get(to) },
		{ key: "marks", head: "Marks", cell: (edge) => describeMarks(edge).join(", ") },
		{
			key: "dn",
			head: "Object",
			className: "grow",
			cell: ({ dn }) => <ObjectLink dn={dn} connection={connection.id} />,
		},
	];
	return (
		<>
			{checks !== null && checks.length > 0 && (
				<Panel title="Failing checks in this picture" padded>
					<ul className="m-0 list-none p-0">
						{checks.map(({ id, name, severity }) => (
							<li key={id}>
								<Link to="/checks/$id" params={{ id }} className="text-accent-text hover:underline">
									{name}
								</Link>{" "}
								<span className="text-muted">{severity}</span>
							</li>
						))}
					</ul>
				</Panel>
			)}
			<PartTable title="Nodes" columns={nodeColumns} rows={nodes} getKey={({ dn }) => dn} />
			<PartTable title="Links" columns={edgeColumns} rows={edges} getKey={({ dn, from }) => `${dn} ${from}`} />
		</>
	);
}

interface PartTableProps<Row> {
	readonly title: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	getKey(row: Row): string;
}

function PartTable<Row>({ title, columns, rows, getKey }: PartTableProps<Row>) {
	const [hasAll, setHasAll] = useState(false);
	const shown = hasAll ? rows : rows.slice(0, FIRST);
	return (
		<Panel title={title} aside={<span className="num text-muted">{formatCount(rows.length)}</span>}>
			{rows.length === 0 ? (
				<Empty>None.</Empty>
			) : (
				<Table label={title} columns={columns} rows={shown} getKey={getKey} />
			)}
			{shown.length < rows.length && (
				<div className="p-3">
					<Button onClick={() => setHasAll(true)}>Show all {formatCount(rows.length)}</Button>
				</div>
			)}
		</Panel>
	);
}
