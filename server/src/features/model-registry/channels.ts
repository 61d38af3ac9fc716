/** The progress of an import over a WebSocket. It is worked out from the run's row: whoever comes late misses nothing that counts. */
import { mimImportChannel } from "@weft/contracts";
import { isAllowed } from "../../platform/caller.ts";
import { forbidden, notFound } from "../../platform/errors.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { Progress } from "./domain/progress.ts";
import { framesOf, progressOf } from "./present.ts";
import type { RunRepo } from "./repo.ts";
import { importTopic } from "./topics.ts";

export function createChannel({
	store,
	runs,
	clock,
}: {
	store: Pick<Store, "db">;
	runs: Pick<RunRepo, "find">;
	clock: Pick<Clock, "now">;
}): BoundChannel {
	return {
		contract: mimImportChannel,
		async open(identity, params) {
			const { task_id: runId } = params as { task_id: string };
			if (!isAllowed(identity, "view_modelversion")) throw forbidden();
			if ((await runs.find(store.db, runId)) === undefined) throw notFound();
			let told: Progress | null = null;
			return {
				topic: importTopic(runId),
				async next() {
					const row = await runs.find(store.db, runId);
					if (row === undefined) return [];
					const frames = framesOf(told, row, clock.now());
					told = progressOf(row);
					return frames;
				},
			};
		},
	};
}
