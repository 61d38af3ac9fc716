/** Reads the validated input of a request: path parameters, query, body or uploaded file. */
import { isUtf8 } from "node:buffer";
import type { RouteContract } from "@weft/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import type { Caller, Origin } from "../caller.ts";
import { AppError, buildInvalidError, buildNotFoundError } from "../errors.ts";
import type { Admitted } from "./admission.ts";
import { getAddress, type TrustedProxies } from "./client-address.ts";
import { findInvalidTextPath, hasInvalidText, listValidationErrors, MAX_DEPTH, parseJson } from "./input.ts";
import { parseLargeJson } from "./parse-large.ts";
import { readUpload } from "./upload.ts";

interface InputParts {
	readonly trustedProxies: TrustedProxies;
	/** Where the service is published, with a slash at both ends. */
	readonly basePath: string;
}

const NO_BYTES = Buffer.alloc(0);
/** Larger bodies are parsed in pieces. */
const LARGE_BODY_BYTES = 1024 * 1024;

/**
 * What a handler gets. It is a class so that all instances share one hidden class: an object
 * literal with getters would keep the whole request in memory until the next full garbage
 * collection.
 */
class RequestInput {
	params: unknown;
	query: unknown;
	body: unknown;
	bytes: Buffer = NO_BYTES;
	readonly caller: Caller | undefined;
	readonly origin: Origin;
	readonly headers: FastifyRequest["headers"];
	readonly path: string;
	readonly #request: FastifyRequest;
	readonly #reply: FastifyReply;
	readonly #deps: InputParts;
	#controller: AbortController | undefined;

	constructor(
		request: FastifyRequest,
		reply: FastifyReply,
		deps: InputParts,
		caller: Caller | undefined,
		origin: Origin,
	) {
		this.caller = caller;
		this.origin = origin;
		this.headers = request.headers;
		this.path = request.url;
		this.#request = request;
		this.#reply = reply;
		this.#deps = deps;
	}

	get url(): string {
		const { trustedProxies, basePath } = this.#deps;
		const path = basePath.slice(0, -1) + this.path;
		return getAddress(this.headers, path, this.#request.socket.remoteAddress, trustedProxies);
	}

	get signal(): AbortSignal {
		this.#controller ??= abortOnDisconnect(this.#reply);
		return this.#controller.signal;
	}
}

/** @throws 400 by field, 404 for path parameters of another shape, 413, 415 */
export async function readInput(
	request: FastifyRequest,
	reply: FastifyReply,
	contract: RouteContract,
	{ caller, origin, tooSlow, ...deps }: InputParts & Omit<Admitted, "giveBack">,
): Promise<RequestInput> {
	const input = new RequestInput(request, reply, deps, caller, origin);
	if (contract.upload) input.bytes = await readUpload(request, contract.upload.maxBytes, tooSlow);
	else if (Buffer.isBuffer(request.body)) input.bytes = request.body;
	if (contract.params) {
		const parsed = contract.params.safeParse(request.params);
		if (!parsed.success || findInvalidTextPath(parsed.data) !== null) throw buildNotFoundError();
		input.params = parsed.data;
	}
	if (contract.query) input.query = validateText(contract.query, getQuery(request), "query");
	if (contract.body && !contract.rawBody) {
		const isLarge = input.bytes.length > LARGE_BODY_BYTES;
		const body = isLarge ? await parseLargeBody(input.bytes) : getBody(contract, input.bytes);
		input.body = isLarge ? validateInput(contract.body, body, "body") : validateText(contract.body, body, "body");
	}
	return input;
}

function getBody(contract: RouteContract, bytes: Buffer): unknown {
	if (bytes.length === 0) {
		if (contract.bodyOptional) return {};
		throw new AppError(400, { detail: "A JSON body is needed." });
	}
	if (!isUtf8(bytes)) throw new AppError(400, { detail: "The body is not UTF-8." });
	return parseJson(bytes);
}

/** Query parameters. The last value of a repeated parameter counts. */
function getQuery(request: FastifyRequest): Record<string, string> {
	const values: Record<string, string> = {};
	for (const [key, value] of Object.entries(request.query as Record<string, string | string[]>)) {
		values[key] = Array.isArray(value) ? (value.at(-1) ?? "") : value;
	}
	return values;
}

const INVALID_TEXT = "Must not contain NUL or unpaired surrogate characters.";

/** Parses a body with turns for other requests in between. Names no place of invalid text. */
async function parseLargeBody(bytes: Buffer): Promise<unknown> {
	if (!isUtf8(bytes)) throw new AppError(400, { detail: "The body is not UTF-8." });
	let isInvalid = false;
	const visit = (piece: unknown) => {
		isInvalid ||= hasInvalidText(piece);
	};
	try {
		const body = await parseLargeJson(bytes, { maxDepth: MAX_DEPTH, visit });
		if (isInvalid) throw buildInvalidError({ non_field_errors: [INVALID_TEXT] });
		return body;
	} catch (error) {
		if (error instanceof RangeError) throw new AppError(400, { detail: error.message });
		if (error instanceof SyntaxError) throw new AppError(400, { detail: "The body is not valid JSON." });
		throw error;
	}
}

function validateText(schema: z.ZodType, value: unknown, where: "query" | "body"): unknown {
	const path = findInvalidTextPath(value);
	if (path !== null) throw buildInvalidError({ [path || "non_field_errors"]: [INVALID_TEXT] });
	return validateInput(schema, value, where);
}

function validateInput(schema: z.ZodType, value: unknown, where: "query" | "body"): unknown {
	const parsed = schema.safeParse(value);
	if (!parsed.success) throw buildInvalidError(listValidationErrors(parsed.error, where));
	return parsed.data;
}

/** Aborts when the connection ends before the answer is sent, also when it has ended already. */
function abortOnDisconnect({ raw }: FastifyReply): AbortController {
	const controller = new AbortController();
	const abortUnlessSent = () => {
		if (!raw.writableFinished) controller.abort();
	};
	if (raw.closed) abortUnlessSent();
	else raw.once("close", abortUnlessSent);
	return controller;
}
