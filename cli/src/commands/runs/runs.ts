/** Runs on the server: starting them once, following them to their end, and cancelling them. */
import type { PipelineJob } from "@weft/contracts";
import { chainExecutionChannel, pipelineRoutes } from "@weft/contracts/browser";
import { type FrameOf, type WeftClient, WeftError, watch } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import type { Named } from "../../resolve.ts";

/** One run to start. */
interface RunStart {
	readonly connection: Named;
	/** Starts the run. A second call with the same key must find the run of the first one. */
	start(client: WeftClient, key: string): Promise<Pick<PipelineJob, "id">>;
}

export interface EndedRun {
	readonly connection: Named;
	readonly run: PipelineJob;
}

type Frame = FrameOf<typeof chainExecutionChannel>;

/** The service may be away for this long while a run goes on, in milliseconds. */
const PATIENCE_MS = 120_000;
export const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** The pause after one of `pause` milliseconds. */
export const computeNextPause = (pause: number): number => Math.min(2 * pause, LONGEST_PAUSE_MS);

/**
 * Starts runs and follows all of them at the same time. Ctrl-C, and a run that cannot be started,
 * cancel those that have not ended.
 * @returns the ended runs in the order of `starts`, whatever their status
 */
export async function runAll(context: Context, starts: readonly RunStart[]): Promise<EndedRun[]> {
	const client = await context.client();
	const open = new Map<RunStart, Promise<Pick<PipelineJob, "id">>>();
	const cancelOpen = async (): Promise<void> => {
		await Promise.all([...open].map(([{ connection }, started]) => cancelRun(context, client, connection, started)));
	};
	context.onInterrupt(cancelOpen);
	const lines = createStatusLine(context);
	const ended = starts.map(async (one) => {
		const { connection } = one;
		const started = one.start(client, context.newId());
		open.set(one, started);
		try {
			const { id } = await started;
			context.note(`${connection.name}: run ${id} started.`);
			const run = await followRun(context, client, id, (frame) => reportFrame(context, lines, connection.name, frame));
			context.note(`${connection.name}: ${formatSummary(run)}`);
			return { connection, run };
		} finally {
			open.delete(one);
			lines.remove(connection.name);
		}
	});
	try {
		return await Promise.all(ended);
	} catch (error) {
		// A run that could not be started ends the command, and so the others.
		await cancelOpen();
		throw error;
	}
}

/** Ends the command with 5 unless every run is complete. */
export function requireCompleted(runs: readonly EndedRun[]): void {
	const failed = runs.filter(({ run }) => run.status !== "completed");
	if (failed.length === 0) return;
	throw new CliError(
		EXIT.runFailed,
		failed.map(({ connection, run }) => `${connection.name}: ${findProblem(run)}`).join("\n"),
	);
}

/** Why a run has no result, in one line. */
export function findProblem({ status, errors }: PipelineJob): string {
	if (status === "cancelled") return "The run was cancelled.";
	const messages = errors.map(({ message }) => message);
	return messages.length === 0 ? "The run failed." : messages.join(" ");
}

function formatSummary(run: PipelineJob): string {
	const seconds = ((run.execution_time_ms ?? 0) / 1000).toFixed(1);
	return run.status === "completed" ? `${run.total_rows ?? 0} rows in ${seconds} s.` : findProblem(run);
}

/**
 * Follows a run over its channel until it has ended. Opens the channel again when it breaks; the
 * service then sends all frames again.
 */
async function followRun(
	context: Context,
	client: WeftClient,
	id: string,
	onFrame: (frame: Frame) => void,
): Promise<PipelineJob> {
	const reported = new Set<string>();
	for (let pause = FIRST_PAUSE_MS; ; pause = computeNextPause(pause)) {
		try {
			for await (const frame of watch(client, chainExecutionChannel, { job_id: id }, context.openSocket)) {
				pause = FIRST_PAUSE_MS;
				const key = JSON.stringify([frame.type, frame.data]);
				if (!reported.has(key)) onFrame(frame);
				reported.add(key);
			}
		} catch (error) {
			requirePassing(error);
		}
		const run = await retryRead(context, () => client.call(pipelineRoutes.detail, { params: { id } }));
		if (run.completed_at !== null) return run;
		await context.clock.sleep(pause);
	}
}

/** Repeats a read while the service is away, for up to two minutes. */
export async function retryRead<T>(
	{ clock, note }: Pick<Context, "clock" | "note">,
	read: () => Promise<T>,
): Promise<T> {
	const start = clock.now();
	for (let pause = FIRST_PAUSE_MS; ; pause = computeNextPause(pause)) {
		try {
			return await read();
		} catch (error) {
			requirePassing(error);
			if (clock.now() - start > PATIENCE_MS) {
				note("Weft cannot be reached. What was started goes on without this command.");
				throw error;
			}
			await clock.sleep(pause);
		}
	}
}

/** Throws refusals again. Broken connections and a service that is away pass. */
export function requirePassing(error: unknown): void {
	const isPassing = error instanceof WeftError ? error.status >= 500 || error.status === 429 : error instanceof Error;
	if (!isPassing || error instanceof CliError) throw error;
}

async function cancelRun(
	context: Context,
	client: WeftClient,
	{ name }: Named,
	started: Promise<Pick<PipelineJob, "id">>,
): Promise<void> {
	let id = "";
	try {
		({ id } = await started);
		await client.call(pipelineRoutes.cancel, { params: { id } }, { isSafe: true });
		context.note(`${name}: run ${id} cancelled on the server.`);
	} catch (error) {
		// 400: the run has ended by itself.
		if (error instanceof WeftError && error.status === 400) return;
		context.note(
			`${name}: run ${id} could not be cancelled: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
}

function reportFrame(context: Context, lines: StatusLine, name: string, frame: Frame): void {
	if (frame.type === "node_start") lines.set(name, `${name}: ${frame.data.class_name} …`);
	if (frame.type === "node_result") context.note(`${name}: ${frame.data.node_id}: ${frame.data.row_count} rows`);
}

type StatusLine = ReturnType<typeof createStatusLine>;

/** One line of progress for several runs. */
export function createStatusLine({ progress }: Pick<Context, "progress">) {
	const lines = new Map<string, string>();
	const show = () => progress([...lines.values()].join("  "));
	return {
		set(name: string, line: string): void {
			lines.set(name, line);
			show();
		},
		remove(name: string): void {
			lines.delete(name);
			if (lines.size > 0) show();
		},
	};
}
