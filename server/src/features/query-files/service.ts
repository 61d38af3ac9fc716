/** Export of the caller's queries, schedules and checks as files. */
import type { Caller } from "../../platform/caller.ts";
import { isAllowed } from "../../platform/caller.ts";
import type { Store } from "../../ports/store.ts";
import type { ChecksFeature } from "../checks/index.ts";
import type { QueryFiles } from "../saved-queries/index.ts";
import { listOwnQueries } from "../saved-queries/repo.ts";
import type { Schedules } from "../schedules/index.ts";
import type { FileDocument } from "./domain/documents.ts";
import { createPaths } from "./domain/paths.ts";
import { presentCheck, presentQuery, presentSchedule } from "./present.ts";
import type { FileWork } from "./workers/work.ts";

export interface ExportDeps {
	readonly store: Store;
	readonly queries: Pick<QueryFiles, "ownWithContent">;
	readonly schedules: Pick<Schedules["files"], "owned">;
	readonly checks: Pick<ChecksFeature["files"], "owned">;
	readonly work: Pick<FileWork, "write">;
}

/** Queries per read; each may have a large canvas. */
const BATCH = 20;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export function createExport({ store, schedules, checks, work }: ExportDeps) {
	async function* iterateDocuments(caller: Caller): AsyncGenerator<FileDocument[], void> {
		for (let last = FIRST_ID; ; ) {
			const rows = await listOwnQueries(store.db, caller.userId, last, BATCH);
			yield rows.map((row) => ({ kind: "query", ...presentQuery(row) }));
			last = rows.at(-1)?.id ?? last;
			if (rows.length < BATCH) break;
		}
		if (isAllowed(caller, "view_scheduledtask")) {
			yield (await schedules.owned(store.db, caller.userId)).map(presentSchedule);
		}
		if (isAllowed(caller, "view_check")) yield (await checks.owned(store.db, caller.userId)).map(presentCheck);
	}

	return {
		/** JSON text of the answer. Leaves out schedules and checks if the caller may not see any. */
		async *export(caller: Caller): AsyncGenerator<string, void> {
			const getPath = createPaths();
			yield '{"files":[';
			let separator = "";
			for await (const documents of iterateDocuments(caller)) {
				const contents = await work.write(documents);
				for (const [index, { kind, name }] of documents.entries()) {
					yield separator + JSON.stringify({ path: getPath(kind, name), content: contents[index] });
					separator = ",";
				}
			}
			yield "]}";
		},
	};
}
export type QueryExport = ReturnType<typeof createExport>;
