/**
 * The output of an execution: from its socket while the job runs, from the API where pieces are
 * missing and after the end. The output of a workflow's node comes from the API alone.
 */
import type { AutomationOutput } from "@weft/contracts";
import { automationExecutionChannel, automationExecutionRoutes } from "@weft/contracts/browser";
import { useCallback, useEffect, useRef, useState } from "react";
import { callRoute, invalidateAreas } from "../../platform/call.ts";
import { useChannel } from "../../platform/sockets.ts";
import { EMPTY_LOG, type Log, withPiece } from "./log.ts";

/** UTF-16 code units of one request. */
const PIECE = 2_000_000;
/** Between two looks at the output of a node that runs. */
const POLL_MS = 2_000;

export interface Output {
	readonly log: Log;
	/** Whether missing pieces are being fetched. */
	readonly isFilling: boolean;
	readonly error: unknown;
	retry(): void;
}

type ReadPiece = (offset: number) => Promise<AutomationOutput>;

const readOwn = (id: string, offset: number) =>
	callRoute(automationExecutionRoutes.output, {
		params: { id },
		query: { offset: String(offset), limit: String(PIECE) },
	});

const readNode = (id: string, jobId: number, offset: number) =>
	callRoute(automationExecutionRoutes.nodeOutput, {
		params: { id, automation_job_id: String(jobId) },
		query: { offset: String(offset), limit: String(PIECE) },
	});

/** Text from pieces, of which the missing ones are read from the API. */
function useLog(read: ReadPiece) {
	const log = useRef(EMPTY_LOG);
	const [shown, setShown] = useState(EMPTY_LOG);
	const [isFilling, setFilling] = useState(false);
	const [isComplete, setComplete] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const filling = useRef(false);
	const frame = useRef(0);
	/** Pieces come faster than the screen is drawn. */
	const show = useCallback(() => {
		cancelAnimationFrame(frame.current);
		frame.current = requestAnimationFrame(() => setShown(log.current));
	}, []);
	const fill = useCallback(async () => {
		if (filling.current) return;
		filling.current = true;
		setFilling(true);
		setError(null);
		try {
			for (;;) {
				const { offset, stdout, next_offset, complete } = await read(log.current.end);
				log.current = withPiece(log.current, offset, stdout) ?? log.current;
				show();
				setComplete(complete);
				if (complete || stdout === "" || next_offset <= offset) break;
			}
		} catch (failure) {
			setError(failure);
		} finally {
			filling.current = false;
			setFilling(false);
		}
	}, [read, show]);
	useEffect(() => () => cancelAnimationFrame(frame.current), []);
	/** Takes a piece that has come by itself; reads missing text before it. */
	const take = (offset: number, text: string) => {
		const next = withPiece(log.current, offset, text);
		if (next === null) return void fill();
		log.current = next;
		show();
	};
	return { output: { log: shown, isFilling, error, retry: () => void fill() }, isComplete, fill, take };
}

/**
 * A component that shows another execution needs another instance.
 * @param isOver whether the job has ended; undefined: not known yet
 */
export function useOutput(executionId: string, isOver: boolean | undefined): Output {
	const read = useCallback((offset: number) => readOwn(executionId, offset), [executionId]);
	const { output, fill, take } = useLog(read);
	useEffect(() => {
		if (isOver === true) void fill();
	}, [isOver, fill]);
	useChannel(automationExecutionChannel, isOver === false ? { execution_id: executionId } : null, {
		frame(message) {
			if (message.type === "stdout_chunk") return take(message.data.offset, message.data.text);
			// The first one, which comes from no state, tells the state that was just read.
			const isFirst = message.type === "status_changed" && message.data.from === null;
			if (!isFirst) void invalidateAreas("automation_executions", "automation_requests");
		},
	});
	return output;
}

/** A component that shows another node needs another instance. */
export function useNodeOutput(executionId: string, jobId: number): Output & { readonly isComplete: boolean } {
	const read = useCallback((offset: number) => readNode(executionId, jobId, offset), [executionId, jobId]);
	const { output, isComplete, fill } = useLog(read);
	useEffect(() => void fill(), [fill]);
	const { error } = output;
	useEffect(() => {
		if (isComplete || error !== null) return;
		const timer = setInterval(() => void fill(), POLL_MS);
		return () => clearInterval(timer);
	}, [isComplete, error, fill]);
	return { ...output, isComplete };
}

/** The whole output of a node, for a file. */
export async function readNodeOutput(executionId: string, jobId: number): Promise<string> {
	let text = "";
	for (;;) {
		const { stdout, complete } = await readNode(executionId, jobId, text.length);
		text += stdout;
		if (complete || stdout === "") return text;
	}
}
