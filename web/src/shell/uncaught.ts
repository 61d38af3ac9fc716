/** Errors that no part of the page catches: of event handlers, timers, and dropped promises. */
import { CancelledError } from "@tanstack/react-query";
import { WeftError } from "@weft/sdk";
import { showProblem } from "../ui/toast.tsx";

/** Shows each error that reaches the window as a notice. */
export function showUncaughtErrors(): void {
	// Without an error object it is a note of the browser, or an error of another origin's script.
	addEventListener("error", ({ error }) => error != null && showProblem(error));
	addEventListener("unhandledrejection", ({ reason }) => isNews(reason) && showProblem(reason));
}

/** False for a cancelled call, and for the end of the session, which has its own page. */
function isNews(reason: unknown): boolean {
	if (reason instanceof CancelledError) return false;
	if (reason instanceof WeftError) return reason.status !== 401;
	return !(reason instanceof DOMException && reason.name === "AbortError");
}
