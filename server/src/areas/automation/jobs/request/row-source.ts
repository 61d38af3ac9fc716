/**
 * Rows that come from elsewhere: a run of a query, or a comparison of two snapshots, as far as the
 * caller sees them.
 */
import { AUTOMATION_LIMITS, type InputData, type InputRow, type InputSource } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import { type Identity, isAllowed } from "../../../../core/caller.ts";
import { AppError, buildFieldError, buildForbiddenError, buildInvalidError } from "../../../../core/errors.ts";
import { compareSnapshots } from "../../../history/compare-snapshots.ts";
import { findVisibleRun } from "../../../runs/pipelines/read-runs.ts";
import { readRunDocument } from "../../../runs/pipelines/run-standing.ts";
import type { ShownTemplate } from "../../templates/sql/templates.ts";
import { takeRows } from "../../templates/workers/work.ts";

/** Upper bound of the text of a run's rows, or of a comparison, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MB = 32;
const FIELD = "input_source";

function assertPermission(identity: Identity, permission: "view_pipelineexecution" | "view_snapshot"): void {
	if (!isAllowed(identity, permission)) throw buildForbiddenError(`You need the permission ${permission} for this.`);
}

/** Maps refusals of the source's own area to the field that named it. */
async function mapErrorsToField<T>(field: string, absent: string, work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		if (!(error instanceof AppError)) throw error;
		if (error.status === 404) throw buildFieldError(`${FIELD}.${field}`, absent);
		if (error.status === 409) throw buildFieldError(`${FIELD}.${field}`, error.message);
		throw error;
	});
}

async function readSourceDocument(
	ctx: Context,
	identity: Identity,
	source: InputSource,
	signal: AbortSignal,
): Promise<Uint8Array> {
	if (source.type === "query_run") {
		assertPermission(identity, "view_pipelineexecution");
		const field = "pipeline_execution_id";
		const document = findVisibleRun(ctx, identity, source.pipeline_execution_id).then((run) =>
			readRunDocument(ctx, run, MAX_BYTES),
		);
		const { bytes } = await mapErrorsToField(field, "There is no such run that you can see.", document);
		if (bytes !== null) return bytes;
		throw buildFieldError(`${FIELD}.${field}`, `The rows of this run have more than ${MAX_MB} MB.`);
	}
	assertPermission(identity, "view_snapshot");
	const { snapshot_from_id, snapshot_to_id } = source;
	const body = {
		snapshot_from_id,
		snapshot_to_id,
		ignore: [],
		ignore_volatile: false,
		ignore_identity: false,
		match: "dn" as const,
	};
	const input = { body, format: "json" as const, withRules: false, withAttribution: false };
	const compared = collectBytes(compareSnapshots(ctx, identity, input, signal));
	const bytes = await mapErrorsToField("snapshot_to_id", "There are no two such snapshots that you can see.", compared);
	if (bytes !== null) return bytes;
	throw buildFieldError(`${FIELD}.snapshot_to_id`, `The changes between these have more than ${MAX_MB} MB.`);
}

/** The columns that the rows are for, and the sheet's name; null where there is one only. */
function getSheet(template: ShownTemplate, source: InputSource) {
	const { schema, sheets } = template;
	if (sheets.length === 0) {
		if (source.sheet) throw buildFieldError(`${FIELD}.sheet`, "The template has no sheets.");
		return { name: null, columns: schema };
	}
	const [only] = sheets;
	const found = source.sheet
		? sheets.find(({ name }) => name === source.sheet)
		: sheets.length === 1
			? only
			: undefined;
	if (found !== undefined) return found;
	throw buildFieldError(`${FIELD}.sheet`, `Must be one of: ${sheets.map(({ name }) => name).join(", ")}.`);
}

/**
 * All rows of the request: those of the source, and those that the body has for other sheets.
 * @throws 400 under `input_source`, or `{input_data: [errors]}` for columns that no object fills
 */
export async function readSourceRows(
	ctx: Context,
	identity: Identity,
	template: ShownTemplate,
	source: InputSource,
	given: InputData,
	signal: AbortSignal,
): Promise<InputData> {
	const { name, columns } = getSheet(template, source);
	const others = Array.isArray(given) ? {} : given;
	if (Array.isArray(given) ? given.length > 0 : name !== null && Object.hasOwn(given, name)) {
		throw buildFieldError("input_data", "Give the rows, or where to take them from, not both.");
	}
	const mapping = Object.entries(source.mapping);
	const unknown = mapping.filter(([column]) => !columns.some((one) => one.name === column));
	if (unknown.length > 0) {
		throw buildInvalidError(
			Object.fromEntries(
				unknown.map(([column]) => [`${FIELD}.mapping.${column}`, ["The template has no such column."]]),
			),
		);
	}
	const document = await readSourceDocument(ctx, identity, source, signal);
	const changes = source.type === "snapshot_comparison" ? source.changes : null;
	const taken = await takeRows(ctx.automationPool, {
		document,
		changes,
		mapping,
		sheet: name,
		maxRows: AUTOMATION_LIMITS.rows,
	});
	if (taken.count > AUTOMATION_LIMITS.rows) {
		throw buildFieldError(
			FIELD,
			`It has ${taken.count} objects; a request has at most ${AUTOMATION_LIMITS.rows} rows.`,
		);
	}
	if (taken.problems.length > 0) throw buildInvalidError({ input_data: [...taken.problems] });
	const rows: InputRow[] = JSON.parse(Buffer.from(taken.rows).toString("utf8"));
	return name === null ? rows : { ...others, [name]: rows };
}

/** The text as a whole; null when it is longer than that. */
async function collectBytes(pieces: AsyncIterable<Buffer | string>): Promise<Uint8Array | null> {
	const all: Buffer[] = [];
	let length = 0;
	for await (const piece of pieces) {
		const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
		length += bytes.byteLength;
		if (length > MAX_BYTES) return null;
		all.push(bytes);
	}
	return Buffer.concat(all);
}
