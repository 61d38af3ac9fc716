/** Fields of a calendar entry, in a drawer. */
import type { CalendarEntry, CalendarKind } from "@weft/contracts";
import { CALENDAR_LIMITS, calendarEntryRoutes } from "@weft/contracts/browser";
import { CircleStop, Trash2 } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { toInstant, toLocal } from "../../platform/instant.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, CheckField, TextField } from "../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../ui/form.tsx";
import { Banner } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { readTicket, TicketFields } from "../../ui/ticket-fields.tsx";
import { showToast } from "../../ui/toast.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { KindField, useKinds } from "./kind-field.tsx";
import { buildRule, type Repetition, readRepetition } from "./repetition.ts";
import { RepetitionFields } from "./repetition-fields.tsx";
import { getScopeIds, isEmptyScope, NO_FABRICS, type Scope, ScopeField } from "./scope-field.tsx";

interface EntryFormProps {
	/** Null for a new one. */
	readonly entry: CalendarEntry | null;
	onAsk(verb: "delete" | "end", entry: CalendarEntry): void;
	onClose(): void;
}

const HINTS: Readonly<Record<CalendarKind, string>> = {
	freeze: "Launches of automation and changes on controllers are refused.",
	maintenance: "States are recorded. Alerts are held, and one summary is sent at its end.",
};
const HOUR_MS = 3_600_000;

export const EntryForm = (props: EntryFormProps) => (
	<Drafted form="calendar-entry" id={props.entry?.id}>
		<Fields {...props} />
	</Drafted>
);

/** Suggests the next full hour. */
function suggestTimes(zone: string) {
	const hour = Math.ceil((Date.now() + 1) / HOUR_MS) * HOUR_MS;
	return {
		start: toLocal(new Date(hour).toISOString(), zone),
		end: toLocal(new Date(hour + HOUR_MS).toISOString(), zone),
	};
}

function useFields(entry: CalendarEntry | null) {
	const { zone: ownZone } = useTimes();
	const zone = entry?.time_zone ?? ownZone;
	const kinds = useKinds();
	const [kind, setKind] = useDraftState<CalendarKind>("kind", entry?.kind ?? kinds[0]);
	const [when, setWhen] = useDraftState("when", () =>
		entry === null
			? { ...suggestTimes(zone), zone }
			: { start: toLocal(entry.starts_at, zone), end: toLocal(entry.ends_at, zone), zone },
	);
	const [repetition, setRepetition] = useDraftState<Repetition>("repetition", () =>
		readRepetition(entry?.rrule ?? null),
	);
	const [scope, setScope] = useDraftState<Scope>(
		"scope",
		entry === null
			? NO_FABRICS
			: {
					isForAll: entry.is_for_all,
					connections: entry.controller_connection_ids,
					groups: entry.connection_group_ids,
				},
	);
	return { kinds, kind, setKind, when, setWhen, repetition, setRepetition, scope, setScope };
}

function Fields({ entry, onAsk, onClose }: EntryFormProps) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const { kinds, kind, setKind, when, setWhen, repetition, setRepetition, scope, setScope } = useFields(entry);
	const guard = useSaveGuard(entry, ({ id }) => callRoute(calendarEntryRoutes.detail, { params: { id } }));
	const canEdit = entry?.can_edit ?? true;
	const save = useAction(
		async () => {
			const fields = new FormData(form.current ?? undefined);
			const read = (name: string) => String(fields.get(name) ?? "").trim();
			const ticket = readTicket(fields);
			const body = {
				kind,
				title: read("title"),
				reason: read("reason"),
				ticket: ticket && { ...ticket, url: ticket.url || null },
				...getScopeIds(scope),
				starts_at: toInstant(when.start, when.zone),
				ends_at: toInstant(when.end, when.zone),
				time_zone: when.zone,
				rrule: buildRule(repetition),
				is_active: fields.has("is_active"),
			};
			await guard.assertUnchanged(body);
			return entry === null
				? callRoute(calendarEntryRoutes.create, { body })
				: callRoute(calendarEntryRoutes.update, { params: { id: entry.id }, body });
		},
		{
			stale: ["calendar_entries", "checks", "schedules"],
			onSuccess(saved) {
				draft?.drop();
				showToast(`${saved.title} is saved`);
				onClose();
			},
		},
	);
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	const [isScopeMissing, setScopeMissing] = useState(false);
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		setScopeMissing(isEmptyScope(scope));
		if (form.current?.reportValidity() && !isEmptyScope(scope)) save.mutate(undefined);
	};
	return (
		<Dialog
			open
			side="right"
			title={entry?.title ?? "New entry"}
			description={HINTS[kind]}
			onClose={onClose}
			actions={
				<>
					{entry?.can_delete && (
						<Button icon={Trash2} onClick={() => onAsk("delete", entry)}>
							Delete
						</Button>
					)}
					{entry?.can_edit && entry.current !== null && (
						<Button icon={CircleStop} onClick={() => onAsk("end", entry)}>
							End now
						</Button>
					)}
					<CancelButton onClose={onClose} />
					{canEdit && (
						<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
							{entry === null ? "Add the entry" : "Save"}
						</Button>
					)}
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-4" onSubmit={submit}>
				{!canEdit && <Banner tone="info" title="Only its owner and administrators change this entry." />}
				{save.error !== null && Object.keys(errors).length === 0 && (
					<SaveProblem error={save.error} onSaveMine={() => submit()} />
				)}
				<fieldset disabled={!canEdit} className="m-0 flex min-w-0 flex-col gap-4 border-0 p-0">
					<TextField
						label="Title"
						name="title"
						defaultValue={entry?.title}
						required
						maxLength={CALENDAR_LIMITS.title}
						autoComplete="off"
						data-autofocus
						error={errors.title}
					/>
					<KindField kind={kind} kinds={[...new Set([...kinds, kind])]} error={errors.kind} onChange={setKind} />
					<ScopeField
						scope={scope}
						hidden={entry?.hidden_count ?? 0}
						error={errors.controller_connection_ids ?? errors.connection_group_ids}
						isMissing={isScopeMissing && isEmptyScope(scope)}
						onChange={setScope}
					/>
					<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
						<WhenField
							label="Begins"
							field="starts_at"
							kind="datetime"
							required
							value={when.start}
							error={errors.starts_at}
							onChange={(value) => setWhen((before) => ({ ...before, start: value }))}
						/>
						<WhenField
							label="Ends"
							field="ends_at"
							kind="datetime"
							required
							value={when.end}
							error={errors.ends_at}
							onChange={(value) => setWhen((before) => ({ ...before, end: value }))}
						/>
					</div>
					<TextField
						label="Time zone"
						value={when.zone}
						required
						maxLength={64}
						autoComplete="off"
						hint="The clock that both times and the repetition follow."
						error={errors.time_zone}
						onChange={({ target }) => setWhen((before) => ({ ...before, zone: target.value }))}
					/>
					<RepetitionFields
						repetition={repetition}
						error={errors.rrule}
						onChange={(change) => setRepetition((before) => ({ ...before, ...change }))}
					/>
					<AreaField
						label="Reason (optional)"
						name="reason"
						defaultValue={entry?.reason}
						maxLength={CALENDAR_LIMITS.reason}
						error={errors.reason}
					/>
					<TicketFields ticket={entry?.ticket} errors={errors} />
					<CheckField label="Active" name="is_active" defaultChecked={entry?.is_active ?? true} />
				</fieldset>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
