/** Holds the notifications of a check back until a time. */
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { toInstant } from "../../platform/instant.ts";
import { useTimes } from "../../platform/profile.ts";
import { addDays } from "../../platform/time.ts";
import { SelectField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { PlaceField } from "./place-field.tsx";
import { formatConnectionName } from "./words.tsx";

const HOUR_MS = 3_600_000;
const PERIODS = { "1": "1 hour", "8": "8 hours", "24": "1 day", "168": "1 week", until: "Until a time" } as const;

export function MuteDialog({ check, onClose }: { check: Check; onClose(): void }) {
	const times = useTimes();
	const [period, setPeriod] = useState<string>("8");
	const [moment, setMoment] = useState(() => `${addDays(times.getDay(Date.now()), 1)}T08:00`);
	const [place, setPlace] = useState("");
	const isUntilTime = period === "until";
	const save = useAction(
		async () => {
			const until = isUntilTime
				? toInstant(moment, times.zone)
				: new Date(Date.now() + Number(period) * HOUR_MS).toISOString();
			const body = { until, controller_connection_id: place || null };
			await callRoute(checkRoutes.mute, { params: { id: check.id }, body });
			return until;
		},
		{
			stale: ["checks"],
			onSuccess(until) {
				const entry = check.states.find(({ controller_connection_id: id }) => place !== "" && id === place);
				const on = entry === undefined ? "" : ` on ${formatConnectionName(entry)}`;
				showToast(`${check.name} is muted${on} until ${times.dateTime(until)}`);
				onClose();
			},
		},
	);
	return (
		<FormDialog
			title={`Mute ${check.name}`}
			description="The check sends no notifications until then. Changes of its state are still recorded."
			action="Mute"
			save={save}
			onClose={onClose}
		>
			{(fields) => (
				<>
					<SelectField
						label="For"
						value={period}
						options={Object.entries(PERIODS).map(([value, label]) => ({ value, label }))}
						error={isUntilTime ? undefined : fields.until}
						onChange={(event) => setPeriod(event.target.value)}
					/>
					{isUntilTime && (
						<WhenField
							label="Until"
							kind="datetime"
							required
							hint={times.zone}
							value={moment}
							error={fields.until}
							onChange={setMoment}
						/>
					)}
					<PlaceField
						entries={check.states}
						value={place}
						error={fields.controller_connection_id}
						onChange={setPlace}
					/>
				</>
			)}
		</FormDialog>
	);
}
