/** The expectations of a change window: declared by hand, or imported. */
import type { ChangeWindow, Expectation } from "@weft/contracts";
import { changeWindowRoutes, EXPECTED_CHANGES } from "@weft/contracts/browser";
import { Plus, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { ExpectationImportDialog } from "./expectation-import.tsx";
import { isOver, isStarted } from "./window-states.ts";

const CHANGE_WORDS: Readonly<Record<Expectation["change"], string>> = {
	added: "Added",
	deleted: "Deleted",
	modified: "Modified",
	any: "Any change",
};
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
				<AddDialog window={window} known={answer.data?.expectations ?? []} onClose={() => setAsked(null)} />
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
					Object.entries(attributes).map(([name, { to }]) => (
						<span key={name} className="mono block">
							{name}
							{to !== undefined && ` → ${to ?? "absent"}`}
						</span>
					))
				),
		},
		{
			key: "notes",
			head: <span className="sr-only">Notes</span>,
			cell: ({ late, required, note, source }) => (
				<span className="flex flex-wrap items-center gap-1">
					{late && <Pill tone="warn">late</Pill>}
					{!required && <Pill>may happen</Pill>}
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

const SOURCES: Readonly<Record<Expectation["source"], string>> = {
	manual: "by hand",
	request: "from approved rows",
	terraform: "from Terraform",
	comparison: "from another window",
};

interface AddDialogProps {
	readonly window: ChangeWindow;
	readonly known: readonly Expectation[];
	onClose(): void;
}

function AddDialog({ window, known, onClose }: AddDialogProps) {
	const save = useAction(
		(form: FormData) => {
			const text = (name: string) => String(form.get(name) ?? "").trim();
			const added = {
				change: text("change") as Expectation["change"],
				dn: text("dn"),
				class_name: text("class_name") === "" ? null : text("class_name"),
				note: text("note"),
			};
			return callRoute(changeWindowRoutes.replaceExpectations, {
				params: { id: window.id },
				body: { expectations: [...known, added] as Expectation[] },
			});
		},
		{ stale, onSuccess: onClose },
	);
	const at = `expectations.${known.length}`;
	return (
		<Drafted form="change-window-expect" id={window.id}>
			<FormDialog
				title="Expect a change"
				description="A difference that it describes counts as expected; if it does not happen, the window fails."
				action="Add"
				save={save}
				onClose={onClose}
			>
				{(errors) => (
					<>
						<SelectField
							label="Change"
							name="change"
							defaultValue="added"
							options={EXPECTED_CHANGES.map((value) => ({ value, label: CHANGE_WORDS[value] }))}
							error={errors[`${at}.change`]}
						/>
						<TextField
							label="Distinguished name"
							name="dn"
							mono
							required
							placeholder="uni/tn-prod/BD-web*"
							hint="* stands for any characters of one part, ** for any."
							data-autofocus
							error={errors[`${at}.dn`]}
						/>
						<TextField
							label="Class"
							name="class_name"
							mono
							placeholder="fvBD"
							hint="Empty: any class."
							error={errors[`${at}.class_name`]}
						/>
						<TextField label="Note" name="note" maxLength={500} error={errors[`${at}.note`]} />
					</>
				)}
			</FormDialog>
		</Drafted>
	);
}
