/** A schedule's fields, in a drawer. */
import type { ScheduledTask } from "@weft/contracts";
import { savedQueryRoutes, scheduleRoutes } from "@weft/contracts/browser";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, invalidateAreas, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { useConnections, useTarget } from "../../platform/target.ts";
import { addDays } from "../../platform/time.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../ui/form.tsx";
import { Banner } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import { GroupField, readGroup } from "../fabrics/group-field.tsx";
import { type Cadence, CadenceFields, cadenceBody } from "./cadence-fields.tsx";

interface FormProps {
	/** Null: a new one. */
	readonly task: ScheduledTask | null;
	readonly queryId?: string | undefined;
	onSaved(task: ScheduledTask): void;
	onClose(): void;
}

/** In place of a number that the settings of the service decide. */
const DEFAULT = "default";

interface Variable {
	readonly id: string;
	readonly label?: string;
	readonly defaultValue?: unknown;
	readonly required?: boolean;
}

export const ScheduleForm = (props: FormProps) => (
	<Drafted form="schedule" id={props.task?.id ?? `new ${props.queryId ?? ""}`}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ task, queryId, onSaved, onClose }: FormProps) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const times = useTimes();
	const target = useTarget();
	const connections = useConnections();
	const queries = useAnswer(
		savedQueryRoutes.list,
		{ query: { page_size: "200", ordering: "name" } },
		{ staleTime: 60_000 },
	);
	const [query, setQuery] = useDraftState("query", task?.saved_query ?? queryId ?? "");
	const detail = useAnswer(
		savedQueryRoutes.detail,
		{ params: { id: query } },
		{ enabled: query !== "", staleTime: 60_000 },
	);
	const [cadence, setCadence] = useDraftState<Cadence>("cadence", () =>
		readCadence(task, times.zone, addDays(times.getDay(Date.now()), 1)),
	);
	const [retry, setRetry] = useDraftState("retry", task?.retry_enabled ?? false);
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const guard = useSaveGuard(task, ({ id }) => callRoute(scheduleRoutes.detail, { params: { id } }));
	const fields = error === null ? {} : findProblem(error).fields;
	const chosen = new Set(task?.controller_connection_ids ?? (target ? [target.id] : []));
	const variables = (detail.data?.variables ?? []) as readonly Variable[];

	const save = async (event?: FormEvent) => {
		event?.preventDefault();
		if (!form.current?.reportValidity()) return;
		setBusy(true);
		setError(null);
		try {
			const body = {
				...readScheduleForm(new FormData(form.current), variables),
				...cadenceBody(cadence),
				saved_query: query,
			};
			await guard.assertUnchanged(body);
			const saved = task
				? await callRoute(scheduleRoutes.update, { params: { id: task.id }, body })
				: await callRoute(scheduleRoutes.create, { body });
			draft?.drop();
			await invalidateAreas("schedules");
			showToast(`${saved.name}: ${saved.schedule_description}`);
			onSaved(saved);
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog
			open
			side="right"
			title={task ? task.name : "New schedule"}
			description={
				task ? undefined : "Runs a saved query periodically. Results are stored if the query has Time Machine on."
			}
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={busy} onClick={() => void save()}>
						Save
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-4" onSubmit={save}>
				{error !== null && Object.keys(fields).length === 0 && (
					<SaveProblem error={error} onSaveMine={() => void save()} />
				)}
				{fields.non_field_errors && <Banner tone="bad" title={fields.non_field_errors} />}
				<TextField
					label="Name"
					name="name"
					defaultValue={task?.name}
					required
					maxLength={200}
					autoComplete="off"
					data-autofocus
					error={fields.name}
				/>
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
					error={fields.saved_query}
					onChange={(event) => setQuery(event.target.value)}
				/>
				<fieldset className="m-0 flex flex-col gap-1.5 border-0 p-0">
					<legend className="mb-1 p-0 font-medium">Controllers</legend>
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
					{fields.controller_connection_ids && (
						<p className="m-0 text-bad text-xs">{fields.controller_connection_ids}</p>
					)}
				</fieldset>
				<GroupField
					label="And every connection of the group"
					hint="Members are read at each run: connections that join the group later run, too."
					group={task?.connection_group ?? null}
					name={task?.connection_group_name ?? null}
					error={fields.connection_group}
				/>
				{variables.length > 0 && (
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
								error={fields[`variable_values.${id}`]}
							/>
						))}
					</fieldset>
				)}
				<CadenceFields
					cadence={cadence}
					errors={fields}
					onChange={(change) => setCadence((before) => ({ ...before, ...change }))}
				/>
				<fieldset className="m-0 flex flex-col gap-2 border-0 p-0">
					<legend className="mb-1 p-0 font-medium">Notify by mail</legend>
					<CheckField label="When it fails" name="on_failure" defaultChecked={task?.email_on_failure ?? true} />
					<CheckField label="When it succeeds" name="on_success" defaultChecked={task?.email_on_success ?? false} />
					<TextField
						label="Additional recipients"
						name="recipients"
						hint="Comma-separated addresses. You are always notified."
						defaultValue={task?.email_recipients.join(", ")}
						error={fields.email_recipients}
					/>
				</fieldset>
				<fieldset className="m-0 flex flex-col gap-2 border-0 p-0">
					<legend className="mb-1 p-0 font-medium">When it fails</legend>
					<CheckField
						label="Retry on failed controllers"
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
								error={fields.retry_count}
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
								error={fields.retry_interval_minutes}
							/>
						</div>
					)}
				</fieldset>
				<TextField
					label="Retention of runs, in days"
					name="retention"
					type="number"
					min={1}
					max={3650}
					className="w-52"
					required={task !== null}
					placeholder={DEFAULT}
					hint={task === null ? "Leave empty for the default of this service." : undefined}
					defaultValue={task?.log_retention_days}
					error={fields.log_retention_days}
				/>
				<AreaField
					label="Description"
					name="description"
					rows={2}
					maxLength={2000}
					defaultValue={task?.description}
					error={fields.description}
				/>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}

