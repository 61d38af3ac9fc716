/**
 * The input of a request against its template: rows, check mode, connection, target; what it
 * becomes, or a 400 by field.
 */
import type { InputData, LaunchPrompt, LaunchPromptValues } from "@weft/contracts";
import type { Identity } from "../../../platform/caller.ts";
import { buildInvalidError, invalidField } from "../../../platform/errors.ts";
import { NotRunnable } from "../../query-runs/index.ts";
import { type CheckedRows, type GivenPrompts, mergePrompts, type ShownTemplate } from "../templates/index.ts";
import type { RequestDependencies } from "./dependencies.ts";

export type CheckingDeps = Pick<
	RequestDependencies,
	"templates" | "clock" | "namedConnection" | "findController" | "queryRuns"
>;

export function createInputChecks(deps: CheckingDeps) {
	const { templates, clock, namedConnection, findController } = deps;
	return {
		/** @throws 400 `{input_data: [errors]}` */
		async rows(identity: Identity, template: ShownTemplate, input: InputData): Promise<CheckedRows> {
			const checked = await templates.check(identity, template, input, "input_data");
			if (!checked.result.valid) throw buildInvalidError({ input_data: checked.result.errors });
			const hasColumns = checked.rules.some(({ columns }) => columns.length > 0);
			if (hasColumns && checked.result.row_count === 0)
				throw invalidField("input_data", "There must be at least one row.");
			return checked;
		},

		checkMode(template: ShownTemplate, checkMode: boolean): void {
			if (!checkMode) return;
			if (template.kind === "workflow") throw invalidField("check_mode", "A workflow cannot be run in check mode.");
			if (!template.allow_check_mode) throw invalidField("check_mode", "The template does not allow check mode.");
		},

		/**
		 * The launch prompts of a request: those that it has, with those that are given.
		 * @throws 400 under each that the template does not let requests set
		 */
		prompts(
			{ askable }: { readonly askable: readonly LaunchPrompt[] },
			stored: LaunchPromptValues,
			given: GivenPrompts,
		): LaunchPromptValues {
			const merged = mergePrompts(stored, given);
			const refused = Object.keys(merged).filter((name) => !askable.some((allowed) => allowed === name));
			if (refused.length === 0) return merged;
			const message = "The template does not let requests set it. Leave it out, or ask the template's author.";
			throw buildInvalidError(Object.fromEntries(refused.map((name) => [name, [message]])));
		},

		scheduledFor(value: string | null | undefined): Date | null {
			if (value === null || value === undefined) return null;
			const at = new Date(value);
			if (at.getTime() <= clock.now()) throw invalidField("scheduled_for", "Must be in the future.");
			return at;
		},

		/** The connection that is named, or the template's. */
		async connection(identity: Identity, template: ShownTemplate, id: string | null | undefined) {
			if (id !== null && id !== undefined && id !== template.connection_id) {
				return namedConnection(identity, id, "automation_connection");
			}
			if (template.connection_id === null) {
				throw invalidField("automation_connection", "The template's connection was deleted: name another one.");
			}
			return { id: template.connection_id, name: template.connection_name };
		},

		/** The query whose rows are captured around the job; null: none. */
		async watch(identity: Identity, queryId: string | null | undefined, target: string | null): Promise<string | null> {
			if (queryId === null || queryId === undefined) return null;
			if (target === null) throw invalidField("watch_query_id", "Name the target_controller that it is asked of.");
			await deps.queryRuns.prepare(identity, queryId, target).catch((error: unknown) => {
				throw error instanceof NotRunnable ? invalidField("watch_query_id", error.message) : error;
			});
			return queryId;
		},

		async target(identity: Identity, id: string | null | undefined) {
			if (id === null || id === undefined) return { id: null, name: "" };
			const found = await findController(identity, id);
			if (found === null) throw invalidField("target_controller", "There is no such connection that you can see.");
			return found;
		},
	};
}
export type InputChecks = ReturnType<typeof createInputChecks>;
