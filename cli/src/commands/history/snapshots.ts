/** Finding snapshots by id or label, and the snapshots of a query page by page. */
import type { Snapshot } from "@weft/contracts";
import { SNAPSHOT_MAX_PAGE_SIZE, timeMachineRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import { buildInputError } from "../../errors.ts";
import { isUuid, suggestNames } from "../../resolve.ts";

/** Upper bound of the snapshots of one query among which a label is looked for. */
const LABEL_SCAN_MAX = 10_000;
const NAME_QUERY = "Name the query with --query.";

interface SnapshotFilter {
	readonly connectionId?: string | undefined;
	/** A day in `timezone`, `YYYY-MM-DD`. */
	readonly date?: string | undefined;
}

/** The snapshots of a query, most recent first, up to `most`. Returns the number of all. */
export async function* iterateSnapshots(
	client: WeftClient,
	queryId: string,
	most: number,
	{ connectionId, date }: SnapshotFilter = {},
): AsyncGenerator<Snapshot, number, void> {
	for (let offset = 0; ; ) {
		const { snapshots, total_count } = await client.call(timeMachineRoutes.list, {
			query: {
				saved_query_id: queryId,
				limit: String(Math.min(SNAPSHOT_MAX_PAGE_SIZE, most - offset)),
				offset: String(offset),
				...(connectionId === undefined ? {} : { controller_connection_id: connectionId }),
				...(date === undefined ? {} : { date, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
			},
		});
		yield* snapshots;
		offset += snapshots.length;
		if (snapshots.length === 0 || offset >= Math.min(most, total_count)) return total_count;
	}
}

/** The snapshots among which a label is looked for. */
export interface LabelScope {
	/** Null for all queries. */
	readonly queryId: string | null;
	/** Undefined for all connections. */
	readonly connectionId?: string | undefined;
	/** A sentence for a label that snapshots of several queries have. */
	readonly remedy?: string;
}

/**
 * The id of the snapshot with the id, or of the most recent one with the label.
 *
 * @throws CliError for an unknown label, and for one that snapshots of several queries have
 */
export async function loadSnapshotId(client: WeftClient, text: string, scope: LabelScope): Promise<string> {
	const found = await findSnapshotId(client, text, scope);
	if (found.id !== null) return found.id;
	throw buildInputError(`There is no snapshot with the label "${text}".${suggestNames(found.labels, text)}`);
}

/**
 * Finds a snapshot's id like loadSnapshotId. Returns a null id and all labels for an unknown
 * label.
 */
export async function findSnapshotId(
	client: WeftClient,
	text: string,
	{ queryId, connectionId, remedy = NAME_QUERY }: LabelScope,
): Promise<{ id: string | null; labels: readonly string[] }> {
	if (isUuid(text)) return { id: text.toLowerCase(), labels: [] };
	const ids: string[] = [];
	const labels = new Set<string>();
	for (const id of queryId === null ? await listQueriesWithSnapshots(client) : [queryId]) {
		for await (const snapshot of iterateSnapshots(client, id, LABEL_SCAN_MAX, { connectionId })) {
			if (snapshot.label !== null) labels.add(snapshot.label);
			if (snapshot.label !== text) continue;
			ids.push(snapshot.id);
			break;
		}
	}
	if (ids.length > 1) throw buildInputError(`Snapshots of ${ids.length} queries have the label "${text}". ${remedy}`);
	return { id: ids[0] ?? null, labels: [...labels] };
}

async function listQueriesWithSnapshots(client: WeftClient): Promise<string[]> {
	const { queries } = await client.call(timeMachineRoutes.queries);
	return queries.map(({ id }) => id);
}
