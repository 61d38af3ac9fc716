/** Relations of a class: containers, contents, references, and the path from the root. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ClassDetail, Relationships } from "@weft/contracts";
import { mimRoutes } from "@weft/contracts/browser";
import { ArrowLeft, ArrowRight, CornerDownRight } from "lucide-react";
import { useState } from "react";
import { getAnswer, useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { TextButton } from "../../ui/button.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ClassLink } from "./finder.tsx";

const STEP = 100;
const LONG_MS = 10 * 60_000;

type Contained = Relationships["containers"][number];
type Association = Relationships["associations"][number];

/** One list grows, and the answer holds all three: they grow together. */
export function useRelations(name: string) {
	const [limit, setLimit] = useState(STEP);
	const answer = useQuery({
		...getAnswer(mimRoutes.relationships, { params: { class_name: name }, query: { limit: String(limit) } }),
		staleTime: LONG_MS,
		placeholderData: keepPreviousData,
	});
	return { answer, more: () => setLimit(limit + STEP) };
}

export function ContainedClasses({ name }: { name: string }) {
	const { answer, more } = useRelations(name);
	return (
		<Loaded answer={answer} lines={8}>
			{({ contained_classes, totals }) => (
				<Classes
					label={`What ${name} may contain`}
					empty={`${name} contains no classes.`}
					rows={contained_classes}
					total={totals.contained_classes}
					onMore={more}
				/>
			)}
		</Loaded>
	);
}

export function Containers({ name }: { name: string }) {
	const { answer, more } = useRelations(name);
	return (
		<Loaded answer={answer} lines={8}>
			{({ containers, totals }) => (
				<Classes
					label={`What may contain ${name}`}
					empty={`No class contains ${name}: it is a root or abstract.`}
					rows={containers}
					total={totals.containers}
					onMore={more}
				/>
			)}
		</Loaded>
	);
}

const renderInheritance = (inherited: string | null) =>
	inherited === null ? <span className="text-muted">itself</span> : <ClassLink name={inherited} />;

const CONTAINED: readonly Column<Contained>[] = [
	{ key: "name", head: "Class", cell: ({ name }) => <ClassLink name={name} /> },
	{ key: "label", head: "Label", cell: ({ display_name }) => display_name },
	{ key: "package", head: "Package", cell: (row) => <span className="mono text-muted">{row.package}</span> },
	{ key: "from", head: "Declared by", cell: ({ inherited_from }) => renderInheritance(inherited_from) },
];

interface ClassesProps {
	readonly label: string;
	readonly empty: string;
	readonly rows: readonly Contained[];
	readonly total: number;
	onMore(): void;
}

function Classes({ label, empty, rows, total, onMore }: ClassesProps) {
	return (
		<Panel title={label} aside={<span className="num text-muted">{formatCount(total)}</span>}>
			{rows.length === 0 ? (
				<Empty>{empty}</Empty>
			) : (
				<Table label={label} columns={CONTAINED} rows={rows} getKey={({ name }) => name} />
			)}
			<More shown={rows.length} total={total} onMore={onMore} />
		</Panel>
	);
}

function More({ shown, total, onMore }: { shown: number; total: number; onMore(): void }) {
	if (shown >= total) return null;
	return (
		<p className="m-0 border-line border-t px-3 py-2">
			<TextButton onClick={onMore}>Show {Math.min(STEP, total - shown)} more</TextButton>
			<span className="num text-muted">
				{" "}
				{formatCount(shown)} of {formatCount(total)}
			</span>
		</p>
	);
}

