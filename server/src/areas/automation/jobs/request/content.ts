/**
 * The content that a request launches: the template as it was, the rows with their passwords, and
 * the variables that the service adds.
 */
import { createHash } from "node:crypto";
import type {
	InputData,
	InputRow,
	LaunchPrompt,
	LaunchPromptValues,
	RowExpectation,
	TemplateColumn,
	TemplateSheet,
} from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { CheckedRows } from "../../templates/rules/rules.ts";
import type { ShownTemplate } from "../../templates/sql/templates.ts";
import type { RequestContent } from "../rules/request-content.ts";
import {
	buildSentRows,
	getRows,
	joinSecrets,
	type Secret,
	type StoredSheet,
	shapeInput,
	splitSecrets,
} from "../rules/row-forms.ts";
import type { VersionContent } from "../rules/version-changes.ts";
import type { RequestRow } from "../sql/requests.ts";
import { describePlan } from "./choose-change.ts";

/** The template as it was when the rows were checked. */
export interface TemplateSnapshot {
	readonly id: string;
	readonly name: string;
	readonly kind: "job" | "workflow";
	readonly automation_job_template_id: number;
	readonly schema: readonly TemplateColumn[];
	readonly sheets: readonly TemplateSheet[];
	readonly variable_mappings: Readonly<Record<string, unknown>>;
	/** Absent in snapshots that were stored without them. */
	readonly prompts?: LaunchPromptValues;
	readonly askable?: readonly LaunchPrompt[];
	readonly expects?: readonly RowExpectation[];
	readonly allow_check_mode: boolean;
	readonly requires_approval: boolean;
	readonly rollback_template: string | null;
	/** The columns with their templates put in. */
	readonly columns: readonly StoredSheet[];
	/** The job that a rollback undoes. */
	readonly rollback_of_job?: number | null;
}

export const buildSecretsContext = (id: string): string => `automation_request:${id}:secrets`;

export function buildSnapshot(
	template: ShownTemplate,
	checked: Pick<CheckedRows, "rules">,
	more: { rollback_of_job?: number | null } = {},
): TemplateSnapshot {
	return {
		id: template.id,
		name: template.name,
		kind: template.kind,
		schema: template.schema,
		sheets: template.sheets,
		automation_job_template_id: template.server_template_id,
		variable_mappings: template.variable_mappings,
		prompts: template.prompts,
		askable: template.askable,
		expects: template.expects,
		allow_check_mode: template.allow_check_mode,
		requires_approval: template.requires_approval,
		rollback_template: template.rollback_template_id,
		columns: checked.rules.map(({ name, variable, columns }) => ({
			name,
			variable,
			columns: columns.map((column) => ({ name: column.name, type: column.type, send: column.send })),
		})),
		...more,
	};
}

/** The columns of the table that hold the rows. */
export function buildRowColumns(
	ctx: Context,
	id: string,
	snapshot: TemplateSnapshot,
	rows: readonly (readonly InputRow[])[],
) {
	const { masked, secrets: found } = splitSecrets(snapshot.columns, rows);
	const input_data = JSON.stringify(shapeInput(snapshot.columns, masked));
	return {
		input_data,
		rows_digest: createHash("sha256").update(input_data).digest("hex"),
		secrets_sealed: found.length === 0 ? null : ctx.secrets.seal(JSON.stringify(found), buildSecretsContext(id)),
		row_count: rows.reduce((sum, sheet) => sum + sheet.length, 0),
	};
}

export function readSecrets(ctx: Context, row: Pick<RequestRow, "id" | "secrets_sealed">): readonly Secret[] {
	return row.secrets_sealed === null
		? []
		: JSON.parse(ctx.secrets.open(row.secrets_sealed, buildSecretsContext(row.id)));
}

/** The rows of each sheet with their passwords. */
export function readWholeRows(ctx: Context, row: RequestRow): InputRow[][] {
	const { columns } = row.template_snapshot as TemplateSnapshot;
	return joinSecrets(getRows(columns, row.input_data as InputData), readSecrets(ctx, row));
}

/** The version that the row holds, as its history shows it. */
export function describeVersion(row: RequestRow): VersionContent {
	const snapshot = row.template_snapshot as TemplateSnapshot;
	return {
		title: row.title,
		description: row.description,
		automation_connection_name: row.connection_name,
		target_controller_name: row.target_controller_name,
		automation_credential_name: row.credential_name,
		check_mode: row.check_mode,
		scheduled_for: row.scheduled_for?.toISOString() ?? null,
		watch_query_id: row.watch_query_id,
		change_plan: describePlan(row),
		constants: snapshot.variable_mappings,
		prompts: { ...snapshot.prompts, ...row.prompts },
		input_data: row.input_data as InputData,
		template_snapshot: row.template_snapshot as Record<string, unknown>,
		rows_digest: row.rows_digest,
	};
}

export function readContent(ctx: Context, row: RequestRow): RequestContent {
	const snapshot = row.template_snapshot as TemplateSnapshot;
	const rows = readWholeRows(ctx, row);
	return {
		id: row.id,
		title: row.title,
		templateName: row.template_name,
		checkMode: row.check_mode,
		credentialId: row.credential_id,
		requestedBy: row.requested_by,
		prompts: { ...snapshot.prompts, ...row.prompts },
		sheets: snapshot.columns.map((sheet, at) => ({
			name: sheet.name,
			variable: sheet.variable,
			rows: buildSentRows(sheet, rows[at] ?? []),
		})),
		variables: {
			...snapshot.variable_mappings,
			...(row.target_controller_id === null
				? {}
				: { target_controller: row.target_controller_name, target_controller_id: row.target_controller_id }),
			...(row.rollback_of === null
				? {}
				: { rollback_of: row.rollback_of, rollback_of_job: snapshot.rollback_of_job ?? null }),
			request_id: row.id,
			requested_by: row.requested_by,
			// `check_mode` is a reserved name of Ansible: it would begin every output with a warning.
			dry_run: row.check_mode,
		},
		secrets: readSecrets(ctx, row).map(([, , , value]) => value),
	};
}
