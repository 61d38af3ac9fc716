/** The fields of a capture's request. */
import { type CaptureFields, captureFields } from "@weft/contracts";
import { buildInvalidError, buildRefusedError } from "../../core/errors.ts";
import { findInvalidTextPath, listValidationErrors } from "../../core/http/input.ts";
import type { JsonTextCode } from "../../core/json/tokens.ts";
import type { CaptureOutput, HistoryHead, ParsedCapture } from "./workers/capture.ts";

/** Begins the message about a text that could not be parsed. */
export function findProblem(code: JsonTextCode): string {
	return code === "size" || code === "depth" ? "The limits of a snapshot are exceeded" : "This is not valid JSON";
}

/** Fields and document of a parsed body. Throws 400 with every problem of the body. */
export function readCaptureInput(parsed: CaptureOutput): {
	fields: CaptureFields;
	document: ParsedCapture;
	head: HistoryHead;
} {
	if (!parsed.ok) throw buildRefusedError(`${findProblem(parsed.code)}: ${parsed.message}.`);
	if (parsed.rest === null) throw buildInvalidError({ non_field_errors: ["Must be a JSON object."] });
	const errors: Record<string, unknown[]> = {};
	const rest: unknown = JSON.parse(parsed.rest);
	const hostile = findInvalidTextPath(rest);
	if (hostile !== null)
		errors[hostile || "non_field_errors"] = ["Must not contain NUL or unpaired surrogate characters."];
	const fields = captureFields.safeParse(rest);
	if (!fields.success) Object.assign(errors, listValidationErrors(fields.error, "body"));
	if (parsed.result === "missing") errors.result_data = ["This field is required."];
	if (parsed.result === "scalar") errors.result_data = ["Must be an object or an array."];
	if (!fields.success || typeof parsed.result === "string" || hostile !== null) throw buildInvalidError(errors);
	return { fields: fields.data, document: parsed.result, head: parsed.head };
}
