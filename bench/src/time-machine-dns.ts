/**
 * Autocomplete of DNs without HTTP: the Time Machine's code in the measuring process, including the
 * check of the query's visibility and the revision of its histories.
 */
import type pg from "pg";
import { createHistoryReads } from "../../server/dist/areas/history/history-reads.js";
import { createTimeMachineTasks } from "../../server/dist/areas/history/workers/tasks.js";
import { createTimeMachineWork } from "../../server/dist/areas/history/workers/work.js";
import { createPostgresStore } from "../../server/dist/storage/postgres/store.js";

const discardLog = () => {};

export function createDnsReads(connection: pg.ClientConfig) {
	const store = createPostgresStore({
		connection,
		poolSize: 2,
		log: { debug: discardLog, info: discardLog, warn: discardLog, error: discardLog },
		checkSchema: async () => {},
	});
	const tasks = createTimeMachineTasks(store.db);
	// The first read of the DNs is not measured; the service does it on a thread.
	const pool = {
		run: async (_: "completion", input: Parameters<typeof tasks.completion>[0]) =>
			(await tasks.completion(input)).value,
	};
	const threads = createTimeMachineWork({
		tasks,
		pool: pool as unknown as Parameters<typeof createTimeMachineWork>[0]["pool"],
	});
	// The parts that completing DNs uses.
	const ctx = { store, areas: { history: { threads } } } as unknown as Parameters<typeof createHistoryReads>[0];
	const reads = createHistoryReads(ctx);
	const admin = {
		userId: 1,
		username: "admin",
		sessionId: "",
		token: null,
		isSuperuser: true,
		isAdmin: true,
		restriction: null,
		permissions: new Set<string>(),
	};
	return {
		dns: (queryId: string, part: string) => reads.dns(admin, queryId, { q: part, limit: 50 }),
		close: () => store.close(),
	};
}
