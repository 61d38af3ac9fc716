/** The next step of a change window: one primary button at a time. */
import type { ChangeWindow } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { buildLaunchBody, useFreezeOverride } from "../calendar/held.tsx";

const stale = ["change_windows"];

export function WindowSteps({ window }: { window: ChangeWindow }) {
	const { id, state, updated_at } = window;
	const input = { params: { id } };
	const onError = (error: unknown) => showProblem(error, window.title);
	const submit = useAction(() => callRoute(changeWindowRoutes.submit, input), { stale, onError });
	const begin = useFreezeOverride((verb: "start" | "retry", override) =>
		callRoute(changeWindowRoutes[verb], { ...input, body: buildLaunchBody(override) }),
	);
	const start = useAction(() => begin.run("start"), { stale, onError });
	const retry = useAction(() => begin.run("retry"), { stale, onError });
	const approve = useAction(() => callRoute(changeWindowRoutes.approve, { ...input, body: { updated_at } }), {
		stale,
		onError,
	});
	const finish = useAction((now: boolean) => callRoute(changeWindowRoutes.finish, { ...input, body: { now } }), {
		stale,
		onError,
	});
	const [asked, setAsked] = useState<"reject" | "override" | "sign" | null>(null);
	return (
		<>
			{window.can_submit && (
				<Button variant="primary" busy={submit.isPending} onClick={() => submit.mutate()}>
					{window.requires_approval ? "Submit for approval" : "Plan it"}
				</Button>
			)}
			{window.can_approve && (
				<>
					<Button onClick={() => setAsked("reject")}>Reject</Button>
					<Button variant="primary" busy={approve.isPending} onClick={() => approve.mutate()}>
						Approve
					</Button>
				</>
			)}
			{window.can_start && (
				<Button variant="primary" busy={start.isPending} onClick={() => start.mutate()}>
					Start
				</Button>
			)}
			{state === "blocked" && (
				<>
					{window.can_override && <Button onClick={() => setAsked("override")}>Open it despite the gate</Button>}
					<Button variant="primary" busy={retry.isPending} onClick={() => retry.mutate()}>
						Check again
					</Button>
				</>
			)}
			{state === "open" && window.can_finish && (
				<Button variant="primary" busy={finish.isPending} onClick={() => finish.mutate(false)}>
					Finish
				</Button>
			)}
			{state === "settling" && window.can_finish && (
				<Button busy={finish.isPending} onClick={() => finish.mutate(true)}>
					Judge it now
				</Button>
			)}
			{window.can_sign && (
				<Button variant="primary" onClick={() => setAsked("sign")}>
					Sign
				</Button>
			)}
			{begin.dialog}
			{asked !== null && <StepDialog window={window} step={asked} onClose={() => setAsked(null)} />}
		</>
	);
}

const DIALOGS = {
	reject: {
		title: "Reject the change window",
		description: "It goes back to its requester as a draft.",
		action: "Reject",
		label: "Reason",
		field: "reason",
		required: true,
	},
	override: {
		title: "Open the window despite the gate",
		description: "The reason stands in the report. A fabric without a state before cannot be judged.",
		action: "Open it",
		label: "Reason",
		field: "reason",
		required: true,
	},
	sign: {
		title: "Sign the change window",
		description: "Its report does not change any more. The verdict stays as it was computed.",
		action: "Sign",
		label: "Comment",
		field: "comment",
		required: false,
	},
} as const;

interface StepDialogProps {
	readonly window: ChangeWindow;
	readonly step: keyof typeof DIALOGS;
	onClose(): void;
}

function StepDialog({ window, step, onClose }: StepDialogProps) {
	const { title, description, action, label, field, required } = DIALOGS[step];
	const params = { id: window.id };
	const save = useAction(
		(form: FormData) => {
			const text = String(form.get(field) ?? "");
			if (step === "sign") return callRoute(changeWindowRoutes.sign, { params, body: { comment: text } });
			const body = { reason: text };
			return step === "reject"
				? callRoute(changeWindowRoutes.reject, { params, body })
				: callRoute(changeWindowRoutes.override, { params, body });
		},
		{ stale, onSuccess: onClose },
	);
	return (
		<Drafted form={`change-window-${step}`} id={window.id}>
			<FormDialog title={title} description={description} action={action} save={save} onClose={onClose}>
				{(errors) => (
					<AreaField
						label={label}
						name={field}
						rows={3}
						maxLength={2000}
						required={required}
						data-autofocus
						error={errors[field]}
					/>
				)}
			</FormDialog>
		</Drafted>
	);
}
