/** Imports an .ics file, or an address that is read every hour, and lists those addresses. */
import type { CalendarImportResult, CalendarKind } from "@weft/contracts";
import { calendarEntryRoutes, calendarSourceRoutes } from "@weft/contracts/browser";
import { Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, TextField } from "../../ui/field.tsx";
import { CancelButton } from "../../ui/form.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { KindField, useKinds } from "./kind-field.tsx";
import { getScopeIds, isEmptyScope, NO_FABRICS, ScopeField } from "./scope-field.tsx";
import { KIND_NAMES } from "./words.ts";

export function ImportDialog({ onClose }: { onClose(): void }) {
	const times = useTimes();
	const kinds = useKinds();
	const file = useRef<HTMLInputElement>(null);
	const [kind, setKind] = useState<CalendarKind>(kinds[0]);
	const [scope, setScope] = useState(NO_FABRICS);
	const [address, setAddress] = useState("");
	const [zone, setZone] = useState(times.zone);
	const load = useAction(
		async () => {
			const chosen = file.current?.files?.[0];
			return callRoute(calendarEntryRoutes.import, {
				body: {
					kind,
					...getScopeIds(scope),
					time_zone: zone,
					...(address === "" ? { content: (await chosen?.text()) ?? "" } : { url: address }),
				},
			});
		},
		{ stale: ["calendar_entries", "calendar_sources"] },
	);
	const errors = load.error === null ? {} : findProblem(load.error).fields;
	const [isScopeMissing, setScopeMissing] = useState(false);
	const submit = () => {
		setScopeMissing(isEmptyScope(scope));
		if (!isEmptyScope(scope)) load.mutate(undefined);
	};
	return (
		<Dialog
			open
			side="right"
			title="Import a calendar"
			description="Each event becomes an entry. Import the file again to update its entries."
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={load.isPending} onClick={submit}>
						Import
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-4">
				{load.error !== null && Object.keys(errors).length === 0 && <ProblemBanner error={load.error} />}
				{load.data !== undefined && <Outcome result={load.data} />}
				<KindField kind={kind} kinds={kinds} error={errors.kind} onChange={setKind} />
				<ScopeField
					scope={scope}
					hidden={0}
					error={errors.controller_connection_ids ?? errors.connection_group_ids}
					isMissing={isScopeMissing && isEmptyScope(scope)}
					onChange={setScope}
				/>
				<Field label="File" hint="An .ics file of Outlook, Google or another calendar." error={errors.content}>
					{(ids) => <input {...ids} ref={file} type="file" accept=".ics,text/calendar" disabled={address !== ""} />}
				</Field>
				<TextField
					label="Or an address"
					type="url"
					value={address}
					autoComplete="off"
					hint="It is read now and every hour."
					error={errors.url}
					onChange={({ target }) => setAddress(target.value.trim())}
				/>
				<TextField
					label="Time zone"
					value={zone}
					maxLength={64}
					autoComplete="off"
					hint="For whole days and times without a zone."
					error={errors.time_zone}
					onChange={({ target }) => setZone(target.value)}
				/>
				<Sources />
			</div>
		</Dialog>
	);
}

function Outcome({ result }: { result: CalendarImportResult }) {
	const { created, updated, past, skipped } = result;
	return (
		<>
			<Banner
				tone="ok"
				title={`${formatPlural(created, "entry", "entries")} added, ${updated} changed.`}
				detail={past > 0 && `${formatPlural(past, "event")} of the past left out.`}
			/>
			{skipped.map(({ uid, title, reason }) => (
				<Banner key={uid} tone="warn" title={`Left out: ${title || uid}.`} detail={reason} />
			))}
		</>
	);
}

/** Lists the addresses that are read every hour, with the problem of the last read. */
function Sources() {
	const times = useTimes();
	const { data } = useAnswer(calendarSourceRoutes.list, { query: { page_size: "50" } });
	const remove = useAction((id: string) => callRoute(calendarSourceRoutes.remove, { params: { id } }), {
		stale: ["calendar_entries", "calendar_sources"],
		onError: showProblem,
	});
	if (data === undefined || data.results.length === 0) return null;
	return (
		<section aria-label="Addresses that are read every hour" className="flex flex-col gap-1">
			<h3 className="m-0 font-medium">Addresses that are read every hour</h3>
			<ul className="m-0 flex list-none flex-col gap-1 p-0">
				{data.results.map(({ id, url_host, kind, read_at, error }) => (
					<li key={id} className="flex items-center gap-2">
						<span className="min-w-0 flex-1">
							{url_host} ({KIND_NAMES[kind]}){" "}
							{error === "" ? (
								<span className="text-muted">{read_at !== null && `read ${times.relative(read_at)}`}</span>
							) : (
								<span className="text-bad">{error}</span>
							)}
						</span>
						<IconButton
							variant="ghost"
							label={`Delete ${url_host} and its entries`}
							icon={Trash2}
							onClick={() => remove.mutate(id)}
						/>
					</li>
				))}
			</ul>
		</section>
	);
}
