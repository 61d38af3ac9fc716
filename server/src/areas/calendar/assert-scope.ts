/**
 * Checks the connections of an entry: its owner needs the right to edit each of them. An entry for
 * all connections needs an administrator.
 */
import type { Identity } from "../../core/caller.ts";
import { buildForbiddenError, buildInvalidError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { canWrite } from "../fabrics/policy.ts";
import { lockNamedConnections, lockVisibleGroups } from "./sql/scope.ts";

interface Scope {
	readonly connection_ids: readonly string[];
	readonly connection_group_ids: readonly string[];
}

/** Upper bound of the names that an error lists. */
const NAMES = 20;

const isForAll = (scope: Scope): boolean =>
	scope.connection_ids.length === 0 && scope.connection_group_ids.length === 0;

/**
 * @param before the ids that a changed entry named: deleted ones among them may stay
 * @throws 400 for ids that the caller does not see, 403 with the names that the caller may not edit
 */
export async function assertScope(tx: Tx, caller: Identity, scope: Scope, before: Scope | null): Promise<void> {
	if (isForAll(scope)) {
		if (caller.isAdmin) return;
		throw buildForbiddenError("Only administrators may make an entry for all connections. Name connections or groups.");
	}
	const { connection_ids, connection_group_ids } = scope;
	const groups = await lockVisibleGroups(tx, caller, connection_group_ids);
	const connections = await lockNamedConnections(tx, caller, connection_ids, connection_group_ids);
	const visible = new Set(connections.filter(({ is_visible }) => is_visible).map(({ id }) => id));
	const unknown = connection_ids.filter((id) => !visible.has(id) && before?.connection_ids.includes(id) !== true);
	const unknownGroups = connection_group_ids.filter(
		(id) => !groups.has(id) && before?.connection_group_ids.includes(id) !== true,
	);
	if (unknown.length > 0 || unknownGroups.length > 0) {
		const errors = {
			controller_connection_ids: unknown.map((id) => `There is no connection ${id} that you can see.`),
			connection_group_ids: unknownGroups.map((id) => `There is no group ${id} that you can see.`),
		};
		throw buildInvalidError(Object.fromEntries(Object.entries(errors).filter(([, messages]) => messages.length > 0)));
	}
	const locked = connections.filter((row) => !canWrite(caller, row, "change_controllerconnection"));
	if (locked.length === 0) return;
	const names = locked.filter(({ is_visible }) => is_visible).map(({ name }) => `"${name}"`);
	const others = locked.length - names.length;
	const listed = [
		...names.slice(0, NAMES),
		...(names.length > NAMES ? [`${names.length - NAMES} more`] : []),
		...(others > 0 ? [`${others} that you do not see`] : []),
	];
	throw buildForbiddenError(
		`You may not edit these connections: ${listed.join(", ")}. Leave them out, or ask their owner or an administrator.`,
	);
}
