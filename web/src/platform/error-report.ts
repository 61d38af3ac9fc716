/** Errors of the program as text, for those who mend them. Not part of the first page. */

/** Text for a report of a program error: message, stack, page, build, browser and time. */
export function describeProgramError(error: unknown): string {
	const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
	const stack = error instanceof Error ? (error.stack ?? "") : "";
	// The names of built scripts hold a digest of their content.
	const script = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src ?? "";
	const cause = error instanceof Error && error.cause !== undefined ? [`Cause: ${String(error.cause)}`] : [];
	return [
		...(stack.includes(text) ? [] : [text]),
		...(stack === "" ? [] : [stack]),
		...cause,
		`Page: ${location.href}`,
		`Build: ${script.slice(script.lastIndexOf("/") + 1) || "unknown"}`,
		`Browser: ${navigator.userAgent}`,
		`Time: ${new Date().toISOString()}`,
	].join("\n");
}
