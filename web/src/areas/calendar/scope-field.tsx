/** The fabrics of a calendar entry: all of them, or named ones with the members of named groups. */
import { formatPlural } from "../../platform/format.ts";
import { useProfile } from "../../platform/profile.ts";
import { useConnectionGroups, useConnections } from "../../platform/target.ts";
import { CheckField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { ProblemBanner } from "../../ui/page.tsx";

export interface Scope {
	readonly isForAll: boolean;
	readonly connections: readonly string[];
	readonly groups: readonly string[];
}

export const NO_FABRICS: Scope = { isForAll: false, connections: [], groups: [] };

export const isEmptyScope = ({ isForAll, connections, groups }: Scope): boolean =>
	!isForAll && connections.length + groups.length === 0;

/** The fields of the API for a scope: empty lists stand for all fabrics. */
export const getScopeIds = ({ isForAll, connections, groups }: Scope) => ({
	controller_connection_ids: isForAll ? [] : [...connections],
	connection_group_ids: isForAll ? [] : [...groups],
});

interface ScopeFieldProps {
	readonly scope: Scope;
	/** Number of named connections and groups that the user does not see. */
	readonly hidden: number;
	readonly error: string | undefined;
	/** Whether the user tried to save without a choice. */
	readonly isMissing: boolean;
	onChange(scope: Scope): void;
}

const toggleId = (ids: readonly string[], id: string, isOn: boolean): string[] =>
	isOn ? [...ids, id] : ids.filter((other) => other !== id);

/** Offers the fabrics that the user may change, and all groups. */
export function ScopeField({ scope, hidden, error, isMissing, onChange }: ScopeFieldProps) {
	const isAdmin = useProfile()?.is_admin === true;
	const connections = useConnections();
	const groups = useConnectionGroups();
	const shown = (connections.data?.results ?? []).filter(
		({ id, can_edit }) => can_edit || scope.connections.includes(id),
	);
	const problem = connections.error ?? groups.error;
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Fabrics</legend>
			{problem !== null && <ProblemBanner error={problem} />}
			{isAdmin && (
				<CheckField
					label="All fabrics, including later ones"
					checked={scope.isForAll}
					onChange={({ target }) => onChange({ ...scope, isForAll: target.checked })}
				/>
			)}
			{!scope.isForAll && (
				<>
					{connections.data !== undefined && shown.length === 0 && (
						<p className="m-0 text-muted">There is no fabric that you may change.</p>
					)}
					{shown.map(({ id, name }) => (
						<CheckField
							key={id}
							label={name}
							checked={scope.connections.includes(id)}
							onChange={({ target }) =>
								onChange({ ...scope, connections: toggleId(scope.connections, id, target.checked) })
							}
						/>
					))}
					{groups.data?.results.map(({ id, name, connection_ids }) => (
						<CheckField
							key={id}
							label={`Group ${name} (${formatPlural(connection_ids.length, "fabric")})`}
							checked={scope.groups.includes(id)}
							onChange={({ target }) => onChange({ ...scope, groups: toggleId(scope.groups, id, target.checked) })}
						/>
					))}
				</>
			)}
			{hidden > 0 && <p className="m-0 text-muted text-xs">And {hidden} that you do not see.</p>}
			{isMissing && (
				<p role="alert" className="m-0 text-bad text-xs">
					Choose a fabric, a group, or all fabrics.
				</p>
			)}
			{error && !scope.isForAll && <GroupMessage text={error} />}
		</fieldset>
	);
}
