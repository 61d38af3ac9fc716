/**
 * Checks of untrusted input: JSON of bounded depth, text that the store can hold, error messages by
 * field.
 */
import { TOKEN_PREFIX } from "@weft/contracts";
import type * as z from "zod";
import { AppError, type FieldErrors } from "../errors.ts";
import { MASKED } from "../mask.ts";

/** Deepest nesting of a body. */
export const MAX_DEPTH = 100;

/** Parses a request body. Malformed or too deep JSON answers 400 `{detail}`. */
export function parseJson(bytes: Buffer): unknown {
	const text = bytes.toString("utf8");
	if (getDepth(text) > MAX_DEPTH) {
		throw new AppError(400, { detail: `The body is nested more than ${MAX_DEPTH} levels deep.` });
	}
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new AppError(400, { detail: `The body is not valid JSON${getPosition(error as SyntaxError)}.` });
	}
}

/**
 * Where the syntax error is. The parser's own message quotes the body, which may hold a password.
 */
function getPosition({ message }: SyntaxError): string {
	const position = / at position (\d+)/.exec(message)?.[1];
	return position === undefined ? "" : ` at position ${position}`;
}

const API_TOKEN = new RegExp(`${TOKEN_PREFIX}[0-9A-Za-z]+`, "g");

const SECRET = /(?<=\/api\/(?:auth\/invitations|calendar\/feed)\/)[^/]+/;

/** The path of an address for logs, without its query. Masks API tokens, invitations and feeds. */
export function buildLoggedPath(url: string): string {
	const end = url.indexOf("?");
	const path = end < 0 ? url : url.slice(0, end);
	// Such as of a client that names a token by its secret instead of its id.
	return path.replace(API_TOKEN, `${TOKEN_PREFIX}${MASKED}`).replace(SECRET, MASKED);
}

/**
 * Deepest nesting of brackets outside strings. Checked first because JSON.parse recurses. Counts in
 * a text that is decoded already, so that core/json/scan.ts, which reads bytes, would be a second
 * pass over all of it.
 */
function getDepth(text: string): number {
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

/**
 * Dotted path of the first string or key with a NUL or an unpaired surrogate, which PostgreSQL
 * cannot store; null when there is none.
 */
export const findInvalidTextPath = (value: unknown): string | null =>
	hasInvalidText(value) ? findInvalidText(value, "") : null;

const isInvalidText = (text: string): boolean => text.includes("\0") || !text.isWellFormed();

/** The same question without the path, which is much cheaper: nearly all input is valid. */
export function hasInvalidText(value: unknown): boolean {
	if (typeof value === "string") return isInvalidText(value);
	if (typeof value !== "object" || value === null) return false;
	if (Array.isArray(value)) return value.some(hasInvalidText);
	for (const key in value) {
		if (isInvalidText(key) || hasInvalidText((value as Record<string, unknown>)[key])) return true;
	}
	return false;
}

function findInvalidText(value: unknown, path: string): string | null {
	if (typeof value === "string") return isInvalidText(value) ? path : null;
	if (typeof value !== "object" || value === null) return null;
	for (const [key, inner] of Object.entries(value)) {
		if (isInvalidText(key)) return path;
		const found = findInvalidText(inner, path === "" ? key : `${path}.${key}`);
		if (found !== null) return found;
	}
	return null;
}

/** Errors of a body after which the others are left out. */
const MAX_ISSUES = 100;

/** Zod's issues as the wire format has them: messages by dotted path. */
export function listValidationErrors(error: z.ZodError, where: "query" | "body"): FieldErrors {
	const fields: FieldErrors = {};
	for (const issue of error.issues.slice(0, MAX_ISSUES)) {
		const key = issue.path.length === 0 ? "non_field_errors" : issue.path.join(".");
		const messages = fields[key] ?? [];
		messages.push(formatMessage(issue, where));
		fields[key] = messages;
	}
	return fields;
}

function formatMessage(issue: z.core.$ZodIssue, where: "query" | "body"): string {
	if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
		return where === "query" ? "This parameter is required." : "This field is required.";
	}
	if (issue.code === "invalid_type" && issue.path.length === 0) return "Must be a JSON object.";
	return issue.message;
}
