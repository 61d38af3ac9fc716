/** The controllers that Weft knows, whether they can be reached, and which one runs go to. */
import { getRouteApi } from "@tanstack/react-router";
import type { ControllerConnection } from "@weft/contracts";
import { connectionRoutes } from "@weft/contracts/browser";
import { Ellipsis, FileKey, Layers, LockOpen, Pencil, PlugZap, Plus, Server, Star, Trash2 } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { formatPerson, formatPlural } from "../../../platform/format.ts";
import { useCommands } from "../../../platform/keys.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { useConnections, useTarget } from "../../../platform/target.ts";
import { Button, ButtonLink, IconButton } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { OpenWindowBanners } from "../../../ui/open-window-banner.tsx";
import { Empty, Loaded, PageHead } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { type Column, ShortName, Table } from "../../../ui/table.tsx";
import { switchTarget } from "../../../ui/target-items.ts";
import { showProblem, showToast } from "../../../ui/toast.tsx";
import { ConnectionForm } from "./form.tsx";
import { MembersPill } from "./members.tsx";
import { testConnection } from "./outcome.ts";

const route = getRouteApi("/app/settings/connections");

export function ConnectionsPage() {
	const { q = "", edit } = route.useSearch();
	const navigate = route.useNavigate();
	const answer = useConnections();
	const may = useMay();
	const [removing, setRemoving] = useState<ControllerConnection | null>(null);
	/** Saved for the first time by the open drawer, which goes on with it as it is. */
	const [made, setMade] = useState<string | null>(null);
	const setEdit = (id: string | undefined) => void navigate({ search: (search) => ({ ...search, edit: id }) });
	const create = may("add_controllerconnection");
	useCommands(
		create
			? [{ id: "connections.new", label: "New connection", group: "Connections", keys: "c", run: () => setEdit("new") }]
			: [],
	);
	const all = answer.data?.results ?? [];
	const shown = all.filter(({ name, url, description }) =>
		`${name} ${url} ${description}`.toLowerCase().includes(q.toLowerCase()),
	);
	const edited = edit === "new" ? null : all.find(({ id }) => id === edit);
	const remove = async (connection: ControllerConnection) => {
		await callRoute(connectionRoutes.remove, { params: { id: connection.id } });
		showToast(`${connection.name} is deleted`);
		await answer.refetch();
	};
	return (
		<>
			<PageHead
				title="Connections"
				crumbs={[{ label: "Settings" }]}
				facts={answer.data && formatPlural(all.length, "connection")}
				actions={
					<>
						<SearchField
							value={q}
							label="Filter connections"
							onChange={(text) =>
								void navigate({ search: (search) => ({ ...search, q: text || undefined }), replace: true })
							}
						/>
						<ButtonLink icon={Layers} to="/settings/connection-groups">
							Groups
						</ButtonLink>
						<CopyAs call={() => ({ route: connectionRoutes.list })} />
						{create && (
							<Button variant="primary" icon={Plus} onClick={() => setEdit("new")}>
								New connection
							</Button>
						)}
					</>
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<OpenWindowBanners connections={all.map(({ id }) => id)} className="pb-3" />
				<div className="overflow-hidden rounded-card border border-line bg-surface">
					<Loaded answer={answer} lines={5}>
						{() =>
							all.length === 0 ? (
								<Empty
									icon={Server}
									action={
										create && (
											<Button variant="primary" icon={Plus} onClick={() => setEdit("new")}>
												New connection
											</Button>
										)
									}
								>
									A connection is the address and the login of a controller. Queries run against one; without a
									controller at hand, <code className="mono">npm run lab</code> simulates a fabric.
								</Empty>
							) : shown.length === 0 ? (
								<Empty>No connection matches "{q}".</Empty>
							) : (
								<List rows={shown} onEdit={setEdit} onRemove={setRemoving} />
							)
						}
					</Loaded>
				</div>
			</div>
			{edit !== undefined && edited !== undefined && (
				<ConnectionForm
					key={edited === null || edited.id === made ? "new" : edited.id}
					connection={edited}
					onClose={() => {
						setMade(null);
						setEdit(undefined);
					}}
					onMade={(id) => {
						setMade(id);
						setEdit(id);
					}}
				/>
			)}
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb="Delete the connection"
				onConfirm={async () => removing && remove(removing)}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">
					Schedules and queries that use it fail at their next run. Its runs and snapshots are kept. Its password or
					private key is deleted.
				</p>
			</Confirm>
		</>
	);
}

interface ListProps {
	readonly rows: readonly ControllerConnection[];
	onEdit(id: string): void;
	onRemove(connection: ControllerConnection): void;
}

function List({ rows, onEdit, onRemove }: ListProps) {
	const target = useTarget();
	const columns: Column<ControllerConnection>[] = [
		{
			key: "name",
			head: "Name",
			className: "w-1/4 min-w-40 max-w-0!",
			cell: ({ id, name, can_edit, is_active, is_public }) => (
				<span className="flex min-w-0 items-center gap-2">
					{can_edit ? (
						<button
							type="button"
							className="truncate rounded-cell font-medium hover:underline"
							title={name}
							onClick={() => onEdit(id)}
						>
							{name}
						</button>
					) : (
						<span className="truncate font-medium" title={name}>
							{name}
						</span>
					)}
					{id === target?.id && (
						<Pill tone="accent" icon={Star}>
							Default
						</Pill>
					)}
					{!is_active && <Pill>Switched off</Pill>}
					{is_public && <Pill tone="violet">Public</Pill>}
				</span>
			),
		},
		{
			key: "url",
			head: "Address",
			className: "max-w-56! max-sm:hidden",
			cell: ({ url, verify_ssl, members }) => (
				<span className="mono flex items-center gap-1.5">
					<span className="truncate" title={url}>
						{url}
					</span>
					<MembersPill members={members} />
					{!verify_ssl && (
						<span title="Certificate not verified">
							<LockOpen size={13} className="text-warn" role="img" aria-label="Certificate not verified" />
						</span>
					)}
				</span>
			),
		},
		{
			key: "user",
			head: "User",
			className: "max-sm:hidden",
			cell: ({ username, certificate_dn }) => (
				<span className="flex items-center gap-1.5">
					<span className="mono">
						<ShortName name={username} />
					</span>
					{certificate_dn !== null && (
						<span title={certificate_dn}>
							<FileKey size={13} role="img" aria-label="Signs in with a certificate" />
						</span>
					)}
				</span>
			),
		},
		{
			key: "test",
			head: "Last test",
			className: "w-2/5 max-w-0! min-w-40",
			cell: (connection) => <LastTest connection={connection} />,
		},
		{
			key: "owner",
			head: "Owner",
			className: "max-sm:hidden",
			cell: ({ created_by }) => formatPerson(created_by),
		},
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (connection) => <Verbs connection={connection} onEdit={onEdit} onRemove={onRemove} />,
		},
	];
	return (
		<Table
			label="Connections"
			columns={columns}
			rows={rows}
			getKey={({ id }) => id}
			isCurrent={({ id }) => id === target?.id}
		/>
	);
}

