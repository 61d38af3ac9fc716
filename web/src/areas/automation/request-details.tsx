/** The fields of a request beside its rows. Seldom used ones are folded until one has a value. */

import type { AutomationTemplate } from "@weft/contracts";
import { useState } from "react";
import { useTimes } from "../../platform/profile.ts";
import { useTargets } from "../../platform/target.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { QueryField } from "../checks/query-field.tsx";
import { CredentialField } from "./credential-field.tsx";
import { PlanField, WindowField } from "./plan-field.tsx";
import { PromptField } from "./prompt-fields.tsx";
import type { RequestValues } from "./request-values.ts";

interface DetailsProps {
	readonly template: AutomationTemplate;
	readonly values: RequestValues;
	/** The service's messages, by field. */
	readonly errors: Readonly<Record<string, string | undefined>>;
}

export function RequestDetails({ template, values, errors }: DetailsProps) {
	const targets = useTargets();
	const [title, setTitle] = values.title;
	const [controller, setController] = values.controller;
	const [dryRun, setDryRun] = values.dryRun;
	return (
		<div className="grid gap-3 rounded-card border border-line bg-surface p-3 md:grid-cols-3">
			<TextField
				label="Title"
				required
				maxLength={200}
				value={title}
				error={errors.title}
				onChange={(event) => setTitle(event.target.value)}
			/>
			<SelectField
				label="Target fabric"
				value={controller}
				error={errors.target_controller}
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
				{errors.check_mode && <GroupMessage text={errors.check_mode} />}
			</div>
			<FoldedDetails {...{ template, values, errors }} />
		</div>
	);
}

function FoldedDetails({ template, values, errors }: DetailsProps) {
	const { zone } = useTimes();
	const [description, setDescription] = values.description;
	const [scheduled, setScheduled] = values.scheduled;
	const [credential, setCredential] = values.credential;
	const [watched, setWatched] = values.watched;
	const [plan, setPlan] = values.plan;
	const [window, setWindow] = values.window;
	const [prompts, setPrompts] = values.prompts;
	const texts = [description, scheduled, credential.id, watched, plan, window];
	const [isOpen, setOpen] = useState(
		texts.some((text) => text !== "") || template.requires_change_plan || template.askable.length > 0,
	);
	return (
		<details className="md:col-span-3" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary className="cursor-pointer rounded-cell font-medium">
				Description, schedule, credential, change plan and launch options
			</summary>
			<div className="mt-2 grid gap-3 md:grid-cols-3">
				<AreaField
					label="Description"
					value={description}
					error={errors.description}
					onChange={(event) => setDescription(event.target.value)}
				/>
				<WhenField
					label="Launch at"
					kind="datetime"
					hint={`${zone}. Empty: launched by hand.`}
					value={scheduled}
					error={errors.scheduled_for}
					onChange={setScheduled}
				/>
				<CredentialField
					connection={template.automation_connection}
					enabled={isOpen}
					value={credential}
					error={errors.automation_credential_id}
					onChange={setCredential}
				/>
				{(isOpen || watched !== "") && (
					<QueryField
						label="Compare before and after"
						none="(no comparison)"
						value={watched}
						error={errors.watch_query_id}
						onChange={(id) => {
							setWatched(id);
							setPlan("");
							setWindow("");
						}}
					/>
				)}
				{(isOpen || plan !== "" || window !== "") && (
					<>
						<PlanField
							template={template}
							value={plan}
							error={errors.change_plan}
							onChange={(id) => {
								setPlan(id);
								setWindow("");
								setWatched("");
							}}
						/>
						<WindowField
							value={window}
							error={errors.change_window}
							onChange={(id) => {
								setWindow(id);
								setPlan("");
								setWatched("");
							}}
						/>
					</>
				)}
				{template.askable.map((name) => (
					<PromptField
						key={name}
						name={name}
						value={prompts[name]}
						error={errors[name]}
						onChange={(value) => setPrompts({ ...prompts, [name]: value })}
					/>
				))}
			</div>
		</details>
	);
}
