/** One question: its classes and cost, where it runs, and the rows of a run. */
import { useNavigate } from "@tanstack/react-router";
import type { GroupExecution, Question } from "@weft/contracts";
import { groupExecutionRoutes, planningRoutes } from "@weft/contracts/browser";
import { Bell, BookOpen, Play, Save } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { NO_TARGET, useConnections, useTarget, useTargets } from "../../../platform/target.ts";
import { client } from "../../../platform/weft.ts";
import { nameFile } from "../../../platform/workbook.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { SelectField } from "../../../ui/field.tsx";
import { Form } from "../../../ui/form.tsx";
import { Banner, Empty, PageHead, ProblemBanner } from "../../../ui/page.tsx";
import { Status } from "../../../ui/pill.tsx";
import { Progress } from "../../../ui/progress.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { VariableFields } from "../../../ui/variable-fields.tsx";
import { useGroupOptions } from "../../fabrics/groups/group-field.tsx";
import { useLiveGroupRun } from "../../fabrics/groups/live.ts";
import { DownloadMenu } from "../../runs/grid/download-menu.tsx";
import { ResultGrid } from "../../runs/grid/grid.tsx";
import { readSort, writeSort } from "../../runs/grid/sort.ts";
import { SaveQuestion } from "./save-question.tsx";
import { useQuestionRun } from "./use-question-run.ts";
import { WatchQuestion } from "./watch-question.tsx";

interface Search {
	/** Id of the group run whose rows are shown. */
	readonly run?: string | undefined;
	readonly filter?: string | undefined;
	readonly sort?: string | undefined;
	readonly group?: string | undefined;
}

interface QuestionProps {
	readonly question: Question;
	readonly search: Search;
	set(change: Search): void;
}

export function QuestionPage({ question, search, set }: QuestionProps) {
	const may = useMay();
	const navigate = useNavigate();
	const [saving, setSaving] = useState<"save" | "watch" | null>(null);
	const canSave = may("add_savedquery");
	return (
		<div className="flex h-full min-h-0 flex-col">
			<PageHead
				ruled
				title={question.question}
				crumbs={[
					{ label: "Library", to: "/library" },
					{ label: "Gallery", to: "/gallery" },
				]}
				facts={<span>{question.description}</span>}
				actions={
					canSave && (
						<>
							{may("add_check") && (
								<Button icon={Bell} onClick={() => setSaving("watch")}>
									Watch this
								</Button>
							)}
							<Button icon={Save} onClick={() => setSaving("save")}>
								Save as my query
							</Button>
						</>
					)
				}
			/>
			<div className="flex min-h-0 flex-1 flex-col overflow-auto">
				<div className="flex shrink-0 flex-col gap-3 px-5 py-3 max-sm:px-4">
					<Reading question={question} />
					{may("execute_savedquery") && (
						<RunForm
							question={question}
							onStarted={(run) => set({ run, filter: undefined, sort: undefined, group: undefined })}
						/>
					)}
				</div>
				{search.run !== undefined && <Result question={question} id={search.run} search={search} set={set} />}
			</div>
			{saving === "save" && (
				<SaveQuestion
					question={question}
					onClose={() => setSaving(null)}
					onSaved={({ id, name }) => {
						showToast(`${name} is saved`);
						void navigate({ to: "/builder/$id", params: { id } });
					}}
				/>
			)}
			{saving === "watch" && (
				<WatchQuestion
					question={question}
					onClose={() => setSaving(null)}
					onSaved={({ id, name }) => {
						showToast(`${name} is watched`);
						void navigate({ to: "/checks/$id", params: { id } });
					}}
				/>
			)}
		</div>
	);
}

/** The classes, the number of requests, and the sources. */
function Reading({ question }: { readonly question: Question }) {
	const { classes, sources, flow_data, post_processors, variables } = question;
	const { isPending } = useConnections();
	const target = useTarget();
	const connection_id = target?.id ?? null;
	const plan = useAnswer(
		planningRoutes.plan,
		{ body: { flow_data, post_processors, variables, connection_id } },
		// The cost depends on the fabric: it is asked for once, when the default one is known.
		{ staleTime: Number.POSITIVE_INFINITY, enabled: !isPending },
	);
	const requests = plan.data?.stages.reduce((sum, stage) => sum + stage.request_count_estimate, 0);
	return (
		<dl aria-label="About the question" className="m-0 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-muted">
			<dt>Reads</dt>
			<dd className="mono m-0 break-words">{classes.join(", ")}</dd>
			<dt>Costs</dt>
			<dd className="m-0">
				{requests === undefined
					? plan.error === null
						? "…"
						: findProblem(plan.error).detail
					: `about ${formatPlural(requests, "request")} ${target === undefined ? "to a fabric" : `to ${target.name}`}`}
			</dd>
			<dt>
				<BookOpen size={13} className="mt-0.5" aria-hidden="true" />
				<span className="sr-only">Sources</span>
			</dt>
			<dd className="m-0">{sources.join("; ")}</dd>
		</dl>
	);
}

interface RunFormProps {
	readonly question: Question;
	onStarted(id: string): void;
}

