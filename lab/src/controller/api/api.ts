/** One request to the controller: who asks, what for, and the reply. Knows nothing of sockets. */
import type { Change } from "../changes.ts";
import { ApiError, buildTooBigError } from "../errors.ts";
import { parseTarget, type Target } from "../http/target.ts";
import type { Format } from "../tree.ts";
import { formatEnvelope, writeTree } from "../tree.ts";
import { describeChanges } from "../write/describe.ts";
import type { Writer } from "../write/writer.ts";
import { type AuthenticatorParts, createAuthenticator } from "./authenticate.ts";
import { createMethods, type MethodParts } from "./methods.ts";
import { createReader, type ReadParts } from "./read.ts";
import { buildErrorReply, buildHtmlReply, getType } from "./replies.ts";
import { type ApiRequest, type ApiResult, type Caller, FREE } from "./types.ts";

export type ApiParts = AuthenticatorParts & ReadParts & Omit<MethodParts, "authenticate"> & { readonly writer: Writer };

export interface Api {
	/** @param count called with the kind of the request once it is known */
	handle(request: ApiRequest, count: (kind: string) => void): ApiResult;
}

export function createApi(deps: ApiParts): Api {
	const authenticate = createAuthenticator(deps);
	const method = createMethods({ ...deps, authenticate });
	const read = createReader(deps);

	function answerWrite(request: ApiRequest, { form, format, params }: Target, caller: Caller): ApiResult {
		const changed = applyChange(request, form, format, params, caller);
		const shown = params.get("rsp-subtree") === "modified" ? describeChanges(changed) : [];
		const items = shown.map((node) => writeTree(format, node));
		const body = formatEnvelope(format, { total: items.length, subscriptionId: null }, items);
		return {
			cost: { ...FREE, kind: "write", objects: changed.length },
			reply: { status: 200, type: getType(format), body },
		};
	}

	function applyChange(
		request: ApiRequest,
		form: Target["form"],
		format: Format,
		params: Target["params"],
		caller: Caller,
	): readonly Change[] {
		const { writer } = deps;
		const author = { user: caller.user, session: caller.session?.id ?? "" };
		if (form.kind === "tags" && request.method === "POST")
			return writer.tag(form.dn, readTags(params.get("add")), readTags(params.get("remove")), author);
		if (form.kind !== "mo") throw new ApiError(400, "Request failed, only objects can be written");
		return request.method === "DELETE"
			? writer.remove(form.dn, author)
			: writer.post(form.dn, format, request.body, author);
	}

	return {
		handle(request, count) {
			// The web server in front knows three methods; others never reach the controller.
			if (request.method !== "GET" && request.method !== "POST" && request.method !== "DELETE")
				return { cost: FREE, reply: buildHtmlReply(405) };
			let format: Format = "json";
			try {
				const target = parseTarget(request.target);
				if (target === null) return { cost: FREE, reply: buildHtmlReply(404) };
				format = target.format;
				count(getKind(request.method, target));
				if (target.form.kind === "method") return method(request, target, target.form.name);
				const caller = authenticate(request, target.params.get("challenge"));
				return request.method === "GET" ? read(request, target, caller) : answerWrite(request, target, caller);
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				const refused = error.message === buildTooBigError().message;
				return {
					cost: { ...FREE, refused },
					reply: buildErrorReply(format, error.status, error.code, error.message),
					delay: error.delay,
				};
			}
		},
	};
}

/** `red,green`, with or without brackets around the list. */
function readTags(list: string | undefined): string[] {
	return (list ?? "")
		.replace(/^\[|\]$/g, "")
		.split(",")
		.map((name) => name.trim())
		.filter((name) => name !== "");
}

function getKind(method: string, { form }: Target): string {
	if (form.kind === "method") return form.name;
	if (method === "POST") return "write";
	if (method === "DELETE") return "delete";
	return form.kind === "class" && form.within !== null ? "node_class" : form.kind;
}
