/** Checks a template against the one of the server, when it is saved. */
import type { AutomationKind, AutomationWarning, LaunchPrompt, LaunchPromptValues } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { AppError, buildFieldError, buildInvalidError } from "../../../core/errors.ts";
import { readServerTemplate } from "../connections/manage-connections.ts";
import { findLaunchGaps } from "./rules/launch-gaps.ts";
import { listSheets, type TemplateForm } from "./rules/rules.ts";
import { findOnlyConstants, findRowsRefusal } from "./rules/survey.ts";
import { findUnaskedPrompts } from "./rules/unasked-prompts.ts";

/** A save waits so long for the automation server, in milliseconds. */
const SERVER_MS = 5_000;
/** Variables that the service gives to each job, or to each with a target. */
const OWN_VARIABLES = [
	"request_id",
	"requested_by",
	"dry_run",
	"execution_ref",
	"target_controller",
	"target_controller_id",
];

interface ServerCheck {
	readonly name: string | null;
	readonly warnings: readonly AutomationWarning[];
}

/**
 * Returns the server's name of the template and warnings: of variables that a launch would lack, of
 * rows that would not arrive, or of a server that does not answer. Without an answer the name is
 * null; the template can still be saved, because the launch checks it again.
 * @throws 400 under `automation_job_template_id` where rows would not reach the job, and under a
 * launch prompt or `askable` where the server would ignore it
 */
export async function checkServer(
	ctx: Context,
	caller: Identity,
	connectionId: string,
	{ kind, id }: { readonly kind: AutomationKind; readonly id: number },
	form: TemplateForm & {
		readonly variable_mappings: Readonly<Record<string, unknown>>;
		readonly prompts: LaunchPromptValues;
		readonly askable: readonly LaunchPrompt[];
	},
): Promise<ServerCheck> {
	const sheets = listSheets(form);
	const found = await readServerTemplate(ctx, caller, connectionId, kind, id, SERVER_MS).catch((error: unknown) => {
		if (error instanceof AppError) return error;
		throw error;
	});
	if (found instanceof AppError) {
		const message = `The automation server could not be asked what a launch needs: ${String(found.body.detail)} The launch checks it again.`;
		return { name: null, warnings: [{ code: "server_not_checked", message }] };
	}
	const rowVariables = sheets.flatMap(({ variable, columns }) => (columns.length > 0 ? [variable] : []));
	const refusal = findRowsRefusal(found, rowVariables);
	if (refusal) throw buildFieldError("automation_job_template_id", refusal);
	const unasked = findUnaskedPrompts(found, Object.keys(form.prompts)).map(({ name, message }) => [name, [message]]);
	const closed = findUnaskedPrompts(found, form.askable).map(({ message }) => message);
	if (unasked.length + closed.length > 0) {
		throw buildInvalidError({ ...Object.fromEntries(unasked), ...(closed.length > 0 ? { askable: closed } : {}) });
	}
	const constants = Object.keys(form.variable_mappings);
	const variables = [...OWN_VARIABLES, ...constants, ...sheets.map((one) => one.variable)];
	const gaps = findLaunchGaps(found, {
		variables: new Set(variables),
		hasCredential: false,
		hasInventory: form.prompts.inventory !== undefined,
	});
	const columns = sheets.flatMap((one) => one.columns.map(({ name }) => name));
	const onlyConstants = findOnlyConstants(found, { columns, rowVariables, constants });
	const warnings = onlyConstants === null ? [] : [{ code: "only_constants", message: onlyConstants }];
	return { name: found.name, warnings: [...gaps, ...warnings] };
}
