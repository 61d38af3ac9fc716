/** One group: permissions, members and quota. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Group } from "@weft/contracts";
import { groupRoutes, userRoutes } from "@weft/contracts/browser";
import { CopyPlus, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Confirm, Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Drafted, Form, RestoredDraft } from "../../../ui/form.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Empty, Loaded, PageHead, Panel, ProblemBanner } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { SaveProblem } from "../../../ui/save-problem.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useAllPermissions } from "./answers.ts";
import { Advanced, CapabilityFields } from "./capability-list.tsx";
import { EditablePermissions } from "./matrix.tsx";
import { QuotaPanel } from "./quota-panel.tsx";
import { UserState } from "./user-state.tsx";

const route = getRouteApi("/app/groups/$id");
const CRUMBS = [{ label: "Groups", to: "/groups" as const }];
const MEMBERS = 50;
/** Some things are decided by these names. */
const FIXED = ["Admin", "Users"];

export function GroupPage() {
	const { id } = route.useParams();
	const answer = useAnswer(groupRoutes.detail, { params: { id } });
	if (answer.data === undefined) {
		return (
			<>
				<PageHead title="Group" crumbs={CRUMBS} />
				<Loaded answer={answer} lines={8}>
					{() => null}
				</Loaded>
			</>
		);
	}
	return <GroupView key={id} group={answer.data} />;
}

type Question = "rename" | "clone" | "delete";

function GroupView({ group }: { group: Group }) {
	const { id, name, is_system, member_count, permissions } = group;
	const navigate = route.useNavigate();
	const [question, setQuestion] = useState<Question | null>(null);
	const params = { id: String(id) };
	const fixed = FIXED.includes(name);
	const close = () => setQuestion(null);
	return (
		<>
			<PageHead
				title={showGroupName(name)}
				crumbs={CRUMBS}
				facts={
					<>
						{is_system && <Pill>Built in</Pill>}
						<span>{formatPlural(member_count, "member")}</span>
						<span>{formatPlural(permissions.length, "permission")}</span>
						{fixed && <span>Cannot be renamed or deleted.</span>}
					</>
				}
				actions={
					<>
						<CopyAs call={() => ({ route: groupRoutes.detail, params })} />
						<Button icon={CopyPlus} onClick={() => setQuestion("clone")}>
							Clone
						</Button>
						{!fixed && (
							<Menu
								trigger={<IconButton label={`More for ${showGroupName(name)}`} icon={Ellipsis} />}
								groups={[
									[{ label: "Rename", icon: Pencil, run: () => setQuestion("rename") }],
									[{ label: "Delete", icon: Trash2, danger: true, run: () => setQuestion("delete") }],
								]}
							/>
						)}
					</>
				}
			/>
			<div className="grid items-start gap-3 px-5 pb-5 max-sm:px-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
				<Drafted key={permissions.map((each) => each.id).join()} form="permissions" id={id}>
					<GroupPermissions group={group} />
				</Drafted>
				<div className="flex min-w-0 flex-col gap-3">
					<Members group={group} />
					<QuotaPanel key={JSON.stringify(group.quota)} group={group} />
				</div>
			</div>
			{(question === "rename" || question === "clone") && (
				<NameQuestion
					group={group}
					what={question}
					onClose={close}
					onDone={(made) => {
						close();
						if (made.id !== id) void navigate({ to: "/groups/$id", params: { id: String(made.id) } });
					}}
				/>
			)}
			<Confirm
				open={question === "delete"}
				title={`Delete ${showGroupName(name)}?`}
				verb="Delete the group"
				onClose={close}
				onConfirm={async () => {
					await callRoute(groupRoutes.remove, { params });
					showToast(`${showGroupName(name)} is deleted`);
					await navigate({ to: "/groups" });
					void invalidateAreas("groups", "users");
				}}
			>
				<p className="m-0">
					{formatPlural(member_count, "member loses", "members lose")} the{" "}
					{formatPlural(permissions.length, "permission")} and the quota that only this group gives them. Their accounts
					stay. Templates no longer name it as user or approver.
				</p>
			</Confirm>
		</>
	);
}

