/** Groups of controller connections. Rights are those of connections. */
import type { ConnectionGroup, ConnectionGroupInput, ConnectionGroupPatch } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { buildForbiddenError, buildInvalidError, invalidField, notFound } from "../../platform/errors.ts";
import { markUnchanged } from "../../platform/events.ts";
import { type PageQuery, paginateRows } from "../../platform/http/paging.ts";
import { brokenUnique, type Db, type Tx } from "../../ports/store.ts";
import { type ConnectionPolicy, canSee, createConnectionPolicy } from "./policy.ts";
import { presentGroup } from "./present.ts";
import {
	countOwnGroups,
	findConnectionGroup,
	findGroupsByName,
	type GroupRow,
	holdVisibleConnections,
	insertConnectionGroup,
	listConnectionGroups,
	listConnectionNames,
	listGroupNames,
	listVisibleMembers,
	lockConnectionGroup,
	removeConnectionGroup,
	replaceVisibleMembers,
	type ShownGroup,
	updateConnectionGroup,
} from "./repo-groups.ts";
import type { StoredConnectionDeps } from "./service-stored.ts";

/** A group as an identity sees it. */
export interface FoundGroup {
	readonly id: string;
	readonly name: string;
	/** In order, those that are switched off, too. */
	readonly members: readonly { readonly id: string; readonly name: string }[];
	/** Members that the identity does not see. */
	readonly hiddenCount: number;
}

/** Names that an error about a group lists. */
const NAMES = 20;
const buildGroupTarget = (id: string) => ({ targetType: "connection_group", targetId: id });

export function createGroupService({
	store,
	clock,
	ids,
	events,
	quotas,
}: Pick<StoredConnectionDeps, "store" | "clock" | "ids" | "events" | "quotas">) {
	const policy = createConnectionPolicy("controllerconnection");
	const now = () => new Date(clock.now());

	/** @throws 404 */
	async function findVisibleGroup(db: Db, identity: Identity, id: string): Promise<ShownGroup> {
		const row = await findConnectionGroup(db, identity, id);
		if (row === undefined || !canSee(identity, row)) throw notFound();
		return row;
	}

	const show = async (db: Db, identity: Identity, id: string): Promise<ConnectionGroup> =>
		presentGroup(await findVisibleGroup(db, identity, id), identity, policy);

	/** Locks the row. @throws 404 if the caller does not see it, 403 if the caller may not do this */
	async function lockOwn(tx: Tx, caller: Caller, id: string, may: ConnectionPolicy["canEdit"]): Promise<GroupRow> {
		const row = await lockConnectionGroup(tx, id);
		if (row === undefined || !canSee(caller, row)) throw notFound();
		if (!may(caller, row)) throw buildForbiddenError("Only the owner of a group and administrators may do this.");
		return row;
	}

	/** @throws 400 for connections that the caller does not see */
	async function setMembers(tx: Tx, caller: Caller, groupId: string, members: readonly string[]): Promise<void> {
		const known = await holdVisibleConnections(tx, caller, members);
		const unknown = members.filter((id) => !known.has(id));
		if (unknown.length > 0) {
			throw buildInvalidError({
				connection_ids: unknown.map((id) => `There is no connection ${id} that you can see.`),
			});
		}
		await replaceVisibleMembers(tx, caller, groupId, members);
	}

	async function writeWithUniqueName<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		return store.transaction(work).catch((error: unknown) => {
			if (brokenUnique(error) !== "connection_groups_owner_name") throw error;
			throw invalidField("name", "The owner has another group of this name.");
		});
	}

	return {
		async list(caller: Identity, query: PageQuery, url: string) {
			return paginateRows(url, query, await listConnectionGroups(store.db, caller, query), (row) =>
				presentGroup(row, caller, policy),
			);
		},

		detail: (caller: Identity, id: string) => show(store.db, caller, id),

		/** Null if there is no such group that the identity sees. */
		async find(db: Db, identity: Identity, id: string): Promise<FoundGroup | null> {
			const row = await findConnectionGroup(db, identity, id);
			if (row === undefined || !canSee(identity, row)) return null;
			const names = await listConnectionNames(db, row.connection_ids);
			const members = row.connection_ids.flatMap((member) => {
				const name = names.get(member);
				return name === undefined ? [] : { id: member, name };
			});
			return { id, name: row.name, members, hiddenCount: row.hidden_count };
		},

		membersFor: listVisibleMembers,

		/** The groups of these names that the identity sees. */
		async named(db: Db, identity: Identity, names: readonly string[]) {
			const rows = await findGroupsByName(db, identity, names);
			return rows.map(({ id, name, created_by }) => ({ id, name, isOwn: created_by === identity.userId }));
		},

		names: (db: Db, identity: Identity): Promise<string[]> => listGroupNames(db, identity, NAMES),

		ownedCount: countOwnGroups,

		async create(caller: Caller, { connection_ids, ...fields }: ConnectionGroupInput): Promise<ConnectionGroup> {
			const id = ids.uuid();
			return writeWithUniqueName(async (tx) => {
				if (fields.is_public) await quotas.check(caller, "can_share", tx);
				await quotas.check(caller, "connection_groups_max", tx);
				await insertConnectionGroup(tx, {
					...fields,
					id,
					created_by: caller.userId,
					created_at: now(),
					updated_at: now(),
				});
				await setMembers(tx, caller, id, connection_ids);
				await events.changed(tx, caller, {
					...buildGroupTarget(id),
					description: `${caller.username} made the connection group "${fields.name}"`,
					metadata: { connection_ids, is_public: fields.is_public },
				});
				return show(tx.db, caller, id);
			});
		},

		/** Writes only the given fields. */
		async change(caller: Caller, id: string, input: ConnectionGroupPatch): Promise<ConnectionGroup> {
			const { connection_ids, ...rest } = input;
			const fields = Object.keys(input).filter((name) => input[name as keyof ConnectionGroupPatch] !== undefined);
			return writeWithUniqueName(async (tx) => {
				const before = await lockOwn(tx, caller, id, policy.canEdit);
				if (fields.length === 0) {
					markUnchanged(caller);
					return show(tx.db, caller, id);
				}
				if (rest.is_public === true && !before.is_public) await quotas.check(caller, "can_share", tx);
				const values = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
				await updateConnectionGroup(tx, id, { ...values, updated_at: now() });
				if (connection_ids !== undefined) await setMembers(tx, caller, id, connection_ids);
				await events.changed(tx, caller, {
					...buildGroupTarget(id),
					description: `${caller.username} changed the connection group "${rest.name ?? before.name}"`,
					metadata: { fields, ...(connection_ids === undefined ? {} : { connection_ids }) },
				});
				return show(tx.db, caller, id);
			});
		},

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await lockOwn(tx, caller, id, policy.canDelete);
				await removeConnectionGroup(tx, id);
				await events.changed(tx, caller, {
					...buildGroupTarget(id),
					description: `${caller.username} deleted the connection group "${row.name}"`,
				});
			});
		},
	};
}
