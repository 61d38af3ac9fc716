/** The quota of a group: numbers, where 0 is no limit and shown as an empty field, and rights. */
import type { Group, Quota, QuotaNumber } from "@weft/contracts";
import { groupRoutes, QUOTA_DEFAULTS, QUOTA_NUMBERS, QUOTA_RIGHTS } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckField, TextField } from "../../../ui/field.tsx";
import { Drafted, Form } from "../../../ui/form.tsx";
import { Empty, Panel } from "../../../ui/page.tsx";
import { SaveProblem } from "../../../ui/save-problem.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { QUOTA_NAMES, SHOWN_NUMBERS, SHOWN_RIGHTS } from "./words.ts";

/** A new quota starts with what holds without one. */
const OPEN: Quota = Object.fromEntries([
	...QUOTA_NUMBERS.map((name) => [name, QUOTA_DEFAULTS[name] ?? 0]),
	...QUOTA_RIGHTS.map((name) => [name, true]),
]);

export const QuotaPanel = ({ group }: { group: Group }) => (
	<Drafted form="quota" id={group.id}>
		<Editor group={group} />
	</Drafted>
);

function Editor({ group: { id, name, quota } }: { group: Group }) {
	const draft = useDraft();
	const [edited, setEdited] = useDraftState<Quota | null>("quota", quota);
	const params = { id: String(id) };
	const guard = useSaveGuard<Pick<Group, "quota">>({ quota }, () => callRoute(groupRoutes.detail, { params }));
	const save = useAction(
		async (body: Quota | null) => {
			await guard.assertUnchanged({ quota: body });
			if (body === null) await callRoute(groupRoutes.removeQuota, { params });
			else await callRoute(groupRoutes.setQuota, { params, body });
			guard.accept({ quota: body });
		},
		{
			stale: ["groups"],
			onSuccess(_, body) {
				draft?.drop();
				showToast(body === null ? `${name} has no quota` : `The quota of ${name} is saved`);
			},
		},
	);
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	if (edited === null) {
		return (
			<Panel title="Quota">
				<Empty action={<Button onClick={() => setEdited(OPEN)}>Set a quota</Button>}>
					No limits of its own. Without a quota in any of their groups, people have the default limits; with several,
					the most permissive value applies.
				</Empty>
			</Panel>
		);
	}
	const dirty = JSON.stringify(edited) !== JSON.stringify(quota);
	return (
		<Panel
			title="Quota"
			padded
			aside={
				<>
					{quota !== null && (
						<Button variant="danger" onClick={() => save.mutate(null)}>
							Remove the quota
						</Button>
					)}
					{dirty && (
						<>
							<Button onClick={() => draft?.discard()}>Discard</Button>
							<Button variant="primary" busy={save.isPending} onClick={() => save.mutate(edited)}>
								Save
							</Button>
						</>
					)}
				</>
			}
		>
			<Form
				className="flex flex-col gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					save.mutate(edited);
				}}
			>
				{save.error !== null && Object.keys(fields).length === 0 && (
					<SaveProblem error={save.error} onSaveMine={() => save.mutate(save.variables ?? null)} />
				)}
				<p className="m-0 text-muted">An empty field is no limit. Days are UTC. Administrators have no limits.</p>
				<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
					{SHOWN_NUMBERS.map((field) => (
						<LimitField
							key={field}
							name={field}
							value={edited[field]}
							error={fields[field]}
							onChange={(value) => setEdited({ ...edited, [field]: value })}
						/>
					))}
				</div>
				<fieldset className="m-0 grid min-w-0 grid-cols-2 gap-1.5 border-0 p-0 max-sm:grid-cols-1">
					<legend className="p-0 pb-1 font-medium">Allowed</legend>
					{SHOWN_RIGHTS.map((field) => (
						<CheckField
							key={field}
							label={QUOTA_NAMES[field]}
							checked={edited[field]}
							onChange={(event) => setEdited({ ...edited, [field]: event.target.checked })}
						/>
					))}
				</fieldset>
				<button type="submit" hidden />
			</Form>
		</Panel>
	);
}

interface LimitFieldProps {
	readonly name: QuotaNumber;
	/** 0: no limit. */
	readonly value: number;
	readonly error: string | undefined;
	onChange(value: number): void;
}

/** A number that may be absent, with the switch that takes it away or sets its default. */
function LimitField({ name, value, error, onChange }: LimitFieldProps) {
	return (
		<div className="flex min-w-0 items-end gap-2">
			<TextField
				label={QUOTA_NAMES[name]}
				className="min-w-0 flex-1"
				type="number"
				min={1}
				placeholder="No limit"
				value={value === 0 ? "" : value}
				error={error}
				onChange={(event) => onChange(Math.max(0, Math.trunc(Number(event.target.value))))}
			/>
			<label className="flex h-8 shrink-0 items-center gap-1 text-muted">
				<input
					type="checkbox"
					className="m-0 size-4"
					aria-label={`No limit: ${QUOTA_NAMES[name]}`}
					checked={value === 0}
					onChange={(event) => onChange(event.target.checked ? 0 : QUOTA_DEFAULTS[name] || 100)}
				/>
				None
			</label>
		</div>
	);
}
