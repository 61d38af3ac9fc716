/** The key of a history. */
import { createHash } from "node:crypto";

/** What identifies a history: query and connection, which is known by id or else by name. */
export interface HistoryOf {
	/** The saved query; null for an ad-hoc one. */
	savedQueryId: string | null;
	/** Identify an ad-hoc query: the user who ran it, its name and class. */
	ownerId: number;
	queryName: string;
	className: string;
	connectionId: string | null;
	connectionName: string;
	/** Of the variable values; null for those of the saved query. */
	valuesDigest: string | null;
	/** Whether only `ownerId` sees the results of the saved query. */
	isPrivate: boolean;
}

/** Equal for two captures exactly if they belong to the same history: SHA-256 in lowercase hex. */
export function buildHistoryKey(of: HistoryOf): string {
	const query = of.savedQueryId === null ? [of.ownerId, of.queryName, of.className] : [of.savedQueryId];
	if (of.valuesDigest !== null) query.push(`values ${of.valuesDigest}`);
	if (of.isPrivate) query.push(of.ownerId);
	const connection = of.connectionId === null ? [of.connectionName] : [of.connectionId, null];
	return createHash("sha256")
		.update(JSON.stringify([query, connection]))
		.digest("hex");
}
