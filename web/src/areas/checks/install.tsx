/** Adds the check of a template: connections, how often it runs, and further recipients. */
import type { Check, CheckTemplate, IntervalMinutes } from "@weft/contracts";
import { checkRoutes, INTERVAL_MINUTES } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { chooseTarget, useTarget } from "../../platform/target.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ConnectionsField } from "./connections-field.tsx";

const NO_CONNECTION = "There is no default fabric: choose a connection below.";
const NEVER = "never";
const HOURLY = "hourly";
const USUAL = "15";
const CHOICES = [
	...INTERVAL_MINUTES.map((minutes) => ({ value: String(minutes), label: `Every ${minutes} minutes` })),
	{ value: HOURLY, label: "Every hour" },
	{ value: NEVER, label: "Only when I run it" },
];

/** The schedule of a choice, as the service takes it; null for none. */
function buildSchedule(choice: string, timezone: string) {
	if (choice === NEVER) return null;
	if (choice === HOURLY) return { frequency: "hourly", minute_of_hour: 0, timezone } as const;
	return { frequency: "minutes", interval_minutes: Number(choice) as IntervalMinutes, timezone } as const;
}

interface InstallProps {
	readonly template: CheckTemplate;
	onInstalled(check: Check): void;
	onClose(): void;
}

export function InstallDialog({ template: { key, name }, onInstalled, onClose }: InstallProps) {
	const [chosen, setChosen] = useState<string[]>([]);
	const canSchedule = useMay()("add_scheduledtask");
	const [often, setOften] = useState(canSchedule ? USUAL : NEVER);
	const [addresses, setAddresses] = useState("");
	const times = useTimes();
	const target = useTarget();
	const preferred = useProfile()?.preferences.default_controller_connection_id;
	const install = useAction(
		async () => {
			// Without a named connection the service evaluates the check on the default one.
			if (chosen.length === 0 && preferred === null && target !== undefined) await chooseTarget(target.id);
			return callRoute(checkRoutes.install, {
				params: { key },
				body: {
					controller_connection_ids: chosen,
					schedule: buildSchedule(often, times.zone),
					notify: { addresses: addresses.split(/[,\s]+/).filter((address) => address !== "") },
				},
			});
		},
		{
			stale: ["checks", "saved_queries", "pipelines", "schedules"],
			onSuccess(check) {
				showToast(`${check.name} is added`);
				onInstalled(check);
			},
		},
	);
	const errors = install.error === null ? {} : findProblem(install.error).fields;
	const addressError = Object.entries(errors).find(([path]) => path.startsWith("notify.addresses"))?.[1];
	return (
		<Dialog
			open
			title={`Add this check: ${name}`}
			description="Query, check and schedule are saved as yours under this name."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={install.isPending} onClick={() => install.mutate()}>
						Add
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3.5">
				{errors.non_field_errors ? (
					<Banner tone="bad" title={errors.non_field_errors} />
				) : (
					install.error !== null &&
					errors.controller_connection_ids === undefined &&
					addressError === undefined && <ProblemBanner error={install.error} />
				)}
				{target === undefined && chosen.length === 0 && <Banner tone="warn" title={NO_CONNECTION} />}
				<SelectField
					label="How often"
					value={often}
					options={canSchedule ? CHOICES : CHOICES.filter(({ value }) => value === NEVER)}
					hint="It is evaluated once now."
					onChange={(event) => setOften(event.target.value)}
				/>
				<TextField
					label="Tell whom"
					value={addresses}
					hint="You are always notified. Comma-separated mail addresses of others."
					error={addressError}
					autoComplete="off"
					onChange={(event) => setAddresses(event.target.value)}
				/>
				<ConnectionsField chosen={chosen} error={errors.controller_connection_ids} onChange={setChosen} />
			</div>
		</Dialog>
	);
}
