/** Inviting people: one or several pasted at once, with one role. */
import type { IssuedInvitation } from "@weft/contracts";
import { groupRoutes, invitationRoutes } from "@weft/contracts/browser";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../../platform/call.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { formatPlural } from "../../../platform/format.ts";
import { findProblem, needsRecentSignIn } from "../../../platform/problem.ts";
import { useProfile } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmSignIn } from "../../../ui/confirm-sign-in.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AreaField } from "../../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { useGroups } from "./answers.ts";
import { IssuedLinks } from "./issued-links.tsx";
import { findPersonProblem, type PastedPerson, parsePeople } from "./pasted-people.ts";
import { listRoles, type OfferedRole } from "./roles.ts";

export function InviteDialog({ onClose }: { onClose(): void }) {
	const [issued, setIssued] = useState<readonly IssuedInvitation[] | null>(null);
	return issued === null ? (
		<Drafted form="invitations">
			<InviteForm onIssued={setIssued} onClose={onClose} />
		</Drafted>
	) : (
		<IssuedLinks invitations={issued} onDone={onClose} />
	);
}

/** Finds the group of a role, and creates it if there is none. Returns null without a role. */
async function ensureGroup(role: OfferedRole | undefined): Promise<number | null> {
	if (role?.template == null) return role?.groupId ?? null;
	const { name, permission_ids, quota } = role.template;
	const body = { name, permission_ids: [...permission_ids], ...(quota === null ? {} : { quota }) };
	return (await callRoute(groupRoutes.create, { body })).id;
}

function useInvitation(onIssued: (issued: readonly IssuedInvitation[]) => void) {
	const draft = useDraft();
	return useAction(
		async ({ people, role }: { people: readonly PastedPerson[]; role: OfferedRole | undefined }) => {
			const group = await ensureGroup(role);
			const group_ids = group === null ? [] : [group];
			return callRoute(invitationRoutes.create, { body: { people: people.map((each) => ({ ...each, group_ids })) } });
		},
		{
			stale: ["users", "groups"],
			onSuccess({ invitations }) {
				draft?.drop();
				onIssued(invitations);
			},
			// The group of the role may have been created before the invitation was refused.
			onError: () => void invalidateAreas("groups"),
		},
	);
}

const PEOPLE_HINT =
	"Paste addresses, or one person a line: a username, an email address, or both. " +
	"Each gets a link that sets a password, valid once and for 7 days.";

/** Lists the problem of each person, by the list itself or by the service; null: none. */
function listProblems(people: readonly PastedPerson[], fields: Readonly<Record<string, string>>): (string | null)[] {
	return people.map((_person, index) => {
		const refused = Object.entries(fields).find(([path]) => path.startsWith(`people.${index}.`));
		return findPersonProblem(people, index) ?? refused?.[1] ?? null;
	});
}

function InviteForm({ onIssued, onClose }: { onIssued(issued: readonly IssuedInvitation[]): void; onClose(): void }) {
	const form = useRef<HTMLFormElement>(null);
	const [text, setText] = useDraftState("people", "");
	const [roleKey, setRoleKey] = useDraftState("role", "");
	const groups = useGroups();
	const templates = useAnswer(groupRoutes.roleTemplates, undefined, { staleTime: 300_000 });
	const roles = listRoles(groups.data?.results ?? [], templates.data ?? []);
	const invite = useInvitation(onIssued);
	const people = parsePeople(text);
	const isStale = needsRecentSignIn(invite.error);
	const isOfText =
		invite.variables?.people.map(({ username }) => username).join() === people.map((p) => p.username).join();
	const fields = invite.error === null || !isOfText ? {} : findProblem(invite.error).fields;
	const names = Object.keys(fields);
	const problems = listProblems(people, fields);
	const fine = people.filter((_person, index) => problems[index] === null);
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) invite.mutate({ people, role: roles.find(({ key }) => key === roleKey) });
	};
	return (
		<Dialog
			open
			wide
			title="Invite people"
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button
						variant="primary"
						busy={invite.isPending}
						disabled={people.length === 0 || fine.length < people.length}
						onClick={() => submit()}
					>
						{people.length > 1 ? `Invite ${people.length} people` : "Invite"}
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
				{isStale && <ConfirmSignIn onConfirmed={submit} />}
				{invite.error !== null &&
					!isStale &&
					!names.some((name) => name === "people" || name.startsWith("people.")) && (
						<ProblemBanner error={invite.error} />
					)}
				<AreaField
					label="People"
					hint={PEOPLE_HINT}
					required
					mono
					rows={6}
					spellCheck={false}
					value={text}
					placeholder={"ada@example.com, grace@example.com\nlin, lin.chen@example.com"}
					error={fields.people}
					data-autofocus
					onChange={(event) => setText(event.target.value)}
				/>
				<PeopleProblems
					people={people}
					problems={problems}
					onLeaveOut={() => setText(fine.map(formatPerson).join("\n"))}
				/>
				<RoleField roles={roles} value={roleKey} onChange={setRoleKey} />
			</Form>
		</Dialog>
	);
}

const formatPerson = ({ username, email }: PastedPerson): string => (email === "" ? username : `${username}, ${email}`);

interface PeopleProblemsProps {
	readonly people: readonly PastedPerson[];
	/** Null: nothing is wrong with the person. */
	readonly problems: readonly (string | null)[];
	/** Removes the people with a problem from the text. */
	onLeaveOut(): void;
}

function PeopleProblems({ people, problems, onLeaveOut }: PeopleProblemsProps) {
	const wrong = problems.filter((problem) => problem !== null).length;
	if (wrong === 0) return null;
	return (
		<section
			aria-label="Problems"
			role="alert"
			className="flex flex-col items-start gap-2 rounded-control bg-bad-soft p-2.5"
		>
			<ul className="m-0 flex list-none flex-col gap-0.5 p-0 text-bad">
				{people.map((person, index) =>
					problems[index] === null ? null : (
						// biome-ignore lint/suspicious/noArrayIndexKey: people may be in the list twice
						<li key={index}>
							{person.username}: {problems[index]}
						</li>
					),
				)}
			</ul>
			{wrong < people.length && (
				<Button onClick={onLeaveOut}>Leave {formatPlural(wrong, "person", "people")} out</Button>
			)}
		</section>
	);
}

interface RoleFieldProps {
	readonly roles: readonly OfferedRole[];
	/** Key of the chosen role; empty: none was chosen. */
	readonly value: string;
	onChange(key: string): void;
}

function RoleField({ roles, value, onChange }: RoleFieldProps) {
	const canPromote = useProfile()?.is_superuser ?? false;
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
			<legend className="p-0 pb-1 font-medium">Role</legend>
			{roles.map(({ key, label, hint, isAdmin }) => (
				<label key={key} className="flex items-start gap-2">
					<input
						type="radio"
						name="role"
						required
						aria-label={label}
						className="m-0 mt-0.5 size-4 shrink-0"
						checked={value === key}
						disabled={isAdmin && !canPromote}
						onChange={() => onChange(key)}
					/>
					<span>
						{label}
						{hint && <span className="block text-muted text-xs">{hint}</span>}
					</span>
				</label>
			))}
		</fieldset>
	);
}
