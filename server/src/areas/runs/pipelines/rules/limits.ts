/**
 * Limits of one run. A stage that exceeds one fails with a message; rows are never dropped
 * silently.
 */
export interface PipelineLimits {
	/** Rows of one stage. */
	readonly rows: number;
	/** Bytes of one stage's rows, as JSON. */
	readonly bytes: number;
	/** Bytes of the rows of all stages of a run, as JSON. */
	readonly runBytes: number;
	/** Bytes of a stage whose rows must be in memory to be merged, sorted, joined or aggregated. */
	readonly memoryBytes: number;
	/** Requests of one stage. */
	readonly requests: number;
	/** Distinct values that one edge carries to a later stage. */
	readonly values: number;
}

export const DEFAULT_LIMITS: PipelineLimits = {
	rows: 1_000_000,
	bytes: 2 * 1024 ** 3,
	runBytes: 4 * 1024 ** 3,
	memoryBytes: 256 * 1024 ** 2,
	requests: 20_000,
	values: 500_000,
};

/**
 * Bytes that the stages of all runs of a process hold in memory together; a stage that needs more
 * waits until earlier ones have ended.
 */
export const TOTAL_MEMORY_BYTES = 384 * 1024 ** 2;
/** Concurrent queries of one stage; the driver bounds those of one controller further. */
export const FETCHES_AT_ONCE = 6;
/** Concurrent stages of one run. */
export const STAGES_AT_ONCE = 4;

/** Fails one stage of a run. The run's owner reads the message. */
export class StageFailure extends Error {
	override readonly name = "StageFailure";
	readonly nodeId: string | null;
	constructor(message: string, nodeId: string | null = null, options: ErrorOptions = {}) {
		super(message, options);
		this.nodeId = nodeId;
	}
}

const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2).toLocaleString("en")} MB`;
const ADVICE = "Narrow the query with a filter, or give it a limit.";

export const buildTooManyRowsError = (limit: number): StageFailure =>
	new StageFailure(`The stage has more than ${limit.toLocaleString("en")} rows, which is the limit. ${ADVICE}`);
export const buildTooManyBytesError = (limit: number): StageFailure =>
	new StageFailure(`The stage's rows take more than ${formatMegabytes(limit)}, which is the limit. ${ADVICE}`);
export const buildTooManyRunBytesError = (limit: number): StageFailure =>
	new StageFailure(`The run's rows take more than ${formatMegabytes(limit)}, which is the limit. ${ADVICE}`);
export const buildTooMuchMemoryError = (limit: number): StageFailure =>
	new StageFailure(
		"The stage's rows must be merged, sorted, aggregated or joined together and take more than " +
			`${formatMegabytes(limit)}, which is the limit. ${ADVICE}`,
	);
export const buildTooManyRequestsError = (count: number, limit: number): StageFailure =>
	new StageFailure(
		`The stage needs ${count.toLocaleString("en")} requests; the limit is ${limit.toLocaleString("en")}. ${ADVICE}`,
	);
export const buildTooManyValuesError = (limit: number): StageFailure =>
	new StageFailure(`The stage passes on more than ${limit.toLocaleString("en")} values, which is the limit. ${ADVICE}`);
