/** SQL of how many snapshots there are; answered from an index alone. */
import { sql } from "kysely";
import type { Identity } from "../../platform/caller.ts";
import type { Db } from "../../ports/store.ts";

/** Captured since an instant: the viewer's own; everybody's for administrators. */
export async function countSince(db: Db, viewer: Pick<Identity, "userId" | "isAdmin">, since: Date): Promise<number> {
	const { count } = await db
		.selectFrom("snapshots")
		.select(sql<number>`count(*)`.as("count"))
		.where("executed_at", ">=", since)
		.$if(!viewer.isAdmin, (query) => query.where("executed_by_id", "=", viewer.userId))
		.executeTakeFirstOrThrow();
	return count;
}
