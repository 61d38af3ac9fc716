/**
 * Rows that come from elsewhere: a run of a query, or a comparison of two snapshots, as far as the
 * caller sees them.
 */
import { AUTOMATION_LIMITS, type InputData, type InputRow, type InputSource } from "@weft/contracts";
import { type Identity, isAllowed } from "../../../platform/caller.ts";
import { AppError, buildForbiddenError, buildInvalidError, invalidField } from "../../../platform/errors.ts";
import type { ShownTemplate } from "../templates/index.ts";
import type { RequestDependencies } from "./dependencies.ts";

/** Of a run's rows, or of a comparison as text. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MB = 32;
const FIELD = "input_source";

export type SourcingDeps = Pick<RequestDependencies, "templates" | "runDocument" | "compareSnapshots">;

export function createSourcing({ templates, runDocument, compareSnapshots }: SourcingDeps) {
	function mustHave(identity: Identity, permission: "view_pipelineexecution" | "view_snapshot"): void {
		if (!isAllowed(identity, permission)) throw buildForbiddenError(`You need the permission ${permission} for this.`);
	}

	/** What the source's own feature refuses, under the field that named it. */
	async function mapErrorsToField<T>(field: string, absent: string, work: Promise<T>): Promise<T> {
		return work.catch((error: unknown) => {
			if (!(error instanceof AppError)) throw error;
			if (error.status === 404) throw invalidField(`${FIELD}.${field}`, absent);
			if (error.status === 409) throw invalidField(`${FIELD}.${field}`, error.message);
			throw error;
		});
	}

	async function getDocument(identity: Identity, source: InputSource, signal: AbortSignal): Promise<Uint8Array> {
		if (source.type === "query_run") {
			mustHave(identity, "view_pipelineexecution");
			const field = "pipeline_execution_id";
			const run = runDocument(identity, source.pipeline_execution_id, MAX_BYTES);
			const { bytes } = await mapErrorsToField(field, "There is no such run that you can see.", run);
			if (bytes !== null) return bytes;
			throw invalidField(`${FIELD}.${field}`, `The rows of this run have more than ${MAX_MB} MB.`);
		}
		mustHave(identity, "view_snapshot");
		const { snapshot_from_id: fromId, snapshot_to_id: toId } = source;
		const compared = collectBytes(compareSnapshots(identity, { fromId, toId }, signal));
		const bytes = await mapErrorsToField(
			"snapshot_to_id",
			"There are no two such snapshots that you can see.",
			compared,
		);
		if (bytes !== null) return bytes;
		throw invalidField(`${FIELD}.snapshot_to_id`, `The changes between these have more than ${MAX_MB} MB.`);
	}

	/** The columns that the rows are for, and the sheet's name; null where there is one only. */
	function getSheet(template: ShownTemplate, source: InputSource) {
		const { schema, sheets } = template;
		if (sheets.length === 0) {
			if (source.sheet) throw invalidField(`${FIELD}.sheet`, "The template has no sheets.");
			return { name: null, columns: schema };
		}
		const [only] = sheets;
		const found = source.sheet
			? sheets.find(({ name }) => name === source.sheet)
			: sheets.length === 1
				? only
				: undefined;
		if (found !== undefined) return found;
		throw invalidField(`${FIELD}.sheet`, `Must be one of: ${sheets.map(({ name }) => name).join(", ")}.`);
	}

	/**
	 * All rows of the request: those of the source, and those that the body has for other sheets.
	 * @throws 400 under `input_source`, or `{input_data: [errors]}` for columns that no object fills
	 */
	return async function rowsFrom(
		identity: Identity,
		template: ShownTemplate,
		source: InputSource,
		given: InputData,
		signal: AbortSignal,
	): Promise<InputData> {
		const { name, columns } = getSheet(template, source);
		const others = Array.isArray(given) ? {} : given;
		if (Array.isArray(given) ? given.length > 0 : name !== null && Object.hasOwn(given, name)) {
			throw invalidField("input_data", "Give the rows, or where to take them from, not both.");
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
		const document = await getDocument(identity, source, signal);
		const changes = source.type === "snapshot_comparison" ? source.changes : null;
		const taken = await templates.take({ document, changes, mapping, sheet: name, maxRows: AUTOMATION_LIMITS.rows });
		if (taken.count > AUTOMATION_LIMITS.rows) {
			throw invalidField(FIELD, `It has ${taken.count} objects; a request has at most ${AUTOMATION_LIMITS.rows} rows.`);
		}
		if (taken.problems.length > 0) throw buildInvalidError({ input_data: [...taken.problems] });
		const rows: InputRow[] = JSON.parse(Buffer.from(taken.rows).toString("utf8"));
		return name === null ? rows : { ...others, [name]: rows };
	};
}
export type Sourcing = ReturnType<typeof createSourcing>;

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
