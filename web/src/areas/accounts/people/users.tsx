/** All users, with the state of their accounts; and the drawer for a new one. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AdminUser } from "@weft/contracts";
import { userRoutes } from "@weft/contracts/browser";
import { Mail, Plus, ShieldCheck, Users } from "lucide-react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPerson, formatPlural } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { useCommands } from "../../../platform/keys.ts";
import { useTimes } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { Empty } from "../../../ui/page.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { useGroups } from "./answers.ts";
import { PeopleFrame } from "./frame.tsx";
import { InviteDialog } from "./invite.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { UserForm } from "./user-form.tsx";
import { UserState } from "./user-state.tsx";

const route = getRouteApi("/app/users");
const SIZE = 50;

export function UsersPage() {
	const navigate = route.useNavigate();
	const [{ q = "", group, state, page = "1", edit }, set] = useSearchState(route.useSearch(), navigate, {
		replace: true,
	});
	const groups = useGroups();
	const query = {
		page,
		page_size: String(SIZE),
		...(q === "" ? {} : { search: q }),
		...(group === undefined ? {} : { group }),
		...(state === "active" || state === "inactive"
			? { is_active: state === "active" ? ("true" as const) : ("false" as const) }
			: {}),
		...(state === "gone" ? { gone: "true" as const } : {}),
	};
	const answer = useAnswer(userRoutes.list, { query }, { keepPrevious: true });
	const filtered = q !== "" || group !== undefined || state !== undefined;
	useCommands([{ id: "users.new", label: "New user", group: "Users", keys: "c", run: () => set({ edit: "new" }) }]);
	return (
		<PeopleFrame
			title="Users"
			facts={answer.data && formatPlural(answer.data.count, "user")}
			actions={
				<>
					<SearchField
						value={q}
						label="Filter users"
						onChange={(text) => set({ q: text || undefined, page: undefined })}
					/>
					<FilterSelect
						label="Group"
						any="Any group"
						value={group}
						options={
							groups.data?.results.map(({ id, name }) => ({ value: String(id), label: showGroupName(name) })) ?? []
						}
						onChange={(value) => set({ group: value, page: undefined })}
					/>
					<FilterSelect
						label="State"
						any="Any state"
						value={state}
						options={[
							{ value: "active", label: "Active" },
							{ value: "inactive", label: "Deactivated" },
							{ value: "gone", label: "Gone" },
						]}
						onChange={(value) => set({ state: value, page: undefined })}
					/>
					<CopyAs call={() => ({ route: userRoutes.list, query })} />
					<Button icon={Mail} onClick={() => set({ edit: "invite" })}>
						Invite people
					</Button>
					<Button variant="primary" icon={Plus} onClick={() => set({ edit: "new" })}>
						New user
					</Button>
				</>
			}
		>
			<OpenInvitations />
			<PagedList
				answer={answer}
				lines={8}
				page={Number(page)}
				pageSize={SIZE}
				empty={<Empty icon={Users}>{filtered ? "No user matches." : "There is no user."}</Empty>}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => <UserTable rows={rows} />}
			</PagedList>
			{edit === "invite" && <InviteDialog onClose={() => set({ edit: undefined })} />}
			{edit === "new" && (
				<UserForm
					user={null}
					onClose={() => set({ edit: undefined })}
					onSaved={({ id }) => void navigate({ to: "/users/$id", params: { id: String(id) } })}
				/>
			)}
		</PeopleFrame>
	);
}

function UserTable({ rows }: { rows: readonly AdminUser[] }) {
	const times = useTimes();
	const columns: Column<AdminUser>[] = [
		{
			key: "name",
			head: "User",
			cell: (user) => (
				<span className="flex min-w-0 items-center gap-2">
					<Link
						to="/users/$id"
						params={{ id: String(user.id) }}
						className="truncate rounded-cell font-medium hover:underline"
					>
						{user.username}
					</Link>
					{formatPerson(user) !== user.username && <span className="truncate text-muted">{formatPerson(user)}</span>}
					{user.is_superuser && <Pill tone="violet">Superuser</Pill>}
					{user.auth_source === "service" && <Pill>Service account</Pill>}
				</span>
			),
		},
		{ key: "state", head: "State", cell: (user) => <UserState user={user} /> },
		{
			key: "groups",
			head: "Groups",
			cell: ({ group_names }) => (
				<span className="block max-w-60 truncate" title={group_names.map(showGroupName).join(", ")}>
					{group_names.map(showGroupName).join(", ") || "-"}
				</span>
			),
		},
		{
			key: "email",
			head: "Email",
			cell: ({ email, email_verified }) => (
				<span className="block max-w-52 truncate" title={email}>
					{email || "-"}
					{email !== "" && !email_verified && <span className="text-muted"> (not verified)</span>}
				</span>
			),
		},
		{
			key: "mfa",
			head: "Two-factor",
			cell: ({ mfa_enabled }) =>
				mfa_enabled ? (
					<Pill tone="ok" icon={ShieldCheck}>
						On
					</Pill>
				) : (
					<span className="text-muted">Off</span>
				),
		},
		{
			key: "login",
			head: "Last sign-in",
			align: "right",
			cell: ({ last_login }) => (
				<span className="whitespace-nowrap text-muted" title={last_login ? times.dateTime(last_login) : undefined}>
					{last_login ? times.relative(last_login) : "never"}
				</span>
			),
		},
	];
	return <Table label="Users" columns={columns} rows={rows} getKey={({ id }) => String(id)} />;
}
