/**
 * The form of a request, new or changed: target, mode, and the rows that its job carries out. A
 * `Drafted` is around it.
 */
import { useNavigate } from "@tanstack/react-router";
import type { AutomationRequestDetail, AutomationTemplate, CellError, InputData } from "@weft/contracts";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { WeftError } from "@weft/sdk";
import { ArrowDownToLine, FileDown, FileUp, Redo2, Table2, Trash2, Undo2 } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useAction } from "../../platform/call.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { UserError } from "../../platform/failures.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { patientFetch } from "../../platform/patient-fetch.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useTarget, useTargets } from "../../platform/target.ts";
import { client } from "../../platform/weft.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { joinClasses, tabClass } from "../../ui/classes.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { RestoredDraft } from "../../ui/form.tsx";
import { Banner, type Crumb, Empty, PageHead, Panel } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { QueryField } from "../checks/query-field.tsx";
import { toInstant } from "../schedules/instant.ts";
import { type ChosenCredential, CredentialField } from "./credential-field.tsx";
import { Findings, type SheetState } from "./findings.tsx";
import {
	beginGrid,
	type Cells,
	editGrid,
	type GridHistory,
	getCells,
	getInput,
	localProblems,
	type Problem,
	placeErrors,
	redoGrid,
	undoGrid,
} from "./grid-model.ts";
import { type GridHandle, InputGrid } from "./input-grid.tsx";
import { readPrompts, writePrompts } from "./launch-prompts.ts";
import { OnlyConstants } from "./only-constants.tsx";
import { PromptField } from "./prompt-fields.tsx";
import { readSheetDraft, restoreSheet } from "./sheet-draft.ts";
import { SourceDialog } from "./source-dialog.tsx";
import { hasSource, type SourceSearch } from "./source-rows.ts";
import { useTableImport } from "./table-import.tsx";
import { useCheck } from "./use-check.ts";
import { RunMode } from "./words.tsx";

/** The content of a request, as the API takes it. */
export interface Wanted {
	readonly title: string;
	readonly description: string;
	readonly input_data: InputData;
	readonly check_mode: boolean;
	readonly target_controller: string | null;
	readonly scheduled_for: string | null;
	readonly automation_credential_id: number | null;
	readonly automation_credential_name: string;
	readonly watch_query_id: string | null;
	/** Those launch prompts that the template lets requests set. */
	readonly prompts: Readonly<Record<string, unknown>>;
}

/** `target_controller` undefined: the one that the sidebar names. */
type Before = Omit<Wanted, "target_controller"> & { readonly target_controller: string | null | undefined };

export const NOTHING_ASKED: Before = {
	title: "",
	description: "",
	input_data: [],
	check_mode: false,
	target_controller: undefined,
	scheduled_for: null,
	automation_credential_id: null,
	automation_credential_name: "",
	watch_query_id: null,
	prompts: {},
};

/** The rows of each sheet of the template, or of its only table, whose name is null. */
const getRows = (data: InputData, name: string | null) =>
	Array.isArray(data) ? (name === null ? data : []) : (data[name ?? ""] ?? []);

const beginSheets = ({ schema, sheets }: AutomationTemplate, data: InputData): SheetState[] =>
	(sheets.length === 0 ? [{ name: null, columns: schema }] : sheets).map(({ name, columns }) => ({
		name,
		columns,
		history: beginGrid(getCells(getRows(data, name), columns), columns.length),
	}));

const nameSheetField = ({ name }: SheetState): string => `rows.${name ?? ""}`;

/** An instant as a field for local times of a zone has it; empty for none. */
function localTime(instant: string | null, zone: string): string {
	if (instant === null) return "";
	const options = { timeZone: zone, dateStyle: "short", timeStyle: "short" } as const;
	return new Intl.DateTimeFormat("sv-SE", options).format(new Date(instant)).replace(" ", "T");
}

interface RequestFormProps {
	readonly template: AutomationTemplate;
	readonly before: Before;
	/** Where rows come from at the beginning. */
	readonly source: SourceSearch;
	readonly title: string;
	readonly crumbs: readonly Crumb[];
	readonly permission: "add_automationrequest" | "change_automationrequest";
	readonly submitLabel: string;
	onSubmit(wanted: Wanted): Promise<AutomationRequestDetail>;
	/** The request's page is opened afterwards. */
	onDone(request: AutomationRequestDetail): void;
	/** Shows the changes since the request was read. Only for a stored request. */
	drawStored?(read: AutomationRequestDetail, stored: AutomationRequestDetail): ReactNode;
}

