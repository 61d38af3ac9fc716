/** Groups with their members and rights; new ones start from a role template. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Group } from "@weft/contracts";
import { groupRoutes } from "@weft/contracts/browser";
import { Plus, Users } from "lucide-react";
import { type FormEvent, useRef } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { useCommands } from "../../../platform/keys.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { Empty, ProblemBanner } from "../../../ui/page.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { PeopleFrame } from "./frame.tsx";

const route = getRouteApi("/app/groups");
const SIZE = 50;

export function GroupsPage() {
	const navigate = route.useNavigate();
	const [{ page = "1", edit }, set] = useSearchState(route.useSearch(), navigate, { replace: true });
	const query = { page, page_size: String(SIZE) };
	const answer = useAnswer(groupRoutes.list, { query }, { keepPrevious: true });
	useCommands([{ id: "groups.new", label: "New group", group: "Groups", keys: "c", run: () => set({ edit: "new" }) }]);
	return (
		<PeopleFrame
			title="Groups"
			facts={answer.data && formatPlural(answer.data.count, "group")}
			actions={
				<>
					<CopyAs call={() => ({ route: groupRoutes.list, query })} />
					<Button variant="primary" icon={Plus} onClick={() => set({ edit: "new" })}>
						New group
					</Button>
				</>
			}
		>
			<PagedList
				answer={answer}
				lines={5}
				page={Number(page)}
				pageSize={SIZE}
				empty={<Empty icon={Users}>There is no group.</Empty>}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => <GroupTable rows={rows} />}
			</PagedList>
			{edit === "new" && (
				<NewGroup
					onClose={() => set({ edit: undefined })}
					onMade={({ id }) => void navigate({ to: "/groups/$id", params: { id: String(id) } })}
				/>
			)}
		</PeopleFrame>
	);
}

function GroupTable({ rows }: { rows: readonly Group[] }) {
	const columns: Column<Group>[] = [
		{
			key: "name",
			head: "Group",
			className: "w-1/2",
			cell: ({ id, name, is_system }) => (
				<span className="flex items-center gap-2">
					<Link
						to="/groups/$id"
						params={{ id: String(id) }}
						className="truncate rounded-cell font-medium hover:underline"
					>
						{showGroupName(name)}
					</Link>
					{is_system && <Pill>Built in</Pill>}
				</span>
			),
		},
		{ key: "members", head: "Members", align: "right", cell: ({ member_count }) => formatCount(member_count) },
		{
			key: "permissions",
			head: "Permissions",
			align: "right",
			cell: ({ permissions }) => formatCount(permissions.length),
		},
		{
			key: "quota",
			head: "Quota",
			cell: ({ quota }) => (quota === null ? <span className="text-muted">None</span> : "Limited"),
		},
	];
	return <Table label="Groups" columns={columns} rows={rows} getKey={({ id }) => String(id)} />;
}

interface NewGroupProps {
	onMade(group: Group): void;
	onClose(): void;
}

const NewGroup = (props: NewGroupProps) => (
	<Drafted form="group">
		<NewGroupFields {...props} />
	</Drafted>
);

function NewGroupFields({ onMade, onClose }: NewGroupProps) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const templates = useAnswer(groupRoutes.roleTemplates);
	const [role, setRole] = useDraftState("role", "");
	const template = templates.data?.find(({ key }) => key === role);
	const save = useAction(
		(name: string) =>
			callRoute(groupRoutes.create, {
				body: {
					name,
					permission_ids: [...(template?.permission_ids ?? [])],
					...(template?.quota ? { quota: template.quota } : {}),
				},
			}),
		{
			stale: ["groups"],
			onSuccess(group) {
				draft?.drop();
				onMade(group);
			},
		},
	);
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) save.mutate(String(new FormData(form.current).get("name")));
	};
	return (
		<Dialog
			open
			title="New group"
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
						Create the group
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
				{save.error !== null && fields.name === undefined && <ProblemBanner error={save.error} />}
				<TextField
					label="Name"
					name="name"
					required
					maxLength={150}
					autoComplete="off"
					data-autofocus
					error={fields.name}
				/>
				<SelectField
					label="Role template"
					value={role}
					hint={
						template
							? `${template.description} ${formatPlural(template.permission_ids.length, "permission")}.`
							: "Start without permissions and choose them next."
					}
					options={[
						{ value: "", label: "(none)" },
						...(templates.data?.map(({ key, name }) => ({ value: key, label: showGroupName(name) })) ?? []),
					]}
					onChange={(event) => setRole(event.target.value)}
				/>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
