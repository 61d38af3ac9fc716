/** Saved queries as other areas use them: with their content, where an identity may see them. */
import { type DriftRules, driftRules } from "@weft/contracts";
import { buildNotFoundError } from "../../../core/errors.ts";
import type { Db } from "../../../core/ports/store.ts";
import type { Viewer } from "./policy.ts";
import { formatVersion, getVersion } from "./rules/versioning.ts";
import {
	countQueriesByOwner,
	findDriftRules,
	findSavedQuery,
	listVisibleIds,
	listWatchedQueries,
} from "./sql/queries.ts";
import { findVersionRow } from "./sql/versions.ts";

/** A saved query with its current content. */
export interface VisibleQuery {
	readonly id: string;
	readonly name: string;
	readonly ownerId: number;
	readonly enableTimeMachine: boolean;
	readonly isPublic: boolean;
	/** `v1.3`. */
	readonly version: string;
	/** Hash of the canonical form: equal for canvases that give the same answer. */
	readonly versionHash: string;
	/** As saved, and valid at that time. Read it again before compiling it. */
	readonly flowData: unknown;
	readonly postProcessors: readonly unknown[];
	readonly variables: readonly unknown[];
}

/** Null where the query does not exist or the identity may not see it. */
export async function loadVisibleQuery(db: Db, identity: Viewer, id: string): Promise<VisibleQuery | null> {
	const row = await findSavedQuery(db, identity, id);
	const content = row && (await findVersionRow(db, id, getVersion(row)));
	if (row === undefined || content === undefined) return null;
	return {
		id,
		name: row.name,
		ownerId: row.owner_id,
		enableTimeMachine: row.enable_time_machine,
		isPublic: row.is_public,
		version: formatVersion(getVersion(row)),
		versionHash: content.hash,
		flowData: content.flow_data,
		postProcessors: content.post_processors,
		variables: content.variables,
	};
}

export const isQueryVisible = async (db: Db, identity: Viewer, id: string): Promise<boolean> =>
	(await listVisibleIds(db, identity, [id])).length > 0;

/** @throws 404 */
export async function requireVisibleQuery(db: Db, identity: Viewer, id: string): Promise<void> {
	if (!(await isQueryVisible(db, identity, id))) throw buildNotFoundError();
}

/** What counts as drift of a query; null if it does not exist. */
export async function readDriftRules(db: Db, id: string): Promise<DriftRules | null> {
	const found = await findDriftRules(db, id);
	return found === undefined ? null : driftRules.parse(found);
}

/** All queries that the identity may see and that have the Time Machine enabled. */
export async function listVisibleWatchedQueries(
	db: Db,
	identity: Viewer,
): Promise<Pick<VisibleQuery, "id" | "name" | "version">[]> {
	const rows = await listWatchedQueries(db, identity);
	return rows.map((row) => ({ id: row.id, name: row.name, version: formatVersion(getVersion(row)) }));
}

/** A user's own queries, and the favorites among the queries that the user may see. */
export async function countQueriesAndFavorites(
	db: Db,
	user: Viewer,
): Promise<{ query_count: number; favorite_count: number }> {
	return (await countQueriesByOwner(db, [user])).get(user.userId) ?? { query_count: 0, favorite_count: 0 };
}
