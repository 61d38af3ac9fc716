/** Groups of a schedule's fields. */

import type { ScheduledTask } from "@weft/contracts";
import { savedQueryRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { useDraftState } from "../../platform/draft-state.ts";
import { useConnections, useTarget } from "../../platform/target.ts";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { NoQueryHint } from "../../ui/no-query-hint.tsx";

/** In place of a number that the settings of the service decide. */
export const DEFAULT = "default";

export interface Variable {
	readonly id: string;
	readonly label?: string;
	readonly defaultValue?: unknown;
	readonly required?: boolean;
}

interface GroupProps {
	/** Null: a new one. */
	readonly task: ScheduledTask | null;
	/** The service's messages, by field. */
	readonly errors: Readonly<Record<string, string | undefined>>;
}

interface QuerySelectProps extends GroupProps {
	readonly query: string;
	onChange(query: string): void;
}

export function QuerySelect({ task, errors, query, onChange }: QuerySelectProps) {
	const queries = useAnswer(
		savedQueryRoutes.list,
		{ query: { page_size: "200", ordering: "name" } },
		{ staleTime: 60_000 },
	);
	return (
		<SelectField
			label="Query"
			required
			value={query}
			options={[
				{ value: "", label: "Choose a query" },
				...(task && !queries.data?.results.some(({ id }) => id === task.saved_query)
					? [{ value: task.saved_query, label: task.query_name }]
					: []),
				...(queries.data?.results.map(({ id, name }) => ({ value: id, label: name })) ?? []),
			]}
			hint={queries.data?.count === 0 && <NoQueryHint />}
			error={errors.saved_query}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}

export function ControllersField({ task, errors }: GroupProps) {
	const target = useTarget();
	const connections = useConnections();
	const chosen = new Set(task?.controller_connection_ids ?? (target ? [target.id] : []));
	return (
		<fieldset className="m-0 flex flex-col gap-1.5 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Fabrics</legend>
			{connections.data?.results
				.filter(({ is_active, id }) => is_active || chosen.has(id))
				.map(({ id, name, is_active }) => (
					<CheckField
						key={id}
						label={is_active ? name : `${name} (switched off)`}
						name="connection"
						value={id}
						defaultChecked={chosen.has(id)}
					/>
				))}
			{errors.controller_connection_ids && <GroupMessage text={errors.controller_connection_ids} />}
		</fieldset>
	);
}

export function VariablesField({ task, errors, variables }: GroupProps & { readonly variables: readonly Variable[] }) {
	if (variables.length === 0) return null;
	return (
		<fieldset className="m-0 flex flex-col gap-2.5 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Variables of the query</legend>
			{variables.map(({ id, label, defaultValue, required }) => (
				<TextField
					key={id}
					mono
					label={label ?? id}
					name={`variable:${id}`}
					required={required === true && defaultValue === undefined}
					defaultValue={String(task?.variable_values[id] ?? defaultValue ?? "")}
					error={errors[`variable_values.${id}`]}
				/>
			))}
		</fieldset>
	);
}

export function MailFields({ task, errors }: GroupProps) {
	return (
		<fieldset className="m-0 flex flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Notify by mail</legend>
			<CheckField label="When it fails" name="on_failure" defaultChecked={task?.email_on_failure ?? true} />
			<CheckField label="When it succeeds" name="on_success" defaultChecked={task?.email_on_success ?? false} />
			<TextField
				label="Additional recipients"
				name="recipients"
				hint="Comma-separated addresses. You are always notified."
				defaultValue={task?.email_recipients.join(", ")}
				error={errors.email_recipients}
			/>
		</fieldset>
	);
}

export function RetryFields({ task, errors }: GroupProps) {
	const [retry, setRetry] = useDraftState("retry", task?.retry_enabled ?? false);
	return (
		<fieldset className="m-0 flex flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">When it fails</legend>
			<CheckField
				label="Retry on failed fabrics"
				checked={retry}
				onChange={(event) => setRetry(event.target.checked)}
				name="retry"
			/>
			{retry && (
				<div className="grid grid-cols-2 gap-3">
					<TextField
						label="Maximum retries"
						name="retry_count"
						type="number"
						min={0}
						max={10}
						required={task !== null}
						placeholder={DEFAULT}
						defaultValue={task?.retry_count}
						error={errors.retry_count}
					/>
					<TextField
						label="Minutes between"
						name="retry_interval"
						type="number"
						min={1}
						max={1440}
						required={task !== null}
						placeholder={DEFAULT}
						defaultValue={task?.retry_interval_minutes}
						error={errors.retry_interval_minutes}
					/>
				</div>
			)}
		</fieldset>
	);
}
