/** Checks, their states and events. */
import { checkRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../core/http/binder.ts";
import { acknowledgeCheck, evaluateCheck, listEventsOfCheck, muteCheck, readCheckEvidence } from "./evaluate-check.ts";
import { installCheckTemplate, listCheckTemplates } from "./install-check-template.ts";
import { listRecipients } from "./list-recipients.ts";
import { changeCheck, createCheck, listChecks, readVisibleCheck, removeCheck, replaceCheck } from "./manage-checks.ts";
import { previewCheck } from "./preview-check.ts";
import { readCheckSeries } from "./read-check-series.ts";
import { watchCheck } from "./watch-check.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(checkRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listChecks(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createCheck(ctx, caller, body)),
		preview: async ({ caller, body, signal }) => buildReply(200, await previewCheck(ctx, caller, body, signal)),
		templates: async ({ query, url }) => buildReply(200, listCheckTemplates(query, url)),
		recipients: async ({ caller, query, url }) => buildReply(200, await listRecipients(ctx, caller, query, url)),
		install: async ({ caller, params, body }) =>
			buildReply(201, await installCheckTemplate(ctx, caller, params.key, body)),
		detail: async ({ caller, params }) => buildReply(200, await readVisibleCheck(ctx, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeCheck(ctx, caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await replaceCheck(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeCheck(ctx, caller, params.id);
			return noContent;
		},
		evaluate: async ({ caller, params, body }) => buildReply(202, await evaluateCheck(ctx, caller, params.id, body)),
		watch: async ({ caller, params, body }) => buildReply(201, await watchCheck(ctx, caller, params.id, body)),
		acknowledge: async ({ caller, params, body }) =>
			buildReply(200, await acknowledgeCheck(ctx, caller, params.id, body)),
		mute: async ({ caller, params, body }) => buildReply(200, await muteCheck(ctx, caller, params.id, body)),
		events: async ({ caller, params, query, url }) =>
			buildReply(200, await listEventsOfCheck(ctx, caller, params.id, query, url)),
		series: async ({ caller, params, query }) => buildReply(200, await readCheckSeries(ctx, caller, params.id, query)),
		evidence: async ({ caller, params }) =>
			buildReply(200, await readCheckEvidence(ctx, caller, params.id, params.connection_id)),
	});
}
