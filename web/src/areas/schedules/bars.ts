/** Snapshots as bars of a chart. Pure. */
import type { Snapshot } from "@weft/contracts";
import { formatCount } from "../../platform/format.ts";

interface Bar {
	readonly id: string;
	readonly at: string;
	readonly where: string;
	/** Objects that were added, deleted or modified; those that drift rules leave out are not. */
	readonly changes: number;
	readonly words: string;
	readonly tone: "none" | "info" | "warning" | "critical";
}

export function buildBar({ id, executed_at, controller_connection_name, drift, has_changes }: Snapshot): Bar {
	const bar = { id, at: executed_at, where: controller_connection_name || "no fabric" };
	if (drift === null) {
		const words = has_changes ? "changed" : "first snapshot, or no change";
		return { ...bar, changes: has_changes ? 1 : 0, words, tone: has_changes ? "info" : "none" };
	}
	const { added, deleted, modified, severity } = drift;
	const changes = added + deleted + modified;
	const words =
		changes === 0
			? "no change"
			: `${formatCount(added)} added, ${formatCount(deleted)} deleted, ${formatCount(modified)} modified`;
	return { ...bar, changes, words, tone: changes === 0 ? "none" : (severity ?? "info") };
}