export function Associations({ detail }: { detail: ClassDetail }) {
	const { name, relation } = detail;
	const { answer, more } = useRelations(name);
	return (
		<div className="flex flex-col gap-3">
			{relation && (
				<Panel title="This class is a relation" padded>
					<p className="m-0">
						From <ClassLink name={removeColon(relation.from_class)} /> to{" "}
						<ClassLink name={removeColon(relation.to_class)} />
						{relation.cardinality && <span className="text-muted">, {relation.cardinality}</span>}
					</p>
				</Panel>
			)}
			<Loaded answer={answer} lines={8}>
				{({ associations, totals }) => (
					<Panel
						title={`What ${name} refers to, and what refers to it`}
						aside={<span className="num text-muted">{formatCount(totals.associations)}</span>}
					>
						{associations.length === 0 ? (
							<Empty>{name} neither refers to a class, nor does one refer to it.</Empty>
						) : (
							<Table
								label={`Relations of ${name}`}
								columns={ASSOCIATED}
								rows={associations}
								getKey={({ direction, via, name: other }) => `${direction}:${via}:${other}`}
							/>
						)}
						<More shown={associations.length} total={totals.associations} onMore={more} />
					</Panel>
				)}
			</Loaded>
		</div>
	);
}

/** `fvBD` of `fv:BD`. */
const removeColon = (name: string): string => name.replace(":", "");

const ASSOCIATED: readonly Column<Association>[] = [
	{
		key: "direction",
		head: "Direction",
		cell: ({ direction }) => (
			<span className="inline-flex items-center gap-1.5 whitespace-nowrap text-muted">
				{direction === "to" ? <ArrowRight size={14} aria-hidden="true" /> : <ArrowLeft size={14} aria-hidden="true" />}
				{direction === "to" ? "refers to" : "is referred to by"}
			</span>
		),
	},
	{ key: "name", head: "Class", cell: ({ name }) => <ClassLink name={name} /> },
	{ key: "label", head: "Label", cell: ({ display_name }) => display_name },
	{ key: "via", head: "By", cell: ({ via }) => <ClassLink name={via} /> },
	{ key: "from", head: "Declared by", cell: ({ inherited_from }) => renderInheritance(inherited_from) },
];

export function Ancestors({ detail }: { detail: ClassDetail }) {
	const { name, super_classes, sub_classes } = detail;
	const answer = useAnswer(mimRoutes.ancestors, { params: { class_name: name } }, { staleTime: LONG_MS });
	return (
		<div className="grid gap-3 xl:grid-cols-2">
			<Panel title="From the root">
				<Loaded answer={answer} lines={4}>
					{(steps) =>
						steps.length === 0 ? (
							<Empty>There is no path from the root to {name}: it has no objects of its own.</Empty>
						) : (
							<ol aria-label={`Path to ${name}`} className="m-0 list-none p-3">
								{steps.map(({ name: each, display_name, rn_format }, level) => (
									<li
										key={each}
										className="flex min-w-0 flex-wrap items-center gap-x-2"
										style={{ paddingLeft: Math.min(level, 10) * 16, minHeight: "var(--row)" }}
									>
										{level > 0 && <CornerDownRight size={13} className="text-muted" aria-hidden="true" />}
										{each === name ? <b className="mono font-semibold">{each}</b> : <ClassLink name={each} />}
										<span className="text-muted">{display_name}</span>
										<span className="mono text-muted">{rn_format}</span>
									</li>
								))}
							</ol>
						)
					}
				</Loaded>
			</Panel>
			<div className="flex min-w-0 flex-col gap-3">
				<Names title="Inherits from" names={super_classes} empty={`${name} inherits from no class.`} />
				<Names title="Inherited by" names={sub_classes} empty={`No class inherits from ${name}.`} />
			</div>
		</div>
	);
}

function Names({ title, names, empty }: { title: string; names: readonly string[]; empty: string }) {
	const [limit, setLimit] = useState(STEP);
	return (
		<Panel
			title={title}
			aside={<span className="num text-muted">{formatPlural(names.length, "class", "classes")}</span>}
		>
			{names.length === 0 ? (
				<Empty>{empty}</Empty>
			) : (
				<ul className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-3">
					{names.slice(0, limit).map((each) => (
						<li key={each}>
							<ClassLink name={removeColon(each)} />
						</li>
					))}
				</ul>
			)}
			<More shown={Math.min(limit, names.length)} total={names.length} onMore={() => setLimit(limit + STEP)} />
		</Panel>
	);
}
