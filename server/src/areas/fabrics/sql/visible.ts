/** Conditions and columns that connections and their groups share: each row has an owner. */
import type { UserRef } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Identity } from "../../../core/caller.ts";

export type Viewer = Pick<Identity, "userId" | "isAdmin">;

/** The viewer's own rows, public ones, and all of them for administrators; as `canSee` decides. */
export const buildVisibleCondition = ({ isAdmin, userId }: Viewer, alias: string): RawBuilder<boolean> =>
	sql<boolean>`(${isAdmin} or ${sql.ref(`${alias}.created_by`)} = ${userId} or ${sql.ref(`${alias}.is_public`)})`;

/** Whether the row of the table of users under the alias is an administrator's. */
export const isAdministrator = (alias: string): RawBuilder<boolean> =>
	sql<boolean>`(${sql.ref(`${alias}.is_superuser`)} or exists (
		select from user_groups ug join groups g on g.id = ug.group_id
		where ug.user_id = ${sql.ref(`${alias}.id`)} and g.name = 'Admin'))`;

/** @param alias of the table of users */
export const getOwner = (alias: string): RawBuilder<UserRef> =>
	sql<UserRef>`jsonb_build_object('id', ${sql.ref(`${alias}.id`)}, 'username', ${sql.ref(`${alias}.username`)},
		'first_name', ${sql.ref(`${alias}.first_name`)}, 'last_name', ${sql.ref(`${alias}.last_name`)})`;
