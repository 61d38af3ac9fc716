/**
 * The output of an execution: from its socket while the job runs, from the API where pieces are
 * missing and after the end.
 */
import { automationExecutionChannel, automationExecutionRoutes } from "@weft/contracts";
import { useCallback, useEffect, useRef, useState } from "react";
import { forget, send } from "../../platform/call.ts";
import { useChannel } from "../../platform/sockets.ts";
import { EMPTY_LOG, type Log, withPiece } from "./log.ts";

/** UTF-16 code units of one request. */
const PIECE = 2_000_000;

interface Output {
	readonly log: Log;
	/** Whether missing pieces are being fetched. */
	readonly isFilling: boolean;
	readonly error: unknown;
	retry(): void;
}

/**
 * A component that shows another execution needs another instance.
 * @param isOver whether the job has ended; undefined: not known yet
 */
export function useOutput(executionId: string, isOver: boolean | undefined): Output {
	const log = useRef(EMPTY_LOG);
	const [shown, setShown] = useState(EMPTY_LOG);
	const [isFilling, setFilling] = useState(false);
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
				const { offset, stdout, next_offset, complete } = await send(automationExecutionRoutes.output, {
					params: { id: executionId },
					query: { offset: String(log.current.end), limit: String(PIECE) },
				});
				log.current = withPiece(log.current, offset, stdout) ?? log.current;
				show();
				if (complete || stdout === "" || next_offset <= offset) break;
			}
		} catch (failure) {
			setError(failure);
		} finally {
			filling.current = false;
			setFilling(false);
		}
	}, [executionId, show]);
	useEffect(() => () => cancelAnimationFrame(frame.current), []);
	useEffect(() => {
		if (isOver === true) void fill();
	}, [isOver, fill]);
	useChannel(automationExecutionChannel, isOver === false ? { execution_id: executionId } : null, {
		frame(message) {
			if (message.type !== "stdout_chunk") {
				// The first one, which comes from no state, tells the state that was just read.
				const isFirst = message.type === "status_changed" && message.data.from === null;
				if (!isFirst) void forget("automation_executions", "automation_requests");
				return;
			}
			const next = withPiece(log.current, message.data.offset, message.data.text);
			if (next === null) void fill();
			else {
				log.current = next;
				show();
			}
		},
	});
	return { log: shown, isFilling, error, retry: () => void fill() };
}
