/** A change plan's fields, in a drawer: its items, the gate, and when the fabric has settled. */

import type { ChangePlan } from "@weft/contracts";
import {
	AFTER_FAILURES,
	changePlanRoutes,
	DEFAULT_SETTLE,
	FINDING_SEVERITIES,
	GATE_MODES,
} from "@weft/contracts/browser";
import { callRoute } from "../../platform/call.ts";
import { useDraftState } from "../../platform/draft-state.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { Drafted } from "../../ui/form.tsx";
import { type FieldErrors, FormDrawer } from "../../ui/form-drawer.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ChangesField } from "./changes-field.tsx";
import type { DraftItem } from "./draft-item.ts";
import { type EditedChange, editChange, writeChange } from "./edited-change.ts";
import { ItemsField } from "./items-field.tsx";

interface PlanFormProps {
	/** Null: a new one. */
	readonly plan: ChangePlan | null;
	onSaved(plan: ChangePlan): void;
	onClose(): void;
}

export const PlanForm = (props: PlanFormProps) => (
	<Drafted form="change-plan" id={props.plan?.id ?? "new"} base={props.plan?.updated_at ?? null}>
		<Fields {...props} />
	</Drafted>
);

const GATE_WORDS: Readonly<Record<(typeof GATE_MODES)[number], string>> = {
	block: "Block the window",
	warn: "Warn, and open the window",
	off: "Open the window without a check",
};

const FAILURE_WORDS: Readonly<Record<(typeof AFTER_FAILURES)[number], string>> = {
	notify: "Notify people",
	request_rollback: "Request the rollback of its jobs",
	launch_rollback: "Launch the rollback of its jobs, if the approval named it",
};

function Fields({ plan, onSaved, onClose }: PlanFormProps) {
	const [items, setItems] = useDraftState<readonly DraftItem[]>("items", () => (plan?.items ?? []) as DraftItem[]);
	const [expected, setExpected] = useDraftState<readonly EditedChange[]>(
		"expectations",
		() => plan?.expectations.map(editChange) ?? [],
	);
	const send = (form: FormData) => {
		const body = { ...readPlan(form), items: items.map(dropName), expectations: expected.map(writeChange) };
		return plan === null
			? callRoute(changePlanRoutes.create, { body: body as never })
			: callRoute(changePlanRoutes.update, { params: { id: plan.id }, body: body as never });
	};
	return (
		<FormDrawer
			title={plan === null ? "New change plan" : plan.name}
			description="Each change window of the plan compares these queries before and after the work."
			stale={["change_plans"]}
			send={send}
			onSaved={(saved) => {
				showToast(`${saved.name} is saved as revision ${saved.revision}.`);
				onSaved(saved);
			}}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<TextField
						label="Name"
						name="name"
						defaultValue={plan?.name}
						required
						maxLength={200}
						autoComplete="off"
						data-autofocus
						error={errors.name}
					/>
					<ItemsField items={items} errors={errors} onChange={setItems} />
					<SettleFields plan={plan} errors={errors} />
					<GateFields plan={plan} errors={errors} />
					<ChangesField
						changes={expected}
						empty="None yet. Each window of the plan starts with those that you add here."
						errors={errors}
						path="expectations"
						onChange={setExpected}
					/>
					<SelectField
						label="After a failed verdict"
						name="after_failure"
						defaultValue={plan?.after_failure ?? "notify"}
						options={AFTER_FAILURES.map((value) => ({ value, label: FAILURE_WORDS[value] }))}
						hint="A job has a rollback if its template names one."
						error={errors.after_failure}
					/>
					<CheckField
						label="Windows of this plan need an approval"
						name="requires_approval"
						defaultChecked={plan?.requires_approval ?? false}
					/>
					<CheckField label="Everybody may use it" name="is_public" defaultChecked={plan?.is_public ?? false} />
					<AreaField
						label="Description"
						name="description"
						rows={2}
						maxLength={2000}
						defaultValue={plan?.description}
						error={errors.description}
					/>
				</>
			)}
		</FormDrawer>
	);
}

interface GroupProps {
	readonly plan: ChangePlan | null;
	readonly errors: FieldErrors;
}

function SettleFields({ plan, errors }: GroupProps) {
	const settle = plan?.settle ?? DEFAULT_SETTLE;
	const number = { type: "number", required: true } as const;
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Settling</legend>
			<div className="grid grid-cols-2 gap-3">
				<TextField
					{...number}
					label="Delay, in seconds"
					name="delay_s"
					min={0}
					max={86400}
					defaultValue={settle.delay_s}
					error={errors["settle.delay_s"]}
				/>
				<TextField
					{...number}
					label="Interval, in seconds"
					name="interval_s"
					min={1}
					max={86400}
					defaultValue={settle.interval_s}
					error={errors["settle.interval_s"]}
				/>
				<TextField
					{...number}
					label="Equal rounds"
					name="stable_rounds"
					min={1}
					max={60}
					defaultValue={settle.stable_rounds}
					error={errors["settle.stable_rounds"]}
				/>
				<TextField
					{...number}
					label="Timeout, in seconds"
					name="timeout_s"
					min={1}
					max={604800}
					defaultValue={settle.timeout_s}
					error={errors["settle.timeout_s"]}
				/>
			</div>
			{errors.settle && <GroupMessage text={errors.settle} />}
		</fieldset>
	);
}

function GateFields({ plan, errors }: GroupProps) {
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Gate before the work</legend>
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<SelectField
					label="If a check fails or a fabric does not answer"
					name="before"
					defaultValue={plan?.gate.before ?? "block"}
					options={GATE_MODES.map((value) => ({ value, label: GATE_WORDS[value] }))}
					error={errors["gate.before"]}
				/>
				<SelectField
					label="Minimum severity"
					name="fail_on"
					defaultValue={plan?.gate.fail_on ?? "warning"}
					options={FINDING_SEVERITIES.map((value) => ({ value, label: value }))}
					error={errors["gate.fail_on"]}
				/>
			</div>
			<CheckField
				label="Two rounds a minute apart must be equal"
				name="quiet_baseline"
				defaultChecked={plan?.gate.quiet_baseline ?? false}
			/>
			<TextField
				type="number"
				required
				label="Maximum age of the state before the work, in minutes"
				name="max_before_age_minutes"
				hint="An older one is taken again when a blocked window is opened."
				min={1}
				max={10080}
				defaultValue={plan?.max_before_age_minutes ?? 60}
				error={errors.max_before_age_minutes}
			/>
		</fieldset>
	);
}

const dropName = ({ name: _, ...item }: DraftItem) => item;

function readPlan(form: FormData) {
	const text = (name: string) => String(form.get(name) ?? "").trim();
	return {
		name: text("name"),
		description: text("description"),
		settle: {
			delay_s: Number(text("delay_s")),
			interval_s: Number(text("interval_s")),
			stable_rounds: Number(text("stable_rounds")),
			timeout_s: Number(text("timeout_s")),
		},
		gate: {
			before: text("before"),
			fail_on: text("fail_on"),
			quiet_baseline: form.get("quiet_baseline") === "on",
		},
		requires_approval: form.get("requires_approval") === "on",
		is_public: form.get("is_public") === "on",
		after_failure: text("after_failure"),
		max_before_age_minutes: Number(text("max_before_age_minutes")),
	};
}
