/** The gallery of questions. */
import { galleryRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { listQuestions, runQuestion, saveQuestion, watchQuestion } from "./answer-questions.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(galleryRoutes, {
		list: async ({ query, url }) => buildReply(200, await listQuestions(ctx, query, url)),
		run: async ({ caller, params, body }) => buildReply(202, await runQuestion(ctx, caller, params.key, body)),
		watch: async ({ caller, params, body }) => buildReply(201, await watchQuestion(ctx, caller, params.key, body)),
		save: async ({ caller, params, body }) => buildReply(201, await saveQuestion(ctx, caller, params.key, body)),
	});
}
