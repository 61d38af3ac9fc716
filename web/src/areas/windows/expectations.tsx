/** The expectations of a change window: declared by hand, or imported. */
import type { ChangeWindow, Expectation } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import { Plus, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { ExpectChangeDialog } from "./expect-change.tsx";
import { ExpectationImportDialog } from "./expectation-import.tsx";
import { isOver, isStarted } from "./window-states.ts";
import { CHANGE_WORDS } from "./words.ts";

const stale = ["change_windows"];

export function ExpectationsPanel({ window }: { window: ChangeWindow }) {
	const params = { id: window.id };
	const answer = useAnswer(changeWindowRoutes.expectations, { params });
	const [asked, setAsked] = useState<"add" | "import" | null>(null);
	const canChange = window.can_edit && !isOver(window.state);
	const hasStarted = isStarted(window.state);
	return (
		<Panel
			title="Expectations"
			aside={
				canChange && (
					<>
						<Button icon={Upload} onClick={() => setAsked("import")}>
							Import
						</Button>
						<Button icon={Plus} onClick={() => setAsked("add")}>
							Expect a change
						</Button>
					</>
				)
			}
		>
			<Loaded answer={answer} lines={3}>
				{({ expectations }) =>
					expectations.length === 0 ? (
						<Empty>
							Nothing is declared: any difference that counts makes the window fail.
							{hasStarted && canChange && " Expectations that are added now are marked as late."}
						</Empty>
					) : (
						<ExpectationTable window={window} all={expectations} canRemove={canChange && !hasStarted} />
					)
				}
			</Loaded>
			{asked === "add" && (
				<ExpectChangeDialog window={window} known={answer.data?.expectations ?? []} onClose={() => setAsked(null)} />
			)}
			{asked === "import" && <ExpectationImportDialog window={window} onClose={() => setAsked(null)} />}
		</Panel>
	);
}

interface ExpectationTableProps {
	readonly window: ChangeWindow;
	readonly all: readonly Expectation[];
	readonly canRemove: boolean;
}

function ExpectationTable({ window, all, canRemove }: ExpectationTableProps) {
	const replace = useAction(
		(expectations: readonly Expectation[]) =>
			callRoute(changeWindowRoutes.replaceExpectations, {
				params: { id: window.id },
				body: { expectations: expectations as Expectation[] },
			}),
		{ stale, onError: (error) => showProblem(error, "The expectation") },
	);
	const names = new Map(window.connections.map(({ connection_id, name }) => [connection_id, name]));
	const columns: Column<Expectation>[] = [
		{ key: "change", head: "Change", cell: ({ change }) => CHANGE_WORDS[change] },
		{
			key: "object",
			head: "Objects",
			className: "w-1/2",
			cell: ({ dn, class_name }) => (
				<span className="flex min-w-56 flex-col py-1">
					<span className="mono break-all">{typeof dn === "string" ? dn : `/${dn.regex}/`}</span>
					<span className="text-muted text-xs">{class_name ?? ""}</span>
				</span>
			),
		},
		{
			key: "attributes",
			head: "Attributes",
			cell: ({ attributes }) =>
				attributes === null ? (
					<span className="text-muted">any</span>
				) : (
					Object.entries(attributes).map(([name, { from, to }]) => (
						<span key={name} className="mono block">
							{name}
							{from !== undefined && `: ${from ?? "absent"}`}
							{to !== undefined && ` → ${to ?? "absent"}`}
						</span>
					))
				),
		},
		{
			key: "notes",
			head: <span className="sr-only">Notes</span>,
			cell: ({ late, required, note, source, count, item, connection_ids }) => (
				<span className="flex flex-wrap items-center gap-1">
					{late && <Pill tone="warn">late</Pill>}
					{!required && <Pill>may happen</Pill>}
					{count !== null && <Pill>{formatCount(count)}</Pill>}
					{item !== null && <Pill>{String(window.plan_items[item]?.name ?? "hidden query")}</Pill>}
					{connection_ids?.map((id) => (
						<Pill key={id}>{names.get(id) ?? "hidden fabric"}</Pill>
					))}
					{source !== "manual" && <Pill>{SOURCES[source]}</Pill>}
					<span className="text-muted text-xs">{note}</span>
				</span>
			),
		},
		{
			key: "verbs",
			head: <span className="sr-only">Actions</span>,
			align: "right",
			cell: (one) =>
				canRemove && (
					<IconButton
						variant="ghost"
						icon={Trash2}
						label="Remove"
						busy={replace.isPending}
						onClick={() => replace.mutate(all.filter(({ id }) => id !== one.id))}
					/>
				),
		},
	];
	return <Table label="Expectations" columns={columns} rows={all} getKey={({ id }) => id} />;
}

const formatCount = ({ min, max }: NonNullable<Expectation["count"]>): string =>
	max === null ? `${min} or more` : min === max ? `exactly ${min}` : `${min} to ${max}`;

const SOURCES: Readonly<Record<Expectation["source"], string>> = {
	manual: "by hand",
	request: "from approved rows",
	terraform: "from Terraform",
	comparison: "from another window",
};
