/** SQL of the webhooks that may get the message about a verdict. */
import type { NotificationCategory } from "@weft/contracts";
import type { Db } from "../../../core/ports/store.ts";

export interface ReachableWebhook {
	readonly id: string;
	/** Null for a webhook that all users share. */
	readonly user_id: number | null;
	readonly categories: readonly NotificationCategory[];
}

export async function listReachableWebhooks(db: Db): Promise<ReachableWebhook[]> {
	return db.selectFrom("webhooks").select(["id", "user_id", "categories"]).where("enabled", "=", true).execute();
}
