/** Errors keyed by dotted path (`flow_data.nodes.2.data.className`), each with its messages: the body of a 400. */
export type FieldErrors = Record<string, string[]>;
export type Checked<T> = { ok: true; value: T } | { ok: false; errors: FieldErrors };

export function addError(errors: FieldErrors, path: string, message: string): void {
	const messages = errors[path] ?? [];
	if (!messages.includes(message)) messages.push(message);
	errors[path] = messages;
}

export function addIssues(
	errors: FieldErrors,
	prefix: string,
	issues: readonly { path: readonly PropertyKey[]; message: string }[],
): void {
	for (const { path, message } of issues) addError(errors, [prefix, ...path.map(String)].join("."), message);
}

export const hasErrors = (errors: FieldErrors): boolean => Object.keys(errors).length > 0;
