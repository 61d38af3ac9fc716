/** Constants of the search for objects. */

export const FIND_KINDS = ["ip", "prefix", "mac", "vlan", "dn", "name"] as const;
export type FindKind = (typeof FIND_KINDS)[number];

export const FIND_LIMITS = {
	/** Characters of a question. */
	question: 500,
	/** Objects of an answer, and how many without `limit`. */
	objects: 200,
	usual: 50,
	/** Matching objects that are counted; with more, `is_total_exact` is false. */
	counted: 1000,
	/** Controllers that one live search asks. */
	connections: 100,
} as const;

export const LIVE_FIND_STATUSES = ["running", "done"] as const;
/** Of one connection. `unsupported`: its release lacks a class that the search reads. */
export const LIVE_FIND_CONNECTION_STATUSES = [
	"pending",
	"running",
	"completed",
	"failed",
	"cancelled",
	"unsupported",
] as const;
