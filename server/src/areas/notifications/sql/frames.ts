/** SQL of the frames that sockets read. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import type { NotificationFramesTable } from "../tables.ts";

/** Where one socket's reader stands; `after` null begins with the present. */
export interface Wanted {
	readonly userId: number;
	readonly after: number | null;
}

export interface FrameRow {
	readonly seq: number;
	readonly type: NotificationFramesTable["type"];
	readonly created_at: Date;
	readonly notification_id: string;
	/** Of a created one. */
	readonly category: string | null;
	readonly severity: string | null;
	readonly title: string | null;
	readonly body: string | null;
	readonly link: string | null;
}

export interface Found {
	/** As of the same moment: all frames up to this one there are. */
	readonly lastFrame: number;
	readonly unread: number;
	/** In order; the first of them where there are many. */
	readonly frames: readonly FrameRow[];
}

/** Frames of one user per read. */
const AT_ONCE = 200;
/** Above every number of a frame. */
const END = 2 ** 53;

type Line = { nth: number; last_frame: number | null; unread: number | null } & (FrameRow | { readonly seq: null });

/** For any number of readers in one statement; answers in their order. */
export async function listNotificationFrames(db: Db, wanted: readonly Wanted[]): Promise<Found[]> {
	const { rows } = await sql<Line>`
		select w.nth, i.last_frame, i.unread, f.seq, f.type, f.created_at, f.notification_id,
			n.category, n.severity, n.title, n.body, n.link
		from unnest(${wanted.map(({ userId }) => userId)}::int[], ${wanted.map(({ after }) => after ?? END)}::bigint[])
			with ordinality as w(user_id, after, nth)
		left join notification_inboxes i on i.user_id = w.user_id
		left join lateral (
			select * from notification_frames f where f.user_id = w.user_id and f.seq > w.after
			order by f.seq limit ${AT_ONCE}) f on true
		left join lateral (
			select * from notifications n where n.id = f.notification_id and f.type = 'notification_created' offset 0) n on true
		order by w.nth, f.seq`.execute(db);
	const found = wanted.map((): { lastFrame: number; unread: number; frames: FrameRow[] } => ({
		lastFrame: 0,
		unread: 0,
		frames: [],
	}));
	for (const { nth, last_frame, unread, ...frame } of rows) {
		const entry = found[nth - 1];
		if (entry === undefined) continue;
		entry.lastFrame = last_frame ?? 0;
		entry.unread = unread ?? 0;
		if (frame.seq !== null) entry.frames.push(frame);
	}
	return found;
}

/** Removes up to `limit` from before an instant; tells how many there were. */
export async function purgeFrames(db: Db, before: Date, limit: number): Promise<number> {
	const { numAffectedRows } = await sql`
		delete from notification_frames where (user_id, seq) in (
			select user_id, seq from notification_frames where created_at < ${before} limit ${limit})`.execute(db);
	return Number(numAffectedRows);
}
