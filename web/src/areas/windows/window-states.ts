/** Stages of a window's life. Pure. */
import type { WindowState } from "@weft/contracts";

const BEFORE_START: readonly WindowState[] = ["draft", "waiting", "planned"];
const AFTER_END: readonly WindowState[] = ["settling", "judged", "closed", "cancelled", "expired"];
const OVER: readonly WindowState[] = ["closed", "cancelled", "expired"];

/** Whether the window has begun to take its states before the work, or has gone beyond that. */
export const isStarted = (state: WindowState): boolean => !BEFORE_START.includes(state);

/** Whether the window can no longer change. */
export const isOver = (state: WindowState): boolean => OVER.includes(state);

/** Whether the work has not ended, so that jobs may begin in the window. */
export const isBeforeEnd = (state: WindowState): boolean => !AFTER_END.includes(state);
