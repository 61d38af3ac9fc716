/** The rows of a group execution over all of its connections. */
import type { ExportFormat, GroupAbsence } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { buildConflictError, buildForbiddenError } from "../../platform/errors.ts";
import { getOffset, type PageQuery, paginateRows } from "../../platform/http/paging.ts";
import type { Quotas } from "../../platform/quotas.ts";
import { fileName, type MergedRun, type PipelineFeature } from "../pipelines/index.ts";
import { formatLabels } from "./domain/labels.ts";
import { presentAbsences } from "./present.ts";
import type { GroupRow } from "./repo.ts";
import type { GroupRuns } from "./service.ts";

export interface GroupResultsDeps {
	readonly groups: Pick<GroupRuns, "visible">;
	readonly merged: PipelineFeature["merged"];
	readonly quotas: Pick<Quotas, "check" | "limit">;
}

interface Answer {
	readonly group: GroupRow;
	/** Completed runs in the order of the connections. */
	readonly runs: readonly MergedRun[];
	readonly partial: readonly GroupAbsence[];
	readonly unsupported: readonly GroupAbsence[];
}

export function createGroupResults({ groups, merged, quotas }: GroupResultsDeps) {
	/** @throws 404; 409 while there is no answer, or where no connection gave one */
	async function findAnswer(caller: Caller, id: string): Promise<Answer> {
		const { group, runs } = await groups.visible(caller, id);
		if (group.status === "running") throw buildConflictError("The runs have not ended yet.");
		const labels = formatLabels(
			runs.map(({ connection_id, connection_name }) => ({ id: connection_id, name: connection_name })),
		);
		const completed = runs.flatMap((run, i) =>
			run.status === "completed" ? { label: labels[i] ?? "", jobId: run.job_id } : [],
		);
		if (completed.length === 0)
			throw buildConflictError("No run has completed: there is no result. Retry the runs that failed.");
		return { group, runs: completed, ...presentAbsences(runs, labels) };
	}

	/** The envelope as JSON text: rows keep the digits of their numbers. */
	function getEnvelope(
		{ partial, unsupported }: Answer,
		page: { readonly count: number; readonly rows: readonly string[] },
		query: PageQuery,
		url: string,
	) {
		const { results: texts, ...envelope } = paginateRows(url, query, page, (text) => text);
		const head = JSON.stringify({
			...envelope,
			...(partial.length === 0 ? {} : { partial }),
			...(unsupported.length === 0 ? {} : { unsupported }),
		});
		return { body: `${head.slice(0, -1)},"results":[${texts.join(",")}]}`, isPartial: partial.length > 0 };
	}

	return {
		async page(caller: Caller, id: string, query: PageQuery, url: string) {
			const answer = await findAnswer(caller, id);
			return getEnvelope(answer, await merged.page(answer.runs, getOffset(query), query.page_size), query, url);
		},

		async pivot(caller: Caller, id: string, query: PageQuery & { key: string }, url: string, signal: AbortSignal) {
			const answer = await findAnswer(caller, id);
			const range = { from: getOffset(query), count: query.page_size };
			const { count, entries } = await merged.pivot(answer.runs, query.key, range, signal);
			return getEnvelope(answer, { count, rows: entries.map((entry) => JSON.stringify(entry)) }, query, url);
		},

		async file(caller: Caller, id: string, format: ExportFormat) {
			const { group, runs, partial } = await findAnswer(caller, id);
			await quotas.check(caller, "can_export");
			const limit = await quotas.limit(caller, "export_rows_max");
			const file = await merged.file(runs, partial, format, limit);
			if (file === null)
				throw buildForbiddenError(`Your quota allows exports of ${limit} rows.`, { quota: "export_rows_max" });
			const name = `${fileName(group.query_name ?? "results")}-${group.id}.${format}`;
			return { ...file, disposition: `attachment; filename="${name}"`, isPartial: partial.length > 0 };
		},
	};
}
export type GroupResults = ReturnType<typeof createGroupResults>;
