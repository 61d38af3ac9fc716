/** Every group's permissions beside each other, and the role templates. */
import { Link } from "@tanstack/react-router";
import type { Group, Permission, RoleTemplate } from "@weft/contracts";
import { groupRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Loaded, Panel } from "../../../ui/page.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { useAllPermissions, useGroups } from "./answers.ts";
import { PeopleFrame } from "./frame.tsx";
import { WhoMay } from "./who-may.tsx";
import { formatModel, formatVerb } from "./words.ts";

export function PermissionsPage() {
	const permissions = useAllPermissions();
	const groups = useGroups();
	const roles = useAnswer(groupRoutes.roleTemplates, undefined, { staleTime: 300_000 });
	return (
		<PeopleFrame
			title="Who may do what"
			facts={permissions.data && formatPlural(permissions.data.count, "permission")}
			actions={<CopyAs call={() => ({ route: groupRoutes.permissions })} />}
		>
			<div className="flex flex-col gap-3">
				<WhoMay />
				<Panel title="Advanced: every permission, by group">
					<p className="m-0 px-3 pt-2 text-muted">
						Superusers and members of Admin may do everything. Change a group's permissions on its page.
					</p>
					<Loaded answer={permissions} lines={10}>
						{(all) => (
							<Loaded answer={groups} lines={10}>
								{({ results }) => <Matrix permissions={all.results} groups={results} />}
							</Loaded>
						)}
					</Loaded>
				</Panel>
				<Panel title="Role templates">
					<Loaded answer={roles} lines={4}>
						{(templates) => <Roles templates={templates} />}
					</Loaded>
				</Panel>
			</div>
		</PeopleFrame>
	);
}

interface ModelRow {
	readonly model: string;
	readonly permissions: readonly Permission[];
}

function Matrix({ permissions, groups }: { permissions: readonly Permission[]; groups: readonly Group[] }) {
	const rows: ModelRow[] = [...Map.groupBy(permissions, ({ model }) => model)]
		.map(([model, list]) => ({ model, permissions: list }))
		.sort((a, b) => formatModel(a.model).localeCompare(formatModel(b.model)));
	const columns: Column<ModelRow>[] = [
		{
			key: "model",
			head: "Object",
			cell: ({ model }) => <span className="whitespace-nowrap">{formatModel(model)}</span>,
		},
		...groups.map(
			({ id, name, permissions: held }): Column<ModelRow> => ({
				key: String(id),
				head: (
					<Link to="/groups/$id" params={{ id: String(id) }} className="rounded-cell text-fg hover:underline">
						{showGroupName(name)}
					</Link>
				),
				cell: ({ permissions: list }) => {
					const own = list.filter((permission) => held.some((each) => each.id === permission.id));
					if (own.length === 0) return <span className="text-muted">-</span>;
					if (own.length === list.length) return <span className="whitespace-nowrap">All</span>;
					return <span className="whitespace-nowrap">{own.map(formatVerb).join(", ")}</span>;
				},
			}),
		),
	];
	return <Table label="Permissions by group" columns={columns} rows={rows} getKey={({ model }) => model} />;
}

function Roles({ templates }: { templates: readonly RoleTemplate[] }) {
	const columns: Column<RoleTemplate>[] = [
		{ key: "name", head: "Role", cell: ({ name }) => <span className="font-medium">{showGroupName(name)}</span> },
		{ key: "text", head: "Description", className: "w-2/3", cell: ({ description }) => description },
		{
			key: "permissions",
			head: "Permissions",
			align: "right",
			cell: ({ permission_ids }) => permission_ids.length,
		},
	];
	return <Table label="Role templates" columns={columns} rows={templates} getKey={({ key }) => key} />;
}
