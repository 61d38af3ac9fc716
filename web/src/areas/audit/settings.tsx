/** What the audit log records, for how long, and how large its documents may be. */
import type { AuditSettings } from "@weft/contracts";
import { AUDIT_GROUPS, auditRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { useEdited } from "../../platform/edited.ts";
import { formatBytes } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { TextField } from "../../ui/field.tsx";
import { Drafted, Form } from "../../ui/form.tsx";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SaveBar } from "../../ui/unsaved.tsx";
import { AuditFrame } from "./frame.tsx";
import { GROUP_NAMES } from "./words.ts";

export function AuditSettingsPage() {
	const answer = useAnswer(auditRoutes.settings);
	return (
		<AuditFrame title="Audit settings">
			<Loaded answer={answer} lines={12}>
				{(settings) => (
					<Drafted key={JSON.stringify(settings)} form="audit-settings">
						<Fields settings={settings} />
					</Drafted>
				)}
			</Loaded>
		</AuditFrame>
	);
}

function Fields({ settings }: { settings: AuditSettings }) {
	const { edited, change, dirty, set: setPart } = useEdited(settings);
	const draft = useDraft();
	const guard = useSaveGuard(settings, () => callRoute(auditRoutes.settings));
	const update = async () => {
		await guard.assertUnchanged(change);
		return callRoute(auditRoutes.updateSettings, { body: change });
	};
	const save = useAction(update, {
		stale: ["audit"],
		onSuccess() {
			draft?.drop();
			showToast("The audit settings are saved");
		},
	});
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const set = (name: keyof AuditSettings, value: boolean | number) => setPart({ [name]: value });
	const shortened = AUDIT_GROUPS.filter(
		(group) => edited[`${group}_retention_days`] < settings[`${group}_retention_days`],
	);
	const number = (text: string) => Math.trunc(Number(text));
	return (
		<Form
			className="flex max-w-3xl flex-col gap-3"
			onSubmit={(event) => {
				event.preventDefault();
				save.mutate(undefined);
			}}
		>
			{save.error !== null && Object.keys(fields).length === 0 && (
				<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
			)}
			<Panel title="What is recorded">
				<table className="w-full border-collapse text-left">
					<caption className="sr-only">Recording and retention by area</caption>
					<thead>
						<tr>
							{["Area", "Record", "Retention in days"].map((head) => (
								<th key={head} scope="col" className="h-7 border-line border-b px-3 font-normal text-muted">
									{head}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{AUDIT_GROUPS.map((group) => (
							<tr key={group} className="border-line border-b last:border-b-0">
								<th scope="row" className="px-3 py-1 font-normal">
									{GROUP_NAMES[group]}
								</th>
								<td className="px-3 py-1">
									<input
										type="checkbox"
										aria-label={`Record: ${GROUP_NAMES[group]}`}
										className="m-0 size-4 align-middle"
										checked={edited[`${group}_enabled`]}
										onChange={(event) => set(`${group}_enabled`, event.target.checked)}
									/>
								</td>
								<td className="px-3 py-1">
									<TextField
										hideLabel
										label={`Retention in days: ${GROUP_NAMES[group]}`}
										type="number"
										min={1}
										max={3650}
										className="w-28"
										value={edited[`${group}_retention_days`]}
										error={fields[`${group}_retention_days`]}
										onChange={(event) => set(`${group}_retention_days`, number(event.target.value))}
									/>
								</td>
							</tr>
						))}
					</tbody>
				</table>
			</Panel>
			<Panel title="Documents of entries" padded>
				<div className="flex flex-wrap gap-3">
					<TextField
						label="Largest document, in bytes"
						type="number"
						min={1024}
						max={52_428_800}
						className="w-56"
						hint={`${formatBytes(edited.content_max_bytes)}. Larger ones are not stored.`}
						value={edited.content_max_bytes}
						error={fields.content_max_bytes}
						onChange={(event) => set("content_max_bytes", number(event.target.value))}
					/>
					<TextField
						label="Compress from, in bytes"
						type="number"
						min={1024}
						max={52_428_800}
						className="w-56"
						hint={`${formatBytes(edited.compress_threshold_bytes)}.`}
						value={edited.compress_threshold_bytes}
						error={fields.compress_threshold_bytes}
						onChange={(event) => set("compress_threshold_bytes", number(event.target.value))}
					/>
				</div>
			</Panel>
			{shortened.length > 0 && (
				<Banner
					tone="warn"
					title="Older entries will be deleted."
					detail={`Shorter retention of: ${shortened.map((group) => GROUP_NAMES[group]).join(", ")}.`}
				/>
			)}
			<p className="m-0 text-muted">Administrative actions, such as this change, are always recorded.</p>
			<SaveBar dirty={dirty} busy={save.isPending} />
		</Form>
	);
}
