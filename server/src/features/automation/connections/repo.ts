/** SQL of connections to automation servers, besides that of all stored connections. */
import type { Db, Tx } from "../../../ports/store.ts";
import { createStoredConnectionRepo } from "../../connections/index.ts";

/** The index that keeps the default single. */
export const ONE_DEFAULT = "automation_connections_default";

export function createConnectionRepo() {
	const stored = createStoredConnectionRepo("automation_connections", "base_url");
	return {
		...stored,

		/** Null if there is no default. */
		async defaultId(db: Db): Promise<string | null> {
			const connections = db.selectFrom("automation_connections").select("id");
			return (await connections.where("is_default", "=", true).executeTakeFirst())?.id ?? null;
		},

		/** Clears the mark of the default on every other connection. */
		async clearDefault(tx: Tx, exceptId: string): Promise<void> {
			await tx.db
				.updateTable("automation_connections")
				.set({ is_default: false })
				.where("is_default", "=", true)
				.where("id", "<>", exceptId)
				.execute();
		},

		/** Ids of the connections whose address has this host and port. */
		async byHost(db: Db, host: string): Promise<string[]> {
			const rows = await db.selectFrom("automation_connections").select(["id", "base_url"]).execute();
			return rows.filter(({ base_url }) => new URL(base_url).host === host).map(({ id }) => id);
		},
	};
}
