/**
 * Reads an answer: JSON envelope, other text, error object (whatever the status says), HTML of the
 * web server in front.
 */

import { readRetryAfter } from "../../core/system/retry-after.ts";
import { type Answer, buildFailure, type Failure, type Outcome } from "./answer.ts";
import { describeError } from "./error-object.ts";
import type { Inspect, Inspected } from "./inspect.ts";
import { listParsedObjects, listScannedObjects } from "./objects.ts";
import type { PageScan } from "./page-scan.ts";
import type { ControllerObject } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import { buildStatusFailure } from "./status.ts";
import type { RawAnswer } from "./transport.ts";

export interface ClassifyContext {
	readonly host: string;
	readonly method: string;
	readonly path: string;
	/** Removes secrets and control characters from a text of the controller. */
	readonly clean: (text: string) => string;
	readonly parseJson: (body: Buffer) => Promise<unknown>;
	/** Scans the answer instead of parsing it; given where its objects are most likely not read. */
	readonly scan: ((body: Buffer) => PageScan | null) | null;
	/** Inspects the answer instead of parsing it; given where it is passed through as it is. */
	readonly inspect: Inspect | null;
	readonly now: () => number;
}

export async function classifyAnswer(raw: RawAnswer, context: ClassifyContext): Promise<Outcome> {
	const retry = readRetryAfter(raw.retryAfter, context.now());
	const withDelay = (failed: Failure): Failure => (retry === null ? failed : { ...failed, afterMs: retry });

	const opening = findFirstByte(raw.body);
	if (opening === "{" || opening === "[") {
		const scan = raw.status < 300 ? (context.scan?.(raw.body) ?? null) : null;
		if (scan) return { ok: true, answer: buildScannedAnswer(raw, scan) };
		if (raw.status < 300 && context.inspect !== null) {
			const seen = await context.inspect(raw.body);
			if (seen === null) return cutOff(context.host, raw.status);
			const refusal = getError(seen.first ?? undefined);
			return refusal
				? withDelay(describeError(refusal, raw.status, context))
				: { ok: true, answer: buildInspectedAnswer(raw, seen) };
		}
		const data = await parseBody(raw.body, context);
		if (data !== broken) {
			const answer = buildParsedAnswer(raw, data);
			const refusal = getError(answer.objects?.rows()[0]);
			if (refusal) return withDelay(describeError(refusal, raw.status, context));
			return raw.status < 300 ? { ok: true, answer } : withDelay(buildStatusFailure(raw, context));
		}
		return raw.status < 300 ? cutOff(context.host, raw.status) : withDelay(buildStatusFailure(raw, context));
	}
	const begin = raw.body.toString("utf8", 0, BEGIN_BYTES);
	const xml = opening === "<" && !/^\s*<(!doctype\s+html|html)\b/i.test(begin) && /^\s*<(\?xml|imdata)\b/i.test(begin);
	if (xml) {
		const refusal = readXmlError(begin);
		if (refusal) return withDelay(describeError(refusal, raw.status, context));
	}
	if (raw.status >= 300) return withDelay(buildStatusFailure(raw, context));
	if (opening === "<" && !xml) return describeWebPage(context.host, raw.status);
	const expectsJson = /\.json(\?|$)/.test(context.path) || raw.contentType.includes("json");
	if (expectsJson && raw.status !== 204) return cutOff(context.host, raw.status);
	const answer = {
		status: raw.status,
		data: undefined,
		objects: null,
		totalCount: null,
		body: raw.body,
		text: raw.body,
	};
	return { ok: true, answer };
}

/** Says whether a document is XML and an error; the whole may have 60 MB. */
const BEGIN_BYTES = 65_536;

const broken = Symbol("not JSON");

async function parseBody(body: Buffer, context: ClassifyContext): Promise<unknown> {
	try {
		return await context.parseJson(body);
	} catch {
		return broken;
	}
}

function buildParsedAnswer(raw: RawAnswer, data: unknown): Answer {
	const fields = typeof data === "object" && data !== null ? (data as { imdata?: unknown; totalCount?: unknown }) : {};
	return {
		status: raw.status,
		data,
		objects: Array.isArray(fields.imdata) ? listParsedObjects(fields.imdata as ControllerObject[]) : null,
		totalCount: defineWholeNumber(fields.totalCount),
		body: raw.body,
	};
}

function buildScannedAnswer(raw: RawAnswer, scan: PageScan): Answer {
	const objects = listScannedObjects(raw.body, scan);
	return {
		status: raw.status,
		data: undefined,
		objects,
		totalCount: defineWholeNumber(scan.totalCount),
		body: raw.body,
	};
}

function buildInspectedAnswer({ status }: RawAnswer, { body, count, first, totalCount }: Inspected): Answer {
	const objects = count === null ? null : { ...listParsedObjects(first === null ? [] : [first]), count };
	return { status, data: undefined, objects, totalCount: defineWholeNumber(totalCount), body, json: body };
}

function defineWholeNumber(value: unknown): number | null {
	if (typeof value !== "string" && typeof value !== "number") return null;
	return /^\d{1,15}$/.test(String(value)) ? Number(value) : null;
}

function getError(first: ControllerObject | undefined): { code: string; text: string } | null {
	const attributes = first?.error?.attributes;
	if (!attributes) return null;
	return { code: String(attributes.code ?? ""), text: String(attributes.text ?? "") };
}

function readXmlError(text: string): { code: string; text: string } | null {
	const tag = /<error\s[^>]*>/.exec(text)?.[0];
	if (tag === undefined) return null;
	const attribute = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
	return { code: attribute("code"), text: attribute("text") };
}

function cutOff(host: string, status: number): Failure {
	const message = `The answer of ${host} is cut off or not JSON.`;
	return buildFailure(new ControllerError("bad_answer", message, { status, retryable: true }), "yes");
}

function describeWebPage(host: string, status: number): Failure {
	const message = `${host} answers with a web page where a controller's API was expected. Check the address and port.`;
	return buildFailure(new ControllerError("not_a_controller", message, { status }));
}

function findFirstByte(body: Buffer): string {
	for (const byte of body) {
		if (byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return String.fromCharCode(byte);
	}
	return "";
}
