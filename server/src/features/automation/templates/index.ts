/**
 * Automation templates: columns with rules, who may use them, checks of rows off the main loop, and
 * what templates draw on.
 */
import type { InputData } from "@weft/contracts";
import type { Identity } from "../../../platform/caller.ts";
import type { BoundRoute } from "../../../platform/http/binder.ts";
import { type Repeating, repeatWork } from "../../../platform/repeating.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { JobQueue } from "../../../ports/jobs.ts";
import type { Db, Tx } from "../../../ports/store.ts";
import type { TemplateForm } from "./domain/rules.ts";
import { createFreshValues, type FreshValuesDeps } from "./fresh-values.ts";
import { createKinds } from "./kinds.ts";
import { countTemplateRequest, findShownTemplate, lockTemplate, type ShownTemplate } from "./repo.ts";
import { countOwnTemplateCategories } from "./repo-categories.ts";
import { createReferenceRepo } from "./repo-reference.ts";
import { createRoutes } from "./routes.ts";
import { createTemplates, type TemplateDeps } from "./service.ts";
import { createCategories } from "./service-categories.ts";
import { createDrafts, type DraftDeps } from "./service-draft.ts";
import { createFiles } from "./service-files.ts";
import { type CheckedRows, createValidation, VALIDATE_QUEUE, type ValidationDeps } from "./service-validation.ts";
import { type AutomationPool, createChecking, createMatching, createTaking, type TakeRows } from "./workers/work.ts";

export { type GivenPrompts, mergePrompts, showPrompts } from "./domain/prompts.ts";
export type { SheetRule, TemplateForm } from "./domain/rules.ts";
export type { ShownTemplate } from "./repo.ts";
export type { CheckedRows } from "./service-validation.ts";
export { rowsContext } from "./service-validation.ts";
export { type AutomationPool, automationWorkerUrl } from "./workers/work.ts";

export interface AutomationTemplates {
	readonly routes: BoundRoute[];
	/** The number of categories that a user made. */
	ownedCategoryCount(db: Db, userId: number): Promise<number>;
	readonly queues: readonly JobQueue[];
	/** The template if the identity sees it. */
	find(identity: Identity, id: string): Promise<ShownTemplate | null>;
	/** The same without a visibility check, for references that were allowed before. */
	findAny(db: Db, id: string): Promise<ShownTemplate | null>;
	/** Checks rows at once. @throws 400 under `field` where the input has the wrong form */
	check(identity: Identity, form: TemplateForm, input: InputData, field: string): Promise<CheckedRows>;
	/** Rows out of the objects of a run or a comparison, off the main loop. */
	take: TakeRows;
	count: typeof countTemplateRequest;
	/** Kept from being deleted or changed until the transaction ends. */
	lock: typeof lockTemplate;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export type AutomationTemplateDeps = Omit<TemplateDeps, "references"> &
	Pick<DraftDeps, "serverTemplate"> &
	Omit<ValidationDeps, "references" | "check" | "visible" | "freshValues"> &
	Omit<FreshValuesDeps, "automationPool"> & {
		readonly clock: Clock;
		readonly automationPool: Pick<AutomationPool, "run">;
	};

const PURGE_MS = 3_600_000;

export function createAutomationTemplates(deps: AutomationTemplateDeps): AutomationTemplates {
	const references = {
		lists: createReferenceRepo("automation_validation_lists"),
		patterns: createReferenceRepo("automation_regex_patterns"),
		columns: createReferenceRepo("automation_column_templates"),
	};
	const service = createTemplates({ ...deps, references });
	const validation = createValidation({
		...deps,
		references,

		visible: service.visible,
		check: createChecking(deps.automationPool),
		freshValues: createFreshValues(deps),
	});

	const categories = createCategories(deps);
	return {
		routes: createRoutes({
			templates: service,
			drafts: createDrafts(deps),
			validation,
			categories,
			files: createFiles({ ...deps, visible: service.visible }),
			...createKinds(deps, references, createMatching(deps.automationPool)),
		}),
		queues: [{ name: VALIDATE_QUEUE, concurrency: 2, handler: validation.run }],
		ownedCategoryCount: countOwnTemplateCategories,
		find: async (identity, id) => (await findShownTemplate(deps.store.db, identity, id)) ?? null,
		findAny: async (db, id) => (await findShownTemplate(db, { userId: 0, isAdmin: true }, id)) ?? null,
		check: validation.check,
		take: createTaking(deps.automationPool),
		count: countTemplateRequest,
		lock: (tx: Tx, id) => lockTemplate(tx, id),
		work: () =>
			repeatWork(deps, [
				{ everyMs: PURGE_MS, failure: "old checks of rows could not be removed", work: validation.purge },
			]),
	};
}