function GroupPermissions({ group: { id, name, permissions } }: { group: Group }) {
	const all = useAllPermissions();
	const draft = useDraft();
	const before = new Set(permissions.map((each) => each.id));
	const [chosenIds, setChosenIds] = useDraftState<readonly number[]>("permission_ids", () =>
		[...before].sort((a, b) => a - b),
	);
	const chosen = new Set(chosenIds);
	const added = [...chosen].filter((each) => !before.has(each)).length;
	const removed = [...before].filter((each) => !chosen.has(each)).length;
	const dirty = added + removed > 0;
	const params = { id: String(id) };
	const readGranted = ({ permissions }: Pick<Group, "permissions">) => ({
		permission_ids: permissions.map((each) => each.id),
	});
	const guard = useSaveGuard(readGranted({ permissions }), async () =>
		readGranted(await callRoute(groupRoutes.detail, { params })),
	);
	const save = useAction(
		async () => {
			const body = { permission_ids: [...chosen] };
			await guard.assertUnchanged(body);
			const saved = await callRoute(groupRoutes.update, { params, body });
			guard.accept(readGranted(saved));
		},
		{
			stale: ["groups", "users"],
			onSuccess() {
				draft?.drop();
				showToast(`The permissions of ${showGroupName(name)} are saved`);
			},
		},
	);
	return (
		<Panel
			title="Rights of members"
			aside={
				dirty && (
					<>
						<span className="text-muted">
							+{added} −{removed}
						</span>
						<Button onClick={() => draft?.discard()}>Discard</Button>
						<Button variant="primary" busy={save.isPending} onClick={() => save.mutate(undefined)}>
							Save
						</Button>
					</>
				)
			}
		>
			<RestoredDraft />
			{save.error !== null && (
				<div className="p-3">
					<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
				</div>
			)}
			{name === "Admin" && (
				<p className="m-0 px-3 pt-2 text-muted">
					Members of Admin may do everything: its permissions cannot be removed.
				</p>
			)}
			<Loaded answer={all} lines={8}>
				{({ results }) => {
					const edit = {
						permissions: results,
						chosen,
						readOnly: name === "Admin",
						onChange: (ids: ReadonlySet<number>) => setChosenIds([...ids].sort((a, b) => a - b)),
					};
					return (
						<>
							<CapabilityFields {...edit} />
							<Advanced count={`all ${formatPlural(results.length, "permission")}`}>
								<EditablePermissions label="Permissions of the group" {...edit} />
							</Advanced>
						</>
					);
				}}
			</Loaded>
		</Panel>
	);
}

function Members({ group: { id, member_count } }: { group: Group }) {
	const answer = useAnswer(userRoutes.list, { query: { group: String(id), page_size: String(MEMBERS) } });
	return (
		<Panel
			title="Members"
			aside={
				<Link to="/users" search={{ group: String(id) }} className="text-accent-text hover:underline">
					All {formatCount(member_count)}
				</Link>
			}
		>
			<Loaded answer={answer} lines={4}>
				{({ results }) =>
					results.length === 0 ? (
						<Empty>No members. Add users to the group in their account.</Empty>
					) : (
						<ul aria-label="Members" className="m-0 flex list-none flex-col p-0">
							{results.map((user) => (
								<li
									key={user.id}
									className="flex h-(--row) items-center gap-2 border-line border-b px-3 last:border-b-0 hover:bg-sunken"
								>
									<Link
										to="/users/$id"
										params={{ id: String(user.id) }}
										className="min-w-0 flex-1 truncate rounded-cell hover:underline"
									>
										{user.username}
									</Link>
									<UserState user={user} />
								</li>
							))}
						</ul>
					)
				}
			</Loaded>
		</Panel>
	);
}

interface NameQuestionProps {
	readonly group: Group;
	readonly what: "rename" | "clone";
	onDone(group: Group): void;
	onClose(): void;
}

function NameQuestion({ group: { id, name }, what, onDone, onClose }: NameQuestionProps) {
	const shown = showGroupName(name);
	const form = useRef<HTMLFormElement>(null);
	const params = { id: String(id) };
	const save = useAction(
		(text: string) =>
			what === "rename"
				? callRoute(groupRoutes.update, { params, body: { name: text } })
				: callRoute(groupRoutes.clone, { params, body: { name: text } }),
		{ stale: ["groups", "users"], onSuccess: onDone },
	);
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) save.mutate(String(new FormData(form.current).get("name")));
	};
	return (
		<Dialog
			open
			title={what === "rename" ? `Rename ${shown}` : `Clone ${shown}`}
			description={what === "clone" ? "The new group gets the permissions and the quota, and no members." : undefined}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
						{what === "rename" ? "Rename" : "Create the clone"}
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3" onSubmit={submit}>
				{save.error !== null && fields.name === undefined && <ProblemBanner error={save.error} />}
				<TextField
					label="Name"
					name="name"
					required
					maxLength={150}
					autoComplete="off"
					data-autofocus
					hint={what === "rename" && shown !== name ? `It is displayed as ${shown} until it is renamed.` : undefined}
					defaultValue={what === "rename" ? name : `${shown} (copy)`}
					error={fields.name}
				/>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
