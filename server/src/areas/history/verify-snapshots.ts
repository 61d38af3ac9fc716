/**
 * Checks stored snapshots against their captures: all on demand, and segment by segment in the
 * background.
 */
import type { Context } from "../../context.ts";
import type { NotificationDue } from "../../core/events.ts";
import type { Store } from "../../core/ports/store.ts";
import type { CheckedRow } from "./sql/verify.ts";
import { beginVerifyPass, claimSegments, listAdministrators, listCheckedRows, listSegmentIds } from "./sql/verify.ts";
import type { TimeMachineTasks } from "./workers/tasks.ts";

const DAY_MS = 24 * 3_600_000;
/** Limits of one run of the background check: segments, and approximate bytes of text. */
const RUN_SEGMENTS = 200;
const RUN_BYTES = 64 * 1024 * 1024;
/** A segment holds up to about this many times the text of a snapshot. */
const SEGMENT_SHARE = 4;

export interface Checked {
	/** Number of snapshots of the segment. */
	readonly count: number;
	readonly damaged: readonly (CheckedRow & { readonly problem: string })[];
}

/** Checks all snapshots, segment by segment. */
export async function* verifyAll(deps: {
	store: Pick<Store, "db">;

	tasks: Pick<TimeMachineTasks, "verify">;
}): AsyncGenerator<Checked, void> {
	const { store, tasks } = deps;
	for (const segmentId of await listSegmentIds(store.db)) {
		const { value } = await tasks.verify({ segmentId });
		yield { count: value.length, damaged: await listDamagedSnapshots(store, value) };
	}
}

/** The damaged snapshots that still exist. */
async function listDamagedSnapshots(
	store: Pick<Store, "db">,

	checked: readonly { readonly snapshotId: string; readonly problem: string | null }[],
): Promise<Checked["damaged"]> {
	const problems = new Map(
		checked.flatMap(({ snapshotId, problem }) => (problem === null ? [] : [[snapshotId, problem] as const])),
	);
	if (problems.size === 0) return [];
	const rows = await listCheckedRows(store.db, [...problems.keys()]);
	return rows.map((row) => ({ ...row, problem: problems.get(row.id) ?? "" }));
}

async function notifyAdministrators(ctx: Context, row: CheckedRow, problem: string): Promise<void> {
	ctx.log.error({ snapshot: row.id, problem }, "a stored snapshot is damaged");
	const administrators = await listAdministrators(ctx.store.db);
	await ctx.store.transaction(async (tx) => {
		for (const userId of administrators) await ctx.events.emit(tx, damageNotice(userId, row, problem));
	});
}

/**
 * Continues a pass over all segments, which starts once a day. Reads little enough to stay
 * unnoticed.
 */
export async function verifyNext(ctx: Context, signal: AbortSignal): Promise<void> {
	const now = ctx.clock.now();
	await ctx.store.transaction((tx) => beginVerifyPass(tx, new Date(now), new Date(now + DAY_MS)));
	let bytes = 0;
	for (let left = RUN_SEGMENTS; left > 0 && bytes < RUN_BYTES && !signal.aborted; left--) {
		const segments = await ctx.store.transaction((tx) => claimSegments(tx));
		if (segments.length === 0) return;
		for (const segment of segments) {
			const size = segment.bytes * SEGMENT_SHARE;
			bytes += size;
			const checked = await ctx.areas.history.threads.verify({ segmentId: segment.id }, { size, signal });
			for (const row of await listDamagedSnapshots(ctx.store, checked))
				await notifyAdministrators(ctx, row, row.problem);
		}
	}
}

/** The key allows one per snapshot, however often the damage is found. */
function damageNotice(userId: number, row: CheckedRow, problem: string): NotificationDue {
	const name = row.query_name || "an ad-hoc query";
	return {
		type: "notification_due",
		userId,
		category: "system",
		severity: "error",
		title: "A stored snapshot is damaged",
		body: `The snapshot of ${name} of ${row.executed_at.toISOString()} is not what was captured. ${problem}`,
		link: `/api/time-machine/snapshots/${row.id}/`,
		facts: { event: "snapshot_damaged", objects: [{ kind: "snapshot", id: row.id, name: row.query_name }] },
		key: `snapshot_damaged:${row.id}`,
	};
}
