/**
 * The form of a request, new or changed: target, mode, and the rows that its job carries out. A
 * `Drafted` is around it.
 */
import { useNavigate } from "@tanstack/react-router";
import type { AutomationRequestDetail, AutomationTemplate, CellError } from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import type { ReactNode } from "react";
import { useAction } from "../../platform/call.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { RestoredDraft } from "../../ui/form.tsx";
import { Banner, type Crumb, Empty, PageHead } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { OnlyConstants } from "./only-constants.tsx";
import { RequestDetails } from "./request-details.tsx";
import { type Before, useRequestValues, type Wanted } from "./request-values.ts";
import { RowsPanel } from "./rows-panel.tsx";
import type { SourceSearch } from "./source-rows.ts";
import { useSheets } from "./use-sheets.ts";
import { RunMode } from "./words.tsx";

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
	const draft = useDraft();
	const rows = useSheets(template, before.input_data);
	const { sheets, rowCount, refused, setRefused } = rows;
	const values = useRequestValues(before, template);
	const submit = useAction(() => props.onSubmit(values.write(rows.data)), {
		stale: ["automation_requests"],
		onSuccess(request) {
			draft?.drop();
			props.onDone(request);
			void navigate({ to: "/automation/requests/$id", params: { id: request.id } });
		},
		onError: (error) => setRefused(getRowErrors(error)),
	});
	const errors = submit.error === null ? {} : findProblem(submit.error).fields;
	const failure =
		submit.error !== null && refused.length === 0 && Object.keys(errors).length === 0 ? submit.error : null;
	if (sheets.length === 0) return <Empty>This template has no columns.</Empty>;
	return (
		<>
			<PageHead
				title={props.title}
				crumbs={props.crumbs}
				facts={
					<>
						<RunMode dryRun={values.dryRun[0]} />
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
							disabled={rowCount === 0 || values.title[0].trim() === ""}
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
				<RequestDetails {...{ template, values, errors }} />
				<RowsPanel {...{ template, rows, source }} />
			</div>
		</>
	);
}

/** Cells that the service refused with the request. */
function getRowErrors(error: unknown): readonly CellError[] {
	if (!(error instanceof WeftError) || error.status !== 400) return [];
	const list = (error.body as { input_data?: unknown } | null)?.input_data;
	return Array.isArray(list) ? list.filter((each): each is CellError => typeof each === "object" && each !== null) : [];
}
