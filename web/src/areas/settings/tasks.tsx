/** What new schedules start with, and whether the service sends mail about them. */
import { Link } from "@tanstack/react-router";
import type { TaskSettings } from "@weft/contracts";
import { scheduleRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { useEdited } from "../../platform/edited.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { Drafted, Form } from "../../ui/form.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SaveBar } from "../../ui/unsaved.tsx";
import { SettingsFrame } from "./frame.tsx";

export function TaskDefaultsPage() {
	const answer = useAnswer(scheduleRoutes.settings);
	return (
		<SettingsFrame
			title="Schedule defaults"
			facts="For all users"
			actions={<CopyAs call={() => ({ route: scheduleRoutes.settings })} />}
		>
			<Loaded answer={answer} lines={8}>
				{(settings) => (
					<Drafted key={JSON.stringify(settings)} form="schedule-defaults">
						<Fields settings={settings} />
					</Drafted>
				)}
			</Loaded>
		</SettingsFrame>
	);
}

function Fields({ settings }: { settings: TaskSettings }) {
	const locked = !useMay()("admin");
	const { edited, change, dirty, set } = useEdited(settings);
	const draft = useDraft();
	const guard = useSaveGuard(settings, () => callRoute(scheduleRoutes.settings));
	const update = async () => {
		await guard.assertUnchanged(change);
		return callRoute(scheduleRoutes.changeSettings, { body: change });
	};
	const save = useAction(update, {
		stale: ["schedules"],
		onSuccess() {
			draft?.drop();
			showToast("The schedule defaults are saved");
		},
	});
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	return (
		<Form
			className="flex max-w-3xl flex-col gap-3"
			onSubmit={(event) => {
				event.preventDefault();
				if (dirty) save.mutate(undefined);
			}}
		>
			{locked && <Banner tone="info" title="Only administrators change these defaults." />}
			{save.error !== null && Object.keys(fields).length === 0 && (
				<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
			)}
			<Panel title="New schedules" padded>
				<fieldset disabled={locked} className="m-0 flex min-w-0 flex-col gap-3.5 border-0 p-0">
					<legend className="sr-only">Defaults of new schedules</legend>
					<p className="m-0 text-muted">
						Used where a schedule does not say otherwise. Schedules that exist already keep their values.
					</p>
					<div className="grid grid-cols-3 items-start gap-3 max-sm:grid-cols-1">
						<NumberField
							label="Maximum retries"
							min={0}
							max={10}
							value={edited.default_retry_count}
							error={fields.default_retry_count}
							hint="Of failed fabrics, where retry is on."
							onChange={(default_retry_count) => set({ default_retry_count })}
						/>
						<NumberField
							label="Minutes between retries"
							min={1}
							max={1440}
							value={edited.default_retry_interval_minutes}
							error={fields.default_retry_interval_minutes}
							onChange={(default_retry_interval_minutes) => set({ default_retry_interval_minutes })}
						/>
						<NumberField
							label="Retention of runs, in days"
							min={1}
							max={3650}
							value={edited.default_log_retention_days}
							error={fields.default_log_retention_days}
							hint="Older records of runs are deleted. Snapshots are not."
							onChange={(default_log_retention_days) => set({ default_log_retention_days })}
						/>
					</div>
				</fieldset>
			</Panel>
			<Panel title="Mail about schedules" padded>
				<fieldset disabled={locked} className="m-0 flex min-w-0 flex-col gap-3.5 border-0 p-0">
					<legend className="sr-only">Mail about schedules</legend>
					<CheckField
						label="Send mail"
						hint="To the owner and the additional recipients of a schedule, as the schedule says."
						checked={edited.email_enabled}
						onChange={(event) => set({ email_enabled: event.target.checked })}
					/>
					<TextField
						label="Sender"
						type="email"
						className="max-w-sm"
						maxLength={254}
						placeholder="weft@example.net"
						autoComplete="off"
						hint="Leave empty for the sender of the service's configuration."
						value={edited.email_from_address}
						error={fields.email_from_address}
						onChange={(event) => set({ email_from_address: event.target.value.trim() })}
					/>
				</fieldset>
				<p className="m-0 mt-3 text-muted">
					Each user chooses mail, webhooks and quiet hours under{" "}
					<Link to="/settings/notifications" className="rounded-cell text-accent-text underline">
						Notifications
					</Link>
					.
				</p>
			</Panel>
			{!locked && <SaveBar dirty={dirty} busy={save.isPending} />}
		</Form>
	);
}
