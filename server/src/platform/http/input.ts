/** Input from outside: JSON with bounded depth, text that the store can hold, and messages a person can act on. */
import type * as z from "zod";
import { AppError, type FieldErrors } from "../errors.ts";

const MAX_DEPTH = 100;

/** Parses a request body. Malformed or too deep JSON answers 400 `{detail}`. */
export function parseJson(bytes: Buffer): unknown {
	const text = bytes.toString("utf8");
	if (depthOf(text) > MAX_DEPTH) {
		throw new AppError(400, { detail: `The body is nested more than ${MAX_DEPTH} levels deep.` });
	}
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new AppError(400, { detail: `The body is not valid JSON${placeOf(error as SyntaxError)}.` });
	}
}

/** Where it went wrong. The parser's own words repeat a piece of the body, which may be a piece of a password. */
function placeOf({ message }: SyntaxError): string {
	const position = / at position (\d+)/.exec(message)?.[1];
	return position === undefined ? "" : ` at position ${position}`;
}

/** An address without its query. */
export function pathOf(url: string): string {
	const end = url.indexOf("?");
	return end < 0 ? url : url.slice(0, end);
}

/** Deepest nesting of brackets outside strings; cheap enough to run before a parser that recurses. */
function depthOf(text: string): number {
	let depth = 0;
	let deepest = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code === 0x22) {
			for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
		} else if (code === 0x7b || code === 0x5b) {
			if (++depth > deepest) deepest = depth;
		} else if (code === 0x7d || code === 0x5d) depth--;
	}
	return deepest;
}

/** Dotted path of the first string or key with a NUL or an unpaired surrogate, which PostgreSQL cannot store; null when there is none. */
export const hostileText = (value: unknown): string | null => (isHostile(value) ? placeOfHostile(value, "") : null);

const isHostileText = (text: string): boolean => text.includes("\0") || !text.isWellFormed();

/** Without the path: nearly everything is harmless, and large bodies have many places. */
function isHostile(value: unknown): boolean {
	if (typeof value === "string") return isHostileText(value);
	if (typeof value !== "object" || value === null) return false;
	if (Array.isArray(value)) return value.some(isHostile);
	for (const key in value) {
		if (isHostileText(key) || isHostile((value as Record<string, unknown>)[key])) return true;
	}
	return false;
}

function placeOfHostile(value: unknown, path: string): string | null {
	if (typeof value === "string") return isHostileText(value) ? path : null;
	if (typeof value !== "object" || value === null) return null;
	for (const [key, inner] of Object.entries(value)) {
		if (isHostileText(key)) return path;
		const found = placeOfHostile(inner, path === "" ? key : `${path}.${key}`);
		if (found !== null) return found;
	}
	return null;
}

/** Zod's issues as the wire wants them: messages by dotted path. */
export function validationErrors(error: z.ZodError, where: "query" | "body"): FieldErrors {
	const fields: FieldErrors = {};
	for (const issue of error.issues) {
		const key = issue.path.length === 0 ? "non_field_errors" : issue.path.join(".");
		const messages = fields[key] ?? [];
		messages.push(messageOf(issue, where));
		fields[key] = messages;
	}
	return fields;
}

function messageOf(issue: z.core.$ZodIssue, where: "query" | "body"): string {
	if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
		return where === "query" ? "This parameter is required." : "This field is required.";
	}
	if (issue.code === "invalid_type" && issue.path.length === 0) return "Must be a JSON object.";
	return issue.message;
}
