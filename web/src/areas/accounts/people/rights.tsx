/** The rights of a user with their sources, and the permissions given directly. */
import type { AdminUser, EffectivePermission } from "@weft/contracts";
import { userRoutes } from "@weft/contracts/browser";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { formatPlural } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { Button } from "../../../ui/button.tsx";
import { Empty, Loaded, Panel } from "../../../ui/page.tsx";
import { Pill, type Tone } from "../../../ui/pill.tsx";
import { SaveProblem } from "../../../ui/save-problem.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useAllPermissions } from "./answers.ts";
import { Advanced, CapabilityList } from "./capability-list.tsx";
import { EditablePermissions, PermissionMatrix } from "./matrix.tsx";

interface RightsProps {
	readonly user: AdminUser;
	readonly readOnly: boolean;
}

export function Rights({ user, readOnly }: RightsProps) {
	const [editing, setEditing] = useState(false);
	const isService = user.auth_source === "service";
	const effective = useAnswer(userRoutes.effectivePermissions, { params: { id: String(user.id) } });
	const all = useAllPermissions(editing);
	const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
	const guard = useSaveGuard(user, ({ id }) => callRoute(userRoutes.detail, { params: { id: String(id) } }));
	const save = useAction(
		async () => {
			const body = { permission_ids: [...chosen] };
			await guard.assertUnchanged(body);
			return callRoute(userRoutes.update, { params: { id: String(user.id) }, body });
		},
		{
			stale: ["users"],
			onSuccess() {
				setEditing(false);
				showToast(`The direct permissions of ${user.username} are saved`);
			},
		},
	);
	if (editing) {
		return (
			<Panel
				title="Direct permissions"
				aside={
					<>
						<Button onClick={() => setEditing(false)}>Cancel</Button>
						<Button variant="primary" busy={save.isPending} onClick={() => save.mutate(undefined)}>
							Save
						</Button>
					</>
				}
			>
				{save.error !== null && (
					<div className="p-3">
						<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
					</div>
				)}
				<p className="m-0 px-3 pt-2 text-muted">Permissions from groups are changed in the groups.</p>
				<Loaded answer={all} lines={8}>
					{({ results }) => (
						<EditablePermissions
							label="Direct permissions"
							permissions={results}
							chosen={chosen}
							readOnly={false}
							onChange={setChosen}
						/>
					)}
				</Loaded>
			</Panel>
		);
	}
	return (
		<Panel
			title={isService ? "What may this account do?" : "What may this person do?"}
			aside={
				<>
					{effective.data && <span className="text-muted">{formatPlural(effective.data.length, "permission")}</span>}
					{!readOnly && (
						<Button
							icon={Pencil}
							onClick={() => {
								guard.accept(user);
								setChosen(new Set(user.permission_ids));
								setEditing(true);
							}}
						>
							Direct permissions
						</Button>
					)}
				</>
			}
		>
			<Loaded answer={effective} lines={8}>
				{(list) =>
					list.length === 0 ? (
						<Empty>No permissions. Add the user to a group, or give permissions directly.</Empty>
					) : (
						<>
							{user.is_superuser ? (
								<p className="m-0 px-3 pt-3">May do everything, as a superuser.</p>
							) : (
								user.group_names.includes("Admin") && (
									<p className="m-0 px-3 pt-3">May do everything, as a member of Admin.</p>
								)
							)}
							<CapabilityList
								label={`What ${user.username} may do`}
								held={new Set(list.map(({ codename }) => codename))}
								nameSource={({ needs }) => nameSources(list, needs)}
							/>
							<Advanced count={formatPlural(list.length, "permission")}>
								<PermissionMatrix
									label="Effective permissions"
									permissions={list}
									cell={(permission) => <Sources permission={permission as EffectivePermission} />}
								/>
							</Advanced>
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}

/** Names the sources that give any of the codenames. Returns null for a superuser. */
function nameSources(list: readonly EffectivePermission[], needs: readonly string[]): string | null {
	const sources = new Set(list.filter(({ codename }) => needs.includes(codename)).flatMap((each) => each.sources));
	if (sources.size === 0 || sources.has("superuser")) return null;
	return [...sources].map((name) => (name === "direct" ? "direct permissions" : showGroupName(name))).join(", ");
}

const chooseTone = (source: string): Tone =>
	source === "direct" ? "accent" : source === "superuser" ? "violet" : "neutral";

function Sources({ permission: { name, sources } }: { permission: EffectivePermission }) {
	const [first = "", ...rest] = sources;
	return (
		<Pill tone={chooseTone(first)} title={`${name}: ${sources.join(", ")}`}>
			{first}
			{rest.length > 0 && ` +${rest.length}`}
		</Pill>
	);
}
