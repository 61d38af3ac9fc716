/**
 * A template's body out of what the automation server says of one of its own: asked, never stored.
 */
import type {
	AutomationKind,
	AutomationTemplateDraft,
	ServerTemplateDetail,
	TemplateFromServer,
} from "@weft/contracts";
import type { Identity } from "../../../platform/caller.ts";
import { AppError, invalidField } from "../../../platform/errors.ts";
import { ROWS_VARIABLE } from "./domain/rules.ts";
import { buildDraft } from "./domain/survey.ts";

export interface DraftDeps {
	/** A connection that the identity sees, or 400 under the field. */
	namedConnection(identity: Identity, id: string, field: string): Promise<{ id: string }>;
	defaultConnection(identity: Identity): Promise<{ id: string } | null>;
	/** A template as the server has it. @throws 404 where it does not show it, 502, 504 */
	serverTemplate(
		identity: Identity,
		connectionId: string,
		kind: AutomationKind,
		id: number,
	): Promise<ServerTemplateDetail>;
}

const NAME_MAX = 200;
const DESCRIPTION_MAX = 10_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name is one line
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;

export function createDrafts({ namedConnection, defaultConnection, serverTemplate }: DraftDeps) {
	async function getConnection(identity: Identity, id: string | undefined): Promise<string> {
		if (id !== undefined) return (await namedConnection(identity, id, "automation_connection")).id;
		const found = await defaultConnection(identity);
		if (found !== null) return found.id;
		throw invalidField("automation_connection", "This field is required: there is no default connection.");
	}

	return {
		/** @throws 400 under the field, 502, 504 */
		async fromServer(identity: Identity, input: TemplateFromServer): Promise<AutomationTemplateDraft> {
			const { kind, automation_job_template_id: id } = input;
			const connection = await getConnection(identity, input.automation_connection);
			const template = await serverTemplate(identity, connection, kind, id).catch((error: unknown) => {
				if (!(error instanceof AppError) || error.status !== 404) throw error;
				const message = `The automation server has no ${kind} template ${id}, or does not show it.`;
				throw invalidField("automation_job_template_id", message);
			});
			const { columns, constants, notes } = buildDraft(template, ROWS_VARIABLE);
			const name = template.name.replace(CONTROL, " ").trim().slice(0, NAME_MAX).trim().toWellFormed();
			return {
				template: {
					name: name === "" ? `Template ${id}` : name,
					description: template.description.replaceAll("\0", "").slice(0, DESCRIPTION_MAX).toWellFormed(),
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
		},
	};
}
export type Drafts = ReturnType<typeof createDrafts>;
