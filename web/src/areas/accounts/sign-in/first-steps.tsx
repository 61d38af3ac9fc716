/** The steps without which a session reaches nothing: another password, or a second factor. */
import { authRoutes } from "@weft/contracts/browser";
import { type FormEvent, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { basePath, client } from "../../../platform/weft.ts";
import { Button, TextButton } from "../../../ui/button.tsx";
import { PasswordField } from "../../../ui/field.tsx";
import { Loaded, ProblemBanner } from "../../../ui/page.tsx";
import { BackupCodes } from "../me/backup-codes.tsx";
import { Enrolment } from "../me/enrolment.tsx";
import { Frame } from "./frame.tsx";

const goOn = () => location.assign(basePath);

export function FirstStepsPage() {
	const answer = useAnswer(authRoutes.profile);
	return (
		<Frame title="Before you go on">
			<div className="flex flex-col gap-4">
				<Loaded answer={answer} lines={3}>
					{({ must_change_password, mfa_enabled }) =>
						must_change_password ? <Password /> : <Factor isEnabled={mfa_enabled} />
					}
				</Loaded>
				<TextButton onClick={() => void client.signOut().finally(goOn)}>Sign out</TextButton>
			</div>
		</Frame>
	);
}

function Password() {
	const change = useAction(
		(body: { old_password: string; new_password: string }) => callRoute(authRoutes.changePassword, { body }),
		{ onSuccess: goOn },
	);
	const fields = change.error === null ? {} : findProblem(change.error).fields;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const data = new FormData(event.currentTarget);
		change.mutate({ old_password: String(data.get("old")), new_password: String(data.get("new")) });
	};
	return (
		<form className="flex flex-col gap-3.5" onSubmit={submit}>
			<p className="m-0">An administrator has set your password. Choose another one.</p>
			{change.error !== null && Object.keys(fields).length === 0 && <ProblemBanner error={change.error} />}
			<PasswordField
				label="Present password"
				name="old"
				autoComplete="current-password"
				required
				error={fields.old_password}
			/>
			<PasswordField label="New password" name="new" autoComplete="new-password" required error={fields.new_password} />
			<Button variant="primary" type="submit" busy={change.isPending} className="w-full">
				Change the password
			</Button>
		</form>
	);
}

function Factor({ isEnabled }: { isEnabled: boolean }) {
	const [isOpen, setOpen] = useState(false);
	const [codes, setCodes] = useState<readonly string[] | null>(null);
	if (codes !== null) return <BackupCodes codes={codes} onSaved={goOn} />;
	if (isEnabled) return <Button onClick={goOn}>Go on to Weft</Button>;
	return (
		<>
			<p className="m-0">This service requires a second factor of your account.</p>
			<Button variant="primary" onClick={() => setOpen(true)}>
				Set up the second factor
			</Button>
			{isOpen && <Enrolment onDone={setCodes} onClose={() => setOpen(false)} />}
		</>
	);
}
