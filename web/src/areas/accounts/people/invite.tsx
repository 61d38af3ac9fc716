/** Inviting people, one or several pasted at once, and the invitations that are open. */
import type { Invitation, IssuedInvitation } from "@weft/contracts";
import { invitationRoutes } from "@weft/contracts/browser";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { findProblem, needsRecentSignIn } from "../../../platform/problem.ts";
import { useProfile, useTimes } from "../../../platform/profile.ts";
import { baseUrl } from "../../../platform/weft.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmSignIn } from "../../../ui/confirm-sign-in.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AreaField, CheckField } from "../../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { Panel, ProblemBanner } from "../../../ui/page.tsx";
import { ShownOnce } from "../../../ui/shown-once.tsx";
import { Table } from "../../../ui/table.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useGroups } from "./answers.ts";
import { parsePeople } from "./pasted-people.ts";
import { ROLES } from "./words.ts";

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

function InviteForm({ onIssued, onClose }: { onIssued(issued: readonly IssuedInvitation[]): void; onClose(): void }) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const [text, setText] = useDraftState("people", "");
	const [chosen, setChosen] = useDraftState<readonly number[]>("groups", []);
	const canPromote = useProfile()?.is_superuser ?? false;
	const groups = useGroups().data?.results ?? [];
	const people = parsePeople(text);
	const invite = useAction(
		() =>
			callRoute(invitationRoutes.create, {
				body: { people: people.map((each) => ({ ...each, group_ids: [...chosen] })) },
			}),
		{
			stale: ["users"],
			onSuccess({ invitations }) {
				draft?.drop();
				onIssued(invitations);
			},
		},
	);
	const isStale = needsRecentSignIn(invite.error);
	const fields = invite.error === null ? {} : findProblem(invite.error).fields;
	const wrong = Object.entries(fields).map(([path, message]) => {
		const person = people[Number(/^people\.(\d+)/.exec(path)?.[1])];
		return person === undefined ? message : `${person.username}: ${message}`;
	});
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) invite.mutate(undefined);
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
					<Button variant="primary" busy={invite.isPending} disabled={people.length === 0} onClick={() => submit()}>
						{people.length > 1 ? `Invite ${people.length} people` : "Invite"}
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
				{isStale && <ConfirmSignIn onConfirmed={submit} />}
				{invite.error !== null && !isStale && wrong.length === 0 && <ProblemBanner error={invite.error} />}
				<AreaField
					label="People"
					hint="One a line: a username, an email address, or both. Each gets a link that sets a password, valid once and for 7 days."
					required
					mono
					rows={6}
					spellCheck={false}
					value={text}
					placeholder={"ada, ada@example.com\ngrace.hopper"}
					error={wrong.length === 0 ? undefined : wrong.join(" ")}
					data-autofocus
					onChange={(event) => setText(event.target.value)}
				/>
				<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
					<legend className="p-0 pb-1 font-medium">Groups</legend>
					{groups.map(({ id, name }) => (
						<CheckField
							key={id}
							label={showGroupName(name)}
							hint={ROLES[name]}
							checked={chosen.includes(id)}
							disabled={name === "Admin" && !canPromote}
							onChange={(event) =>
								setChosen(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
							}
						/>
					))}
				</fieldset>
			</Form>
		</Dialog>
	);
}

/** A link without a configured front end begins with a slash. */
const toAddress = (url: string): string => (url.startsWith("/") ? baseUrl + url : url);

function IssuedLinks({ invitations, onDone }: { invitations: readonly IssuedInvitation[]; onDone(): void }) {
	const text = invitations.map(({ username, url }) => `${username}\t${toAddress(url)}`).join("\n");
	return (
		<ShownOnce wide title="Links of the invitations" confirmation="I have passed the links on" onDone={onDone}>
			<p className="m-0">
				The links are shown only once. A link sets the password of its person: pass it to that person only.
			</p>
			<ul aria-label="Links" className="m-0 flex list-none flex-col gap-2 p-0">
				{invitations.map(({ username, url, is_mailed }) => (
					<li key={username} className="flex min-w-0 flex-col">
						<span className="font-medium">
							{username}
							{is_mailed && <span className="font-normal text-muted"> (mailed)</span>}
						</span>
						<span className="mono break-all">{toAddress(url)}</span>
					</li>
				))}
			</ul>
			<CopyButton text={text} label="Copy the links">
				Copy
			</CopyButton>
		</ShownOnce>
	);
}

/** The newest invitations that were not accepted; nothing where there is none. */
export function OpenInvitations() {
	const times = useTimes();
	const { data } = useAnswer(invitationRoutes.list, { query: { page_size: "100" } });
	const withdraw = useAction(
		({ id }: Invitation) => callRoute(invitationRoutes.withdraw, { params: { id: String(id) } }),
		{
			stale: ["users"],
			onSuccess: (_answer, { username }) => showToast(`The invitation of ${username} is withdrawn`),
		},
	);
	if (data === undefined || data.count === 0) return null;
	return (
		<Panel title="Open invitations" className="mb-4">
			{withdraw.error !== null && <ProblemBanner error={withdraw.error} />}
			<Table
				label="Open invitations"
				rows={data.results}
				getKey={({ id }) => String(id)}
				columns={[
					{ key: "name", head: "User", cell: ({ username }) => username },
					{ key: "by", head: "Invited by", cell: ({ invited_by }) => invited_by ?? "-" },
					{
						key: "end",
						head: "Valid until",
						cell: ({ expires_at }) => (Date.parse(expires_at) <= Date.now() ? "expired" : times.dateTime(expires_at)),
					},
					{
						key: "withdraw",
						head: "",
						align: "right",
						cell: (row) => (
							<Button busy={withdraw.isPending} onClick={() => withdraw.mutate(row)}>
								Withdraw
							</Button>
						),
					},
				]}
			/>
		</Panel>
	);
}
