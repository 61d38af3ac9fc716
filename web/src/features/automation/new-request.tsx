/** A new request: target, mode, and the rows that its job carries out. */
import { getRouteApi } from "@tanstack/react-router";
import {
	type AutomationTemplate,
	automationConnectionRoutes,
	automationRequestRoutes,
	automationTemplateRoutes,
	type CellError,
	type InputData,
} from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import { ArrowDownToLine, FileDown, FileUp, Redo2, Table2, Trash2, Undo2 } from "lucide-react";
import { type DragEvent, useMemo, useRef, useState } from "react";
import { send, useAction, useAnswer } from "../../platform/call.ts";
import { count, plural } from "../../platform/format.ts";
import { problemOf } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { useTarget, useTargets } from "../../platform/target.ts";
import { client } from "../../platform/weft.ts";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { tabClass } from "../../ui/classes.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Banner, Empty, PageHead, Panel, ProblemBanner } from "../../ui/page.tsx";
import { say } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { Findings, type SheetState } from "./findings.tsx";
import {
	beginGrid,
	type Cells,
	cellsOf,
	editGrid,
	type GridHistory,
	inputOf,
	localProblems,
	type Problem,
	placeErrors,
	redoGrid,
	undoGrid,
} from "./grid-model.ts";
import { type GridHandle, InputGrid } from "./input-grid.tsx";
import { RowsFromRun } from "./rows-from-run.tsx";
import { useCheck } from "./use-check.ts";
import { RunMode } from "./words.tsx";

const route = getRouteApi("/app/automation/requests/new");
const CRUMBS = [{ label: "Requests", to: "/automation/requests" as const }];

