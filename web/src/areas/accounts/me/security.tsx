/** Password, second factor, and the sessions that are open. */
import { authRoutes, mfaRoutes } from "@weft/contracts/browser";
import { KeyRound, ShieldCheck, ShieldOff } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CheckField, PasswordField } from "../../../ui/field.tsx";
import { Banner, Loaded, Panel, ProblemBanner } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { Enrolment } from "./enrolment.tsx";
import { MeFrame } from "./frame.tsx";
import { Sessions } from "./sessions.tsx";

export function SecurityPage() {
	/** Whether the second factor has just changed: sessions from before it go on. */
	const [hasChanged, setChanged] = useState(false);
	return (
		<MeFrame title="Security">
			<SecondFactor onChanged={() => setChanged(true)} />
			<Password />
			<Sessions offersEnd={hasChanged} onOffered={() => setChanged(false)} />
		</MeFrame>
	);
}

function SecondFactor({ onChanged }: { onChanged(): void }) {
	const answer = useAnswer(mfaRoutes.status);
	const [enrolling, setEnrolling] = useState(false);
	const [asked, setAsked] = useState<"codes" | "disable" | null>(null);
	const [codes, setCodes] = useState<readonly string[] | null>(null);
	return (
		<Panel title="Two-factor authentication" padded>
			<Loaded answer={answer} lines={2}>
				{({ enabled, backup_codes_remaining }) => (
					<div className="flex flex-wrap items-center gap-3">
						{enabled ? (
							<>
								<Pill tone="ok" icon={ShieldCheck}>
									On
								</Pill>
								<span className="flex-1">
									{formatPlural(backup_codes_remaining, "backup code")} left.
									{backup_codes_remaining < 3 && " Generate new ones before they run out."}
								</span>
								<Button onClick={() => setAsked("codes")}>New backup codes</Button>
								<Button variant="danger" onClick={() => setAsked("disable")}>
									Turn it off
								</Button>
							</>
						) : (
							<>
								<Pill tone="warn" icon={ShieldOff}>
									Off
								</Pill>
								<span className="flex-1">
									A second factor protects you from stolen passwords: signing in requires a code from your phone.
								</span>
								<Button variant="primary" icon={ShieldCheck} onClick={() => setEnrolling(true)}>
									Set up
								</Button>
							</>
						)}
					</div>
				)}
			</Loaded>
			{enrolling && (
				<Enrolment
					onDone={(made) => {
						setEnrolling(false);
						setCodes(made);
					}}
					onClose={() => setEnrolling(false)}
				/>
			)}
			{asked && (
				<PasswordQuestion what={asked} onCodes={setCodes} onDisabled={onChanged} onClose={() => setAsked(null)} />
			)}
			{codes && (
				<BackupCodes
					codes={codes}
					onSaved={() => {
						setCodes(null);
						onChanged();
					}}
				/>
			)}
		</Panel>
	);
}

interface QuestionProps {
	readonly what: "codes" | "disable";
	onCodes(codes: readonly string[]): void;
	onDisabled(): void;
	onClose(): void;
}

function PasswordQuestion({ what, onCodes, onDisabled, onClose }: QuestionProps) {
	const form = useRef<HTMLFormElement>(null);
	const run = useAction(
		async (password: string) => {
			if (what === "disable") {
				await callRoute(mfaRoutes.disable, { body: { password } });
				return null;
			}
			return (await callRoute(mfaRoutes.backupCodes, { body: { password } })).backup_codes;
		},
		{
			stale: ["auth"],
			onSuccess(codes) {
				onClose();
				if (codes) onCodes(codes);
				else {
					showToast("The second factor is off");
					onDisabled();
				}
			},
		},
	);
	const fields = run.error === null ? {} : findProblem(run.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) run.mutate(String(new FormData(form.current).get("password")));
	};
	return (
		<Dialog
			open
			title={what === "disable" ? "Turn the second factor off" : "New backup codes"}
			description={
				what === "disable" ? "The password alone will then suffice." : "New codes replace your current codes."
			}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant={what === "disable" ? "danger" : "primary"} busy={run.isPending} onClick={() => submit()}>
						{what === "disable" ? "Turn it off" : "Generate new codes"}
					</Button>
				</>
			}
		>
			<form ref={form} onSubmit={submit} className="flex flex-col gap-3">
				{run.error !== null && fields.password === undefined && <ProblemBanner error={run.error} />}
				<PasswordField
					label="Your password"
					name="password"
					autoComplete="current-password"
					required
					error={fields.password}
				/>
				<button type="submit" hidden />
			</form>
		</Dialog>
	);
}

function Password() {
	const form = useRef<HTMLFormElement>(null);
	const change = useAction(
		(body: { old_password: string; new_password: string; revoke_tokens: boolean }) =>
			callRoute(authRoutes.changePassword, { body }),
		{
			stale: ["auth"],
			onSuccess: () => form.current?.reset(),
		},
	);
	const fields = change.error === null ? {} : findProblem(change.error).fields;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const data = new FormData(event.currentTarget);
		change.mutate({
			old_password: String(data.get("old")),
			new_password: String(data.get("new")),
			revoke_tokens: data.get("tokens") === "on",
		});
	};
	return (
		<Panel title="Password" padded>
			<form ref={form} className="flex max-w-sm flex-col gap-3.5" onSubmit={submit}>
				{change.error !== null && Object.keys(fields).length === 0 && <ProblemBanner error={change.error} />}
				{change.isSuccess && (
					<Banner
						tone="ok"
						title="Password changed."
						detail={`Your other sessions${change.variables.revoke_tokens ? " and your API tokens" : ""} have ended.`}
					/>
				)}
				<PasswordField
					label="Current password"
					name="old"
					autoComplete="current-password"
					required
					error={fields.old_password}
				/>
				<PasswordField
					label="New password"
					name="new"
					autoComplete="new-password"
					required
					error={fields.new_password}
				/>
				<CheckField name="tokens" label="End my API tokens too" defaultChecked />
				<div>
					<Button variant="primary" type="submit" icon={KeyRound} busy={change.isPending}>
						Change it
					</Button>
				</div>
			</form>
		</Panel>
	);
}
