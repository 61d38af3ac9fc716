/** Calendar entries and their occurrences. */
import { calendarEntryRoutes, calendarSourceRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../core/http/binder.ts";
import { importCalendar } from "./import-calendar.ts";
import { listOccurrences } from "./list-occurrences.ts";
import { changeEntry, createEntry, listEntries, readVisibleEntry, removeEntry } from "./manage-entries.ts";
import { deleteSource, listSources } from "./read-sources.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	const ofEntries = bindAll(calendarEntryRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listEntries(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createEntry(ctx, caller, body)),
		occurrences: async ({ caller, query, url }) => buildReply(200, await listOccurrences(ctx, caller, query, url)),
		import: async ({ caller, body, signal }) => buildReply(201, await importCalendar(ctx, caller, body, signal)),
		detail: async ({ caller, params }) => buildReply(200, await readVisibleEntry(ctx, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeEntry(ctx, caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await changeEntry(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeEntry(ctx, caller, params.id);
			return noContent;
		},
	});
	const ofSources = bindAll(calendarSourceRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listSources(ctx, caller, query, url)),
		remove: async ({ caller, params }) => {
			await deleteSource(ctx, caller, params.id);
			return noContent;
		},
	});
	return [...ofEntries, ...ofSources];
}
