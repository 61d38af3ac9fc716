/**
 * A template's body out of what the automation server says of one of its own: asked, never stored.
 */
import type { AutomationTemplateDraft, TemplateFromServer } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { AppError, buildFieldError } from "../../../core/errors.ts";
import { readServerTemplate } from "../connections/manage-connections.ts";
import { chooseConnection } from "./manage-templates.ts";
import { ROWS_VARIABLE } from "./rules/rules.ts";
import { buildDraft } from "./rules/survey.ts";

const NAME_MAX = 200;
const DESCRIPTION_MAX = 10_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name has one line
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;
const UNSEEN_IN_LINES = /[\0\u202a-\u202e\u2066-\u2069]/g;

/** @throws 400 under the field, 502, 504 */
export async function buildDraftFromServer(
	ctx: Context,
	identity: Identity,
	input: TemplateFromServer,
): Promise<AutomationTemplateDraft> {
	const { kind, automation_job_template_id: id } = input;
	const { id: connection } = await chooseConnection(ctx, identity, input.automation_connection);
	const template = await readServerTemplate(ctx, identity, connection, kind, id).catch((error: unknown) => {
		if (!(error instanceof AppError) || error.status !== 404) throw error;
		const message = `The automation server has no ${kind} template ${id}, or does not show it.`;
		throw buildFieldError("automation_job_template_id", message);
	});
	const { columns, constants, notes } = buildDraft(template, ROWS_VARIABLE);
	const name = template.name.replace(UNSEEN, " ").trim().slice(0, NAME_MAX).trim().toWellFormed();
	return {
		template: {
			name: name === "" ? `Template ${id}` : name,
			description: template.description.replace(UNSEEN_IN_LINES, "").slice(0, DESCRIPTION_MAX).toWellFormed(),
			kind,
			automation_connection: connection,
			automation_job_template_id: id,
			execution_mode: "bulk",
			schema: [...columns],
			variable_mappings: { ...constants },
			allow_check_mode: template.asks.job_type,
		},
		notes: [...notes],
	};
}
