/** What a capture's request says, beside the rows themselves. */
import { type CaptureFields, captureFields } from "@weft/contracts";
import { invalid, refused } from "../../platform/errors.ts";
import { hostileText, validationErrors } from "../../platform/http/input.ts";
import type { JsonTextCode } from "../../platform/json/tokens.ts";
import type { Base, CaptureOutput, CaptureRead } from "./workers/capturing.ts";

/** What is wrong with a text that could not be read. */
export function problemOf(code: JsonTextCode): string {
	return code === "size" || code === "depth" ? "The limits of a snapshot are exceeded" : "This is not valid JSON";
}

/** The fields and the document of a body that was read; 400 naming everything that is wrong. */
export function captureInput(read: CaptureOutput): {
	fields: CaptureFields;
	document: CaptureRead;
	base: Base;
} {
	if (!read.ok) throw refused(`${problemOf(read.code)}: ${read.message}.`);
	if (read.rest === null) throw invalid({ non_field_errors: ["Must be a JSON object."] });
	const errors: Record<string, unknown[]> = {};
	const rest: unknown = JSON.parse(read.rest);
	const hostile = hostileText(rest);
	if (hostile !== null)
		errors[hostile || "non_field_errors"] = ["Must not contain NUL or unpaired surrogate characters."];
	const fields = captureFields.safeParse(rest);
	if (!fields.success) Object.assign(errors, validationErrors(fields.error, "body"));
	if (read.result === "missing") errors.result_data = ["This field is required."];
	if (read.result === "scalar") errors.result_data = ["Must be an object or an array."];
	if (!fields.success || typeof read.result === "string" || hostile !== null) throw invalid(errors);
	return { fields: fields.data, document: read.result, base: read.base };
}