export function RequestForm(props: RequestFormProps) {
	const { template, before, source, permission } = props;
	const navigate = useNavigate();
	const may = useMay();
	const { zone } = useTimes();
	const target = useTarget();
	const targets = useTargets();
	const draft = useDraft();
	const [sheets, setSheets] = useState(() => {
		const begun = beginSheets(template, before.input_data);
		return begun.map((sheet) =>
			restoreSheet(sheet, draft?.begin(nameSheetField(sheet), readSheetDraft(sheet)) ?? null),
		);
	});
	const [at, setAt] = useState(0);
	const [title, setTitle] = useDraftState("title", before.title);
	const [description, setDescription] = useDraftState("description", before.description);
	const [controller, setController] = useDraftState(
		"target_controller",
		before.target_controller === null ? "" : before.target_controller,
	);
	const [dryRun, setDryRun] = useDraftState("check_mode", before.check_mode);
	const [scheduled, setScheduled] = useDraftState("scheduled_for", () => localTime(before.scheduled_for, zone));
	const [credential, setCredential] = useDraftState<ChosenCredential>("credential", () => ({
		id: before.automation_credential_id?.toString() ?? "",
		name: before.automation_credential_name,
	}));
	const [watched, setWatched] = useDraftState("watch_query_id", before.watch_query_id ?? "");
	const [prompts, setPrompts] = useDraftState("prompts", () => writePrompts(before.prompts));
	const [isDetailed, setDetailed] = useState(
		description !== "" || scheduled !== "" || credential.id !== "" || watched !== "" || template.askable.length > 0,
	);
	/** Where rows are being taken from. Restored rows are not asked about again. */
	const [taking, setTaking] = useState<SourceSearch | null>(() =>
		hasSource(source) && draft?.restoredAt() == null ? source : null,
	);
	const [refused, setRefused] = useState<readonly CellError[]>([]);
	const grid = useRef<GridHandle>(null);
	const file = useRef<HTMLInputElement>(null);
	useEffect(() => {
		for (const each of sheets) draft?.keep(nameSheetField(each), readSheetDraft(each));
	}, [draft, sheets]);
	const sheet = sheets[at] ?? sheets[0];
	const inputs = useMemo(() => sheets.map(({ history, columns }) => getInput(history.now, columns)), [sheets]);
	const rowCount = inputs.reduce((sum, { rows }) => sum + rows.length, 0);
	const data: InputData = useMemo(
		() =>
			sheets[0]?.name === null
				? (inputs[0]?.rows ?? [])
				: Object.fromEntries(sheets.map(({ name }, index) => [name ?? "", inputs[index]?.rows ?? []])),
		[sheets, inputs],
	);
	const check = useCheck(template.id, rowCount === 0 ? null : data);
	const findProblems = (index: number): Problem[] => {
		const { name, columns, history } = sheets[index] as SheetState;
		const local = localProblems(history.now, columns);
		const errors = check.result?.errors ?? refused;
		const placed = placeErrors(errors, name, inputs[index]?.gridRows ?? [], columns);
		// The service says the same about a cell, and more: its words replace the local ones.
		return check.result === null ? [...local, ...placed] : placed;
	};
	const problems = sheets.map((_, index) => findProblems(index));
	const total = problems.reduce((sum, list) => sum + list.length, 0);
	const change = (index: number, next: (history: GridHistory, width: number) => GridHistory) => {
		setRefused([]);
		setSheets((before) =>
			before.map((each, here) =>
				here === index ? { ...each, history: next(each.history, each.columns.length) } : each,
			),
		);
	};
	const replace = (index: number, cells: Cells) => change(index, (history, width) => editGrid(history, cells, width));
	const intake = useTableImport({ templateId: template.id, sheets, active: at, onCells: replace });
	const download = useAction(async () => {
		const { url, headers } = await client.getRequest(automationTemplateRoutes.sheet, {
			params: { id: template.id },
			query: {},
		});
		const answer = await patientFetch(url, { headers });
		if (!answer.ok) throw new UserError(`The service answered ${answer.status}.`);
		const link = document.createElement("a");
		link.href = URL.createObjectURL(await answer.blob());
		link.download = `${template.name}.xlsx`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
	});
	const scheduledFor = (): string | null => {
		if (scheduled === localTime(before.scheduled_for, zone)) return before.scheduled_for;
		return scheduled === "" ? null : toInstant(scheduled, zone);
	};
	const submit = useAction(
		() =>
			props.onSubmit({
				title: title.trim(),
				description,
				input_data: data,
				check_mode: dryRun,
				target_controller: (controller ?? target?.id ?? "") || null,
				scheduled_for: scheduledFor(),
				automation_credential_id: credential.id === "" ? null : Number(credential.id),
				automation_credential_name: credential.name,
				watch_query_id: watched || null,
				prompts: readPrompts(prompts, template.askable),
			}),
		{
			stale: ["automation_requests"],
			onSuccess(request) {
				draft?.drop();
				props.onDone(request);
				void navigate({ to: "/automation/requests/$id", params: { id: request.id } });
			},
			onError: (error) => setRefused(getRowErrors(error)),
		},
	);
	const fields = submit.error === null ? {} : findProblem(submit.error).fields;
	const failure =
		submit.error !== null && refused.length === 0 && Object.keys(fields).length === 0 ? submit.error : null;
	const show = (index: number, { place }: Problem) => {
		setAt(index);
		// The table of another sheet is there after the next drawing.
		if (place !== null) requestAnimationFrame(() => grid.current?.show(place));
	};
	if (sheet === undefined) return <Empty>This template has no columns.</Empty>;
	return (
		<>
			<PageHead
				title={props.title}
				crumbs={props.crumbs}
				facts={
					<>
						<RunMode dryRun={dryRun} />
						<span className="num">{formatPlural(rowCount, "row")}</span>
						<span>{template.requires_approval ? "needs approval" : "needs no approval"}</span>
						<span>{template.automation_connection_name}</span>
					</>
				}
				actions={
					may(permission) && (
						<Button
							variant="primary"
							busy={submit.isPending}
							disabled={rowCount === 0 || title.trim() === ""}
							onClick={() => submit.mutate(undefined)}
						>
							{props.submitLabel}
						</Button>
					)
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<RestoredDraft />
				{failure !== null && (
					<SaveProblem error={failure} onSaveMine={() => submit.mutate(undefined)}>
						{({ read, stored }) =>
							props.drawStored?.(read as AutomationRequestDetail, stored as AutomationRequestDetail)
						}
					</SaveProblem>
				)}
				<OnlyConstants
					columns={sheets.flatMap(({ columns }) => columns.map(({ name }) => name))}
					constants={template.variable_mappings}
				/>
				{refused.length > 0 && (
					<Banner tone="bad" title="The rows were refused." detail="The problems are listed below the table." />
				)}
				<div className="grid gap-3 rounded-card border border-line bg-surface p-3 md:grid-cols-3">
					<TextField
						label="Title"
						required
						maxLength={200}
						value={title}
						error={fields.title}
						onChange={(event) => setTitle(event.target.value)}
					/>
					<SelectField
						label="Target controller"
						value={controller ?? target?.id ?? ""}
						error={fields.target_controller}
						options={[{ value: "", label: "(none)" }, ...targets.map(({ id, name }) => ({ value: id, label: name }))]}
						onChange={(event) => setController(event.target.value)}
					/>
					<div className="self-center">
						<CheckField
							label="Dry run"
							hint={
								template.allow_check_mode
									? "Check mode: the job reports its changes without making them."
									: "The template allows no dry run."
							}
							disabled={!template.allow_check_mode}
							checked={dryRun}
							onChange={(event) => setDryRun(event.target.checked)}
						/>
						{fields.check_mode && <p className="m-0 text-bad text-xs">{fields.check_mode}</p>}
					</div>
					<details
						className="md:col-span-3"
						open={isDetailed}
						onToggle={(event) => setDetailed(event.currentTarget.open)}
					>
						<summary className="cursor-pointer rounded-cell font-medium">
							Description, schedule, credential and launch options
						</summary>
						<div className="mt-2 grid gap-3 md:grid-cols-3">
							<AreaField
								label="Description"
								value={description}
								error={fields.description}
								onChange={(event) => setDescription(event.target.value)}
							/>
							<TextField
								label="Launch at"
								type="datetime-local"
								hint={`${zone}. Empty: launched by hand.`}
								value={scheduled}
								error={fields.scheduled_for}
								onChange={(event) => setScheduled(event.target.value)}
							/>
							<CredentialField
								connection={template.automation_connection}
								enabled={isDetailed}
								value={credential}
								error={fields.automation_credential_id}
								onChange={setCredential}
							/>
							{(isDetailed || watched !== "") && (
								<QueryField
									label="Compare before and after"
									none="(no comparison)"
									value={watched}
									error={fields.watch_query_id}
									onChange={setWatched}
								/>
							)}
							{template.askable.map((name) => (
								<PromptField
									key={name}
									name={name}
									value={prompts[name]}
									error={fields[name]}
									onChange={(value) => setPrompts({ ...prompts, [name]: value })}
								/>
							))}
						</div>
					</details>
				</div>
				<Panel
					title="Rows"
					aside={
						<>
							<IconButton
								label="Undo"
								icon={Undo2}
								disabled={sheet.history.past.length === 0}
								onClick={() => change(at, undoGrid)}
							/>
							<IconButton
								label="Redo"
								icon={Redo2}
								disabled={sheet.history.future.length === 0}
								onClick={() => change(at, redoGrid)}
							/>
							<IconButton label="Fill down" icon={ArrowDownToLine} onClick={() => grid.current?.fillDown()} />
							<IconButton label="Delete the selected rows" icon={Trash2} onClick={() => grid.current?.removeRows()} />
							<Button icon={Table2} onClick={() => setTaking({ run: source.run })}>
								From a run
							</Button>
							<Button icon={FileUp} busy={intake.isReading} onClick={() => file.current?.click()}>
								CSV or XLSX
							</Button>
							<IconButton
								label="Download an empty sheet"
								icon={FileDown}
								busy={download.isPending}
								onClick={() => download.mutate(undefined)}
							/>
							<input
								ref={file}
								type="file"
								hidden
								aria-label="CSV or XLSX file"
								accept=".csv,.xlsx"
								onChange={(event) => {
									const [chosen] = event.target.files ?? [];
									if (chosen) intake.readFile(chosen);
									event.target.value = "";
								}}
							/>
						</>
					}
				>
					{intake.view}
					{download.error !== null && (
						<div className="p-2">
							<Banner tone="bad" title="The sheet could not be read." detail={findProblem(download.error).detail} />
						</div>
					)}
					{sheets.length > 1 && (
						<div role="tablist" aria-label="Sheets" className="flex gap-1 border-line border-b px-2">
							{sheets.map(({ name }, index) => (
								<button
									key={name}
									type="button"
									role="tab"
									aria-selected={index === at}
									className={tabClass(index === at)}
									onClick={() => setAt(index)}
								>
									{name} <span className="num text-muted">{formatCount(inputs[index]?.rows.length ?? 0)}</span>
								</button>
							))}
						</div>
					)}
					<div
						className={joinClasses(intake.isDropping && "outline-2 outline-accent outline-offset-[-2px]")}
						{...intake.dropHandlers}
					>
						<InputGrid
							key={sheet.name}
							ref={grid}
							label={sheet.name === null ? "Rows of the request" : `Rows of ${sheet.name}`}
							columns={sheet.columns}
							cells={sheet.history.now}
							problems={problems[at] ?? []}
							onChange={(cells) => replace(at, cells)}
							onAsk={intake.askAbout}
							onUndo={() => change(at, undoGrid)}
							onRedo={() => change(at, redoGrid)}
						/>
					</div>
					<Findings {...{ sheets, problems, total }} check={check} rowCount={rowCount} onShow={show} />
				</Panel>
			</div>
			{taking !== null && (
				<SourceDialog
					source={taking}
					columns={sheet.columns}
					onRows={(cells) => replace(at, cells)}
					onClose={() => setTaking(null)}
				/>
			)}
		</>
	);
}

/** Cells that the service refused with the request. */
function getRowErrors(error: unknown): readonly CellError[] {
	if (!(error instanceof WeftError) || error.status !== 400) return [];
	const list = (error.body as { input_data?: unknown } | null)?.input_data;
	return Array.isArray(list) ? list.filter((each): each is CellError => typeof each === "object" && each !== null) : [];
}
