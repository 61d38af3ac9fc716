/** Results of Cisco's pre-upgrade script at a change window: attaches, shows and removes them. */
import type { ChangeWindow, EvidenceCheck, EvidenceTable, WindowEvidence } from "@weft/contracts";
import { changeWindowRoutes, formatEvidenceCounts, needsAttention } from "@weft/contracts/browser";
import { FileUp, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button, IconButton, TextButton } from "../../ui/button.tsx";
import { Field, SelectField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { OutsideTextLink } from "../../ui/outside-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill, State } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { isOver } from "./window-states.ts";
import { EVIDENCE_LOOKS } from "./words.ts";

const stale = ["change_windows"];

export function EvidencePanel({ window }: { window: ChangeWindow }) {
	const [isShown, setShown] = useState(false);
	const hasResults = window.evidence_count > 0;
	const enabled = isShown && hasResults;
	const answer = useAnswer(changeWindowRoutes.evidence, { params: { id: window.id } }, { enabled });
	const { refetch } = answer;
	const [isAttaching, setAttaching] = useState(false);
	const canChange = window.can_edit && !isOver(window.state);
	// biome-ignore lint/correctness/useExhaustiveDependencies: another user's results make a new version of the window
	useEffect(() => void (enabled && refetch()), [window.updated_at, enabled, refetch]);
	return (
		<Panel
			title="Pre-upgrade script"
			aside={
				canChange && (
					<Button icon={FileUp} onClick={() => setAttaching(true)}>
						Attach results
					</Button>
				)
			}
		>
			{!hasResults && (
				<Empty>
					No results of Cisco's pre-upgrade validation script are attached. They stand in the report; the verdict does
					not depend on them.
				</Empty>
			)}
			{hasResults && !isShown && (
				<div className="flex flex-wrap items-center gap-3 px-3 py-2">
					<span>Results of {formatPlural(window.evidence_count, "run")} are attached.</span>
					<Button onClick={() => setShown(true)}>Show the results</Button>
				</div>
			)}
			{enabled && (
				<Loaded answer={answer} lines={2}>
					{({ results }) => (
						<div className="divide-y divide-line">
							{results.map((set) => (
								<EvidenceSet key={set.id} window={window} set={set} canRemove={canChange} />
							))}
						</div>
					)}
				</Loaded>
			)}
			{isAttaching && (
				<AttachDialog window={window} onAttached={() => setShown(true)} onClose={() => setAttaching(false)} />
			)}
		</Panel>
	);
}

/** Notes that are visible before the button for all of them. */
const NOTES_SHOWN = 3;

interface EvidenceSetProps {
	readonly window: ChangeWindow;
	readonly set: WindowEvidence;
	readonly canRemove: boolean;
}

function EvidenceSet({ window, set, canRemove }: EvidenceSetProps) {
	const times = useTimes();
	const [hasAllNotes, setAllNotes] = useState(false);
	const remove = useAction(
		() => callRoute(changeWindowRoutes.removeEvidence, { params: { id: window.id, evidence_id: set.id } }),
		{ stale, onError: (error) => showProblem(error, "The results of the pre-upgrade script") },
	);
	const { connection, counts, complete, late, notes, attached_by, attached_at } = set;
	const run = [
		...(set.script_version === null ? [] : [`script ${set.script_version}`]),
		...(set.started_at === null ? [] : [`run ${times.dateTime(set.started_at)}`]),
		...(set.release === null ? [] : [`release ${set.release}`]),
		...(set.target_release === null ? [] : [`target ${set.target_release}`]),
		`attached by ${attached_by}, ${times.dateTime(attached_at)}`,
	];
	return (
		<article aria-label={`Pre-upgrade script on ${connection}`}>
			<header className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5">
				<h3 className="m-0 font-semibold text-base">{connection}</h3>
				<span>{formatEvidenceCounts(counts)}</span>
				{complete === false && <Pill tone="warn">incomplete</Pill>}
				{late && <Pill tone="warn">attached late</Pill>}
				<span className="min-w-0 flex-1 break-words text-muted text-xs">{run.join(", ")}</span>
				{canRemove && (
					<IconButton
						variant="ghost"
						icon={Trash2}
						label={`Remove the results of ${connection}`}
						busy={remove.isPending}
						onClick={() => remove.mutate(undefined)}
					/>
				)}
			</header>
			{notes.length > 0 && (
				<ul className="m-0 list-none px-3 pb-1.5">
					{(hasAllNotes ? notes : notes.slice(0, NOTES_SHOWN)).map((note) => (
						<li key={note} className="min-w-0 break-words text-muted">
							{note}
						</li>
					))}
					{notes.length > NOTES_SHOWN && !hasAllNotes && (
						<li>
							<TextButton onClick={() => setAllNotes(true)}>All {notes.length} notes</TextButton>
						</li>
					)}
				</ul>
			)}
			<ChecksTable set={set} />
		</article>
	);
}

/** Shows the checks that a person has to look at, and all of them after a click. */
function ChecksTable({ set: { connection, checks } }: { set: WindowEvidence }) {
	const [hasAll, setAll] = useState(false);
	const urgent = checks.filter(({ result }) => needsAttention(result));
	const shown = hasAll ? checks : urgent;
	const others = checks.length - urgent.length;
	const columns: Column<EvidenceCheck>[] = [
		{
			key: "result",
			head: "Result",
			cell: ({ result, result_text }) => (
				<span className="flex flex-col items-start py-1" title={result_text}>
					<State looks={EVIDENCE_LOOKS} status={result} />
				</span>
			),
		},
		{
			key: "check",
			head: "Check",
			className: "w-1/3",
			cell: ({ name, reason, sub_reason }) => (
				<span className="flex min-w-0 flex-col py-1">
					<span className="break-words">{name}</span>
					{[reason, sub_reason].map((text) => text !== "" && <MutedText key={text} text={text} />)}
				</span>
			),
		},
		{
			key: "action",
			head: "Recommended action",
			cell: ({ recommended_action: action, doc_url: url }) => (
				<span className="flex min-w-0 flex-col items-start whitespace-pre-line break-words py-1">
					{action}
					{url !== "" && <OutsideTextLink href={url}>Document</OutsideTextLink>}
				</span>
			),
		},
		{
			key: "details",
			head: "Details",
			cell: ({ tables }) => (
				<span className="flex min-w-0 flex-col py-1">
					{tables.map((table) => (
						<DetailRows key={String(table.is_formatted)} table={table} />
					))}
				</span>
			),
		},
	];
	return (
		<>
			{shown.length > 0 && (
				<Table
					label={`Checks of the pre-upgrade script on ${connection}`}
					columns={columns}
					rows={shown}
					getKey={({ id }) => id}
				/>
			)}
			{others > 0 && (
				<p className="m-0 px-3 py-1.5">
					<TextButton onClick={() => setAll(!hasAll)}>
						{hasAll ? "Hide checks without a problem" : `Show ${formatPlural(others, "check")} without a problem`}
					</TextButton>
				</p>
			)}
		</>
	);
}

const MutedText = ({ text }: { text: string }) => (
	<span className="whitespace-pre-line break-words text-muted text-xs">{text}</span>
);

/** Rows that are visible before the button for all of them. */
const ROWS_SHOWN = 3;

function DetailRows({ table: { columns, rows, row_count: count, is_formatted } }: { table: EvidenceTable }) {
	const [hasAll, setAll] = useState(false);
	const shown = hasAll ? rows : rows.slice(0, ROWS_SHOWN);
	const lines = shown.map((row) =>
		row.flatMap((cell, at) => (cell === "" ? [] : [`${columns[at] ?? ""}: ${cell}`])).join(", "),
	);
	return (
		<>
			{!is_formatted && <MutedText text="Rows that the script could not read completely:" />}
			{lines.map((line, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and never move
				<span key={at} className="break-words text-xs">
					{line}
				</span>
			))}
			{rows.length > shown.length && (
				<TextButton onClick={() => setAll(true)}>Show {formatPlural(rows.length, "row")}</TextButton>
			)}
			{count > rows.length && <MutedText text={`${count - rows.length} more rows are in the file.`} />}
		</>
	);
}

interface AttachDialogProps {
	readonly window: ChangeWindow;
	onAttached(): void;
	onClose(): void;
}

function AttachDialog({ window, onAttached, onClose }: AttachDialogProps) {
	const [first, ...others] = window.connections;
	const save = useAction(
		async (form: FormData) => {
			const chosen = form.getAll("files").filter((file) => file instanceof File && file.name !== "") as File[];
			const files = await Promise.all(chosen.map(async (file) => ({ name: file.name, content: await file.text() })));
			const connection_id = String(form.get("connection_id") ?? first?.connection_id ?? "");
			return callRoute(changeWindowRoutes.attachEvidence, {
				params: { id: window.id },
				body: { files, connection_id },
			});
		},
		{
			stale,
			onSuccess() {
				onAttached();
				onClose();
			},
		},
	);
	return (
		<FormDialog
			title="Attach results of the pre-upgrade script"
			description="Unpack preupgrade_validator_*.tgz, and choose all its JSON files. They never change the verdict."
			action="Attach"
			save={save}
			onClose={onClose}
		>
			{(errors) => (
				<>
					{others.length > 0 && (
						<SelectField
							label="Fabric"
							name="connection_id"
							options={window.connections.map(({ connection_id, name }) => ({ value: connection_id, label: name }))}
							error={errors.connection_id}
						/>
					)}
					<Field label="JSON files" error={findFileError(errors)}>
						{(ids) => <input {...ids} type="file" name="files" accept=".json,application/json" multiple />}
					</Field>
				</>
			)}
		</FormDialog>
	);
}

/** Returns the message about the files, or about the first wrong one. */
const findFileError = (errors: Readonly<Record<string, string | undefined>>): string | undefined =>
	Object.entries(errors).find(([field]) => field === "files" || field.startsWith("files."))?.[1];