function RunForm({ question, onStarted }: RunFormProps) {
	const targets = useTargets();
	const target = useTarget();
	const groups = useGroupOptions();
	/** Null: the default connection. */
	const [chosen, setChosen] = useState<string | null>(null);
	const form = useRef<HTMLFormElement>(null);
	const run = useQuestionRun(question, onStarted);
	const options = [
		...targets.map(({ id, name }) => ({ value: `connection ${id}`, label: name })),
		...groups.options.map(({ value, label }) => ({ value: `group ${value}`, label })),
	];
	const place = chosen ?? (target ? `connection ${target.id}` : (options[0]?.value ?? ""));
	if (options.length === 0) {
		return <Empty action={<ButtonLink to="/settings/connections">Connections</ButtonLink>}>{NO_TARGET}</Empty>;
	}
	const problem = run.error === null ? undefined : findProblem(run.error).fields.variable_values;
	return (
		<Form
			ref={form}
			aria-label="Run the question"
			className="flex flex-wrap items-end gap-3"
			onSubmit={(event) => {
				event.preventDefault();
				if (form.current) run.mutate({ place, values: Object.fromEntries(new FormData(form.current)) });
			}}
		>
			<SelectField
				label="Fabric or group"
				value={place}
				options={options}
				error={groups.problem}
				onChange={({ target: { value } }) => setChosen(value)}
			/>
			<VariableFields variables={question.variables} errors={{}} />
			<Button type="submit" variant="primary" icon={Play} busy={run.isPending}>
				Run
			</Button>
			{problem && <Banner tone="bad" title={problem} />}
		</Form>
	);
}

interface ResultProps extends QuestionProps {
	readonly id: string;
}

function Result({ id, ...props }: ResultProps) {
	const { execution, error, refetch } = useLiveGroupRun(id);
	const times = useTimes();
	if (execution === undefined) {
		return (
			<div className="px-5 max-sm:px-4">
				{error ? (
					<ProblemBanner error={error} onRetry={refetch} />
				) : (
					<span className="skeleton inline-block h-3.5 w-40" />
				)}
			</div>
		);
	}
	const { runs, status } = execution;
	const fabrics = runs.map((run) => run.controller_connection_name);
	const fileName = nameFile(props.question.question, fabrics, times.getDay(execution.created_at));
	const hasRows = status !== "running" && runs.some((run) => run.status === "completed");
	return (
		<section aria-label="Answer" className="flex min-h-96 flex-1 flex-col gap-2">
			<div className="flex flex-wrap items-center gap-2 px-5 text-muted max-sm:px-4">
				<Status status={status} />
				<span>{fabrics.join(", ")}</span>
				{execution.total_rows !== null && <span className="num">{formatPlural(execution.total_rows, "row")}</span>}
				<span className="flex-1" />
				<ButtonLink to="/runs/groups/$id" params={{ id }}>
					Show the run
				</ButtonLink>
				{hasRows && (
					<DownloadMenu
						label="All rows"
						name={fileName}
						request={(format) =>
							client.getRequest(groupExecutionRoutes.results, { params: { id }, query: { export: format } })
						}
					/>
				)}
			</div>
			<Notices execution={execution} />
			{hasRows && <Rows execution={execution} fileName={fileName} {...props} />}
		</section>
	);
}

function Notices({ execution: { runs, status } }: { readonly execution: GroupExecution }) {
	if (status === "running") {
		const done = runs.filter((run) => run.status !== "pending" && run.status !== "running").length;
		return (
			<div className="px-5 max-sm:px-4">
				<Progress label="Fabrics that have answered" done={done} total={runs.length} />
			</div>
		);
	}
	return runs
		.filter((run) => run.status !== "completed")
		.map((run) => (
			<div key={run.pipeline_job_id} className="px-5 max-sm:px-4">
				<Banner
					tone={run.status === "unsupported" ? "info" : "bad"}
					title={`${run.controller_connection_name}: no rows.`}
					detail={run.error ?? "The run was cancelled."}
				/>
			</div>
		));
}

interface RowsProps extends QuestionProps {
	readonly execution: GroupExecution;
	readonly fileName: string;
}

function Rows({ question, execution, fileName, search, set }: RowsProps) {
	const { id, completed_at, total_rows } = execution;
	const source = useMemo(
		() => ({
			key: `${id} ${completed_at}`,
			request: () => client.getRequest(groupExecutionRoutes.results, { params: { id }, query: { export: "ndjson" } }),
		}),
		[id, completed_at],
	);
	if (total_rows === 0) return <Empty>No object matches the question.</Empty>;
	return (
		<div className="min-h-0 flex-1">
			<ResultGrid
				source={source}
				scope={`question ${question.key}`}
				name={fileName}
				filter={search.filter ?? ""}
				sort={readSort(search.sort)}
				group={search.group ?? null}
				onFilter={(text) => set({ filter: text || undefined })}
				onSort={(next) => set({ sort: writeSort(next) })}
				onGroup={(next) => set({ group: next ?? undefined })}
			/>
		</div>
	);
}
