/** The attributes of an object in one snapshot. */
import type { Context } from "../../../context.ts";
import type { Values } from "./rules/attributes.ts";

/** Empty if the snapshot lacks the object, or is deleted meanwhile. */
export async function readValues(
	ctx: Context,
	{ snapshot_id: id, seen_at, bytes }: { snapshot_id: string; seen_at: Date; bytes: number },
	dn: string,
	signal: AbortSignal,
): Promise<Values> {
	const { texts } = await ctx.areas.history.threads.timelines(
		{ dns: [dn], snapshots: [{ id, executedAt: seen_at.toISOString() }], rules: null },
		{ size: bytes, signal },
	);
	const text = Buffer.from(texts[0] ?? new Uint8Array()).toString();
	const { points } = JSON.parse(`{${text}}`) as {
		points: { present: boolean; attributes: Record<string, unknown> }[];
	};
	const [point] = points;
	return point?.present ? point.attributes : {};
}