function LastTest({
	connection: { last_test_status, last_tested_at, last_test_message },
}: {
	connection: ControllerConnection;
}) {
	const times = useTimes();
	if (last_test_status === null || last_tested_at === null) return <span className="text-muted">never</span>;
	return (
		<span className="flex items-center gap-2">
			<Pill tone={last_test_status ? "ok" : "bad"}>{last_test_status ? "Reachable" : "Failed"}</Pill>
			<span className="shrink-0 text-muted" title={times.dateTime(last_tested_at)}>
				{times.relative(last_tested_at)}
			</span>
			<span className="truncate text-muted" title={last_test_message}>
				{last_test_message}
			</span>
		</span>
	);
}

interface VerbsProps {
	readonly connection: ControllerConnection;
	onEdit(id: string): void;
	onRemove(connection: ControllerConnection): void;
}

function Verbs({ connection, onEdit, onRemove }: VerbsProps) {
	const { id, name, is_active, can_edit, can_delete } = connection;
	const test = useAction(testConnection, {
		stale: ["connections"],
		onSuccess: (outcome) =>
			showToast(outcome.success ? `${name}: ${outcome.message}` : `${name}: ${outcome.message} ${outcome.advice}`),
		onError: (error) => showProblem(error, name),
	});
	return (
		<span className="inline-flex items-center gap-1 py-1">
			{can_edit && (
				<Button icon={PlugZap} busy={test.isPending} onClick={() => test.mutate(connection)}>
					Test
				</Button>
			)}
			<Menu
				trigger={<IconButton variant="ghost" label={`More for ${name}`} icon={Ellipsis} />}
				groups={[
					[
						...(is_active ? [{ label: "Set as default", icon: Star, run: () => switchTarget(id) }] : []),
						...(can_edit ? [{ label: "Edit", icon: Pencil, run: () => onEdit(id) }] : []),
					],
					can_delete ? [{ label: "Delete", icon: Trash2, danger: true, run: () => onRemove(connection) }] : [],
				]}
			/>
		</span>
	);
}
