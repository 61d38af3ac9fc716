/**
 * Checking rows against a template: in the background for those who want to know, at once for a
 * request.
 */
import { setImmediate } from "node:timers/promises";
import type { InputData, InputRow, ValidationResult, ValidationStatus } from "@weft/contracts";
import type { Identity } from "../../../platform/caller.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { runInShare, type WorkShare } from "../../../platform/work-share.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Jobs } from "../../../ports/jobs.ts";
import type { Log } from "../../../ports/log.ts";
import type { Secrets } from "../../../ports/secrets.ts";
import { isStoreDown, type Store } from "../../../ports/store.ts";
import {
	compileRules,
	type SheetRule,
	type TemplateForm,
	type ValueSource,
	valueSources,
	withValues,
} from "./domain/rules.ts";
import { type FreshValues, ValuesProblem } from "./fresh-values.ts";
import { presentValidation } from "./present.ts";
import { loadReferences, type ReferenceRepos } from "./references.ts";
import type { ShownTemplate } from "./repo.ts";
import {
	beginValidation,
	endValidation,
	findValidation,
	insertValidation,
	purgeValidations,
} from "./repo-validations.ts";

import type { CheckRows } from "./workers/work.ts";

export const VALIDATE_QUEUE = "automation.validate";
const POLL_SECONDS = 2;
/** For so long a check can be looked up. */
const KEPT_MS = 24 * 3_600_000;

export interface ValidationDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly log: Log;
	readonly secrets: Pick<Secrets, "seal" | "open">;
	readonly references: ReferenceRepos;
	readonly check: CheckRows;
	/** The template if the identity sees it; else 404. */
	visible(identity: Identity, id: string): Promise<ShownTemplate>;
	/** Values that come from saved queries, fresh. @throws ValuesProblem */
	readonly freshValues: FreshValues;
	/** A user as they are now; null when gone or not active. */
	getIdentity(userId: number): Promise<Identity | null>;
}

export interface CheckedRows {
	readonly rules: readonly SheetRule[];
	readonly result: ValidationResult;
	/** By sheet, in the order of the rules. */
	readonly rows: readonly (readonly InputRow[])[];
}

/** What of the rules does not change between the start of a check and the check. */
interface Prepared {
	readonly rules: readonly SheetRule[];
	readonly sources: readonly ValueSource[];
}

export const rowsContext = (id: string): string => `automation_validation:${id}:rows`;

export function createValidation(deps: ValidationDeps) {
	const { store, clock, ids, jobs, log, secrets, references } = deps;

	/** The rules as far as they are known without a query, and which columns wait for one. */
	async function prepareRules(form: TemplateForm): Promise<Prepared> {
		const known = await loadReferences(references, store.db, null, form);
		return { rules: compileRules(form, known), sources: valueSources(form, known) };
	}

	/** @throws ValuesProblem */
	async function completeRules(identity: Identity, { rules, sources }: Prepared): Promise<readonly SheetRule[]> {
		return sources.length === 0 ? rules : withValues(rules, await deps.freshValues(identity, sources));
	}

	return {
		/**
		 * Checks at once. @throws 400 under `field` where the input has the wrong form or values of a
		 * query cannot be had
		 */
		async check(identity: Identity, form: TemplateForm, input: InputData, field: string): Promise<CheckedRows> {
			const rules = await completeRules(identity, await prepareRules(form)).catch((error: unknown) => {
				throw error instanceof ValuesProblem ? invalidField(field, error.message) : error;
			});
			const answer = await deps.check(rules, JSON.stringify(input));
			if (answer.problem !== null) throw invalidField(field, answer.problem);
			if (answer.result === null) throw new Error("a check of rows gave no result");
			const rows = answer.result.valid ? JSON.parse(Buffer.from(answer.rows).toString("utf8")) : [];
			return { rules, result: answer.result, rows };
		},

		async start(identity: Identity, templateId: string, input: InputData) {
			const template = await deps.visible(identity, templateId);
			const prepared = await prepareRules(template);
			const id = ids.uuid();
			// Of many rows each of these takes its time: others have their turn between them.
			await setImmediate();
			const text = JSON.stringify(input);
			await setImmediate();
			const rows_sealed = secrets.seal(text, rowsContext(id));
			await setImmediate();
			await store.transaction(async (tx) => {
				await insertValidation(tx, {
					id,
					user_id: identity.userId,
					state: "PENDING",
					rules: JSON.stringify(prepared),
					rows_sealed,
					result: null,
					error: null,
					created_at: new Date(clock.now()),
					finished_at: null,
				});
				await jobs.enqueue(tx, VALIDATE_QUEUE, { id });
			});
			return { task_id: id, status: "PENDING" as const, polling_interval: POLL_SECONDS };
		},

		async status(identity: Identity, id: string): Promise<ValidationStatus> {
			const row = await findValidation(store.db, identity.userId, id);
			if (row === undefined) throw notFound();
			return presentValidation(row);
		},

		/** Carries a check out; safe to be called any number of times. */
		async run(data: unknown, signal: AbortSignal): Promise<void> {
			const { id } = data as { id: string };
			const row = await beginValidation(store.db, id);
			if (row === undefined || row.rows_sealed === null) return;
			const check = async () => {
				const input = secrets.open(row.rows_sealed ?? "", rowsContext(id));
				const identity = await deps.getIdentity(row.user_id);
				if (identity === null) return { error: "The user is not active any more." };
				const rules = await completeRules(identity, row.rules as Prepared);
				const { problem, result } = await deps.check(rules, input, { signal });
				return result === null ? { error: problem ?? "The rows could not be checked." } : { result };
			};
			const share: WorkShare = { userId: row.user_id, lane: "recording" };
			const end = await runInShare(share, check).catch((error: unknown) => {
				if (signal.aborted || isStoreDown(error)) throw error;
				if (error instanceof ValuesProblem) return { error: error.message };
				log.error({ err: error, validation: id }, "rows could not be checked");
				return { error: "The rows could not be checked because of an internal error." };
			});
			await endValidation(store.db, id, new Date(clock.now()), end);
		},

		purge: () => purgeValidations(store.db, new Date(clock.now() - KEPT_MS)),
	};
}
export type Validation = ReturnType<typeof createValidation>;