export function readCadence(task: ScheduledTask | null, zone: string, tomorrow: string): Cadence {
	return {
		frequency: task?.frequency ?? "daily",
		minute_of_hour: task?.minute_of_hour ?? 0,
		time_of_day: task?.time_of_day || "06:00",
		day_of_week: task?.day_of_week ?? 0,
		day_of_month: task?.day_of_month ?? 1,
		moment: task?.scheduled_datetime ? toLocalTime(task.scheduled_datetime, task.timezone) : `${tomorrow}T06:00`,
		timezone: task?.timezone ?? zone,
	};
}

/** What a clock in the zone shows, for the browser's field. */
function toLocalTime(instant: string, zone: string): string {
	const text = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(
		new Date(instant),
	);
	return text.replace(" ", "T");
}

function readScheduleForm(form: FormData, variables: readonly Variable[]) {
	const text = (name: string) => String(form.get(name) ?? "").trim();
	/** Empty: the service fills in its default. */
	const number = <Field extends string>(field: Field, name: string) =>
		(text(name) === "" ? {} : { [field]: Number(text(name)) }) as { [Key in Field]?: number };
	const values = variables.flatMap(({ id }) => {
		const value = text(`variable:${id}`);
		return value === "" ? [] : [[id, value] as const];
	});
	return {
		name: text("name"),
		description: text("description"),
		controller_connection_ids: form.getAll("connection").map(String),
		connection_group: readGroup(form),
		variable_values: Object.fromEntries(values),
		email_on_failure: form.get("on_failure") === "on",
		email_on_success: form.get("on_success") === "on",
		email_recipients: text("recipients")
			.split(/[,\s]+/)
			.filter((address) => address !== ""),
		retry_enabled: form.get("retry") === "on",
		...(form.get("retry") === "on"
			? { ...number("retry_count", "retry_count"), ...number("retry_interval_minutes", "retry_interval") }
			: {}),
		...number("log_retention_days", "retention"),
	};
}
