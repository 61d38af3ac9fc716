/** The library of checks: its list, and a template as a query and a check of the caller. */
import type { Check, CheckInstall, CheckTemplatesQuery } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { getOffset, paginateRows } from "../../core/http/paging.ts";
import { CHECK_TEMPLATES } from "./rules/library/index.ts";
import { listKeywords, matchesSearch } from "./rules/library/keywords.ts";
import type { CheckTemplate } from "./rules/library/template.ts";
import { saveWatchedCheck } from "./save-watched-check.ts";

export function listCheckTemplates(filter: CheckTemplatesQuery, url: string) {
	const start = getOffset(filter);
	const found = CHECK_TEMPLATES.filter((template) => matchesSearch(template, (filter.search ?? "").trim()));
	const rows = found.slice(start, start + filter.page_size);
	return paginateRows(url, filter, { count: found.length, rows }, presentTemplate);
}

/**
 * Saves query, check and schedule, all or nothing. Evaluates the new check once where the caller
 * can run its query. Throws 403 without the right to save queries or schedules, 404 for an unknown
 * key, 400 for a taken name.
 */
export async function installCheckTemplate(
	ctx: Context,
	caller: Caller,
	key: string,
	{ schedule, notify, ...fields }: CheckInstall,
): Promise<Check> {
	const template = CHECK_TEMPLATES.find((one) => one.key === key);
	if (template === undefined) throw buildNotFoundError("There is no such check template.");
	const { name, finds, severity, check, query } = template;
	const description = `Finds: ${finds} ${template.description}`;
	return saveWatchedCheck(ctx, caller, {
		id: ctx.ids.uuid(),
		query: { name, description, ...query },
		check: { name, description, severity, ...check, ...fields, ...(notify === undefined ? {} : { notify }) },
		schedule,
		isQueryReused: true,
		nameField: "non_field_errors",
	});
}

const presentTemplate = ({ query, check, sources, ...plain }: CheckTemplate) => ({
	...plain,
	keywords: listKeywords(plain),
	sources: [...sources],
	query: {
		flow_data: {
			nodes: query.flow_data.nodes.map((node) => ({ ...node })),
			edges: query.flow_data.edges.map((edge) => ({ ...edge })),
		},
		post_processors: query.post_processors.map((processor) => ({ ...processor })),
	},
	check: { ...check, config: { ...check.config } },
});