export function NewRequestPage() {
	const { template: id = "" } = route.useSearch();
	const answer = useAnswer(automationTemplateRoutes.detail, { params: { id } }, { enabled: id !== "" });
	if (id === "") {
		return (
			<>
				<PageHead title="New request" crumbs={CRUMBS} />
				<Empty action={<ButtonLink to="/automation/templates">To Templates</ButtonLink>}>
					Choose a template: it names the job and the columns of the rows.
				</Empty>
			</>
		);
	}
	if (answer.data === undefined) {
		return (
			<Unloaded
				what="Template"
				crumbs={[{ label: "Templates", to: "/automation/templates" }]}
				error={answer.error}
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	return <Form key={id} template={answer.data} />;
}

const beginSheets = ({ schema, sheets }: AutomationTemplate): SheetState[] =>
	(sheets.length === 0 ? [{ name: null, columns: schema }] : sheets).map(({ name, columns }) => ({
		name,
		columns,
		history: beginGrid([], columns.length),
	}));

/** A key of its own for each form, so that sending it twice makes one request. */
const newKey = (): string => `ui-${Date.now()}-${Math.random().toString(36).slice(2)}`;

function Form({ template }: { template: AutomationTemplate }) {
	const { run } = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const target = useTarget();
	const targets = useTargets();
	const [sheets, setSheets] = useState(() => beginSheets(template));
	const [at, setAt] = useState(0);
	const [title, setTitle] = useState("");
	const [description, setDescription] = useState("");
	const [controller, setController] = useState<string | null>(null);
	const [dryRun, setDryRun] = useState(false);
	const [scheduled, setScheduled] = useState("");
	const [credential, setCredential] = useState("");
	const [isDetailed, setDetailed] = useState(false);
	const [taking, setTaking] = useState(run !== undefined);
	/** The last request sent: sent again unchanged, it is the same one; changed, it is another. */
	const sent = useRef({ content: "", key: "" });
	const [refused, setRefused] = useState<readonly CellError[]>([]);
	const grid = useRef<GridHandle>(null);
	const file = useRef<HTMLInputElement>(null);
	const sheet = sheets[at] ?? sheets[0];
	const inputs = useMemo(() => sheets.map(({ history, columns }) => inputOf(history.now, columns)), [sheets]);
	const rowCount = inputs.reduce((sum, { rows }) => sum + rows.length, 0);
	const data: InputData = useMemo(
		() =>
			sheets[0]?.name === null
				? (inputs[0]?.rows ?? [])
				: Object.fromEntries(sheets.map(({ name }, index) => [name ?? "", inputs[index]?.rows ?? []])),
		[sheets, inputs],
	);
	const check = useCheck(template.id, rowCount === 0 ? null : data);
	const credentials = useAnswer(
		automationConnectionRoutes.credentials,
		{ params: { id: template.automation_connection ?? "" }, query: { page_size: "200" } },
		{ enabled: isDetailed && template.automation_connection !== null },
	);
	const problemsOf = (index: number): Problem[] => {
		const { name, columns, history } = sheets[index] as SheetState;
		const local = localProblems(history.now, columns);
		const errors = check.result?.errors ?? refused;
		const placed = placeErrors(errors, name, inputs[index]?.gridRows ?? [], columns);
		// The service says the same about a cell, and more: its words replace the local ones.
		return check.result === null ? [...local, ...placed] : placed;
	};
	const problems = sheets.map((_, index) => problemsOf(index));
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
	const upload = useAction(
		async (chosen: File) => {
			const { url, headers } = await client.requestOf(automationTemplateRoutes.readFile, {
				params: { id: template.id },
			});
			const body = new FormData();
			body.append("file", chosen);
			const answer = await fetch(url, { method: "POST", headers, body });
			const read = (await answer.json()) as { input_data?: InputData; detail?: string; file?: string[] };
			if (!answer.ok || read.input_data === undefined)
				throw new Error(read.detail ?? read.file?.join(" ") ?? `The service answered ${answer.status}.`);
			return read.input_data;
		},
		{
			onSuccess(read) {
				sheets.forEach(({ name, columns }, index) => {
					const rows = Array.isArray(read) ? (name === null ? read : []) : (read[name ?? ""] ?? []);
					replace(index, cellsOf(rows, columns));
				});
			},
		},
	);
	const download = useAction(async () => {
		const { url, headers } = await client.requestOf(automationTemplateRoutes.sheet, {
			params: { id: template.id },
			query: {},
		});
		const answer = await fetch(url, { headers });
		if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
		const link = document.createElement("a");
		link.href = URL.createObjectURL(await answer.blob());
		link.download = `${template.name}.xlsx`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
	});
	const submit = useAction(
		() => {
			const body = {
				template: template.id,
				title: title.trim(),
				description,
				input_data: data,
				check_mode: dryRun,
				target_controller: (controller ?? target?.id ?? "") || null,
				...(scheduled === "" ? {} : { scheduled_for: new Date(scheduled).toISOString() }),
				...(credential === ""
					? {}
					: {
							automation_credential_id: Number(credential),
							automation_credential_name:
								credentials.data?.results.find(({ id }) => String(id) === credential)?.name ?? "",
						}),
			};
			const content = JSON.stringify(body);
			if (sent.current.content !== content) sent.current = { content, key: newKey() };
			return send(automationRequestRoutes.create, { body: { ...body, idempotency_key: sent.current.key } });
		},
		{
			stale: ["automation_requests"],
			onSuccess(made) {
				say(made.status === "awaiting_approval" ? "Sent for approval" : "The request is made; nothing is launched yet");
				void navigate({ to: "/automation/requests/$id", params: { id: made.id } });
			},
			onError: (error) => setRefused(rowErrorsOf(error)),
		},
	);
	const fields = submit.error === null ? {} : problemOf(submit.error).fields;
	const failure =
		submit.error !== null && refused.length === 0 && Object.keys(fields).length === 0 ? submit.error : null;
	const show = (index: number, { place }: Problem) => {
		setAt(index);
		// The table of another sheet is there after the next drawing.
		if (place !== null) requestAnimationFrame(() => grid.current?.show(place));
	};
	const onDrop = (event: DragEvent) => {
		const [dropped] = event.dataTransfer.files;
		if (dropped === undefined) return;
		event.preventDefault();
		upload.mutate(dropped);
	};
	if (sheet === undefined) return <Empty>This template has no columns.</Empty>;
	return (
		<>
			<PageHead
				title="New request"
				crumbs={[...CRUMBS, { label: template.name }]}
				facts={
					<>
						<RunMode dryRun={dryRun} />
						<span className="num">{plural(rowCount, "row")}</span>
						<span>{template.requires_approval ? "needs approval" : "needs no approval"}</span>
						<span>{template.automation_connection_name}</span>
					</>
				}
				actions={
					may("add_automationrequest") && (
						<Button
							variant="primary"
							busy={submit.isPending}
							disabled={rowCount === 0 || title.trim() === ""}
							onClick={() => submit.mutate(undefined)}
						>
							{template.requires_approval ? "Submit for approval" : "Submit"}
						</Button>
					)
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{failure !== null && <ProblemBanner error={failure} />}
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
					<details className="md:col-span-3" onToggle={(event) => setDetailed(event.currentTarget.open)}>
						<summary className="cursor-pointer rounded-cell font-medium">Description, schedule and credential</summary>
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
								hint="In this browser's time zone. Empty: launched by hand."
								value={scheduled}
								error={fields.scheduled_for}
								onChange={(event) => setScheduled(event.target.value)}
							/>
							<SelectField
								label="Credential"
								hint="Of the automation server."
								value={credential}
								error={fields.automation_credential_id}
								options={[
									{ value: "", label: "That of the server's template" },
									...(credentials.data?.results.map(({ id, name, can_use }) => ({
										value: String(id),
										label: can_use ? name : `${name} (the token may not use it)`,
										disabled: !can_use,
									})) ?? []),
								]}
								onChange={(event) => setCredential(event.target.value)}
							/>
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
							<Button icon={Table2} onClick={() => setTaking(true)}>
								From a run
							</Button>
							<Button icon={FileUp} busy={upload.isPending} onClick={() => file.current?.click()}>
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
									if (chosen) upload.mutate(chosen);
									event.target.value = "";
								}}
							/>
						</>
					}
				>
					{(upload.error ?? download.error) !== null && (
						<div className="p-2">
							<Banner
								tone="bad"
								title="The file could not be read."
								detail={problemOf(upload.error ?? download.error).detail}
							/>
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
									{name} <span className="num text-muted">{count(inputs[index]?.rows.length ?? 0)}</span>
								</button>
							))}
						</div>
					)}
					{/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside the title does the same */}
					<div onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
						<InputGrid
							key={sheet.name}
							ref={grid}
							label={sheet.name === null ? "Rows of the request" : `Rows of ${sheet.name}`}
							columns={sheet.columns}
							cells={sheet.history.now}
							problems={problems[at] ?? []}
							onChange={(cells) => replace(at, cells)}
							onUndo={() => change(at, undoGrid)}
							onRedo={() => change(at, redoGrid)}
						/>
					</div>
					<Findings {...{ sheets, problems, total }} check={check} rowCount={rowCount} onShow={show} />
				</Panel>
			</div>
			{taking && (
				<RowsFromRun
					runId={run ?? ""}
					columns={sheet.columns}
					onRows={(cells) => replace(at, cells)}
					onClose={() => setTaking(false)}
				/>
			)}
		</>
	);
}

/** Cells that the service refused with the request. */
function rowErrorsOf(error: unknown): readonly CellError[] {
	if (!(error instanceof WeftError) || error.status !== 400) return [];
	const list = (error.body as { input_data?: unknown } | null)?.input_data;
	return Array.isArray(list) ? list.filter((each): each is CellError => typeof each === "object" && each !== null) : [];
}
