/** Groups of connections: which fabrics a query runs on at once. */
import { getRouteApi } from "@tanstack/react-router";
import type { ConnectionGroup } from "@weft/contracts";
import { connectionGroupRoutes } from "@weft/contracts/browser";
import { Ellipsis, Layers, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { callRoute, invalidateAreas, useAnswer } from "../../../platform/call.ts";
import { formatPerson } from "../../../platform/format.ts";
import { useCommands } from "../../../platform/keys.ts";
import { useMay } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { useConnections } from "../../../platform/target.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { ListPage } from "../../../ui/list-page.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Empty } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, ShortName, Table } from "../../../ui/table.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { GroupForm } from "./group-form.tsx";

const route = getRouteApi("/app/settings/connection-groups");
const SIZE = 50;

export function ConnectionGroupsPage() {
	const [{ page = "1", edit }, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const query = { page, page_size: String(SIZE) };
	const answer = useAnswer(connectionGroupRoutes.list, { query }, { keepPrevious: true });
	const may = useMay();
	const [removing, setRemoving] = useState<ConnectionGroup | null>(null);
	const create = may("add_controllerconnection");
	const open = (id: string | undefined) => set({ edit: id });
	useCommands(
		create
			? [
					{
						id: "connection-groups.new",
						label: "New group",
						group: "Connection groups",
						keys: "c",
						run: () => open("new"),
					},
				]
			: [],
	);
	const edited = edit === "new" ? null : answer.data?.results.find(({ id }) => id === edit);
	const add = create && (
		<Button variant="primary" icon={Plus} onClick={() => open("new")}>
			New group
		</Button>
	);
	return (
		<>
			<ListPage
				title="Connection groups"
				noun="group"
				crumbs={[{ label: "Settings" }, { label: "Connections", to: "/settings/connections" }]}
				actions={
					<>
						<CopyAs call={() => ({ route: connectionGroupRoutes.list, query })} />
						{add}
					</>
				}
				answer={answer}
				lines={4}
				page={Number(page)}
				pageSize={SIZE}
				empty={
					<Empty icon={Layers} action={add}>
						A group names connections, such as all fabrics of a region. A query runs on all of them at once.
					</Empty>
				}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => <GroupTable rows={rows} onEdit={open} onRemove={setRemoving} />}
			</ListPage>
			{edit !== undefined && edited !== undefined && (
				<GroupForm key={edited?.id ?? "new"} group={edited} onClose={() => open(undefined)} />
			)}
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb="Delete the group"
				onConfirm={async () => {
					if (removing === null) return;
					await callRoute(connectionGroupRoutes.remove, { params: { id: removing.id } });
					showToast(`${removing.name} is deleted`);
					await invalidateAreas("connection_groups");
				}}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">Its connections stay. Schedules that name it fail at their next run.</p>
			</Confirm>
		</>
	);
}

interface TableProps {
	readonly rows: readonly ConnectionGroup[];
	onEdit(id: string): void;
	onRemove(group: ConnectionGroup): void;
}

function GroupTable({ rows, onEdit, onRemove }: TableProps) {
	const connections = useConnections().data?.results ?? [];
	const getName = (id: string) => connections.find((connection) => connection.id === id)?.name ?? id;
	const columns: Column<ConnectionGroup>[] = [
		{
			key: "name",
			head: "Name",
			className: "w-1/4 min-w-40 max-w-0!",
			cell: ({ id, name, can_edit, is_public, description }) => (
				<span className="flex min-w-0 items-center gap-2" title={description}>
					{can_edit ? (
						<button
							type="button"
							className="truncate rounded-cell font-medium hover:underline"
							onClick={() => onEdit(id)}
						>
							{name}
						</button>
					) : (
						<span className="truncate font-medium">{name}</span>
					)}
					{is_public && <Pill tone="violet">Public</Pill>}
				</span>
			),
		},
		{
			key: "members",
			head: "Fabrics",
			className: "w-2/4 min-w-40 max-w-0!",
			cell: ({ connection_ids, hidden_count }) => (
				<span className="flex min-w-0 items-center gap-2">
					<span className="min-w-0 truncate" title={connection_ids.map(getName).join("\n")}>
						{connection_ids.length === 0 ? "none" : connection_ids.map(getName).join(", ")}
					</span>
					{hidden_count > 0 && <Pill>{`and ${hidden_count} that you do not see`}</Pill>}
				</span>
			),
		},
		{ key: "owner", head: "Owner", cell: ({ created_by }) => <ShortName name={formatPerson(created_by)} /> },
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (group) =>
				group.can_edit || group.can_delete ? (
					<Menu
						trigger={<IconButton variant="ghost" label={`More for ${group.name}`} icon={Ellipsis} />}
						groups={[
							group.can_edit ? [{ label: "Edit", icon: Pencil, run: () => onEdit(group.id) }] : [],
							group.can_delete ? [{ label: "Delete", icon: Trash2, danger: true, run: () => onRemove(group) }] : [],
						]}
					/>
				) : null,
		},
	];
	return <Table label="Connection groups" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
