/** How long a person's snapshots are kept, and what these rules would delete. */
import type { SnapshotSettings } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { useEdited } from "../../platform/edited.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { Drafted, Form } from "../../ui/form.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SaveBar } from "../../ui/unsaved.tsx";
import { Cleanup } from "./cleanup.tsx";
import { SettingsFrame } from "./frame.tsx";

export function RetentionPage() {
	const answer = useAnswer(timeMachineRoutes.settings);
	return (
		<SettingsFrame
			title="Retention"
			facts="Of your snapshots"
			actions={<CopyAs call={() => ({ route: timeMachineRoutes.settings })} />}
		>
			<Loaded answer={answer} lines={10}>
				{(settings) => (
					<Drafted key={JSON.stringify(settings)} form="retention">
						<Fields settings={settings} />
					</Drafted>
				)}
			</Loaded>
		</SettingsFrame>
	);
}

const POLICIES: Readonly<Record<SnapshotSettings["retention_policy"], string>> = {
	days: "For a number of days",
	count: "A number per query and fabric",
	unlimited: "Without limit",
};

function Fields({ settings }: { settings: SnapshotSettings }) {
	const may = useMay();
	const locked = !may("change_snapshotsettings");
	const { edited, change, dirty, set } = useEdited(settings);
	const draft = useDraft();
	const guard = useSaveGuard(settings, () => callRoute(timeMachineRoutes.settings));
	const update = async () => {
		await guard.assertUnchanged(change);
		return callRoute(timeMachineRoutes.updateSettings, { body: change });
	};
	const save = useAction(update, {
		stale: ["time_machine"],
		onSuccess() {
			draft?.drop();
			showToast("The retention settings are saved");
		},
	});
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const { retention_policy } = edited;
	return (
		<div className="grid items-start gap-3 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
			<Form
				className="flex flex-col gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					if (dirty) save.mutate(undefined);
				}}
			>
				{locked && (
					<Banner
						tone="info"
						title="You cannot change these settings."
						detail={
							<>
								They need the permission <code className="mono">change_snapshotsettings</code>.
							</>
						}
					/>
				)}
				{save.error !== null && Object.keys(fields).length === 0 && (
					<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
				)}
				<Panel title="Keep snapshots" padded>
					<fieldset disabled={locked} className="m-0 flex min-w-0 flex-col gap-3.5 border-0 p-0">
						<legend className="sr-only">Keep snapshots</legend>
						<div className="flex flex-wrap items-start gap-3">
							<SelectField
								label="Keep them"
								className="min-w-56"
								value={retention_policy}
								error={fields.retention_policy}
								options={Object.entries(POLICIES).map(([value, label]) => ({ value, label }))}
								// A number that is no longer shown must not be wrong.
								onChange={(event) =>
									set({
										retention_policy: event.target.value as SnapshotSettings["retention_policy"],
										retention_days: settings.retention_days,
										retention_count: settings.retention_count,
									})
								}
							/>
							{retention_policy === "days" && (
								<NumberField
									label="Days"
									min={1}
									max={3650}
									className="w-28"
									value={edited.retention_days}
									error={fields.retention_days}
									onChange={(retention_days) => set({ retention_days })}
								/>
							)}
							{retention_policy === "count" && (
								<NumberField
									label="Snapshots"
									min={1}
									max={10_000}
									className="w-28"
									value={edited.retention_count}
									error={fields.retention_count}
									onChange={(retention_count) => set({ retention_count })}
								/>
							)}
						</div>
						<CheckField
							label="Delete expired snapshots every night"
							hint="At 03:30 of the server's clock. Snapshots with a label or an annotation are kept."
							checked={edited.auto_cleanup_enabled}
							onChange={(event) => set({ auto_cleanup_enabled: event.target.checked })}
						/>
					</fieldset>
				</Panel>
				<Panel title="New snapshots" padded>
					<fieldset disabled={locked} className="m-0 flex min-w-0 flex-col gap-3.5 border-0 p-0">
						<legend className="sr-only">New snapshots</legend>
						<NumberField
							label="Largest snapshot, in MB"
							min={0.1}
							max={100}
							step={0.1}
							className="w-40"
							hint="Larger results are not stored."
							value={edited.max_snapshot_size_mb}
							error={fields.max_snapshot_size_mb}
							onChange={(max_snapshot_size_mb) => set({ max_snapshot_size_mb })}
						/>
						<CheckField
							label="Warn about large snapshots"
							checked={edited.warn_large_snapshots}
							onChange={(event) => set({ warn_large_snapshots: event.target.checked })}
						/>
						<CheckField
							label="Store duplicates"
							hint="Off: a result that equals the one before is not stored again."
							checked={edited.store_duplicates}
							onChange={(event) => set({ store_duplicates: event.target.checked })}
						/>
					</fieldset>
				</Panel>
				{!locked && <SaveBar dirty={dirty} busy={save.isPending} />}
			</Form>
			{may("view_snapshot") && <Cleanup rules={edited} dirty={dirty} />}
		</div>
	);
}
