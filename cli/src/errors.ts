/** Exit codes, and what an error means to the user of the command line. */
import { WeftError } from "@weft/sdk";

export const EXIT = {
	ok: 0,
	/** The answer is a finding: differences, a failed test, a failed job. */
	finding: 1,
	badInput: 2,
	notAllowed: 3,
	/** The service cannot be reached, or cannot answer now. */
	unreachable: 4,
	runFailed: 5,
	/** Ctrl-C, as shells report it. */
	interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a code. The message goes to standard error; an empty one is not printed. */
export class CliError extends Error {
	override readonly name = "CliError";
	readonly code: ExitCode;
	/** Printed before the message as they are, for programs that read `FILE:LINE: message`. */
	readonly lines: readonly string[];

	constructor(code: ExitCode, message = "", lines: readonly string[] = []) {
		super(message);
		this.code = code;
		this.lines = lines;
	}
}

export const buildInputError = (message: string): CliError => new CliError(EXIT.badInput, message);

/** @param lines of the form `FILE:LINE: message` @param consequence a sentence for the end */
export function listFileErrors(lines: readonly string[], consequence = ""): CliError {
	const count = lines.length === 1 ? "There is 1 error." : `There are ${lines.length} errors.`;
	return new CliError(EXIT.badInput, `${count} ${consequence}`.trimEnd(), lines);
}

/** There was no connection, or it broke. A TypeError, as that of `fetch`. */
export class Unreachable extends TypeError {
	override readonly name = "Unreachable";

	constructor(url: string, cause: unknown) {
		super(`Weft at ${url} cannot be reached: ${getReason(cause)}. Check the address and that the service runs.`);
	}
}

/** The code and the message with which a command ends. */
export function describeError(error: unknown): { code: ExitCode; message: string } {
	if (error instanceof CliError) return { code: error.code, message: error.message };
	if (error instanceof Unreachable) return { code: EXIT.unreachable, message: error.message };
	if (error instanceof WeftError) return { code: getCode(error), message: formatMessage(error) };
	// Files that cannot be read or written.
	if (error instanceof Error && "syscall" in error) return { code: EXIT.badInput, message: error.message };
	const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
	return { code: EXIT.unreachable, message: `Unexpected error, please report it: ${detail}` };
}

function getCode({ status, body }: WeftError): ExitCode {
	if (status === 401 || status === 403) return EXIT.notAllowed;
	// A quota is a right that ends for today; a throttle ends by itself.
	if (status === 429) return isRecord(body) && "quota" in body ? EXIT.notAllowed : EXIT.unreachable;
	return status >= 500 ? EXIT.unreachable : EXIT.badInput;
}

/** The service's own sentences, with the field where there is one. */
function formatMessage({ status, body, retryAfter, requestId }: WeftError): string {
	const sentences = isRecord(body) ? formatSentences(body) : [];
	const text = sentences.length > 0 ? sentences.join("\n") : `The service answered ${status}.`;
	const hints = [
		...(status === 401 ? ["Sign in with weft login, or check WEFT_TOKEN."] : []),
		...(status === 429 && retryAfter !== null ? [`Try again in ${retryAfter} s.`] : []),
		...(status >= 500 && requestId !== null ? [`Request id: ${requestId}.`] : []),
	];
	return [text, ...hints].join(" ");
}

function formatSentences(body: Record<string, unknown>): string[] {
	if (typeof body.detail === "string") return [body.detail];
	if (typeof body.message === "string") return [body.message];
	return Object.entries(body).flatMap(([field, messages]) => {
		const texts = (Array.isArray(messages) ? messages : [messages]).map((message) => String(message));
		return texts.map((text) => (field === "non_field_errors" ? text : `${field}: ${text}`));
	});
}

/** The innermost reason of a failed connection, such as `connect ECONNREFUSED 127.0.0.1:80`. */
function getReason(error: unknown): string {
	let reason = error;
	while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
	if (reason instanceof AggregateError && reason.errors[0] instanceof Error) reason = reason.errors[0];
	return reason instanceof Error ? reason.message.replace(/\.$/, "") : String(reason);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);
