/**
 * Explains the end of a job. Where an update of its project or inventory failed, the output is that
 * of the update: the job itself has none.
 */
import type { Context } from "../../../../context.ts";
import type { AutomationTarget, JobDetail, ServerJobType } from "../../../../integrations/awx/port.ts";
import type { PreparedContent } from "../launch/content-cache.ts";
import { type Dependency, endOfDependency, explainEnd, parseDependency } from "../rules/explanation.ts";
import { joinOutput } from "../rules/output.ts";
import type { ExecutionRow } from "../sql/executions.ts";
import { advanceStream, findStream, writeStreamPieces } from "../sql/streams.ts";
import { readIfShown } from "./hidden-jobs.ts";
import { splitPieces } from "./ingest-events.ts";

/** Updates that run before a job, and whose output is shown. */
const UPDATES: readonly string[] = ["project_update", "inventory_update"];
const JOBS: readonly string[] = [...UPDATES, "job", "workflow_job"];
/** Upper bound of the output of an update, in bytes. */
const OUTPUT_BYTES = 1_048_576;

/** The job that the explanation names, with its end. */
async function readDependency(ctx: Context, target: AutomationTarget, explanation: string): Promise<Dependency | null> {
	const found = parseDependency(explanation);
	if (found === null || found.end !== null || !JOBS.includes(found.type)) return found;
	const job = await readIfShown(ctx.automation.job(target, found.type as ServerJobType, found.id));
	return job === null ? found : { ...found, end: endOfDependency(job.status) };
}

/** Returns whether the output of the execution is that of the update. */
async function storeUpdateOutput(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	{ type, id }: Dependency,
	{ mask }: PreparedContent,
): Promise<boolean> {
	const stream = await findStream(ctx.store.db, execution.id, execution.job_id ?? 0);
	if (stream === undefined || stream.length > 0) return false;
	const output = await readIfShown(ctx.automation.output(target, type as ServerJobType, id, OUTPUT_BYTES));
	if (output === null || output.trim() === "") return false;
	const text = joinOutput([{ stdout: output.replace(/\n$/, "") }], mask);
	return ctx.store.transaction(async (tx) => {
		if (!(await advanceStream(tx, stream, { length: text.length }))) return false;
		await writeStreamPieces(tx, stream, splitPieces(0, text));
		return true;
	});
}

/** Returns the explanation of a job that is over; empty where there is nothing to say. */
export async function explainJobEnd(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	job: JobDetail,
	prepared: PreparedContent,
): Promise<string> {
	const dependency = await readDependency(ctx, target, job.explanation);
	const explanation = explainEnd(job, dependency);
	if (dependency === null || dependency.end === null || !UPDATES.includes(dependency.type)) return explanation;
	const isShown = await storeUpdateOutput(ctx, target, execution, dependency, prepared);
	return isShown ? `${explanation} The output is that of the ${dependency.type.replaceAll("_", " ")}.` : explanation;
}
