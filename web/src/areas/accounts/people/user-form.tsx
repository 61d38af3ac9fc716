/** A user's names, groups and state, in a drawer. */

import type { AdminUser } from "@weft/contracts";
import { userRoutes } from "@weft/contracts/browser";
import { type FormEvent, useRef } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useProfile } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CheckField, PasswordField, SelectField, TextField } from "../../../ui/field.tsx";
import { GroupMessage } from "../../../ui/field-message.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { SaveProblem } from "../../../ui/save-problem.tsx";
import { useGroups } from "./answers.ts";
import { ROLES } from "./words.ts";

interface UserFormProps {
	/** Null: a new one. */
	readonly user: AdminUser | null;
	onSaved(user: AdminUser): void;
	onClose(): void;
}

export const UserForm = (props: UserFormProps) => (
	<Drafted form="user" id={props.user?.id}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ user, onSaved, onClose }: UserFormProps) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const own = useProfile();
	const [chosen, setChosen] = useDraftState<readonly number[]>("group_ids", user?.group_ids ?? []);
	const [isService, setService] = useDraftState("is_service", user?.auth_source === "service");
	const [isSuperuser, setSuperuser] = useDraftState("is_superuser", user?.is_superuser ?? false);
	const isOwn = user !== null && user.id === own?.id;
	const canPromote = own?.is_superuser ?? false;
	const guard = useSaveGuard(user, ({ id }) => callRoute(userRoutes.detail, { params: { id: String(id) } }));
	const save = useAction(
		async (data: FormData) => {
			const text = (name: string) => String(data.get(name) ?? "").trim();
			const person = { email: text("email"), first_name: text("first_name"), last_name: text("last_name") };
			const body = {
				...(isService ? {} : person),
				group_ids: [...chosen],
				...(canPromote && !isOwn ? { is_superuser: isSuperuser } : {}),
			};
			await guard.assertUnchanged(body);
			return user === null
				? callRoute(userRoutes.create, {
						body: {
							...body,
							username: text("username"),
							...(isService
								? { auth_source: "service" as const }
								: {
										password: String(data.get("password") ?? ""),
										must_change_password: data.get("must_change") === "on",
									}),
						},
					})
				: callRoute(userRoutes.update, { params: { id: String(user.id) }, body });
		},
		{
			stale: ["users", "groups", "auth"],
			onSuccess(saved) {
				draft?.drop();
				onSaved(saved);
			},
		},
	);
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) save.mutate(new FormData(form.current));
	};
	return (
		<Dialog
			open
			side="right"
			title={user?.username ?? "New user"}
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
						{user === null ? "Create the user" : "Save"}
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
				{save.error !== null && Object.keys(errors).length === 0 && (
					<SaveProblem error={save.error} onSaveMine={submit} />
				)}
				{user === null && <AccountFields {...{ isService, errors }} onService={setService} />}
				{!isService && <PersonFields {...{ user, errors }} />}
				<GroupsField chosen={chosen} canPromote={canPromote} error={errors.group_ids} onChange={setChosen} />
				{canPromote && (
					<CheckField
						label="Superuser"
						hint={
							isOwn
								? "Another superuser must take this from you, so that you cannot lock yourself out."
								: "May do everything, and change administrators."
						}
						checked={isSuperuser}
						disabled={isOwn}
						onChange={(event) => setSuperuser(event.target.checked)}
					/>
				)}
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}

type Errors = Readonly<Record<string, string | undefined>>;

interface AccountFieldsProps {
	readonly isService: boolean;
	readonly errors: Errors;
	onService(isService: boolean): void;
}

/** Fields that only a new user has. */
function AccountFields({ isService, errors, onService }: AccountFieldsProps) {
	return (
		<>
			<TextField
				label="Username"
				name="username"
				required
				minLength={3}
				maxLength={150}
				autoComplete="off"
				spellCheck={false}
				data-autofocus
				error={errors.username}
			/>
			{!isService && (
				<>
					<PasswordField
						label="Password"
						name="password"
						required
						autoComplete="new-password"
						error={errors.password}
					/>
					<CheckField label="Must choose another password at the first sign-in" name="must_change" defaultChecked />
				</>
			)}
			<SelectField
				label="Kind"
				options={[
					{ value: "person", label: "Person" },
					{ value: "service", label: "Service account" },
				]}
				value={isService ? "service" : "person"}
				onChange={(event) => onService(event.target.value === "service")}
			/>
		</>
	);
}

function PersonFields({ user, errors }: { readonly user: AdminUser | null; readonly errors: Errors }) {
	return (
		<>
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<TextField
					label="First name"
					name="first_name"
					maxLength={150}
					autoComplete="off"
					defaultValue={user?.first_name}
					error={errors.first_name}
				/>
				<TextField
					label="Last name"
					name="last_name"
					maxLength={150}
					autoComplete="off"
					defaultValue={user?.last_name}
					error={errors.last_name}
				/>
			</div>
			<TextField
				label="Email"
				name="email"
				type="email"
				maxLength={254}
				autoComplete="off"
				hint={user === null ? undefined : "A changed address must be verified again."}
				defaultValue={user?.email}
				error={errors.email}
			/>
		</>
	);
}

interface GroupsFieldProps {
	/** Ids of the user's groups. */
	readonly chosen: readonly number[];
	/** Whether the signed-in user may make administrators. */
	readonly canPromote: boolean;
	readonly error: string | undefined;
	onChange(chosen: readonly number[]): void;
}

function GroupsField({ chosen, canPromote, error, onChange }: GroupsFieldProps) {
	const { data, error: problem, refetch } = useGroups();
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
			<legend className="p-0 pb-1 font-medium">Groups</legend>
			{problem !== null && <ProblemBanner error={problem} onRetry={() => void refetch()} />}
			{data?.results.map(({ id, name }) => (
				<CheckField
					key={id}
					label={showGroupName(name)}
					hint={ROLES[name]}
					checked={chosen.includes(id)}
					disabled={name === "Admin" && !canPromote}
					onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
				/>
			))}
			{chosen.length === 0 && (
				<p className="m-0 text-muted text-xs">Without a group the user can sign in, and has no rights.</p>
			)}
			{error && <GroupMessage text={error} />}
		</fieldset>
	);
}
