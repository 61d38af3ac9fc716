/** A schedule's fields, in a drawer. */
import type { ScheduledTask } from "@weft/contracts";
import { savedQueryRoutes, scheduleRoutes } from "@weft/contracts/browser";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraftState } from "../../platform/draft-state.ts";
import { toLocal } from "../../platform/instant.ts";
import { useTimes } from "../../platform/profile.ts";
import { addDays } from "../../platform/time.ts";
import { AreaField, TextField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDrawer } from "../../ui/form-drawer.tsx";
import { showToast } from "../../ui/toast.tsx";
import { GroupField, readGroup } from "../fabrics/groups/group-field.tsx";
import { buildCadenceBody, type Cadence, CadenceFields } from "./cadence-fields.tsx";
import {
	ControllersField,
	DEFAULT,
	MailFields,
	QuerySelect,
	RetryFields,
	type Variable,
	VariablesField,
} from "./form-fields.tsx";

interface FormProps {
	/** Null: a new one. */
	readonly task: ScheduledTask | null;
	readonly queryId?: string | undefined;
	onSaved(task: ScheduledTask): void;
	onClose(): void;
}

export const ScheduleForm = (props: FormProps) => (
	<Drafted form="schedule" id={props.task?.id ?? `new ${props.queryId ?? ""}`}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ task, queryId, onSaved, onClose }: FormProps) {
	const times = useTimes();
	const [query, setQuery] = useDraftState("query", task?.saved_query ?? queryId ?? "");
	const detail = useAnswer(
		savedQueryRoutes.detail,
		{ params: { id: query } },
		{ enabled: query !== "", staleTime: 60_000 },
	);
	const [cadence, setCadence] = useDraftState<Cadence>("cadence", () =>
		readCadence(task, times.zone, addDays(times.getDay(Date.now()), 1)),
	);
	const guard = useSaveGuard(task, ({ id }) => callRoute(scheduleRoutes.detail, { params: { id } }));
	const variables = (detail.data?.variables ?? []) as readonly Variable[];

	const send = async (form: FormData) => {
		const body = { ...readScheduleForm(form, variables), ...buildCadenceBody(cadence), saved_query: query };
		await guard.assertUnchanged(body);
		return task
			? callRoute(scheduleRoutes.update, { params: { id: task.id }, body })
			: callRoute(scheduleRoutes.create, { body });
	};
	return (
		<FormDrawer
			title={task ? task.name : "New schedule"}
			description={
				task ? undefined : "Runs a saved query periodically. Results are stored if snapshots of the query are on."
			}
			stale={["schedules"]}
			send={send}
			onSaved={(saved) => {
				showToast(`${saved.name}: ${saved.schedule_description}`);
				onSaved(saved);
			}}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<TextField
						label="Name"
						name="name"
						defaultValue={task?.name}
						required
						maxLength={200}
						autoComplete="off"
						data-autofocus
						error={errors.name}
					/>
					<QuerySelect {...{ task, errors, query }} onChange={setQuery} />
					<ControllersField {...{ task, errors }} />
					<GroupField
						label="And every fabric of the group"
						hint="Members are read at each run: fabrics that join the group later run, too."
						group={task?.connection_group ?? null}
						name={task?.connection_group_name ?? null}
						error={errors.connection_group}
					/>
					<VariablesField {...{ task, errors, variables }} />
					<CadenceFields
						cadence={cadence}
						errors={errors}
						onChange={(change) => setCadence((before) => ({ ...before, ...change }))}
					/>
					<MailFields {...{ task, errors }} />
					<RetryFields {...{ task, errors }} />
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
						error={errors.log_retention_days}
					/>
					<AreaField
						label="Description"
						name="description"
						rows={2}
						maxLength={2000}
						defaultValue={task?.description}
						error={errors.description}
					/>
				</>
			)}
		</FormDrawer>
	);
}

export function readCadence(task: ScheduledTask | null, zone: string, tomorrow: string): Cadence {
	return {
		frequency: task?.frequency ?? "daily",
		interval_minutes: task?.interval_minutes ?? 15,
		minute_of_hour: task?.minute_of_hour ?? 0,
		time_of_day: task?.time_of_day || "06:00",
		day_of_week: task?.day_of_week ?? 0,
		day_of_month: task?.day_of_month ?? 1,
		moment: task?.scheduled_datetime ? toLocal(task.scheduled_datetime, task.timezone) : `${tomorrow}T06:00`,
		timezone: task?.timezone ?? zone,
	};
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
