/** Which snapshots follow one another. */
import { createHash } from "node:crypto";

/** A history is of one connection, known by its id or else by its name. */
export interface HistoryOf {
	/** The saved query; null for an ad-hoc one. */
	savedQueryId: string | null;
	/** Of an ad-hoc query: who ran it, and what tells it from that user's others. */
	ownerId: number;
	queryName: string;
	className: string;
	connectionId: string | null;
	connectionName: string;
}

/** What two captures have in common exactly when they belong to the same history: SHA-256 in lowercase hex. */
export function historyKey(of: HistoryOf): string {
	const query = of.savedQueryId === null ? [of.ownerId, of.queryName, of.className] : [of.savedQueryId];
	const connection = of.connectionId === null ? [of.connectionName] : [of.connectionId, null];
	return createHash("sha256")
		.update(JSON.stringify([query, connection]))
		.digest("hex");
}
