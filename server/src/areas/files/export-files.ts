/** Export of the caller's objects as files. */
import type { Context } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import type { Db } from "../../core/ports/store.ts";
import { LEAST_UUID } from "../../core/uuid.ts";
import { listOwnEntries } from "../calendar/sql/entries.ts";
import { listOwnChecks } from "../checks/sql/checks.ts";
import { listOwnConnections } from "../fabrics/sql/stored.ts";
import { presentConnectionFile } from "../fabrics/write-connection-file.ts";
import { listOwnQueries } from "../queries/saved/sql/queries.ts";
import { listOwnTasks } from "../schedules/sql/tasks.ts";
import { listOwnPlans } from "../windows/sql/plans.ts";
import { listPlanNames } from "./plan-names.ts";
import { presentCalendarEntry, presentChangePlan, presentCheck, presentQuery, presentSchedule } from "./present.ts";
import { type FileDocument, getDocumentName } from "./rules/documents.ts";
import { createPaths } from "./rules/paths.ts";
import { writeFiles } from "./workers/work.ts";

/** Queries per read; each may have a large canvas. */
const BATCH = 20;

async function* iterateDocuments(db: Db, caller: Caller): AsyncGenerator<FileDocument[], void> {
	for (let last = LEAST_UUID; ; ) {
		const rows = await listOwnQueries(db, caller.userId, last, BATCH);
		yield rows.map((row) => ({ kind: "query", ...presentQuery(row) }));
		last = rows.at(-1)?.id ?? last;
		if (rows.length < BATCH) break;
	}
	if (isAllowed(caller, "view_scheduledtask")) yield (await listOwnTasks(db, caller.userId)).map(presentSchedule);
	if (isAllowed(caller, "view_check")) yield (await listOwnChecks(db, caller.userId)).map(presentCheck);
	if (isAllowed(caller, "view_controllerconnection"))
		yield (await listOwnConnections(db, caller.userId)).map((row) => ({
			kind: "connection",
			...presentConnectionFile(row),
		}));
	if (isAllowed(caller, "view_changeplan")) {
		const plans = await listOwnPlans(db, caller.userId);
		const names = await listPlanNames(db, caller, plans);
		yield plans.map((plan) => presentChangePlan(plan, names));
	}
	if (isAllowed(caller, "view_calendarentry")) yield (await listOwnEntries(db, caller)).map(presentCalendarEntry);
}

/** JSON text of the answer. Leaves out kinds that the caller may not see. */
export async function* exportFiles(ctx: Context, caller: Caller): AsyncGenerator<string, void> {
	const getPath = createPaths();
	yield '{"files":[';
	let separator = "";
	for await (const documents of iterateDocuments(ctx.store.db, caller)) {
		const contents = await writeFiles(ctx.queryFilePool, documents);
		for (const [index, document] of documents.entries()) {
			const path = getPath(document.kind, getDocumentName(document));
			yield separator + JSON.stringify({ path, content: contents[index] });
			separator = ",";
		}
	}
	yield "]}";
}
