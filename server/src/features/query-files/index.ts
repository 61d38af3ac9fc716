/** Queries, schedules and checks as files for version control: export, check, and apply. */
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Store } from "../../ports/store.ts";
import type { CheckChange, ChecksFeature, OwnedCheck } from "../checks/index.ts";
import type { SavedQueriesFeature } from "../saved-queries/index.ts";
import type { Schedules, TaskChange, TaskRow } from "../schedules/index.ts";
import type { CheckContent, ScheduleContent } from "./domain/documents.ts";
import { createRoutes } from "./routes.ts";
import { createExport } from "./service.ts";
import { createApply } from "./service-apply.ts";
import { createQueryPlanner } from "./service-plan.ts";
import { createObjectPlanner } from "./service-references.ts";
import { createFileWork, type QueryFilePool } from "./workers/work.ts";

export { type QueryFilePool, queryFilesWorkerUrl } from "./workers/work.ts";

export interface QueryFilesDeps {
	readonly store: Store;
	readonly ids: Pick<Ids, "uuid">;
	readonly classModel: CurrentModel;
	readonly savedQueries: Pick<SavedQueriesFeature, "files" | "findVisible">;
	readonly schedules: Pick<Schedules, "files">;
	readonly checks: Pick<ChecksFeature, "files">;
	readonly queryFilePool: Pick<QueryFilePool, "run">;
}

export function createQueryFilesFeature(deps: QueryFilesDeps): { readonly routes: BoundRoute[] } {
	const { store, ids, classModel } = deps;
	const { files: queries, findVisible: findQuery } = deps.savedQueries;
	const { files: schedules } = deps.schedules;
	const { files: checks } = deps.checks;
	const work = createFileWork(deps.queryFilePool);
	const references = { queries, findQuery };
	const planners = {
		queryPlanner: createQueryPlanner({ queries, ids }),
		schedulePlanner: createObjectPlanner<ScheduleContent, TaskRow, TaskChange>(references, {
			kind: "schedule",
			owned: schedules.owned,
			check: schedules.check,
		}),
		checkPlanner: createObjectPlanner<CheckContent, OwnedCheck, CheckChange>(references, {
			kind: "check",
			owned: checks.owned,
			check: checks.check,
		}),
	};

	return {
		routes: createRoutes({
			exports: createExport({ store, queries, schedules, checks, work }),
			files: createApply({ store, classModel, queries, schedules, checks, ...planners, work }),
		}),
	};
}
