/** One template: its job, columns, users and approvers; also a new one from a server's survey. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { FilePlus2, Save, Trash2 } from "lucide-react";
import { useState } from "react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Drafted, RestoredDraft } from "../../ui/form.tsx";
import { PageHead, Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { ChangesField } from "../windows/changes-field.tsx";
import { ConstantsEditor } from "./constants.tsx";
import { LaunchOptions } from "./launch-options.tsx";
import { OnlyConstants } from "./only-constants.tsx";
import { AccessFields, ColumnPanels } from "./template-fields.tsx";
import { TemplatePreview } from "./template-preview-panel.tsx";
import { JobLink } from "./templates-table.tsx";
import { type OpenedTemplate, useTemplateEdit } from "./use-template-edit.ts";

const newRoute = getRouteApi("/app/automation/templates/new");
const savedRoute = getRouteApi("/app/automation/templates/$id");
const CRUMBS = [{ label: "Templates", to: "/automation/templates" as const }];

export function NewTemplatePage() {
	const { connection = "", job = "", kind } = newRoute.useSearch();
	const body = {
		automation_connection: connection,
		automation_job_template_id: Number(job),
		kind: kind === "workflow" ? ("workflow" as const) : ("job" as const),
	};
	const answer = useAnswer(automationTemplateRoutes.fromServer, { body }, { staleTime: Number.POSITIVE_INFINITY });
	if (answer.data === undefined) {
		return <Unloaded what="Job template" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	const begins = `${connection} ${job} ${body.kind}`;
	return (
		<Drafted key={begins} form="template" id={`new ${begins}`}>
			<Editor saved={null} begun={answer.data.template} notes={answer.data.notes} />
		</Drafted>
	);
}

export function TemplatePage() {
	const { id } = savedRoute.useParams();
	const answer = useAnswer(automationTemplateRoutes.detail, { params: { id } });
	if (answer.data === undefined) {
		return <Unloaded what="Template" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	return (
		<Drafted key={answer.data.updated_at} form="template" id={id}>
			<Editor saved={answer.data} begun={answer.data} notes={[]} />
		</Drafted>
	);
}

function Editor({ saved, begun, notes }: OpenedTemplate) {
	const navigate = useNavigate();
	const may = useMay();
	const edit = useTemplateEdit({ saved, begun, notes });
	const { fields, set, canSave, save, errors } = edit;
	const [removing, setRemoving] = useState(false);
	return (
		<>
			<PageHead
				isPinned
				title={fields.name || "New template"}
				crumbs={CRUMBS}
				facts={
					<>
						<Pill>{begun.kind === "workflow" ? "Workflow" : "Job"}</Pill>
						{saved ? <JobLink template={saved} /> : <span>{begun.name}</span>}
						{saved && <span>{saved.automation_connection_name}</span>}
						{saved?.category_name && <span>{saved.category_name}</span>}
						{saved && <span className="num">{formatPlural(saved.request_count, "request")}</span>}
						{saved === null && <span>not saved yet</span>}
						{saved !== null && edit.isChanged && <Pill tone="warn">Unsaved changes</Pill>}
					</>
				}
				actions={
					<>
						{saved?.can_delete && (
							<Button variant="danger" icon={Trash2} onClick={() => setRemoving(true)}>
								Delete
							</Button>
						)}
						{saved && may("add_automationrequest") && (
							<ButtonLink icon={FilePlus2} to="/automation/requests/new" search={{ template: saved.id }}>
								New request
							</ButtonLink>
						)}
						{canSave && (
							<Button variant="primary" icon={Save} busy={save.isPending} onClick={() => save.mutate(undefined)}>
								Save
							</Button>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<RestoredDraft />
				{edit.failure !== null && <SaveProblem error={edit.failure} onSaveMine={() => save.mutate(undefined)} />}
				<OnlyConstants
					columns={[fields.schema, ...fields.sheets.map(({ columns }) => columns)].flat().map(({ name }) => name)}
					constants={fields.variable_mappings}
				/>
				{notes.length > 0 && <Notes notes={notes} />}
				<AccessFields {...{ saved, begun, edit }} />
				<ColumnPanels edit={edit} />
				<TemplatePreview fields={fields} />
				<Panel title="Expected changes of a row" padded>
					<fieldset disabled={!canSave} className="m-0 min-w-0 border-0 p-0">
						<legend className="sr-only">Expected changes of a row</legend>
						<ChangesField
							ofRow
							changes={fields.expects}
							empty={
								"Nothing is expected yet. Each approved row declares these changes for the change window of its job: " +
								"whatever else happens then is a finding."
							}
							errors={errors}
							path="expects"
							onChange={(expects) => set({ expects })}
						/>
					</fieldset>
				</Panel>
				<Panel title="Launch options">
					<LaunchOptions
						prompts={fields.prompts}
						askable={fields.askable}
						readOnly={!canSave}
						getError={(name) => errors[name]}
						onChange={set}
					/>
				</Panel>
				<Panel title="Variables of every job">
					<ConstantsEditor
						constants={fields.variable_mappings}
						readOnly={!canSave}
						error={errors.variable_mappings}
						onChange={(variable_mappings) => set({ variable_mappings })}
					/>
				</Panel>
			</div>
			{saved && (
				<Confirm
					open={removing}
					title={`Delete ${saved.name}?`}
					verb="Delete the template"
					onConfirm={async () => {
						await callRoute(automationTemplateRoutes.remove, { params: { id: saved.id } });
						void navigate({ to: "/automation/templates" });
					}}
					onClose={() => setRemoving(false)}
				>
					<p className="m-0">Its requests and their history are kept. Open requests prevent it.</p>
				</Confirm>
			)}
		</>
	);
}

function Notes({ notes }: Pick<OpenedTemplate, "notes">) {
	return (
		<Panel title="Notes on the survey" padded>
			<ul className="m-0 flex list-disc flex-col gap-1 pl-4">
				{notes.map(({ code, variable, message }) => (
					<li key={`${code} ${variable} ${message}`}>
						{variable && <span className="mono">{variable}: </span>}
						{message}
					</li>
				))}
			</ul>
		</Panel>
	);
}
