/** Questions about one user: a new password, a reset code, and deletion. */
import type { AdminUser } from "@weft/contracts";
import { connectionRoutes, savedQueryRoutes, scheduleRoutes, userRoutes } from "@weft/contracts/browser";
import { type FormEvent, useRef, useState } from "react";
import { type AnswerOf, callRoute, invalidateAreas, useAction, useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CheckField, PasswordField, TextField } from "../../../ui/field.tsx";
import { Banner, ProblemBanner, Skeleton } from "../../../ui/page.tsx";
import { ShownOnce } from "../../../ui/shown-once.tsx";
import { showToast } from "../../../ui/toast.tsx";

interface QuestionProps {
	readonly user: AdminUser;
	onClose(): void;
}

export function NewPassword({ user: { id, username }, onClose }: QuestionProps) {
	const form = useRef<HTMLFormElement>(null);
	const save = useAction(
		(body: { new_password: string; must_change_password: boolean }) =>
			callRoute(userRoutes.resetPassword, { params: { id: String(id) }, body }),
		{
			stale: ["users"],
			onSuccess() {
				showToast(`${username} has a new password`);
				onClose();
			},
		},
	);
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (!form.current?.reportValidity()) return;
		const data = new FormData(form.current);
		save.mutate({
			new_password: String(data.get("password")),
			must_change_password: data.get("must_change") === "on",
		});
	};
	return (
		<Dialog
			open
			title={`Set a password for ${username}`}
			description="All sessions of this user end at once."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
						Set the password
					</Button>
				</>
			}
		>
			<form ref={form} className="flex flex-col gap-3" onSubmit={submit}>
				{save.error !== null && fields.new_password === undefined && <ProblemBanner error={save.error} />}
				<PasswordField
					label="New password"
					name="password"
					required
					autoComplete="new-password"
					error={fields.new_password}
				/>
				<CheckField label="Must choose another password at the next sign-in" name="must_change" defaultChecked />
				<button type="submit" hidden />
			</form>
		</Dialog>
	);
}

/** The code is shown once; the dialog with it is left only by saying that it was passed on. */
export function ResetCode({ user: { id, username }, onClose }: QuestionProps) {
	const [code, setCode] = useState<AnswerOf<typeof userRoutes.generateResetCode> | null>(null);
	const make = useAction(() => callRoute(userRoutes.generateResetCode, { params: { id: String(id) } }), {
		onSuccess: setCode,
	});
	if (code !== null) return <ShownCode username={username} {...code} onClose={onClose} />;
	return (
		<Dialog
			open
			title={`Generate a reset code for ${username}?`}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={make.isPending} onClick={() => make.mutate(undefined)}>
						Generate the code
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{make.error !== null && <ProblemBanner error={make.error} />}
				<p className="m-0">
					With the code {username} sets a new password once, within 30 minutes. Earlier codes become void. The present
					password stays valid until then.
				</p>
			</div>
		</Dialog>
	);
}

interface ShownCodeProps {
	readonly username: string;
	readonly code: string;
	readonly expires_at: string;
	onClose(): void;
}

function ShownCode({ username, code, expires_at, onClose }: ShownCodeProps) {
	const times = useTimes();
	const address = new URL("reset-password", document.baseURI).href;
	return (
		<ShownOnce title={`Reset code for ${username}`} confirmation="I have passed on the code" onDone={onClose}>
			<Banner
				tone="warn"
				title="The code is shown only once."
				detail={`It is valid until ${times.dateTime(expires_at)}.`}
			/>
			<p className="mono m-0 flex items-center gap-2 break-all rounded-control border border-line bg-sunken p-3">
				<span className="min-w-0 flex-1">{code}</span>
				<CopyButton text={code} label="Copy the code" />
			</p>
			<p className="m-0 flex items-center gap-2">
				<span className="min-w-0 break-all">
					To be entered at <span className="mono">{address}</span>
				</span>
				<CopyButton text={address} label="Copy the address" />
			</p>
		</ShownOnce>
	);
}

/** Lists are read up to this length for the counts. */
const LOOKED_AT = 200;

/** Names everything that goes with the user; the username must be typed. */
export function DeleteUser({ user: { id, username }, onClose, onDeleted }: QuestionProps & { onDeleted(): void }) {
	const [typed, setTyped] = useState("");
	const query = { page_size: String(LOOKED_AT) };
	const queries = useAnswer(savedQueryRoutes.list, { query });
	const connections = useAnswer(connectionRoutes.list, { query });
	const schedules = useAnswer(scheduleRoutes.list, { query });
	const remove = useAction(() => callRoute(userRoutes.remove, { params: { id: String(id) } }), {
		onSuccess() {
			showToast(`${username} is deleted`);
			onDeleted();
			void invalidateAreas("users", "groups");
		},
	});
	const lists = [queries, connections, schedules];
	const known = lists.every(({ data, isError }) => data !== undefined || isError);
	const number = (
		{ data }: { data: { results: readonly { created_by: { id: number } }[]; count: number } | undefined },
		one: string,
		many?: string,
	) => {
		if (data === undefined) return many ?? `${one}s`;
		const own = data.results.filter(({ created_by }) => created_by.id === id).length;
		return data.count > LOOKED_AT ? `at least ${formatPlural(own, one, many)}` : formatPlural(own, one, many);
	};
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (typed === username) remove.mutate(undefined);
	};
	return (
		<Dialog
			open
			title={`Delete ${username}?`}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="danger" disabled={typed !== username} busy={remove.isPending} onClick={() => submit()}>
						Delete the user
					</Button>
				</>
			}
		>
			<form className="flex flex-col gap-3" onSubmit={submit}>
				{remove.error !== null && <ProblemBanner error={remove.error} />}
				{known ? (
					<div>
						<p className="m-0">These are deleted with the account, also where other users share them:</p>
						<ul aria-label="Deleted with the user" className="m-0 mt-1 pl-5">
							<li>{number(queries, "saved query", "saved queries")}, with versions, runs and snapshots</li>
							<li>{number(connections, "controller connection")}, with stored passwords</li>
							<li>{number(schedules, "schedule")}, with executions</li>
							<li>API tokens, favorites, table templates, notifications, webhook and preferences</li>
						</ul>
					</div>
				) : (
					<Skeleton lines={3} />
				)}
				<p className="m-0 text-muted">
					Automation requests, templates and the audit log stay. To keep everything, deactivate the user.
				</p>
				<TextField
					mono
					label={`Type ${username} to confirm`}
					autoComplete="off"
					spellCheck={false}
					data-autofocus
					value={typed}
					onChange={(event) => setTyped(event.target.value)}
				/>
				<button type="submit" hidden />
			</form>
		</Dialog>
	);
}
