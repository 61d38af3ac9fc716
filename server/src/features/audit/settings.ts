/** What is recorded and for how long: remembered by each process, and forgotten at once when any node changes it. */
import type { AuditSettings } from "@weft/contracts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import type { Announcements } from "../../ports/announcements.ts";
import type { Db, Tx } from "../../ports/store.ts";
import { withDefaults } from "./domain/groups.ts";
import type { AuditSettingsRepo } from "./repo-settings.ts";

const TOPIC = "audit_settings";

export interface SettingsDeps {
	readonly repo: AuditSettingsRepo;
	readonly announcements: Announcements;
}

export function createCurrentSettings({ repo, announcements }: SettingsDeps) {
	let remembered: AuditSettings | null = null;
	/** Rises with each announcement: what was read before one must not be remembered after it. */
	let generation = 0;
	function forget(): void {
		generation++;
		remembered = null;
	}
	announcements.listen(TOPIC, forget, forget);

	async function load(db: Db): Promise<AuditSettings> {
		const asOf = generation;
		const settings = withDefaults(await repo.find(db));
		if (asOf === generation) remembered = settings;
		return settings;
	}

	return {
		/** `db`: the transaction of whoever is in one. */
		read(db: Db): MaybePromise<AuditSettings> {
			return remembered !== null && announcements.heard() ? remembered : load(db);
		},
		/** Must be called in the transaction that changes them. */
		async changed(tx: Tx): Promise<void> {
			await announcements.announce(tx, TOPIC, "");
			tx.afterCommit(forget);
			forget();
		},
	};
}

export type CurrentSettings = ReturnType<typeof createCurrentSettings>;
