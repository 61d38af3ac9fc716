/** How much one run may read and keep. Hitting one of these fails the stage in clear words; nothing is cut off in silence. */
export interface PipelineLimits {
	/** Rows of one stage. */
	readonly rows: number;
	/** Bytes of one stage's rows, as JSON. */
	readonly bytes: number;
	/** Bytes of a stage whose rows must be in memory together: merged, sorted or aggregated. */
	readonly memoryBytes: number;
	/** Requests of one stage. */
	readonly requests: number;
	/** Distinct values that one edge carries to a later stage. */
	readonly values: number;
}

export const DEFAULT_LIMITS: PipelineLimits = {
	rows: 1_000_000,
	bytes: 2 * 1024 ** 3,
	memoryBytes: 256 * 1024 ** 2,
	requests: 20_000,
	values: 500_000,
};

/** Queries of one stage that are under way at the same time; the driver bounds those of one controller further. */
export const FETCHES_AT_ONCE = 6;
/** Stages of one run that are under way at the same time. */
export const STAGES_AT_ONCE = 4;

/** Fails one stage of one run, in words that its owner may read. */
export class StageFailure extends Error {
	override readonly name = "StageFailure";
	readonly nodeId: string | null;
	constructor(message: string, nodeId: string | null = null, options: ErrorOptions = {}) {
		super(message, options);
		this.nodeId = nodeId;
	}
}

const MEGABYTE = 1024 ** 2;
const ADVICE = "Narrow the query with a filter, or give it a limit.";

export const tooManyRows = (limit: number): StageFailure =>
	new StageFailure(`The stage has more than ${limit.toLocaleString("en")} rows, which is the limit. ${ADVICE}`);
export const tooManyBytes = (limit: number): StageFailure =>
	new StageFailure(
		`The stage's rows take more than ${Math.round(limit / MEGABYTE).toLocaleString("en")} MB, which is the limit. ${ADVICE}`,
	);
export const tooMuchMemory = (limit: number): StageFailure =>
	new StageFailure(
		`The stage's rows must be merged, sorted or aggregated together and take more than ${Math.round(limit / MEGABYTE).toLocaleString("en")} MB, which is the limit. ${ADVICE}`,
	);
export const tooManyRequests = (count: number, limit: number): StageFailure =>
	new StageFailure(
		`The stage needs ${count.toLocaleString("en")} requests; the limit is ${limit.toLocaleString("en")}. ${ADVICE}`,
	);
export const tooManyValues = (limit: number): StageFailure =>
	new StageFailure(`The stage passes on more than ${limit.toLocaleString("en")} values, which is the limit. ${ADVICE}`);
