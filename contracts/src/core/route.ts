/**
 * A route's contract is plain data. The service derives validation, types, throttling, permissions
 * and audit policy from it, OpenAPI its operations, and the client its methods.
 */
import type * as z from "zod";
import type { AuditCategory } from "../audit/values.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call at all. `signature`: the route checks a signature of its own instead of a token. */
export type Auth = "bearer" | "anonymous" | "signature";

/** Throttle scopes; `none` for routes that are exempt. Rates: interface decisions, section 1. */
export type ThrottleScope =
	| "anon"
	| "user"
	| "login"
	| "mfa"
	| "password_reset"
	| "token_refresh"
	| "email_send"
	| "webhook"
	| "sensitive"
	| "none";

/** `any`: signed-in users. `admin`: superusers and members of `Admin`. Otherwise a permission. */
export type PermissionRule = "any" | "admin" | `${"view" | "add" | "change" | "delete"}_${string}` | PlusPermission;

/** Permissions beyond view/add/change/delete of a model. */
export type PlusPermission =
	| "execute_savedquery"
	| "write_controllerconnection"
	| "launch_automationrequest"
	| "approve_automationrequest"
	| "override_freeze"
	| "approve_changewindow"
	| "override_changewindow";

/** Every route says what it leaves in the audit log, or why nothing. */
export type AuditPolicy = { category: AuditCategory; action: string } | { none: string };

/** A success without a body (204), a redirect, or a body that is not JSON. */
export interface RawAnswer {
	readonly raw: string;
	readonly description: string;
}

export type Answers = Readonly<Record<number, z.ZodType | RawAnswer>>;

/** The part of a route's contract that the browser runs: `paths.ts` of each area has it. */
export interface RoutePath {
	/** Stable operation id, `<area>.<verb>`. */
	readonly id: string;
	readonly method: Method;
	/** Path with a trailing slash; parameters as `:name`. */
	readonly path: string;
	readonly auth: Auth;
}

export interface RouteContract extends RoutePath {
	readonly summary: string;
	readonly throttle: ThrottleScope;
	readonly permission: PermissionRule;
	readonly audit: AuditPolicy;
	readonly params?: z.ZodType;
	readonly query?: z.ZodType;
	readonly body?: z.ZodType;
	/** A missing body counts as `{}`. */
	readonly bodyOptional?: boolean;
	/** The handler reads the body's bytes itself; `body` then only describes them. */
	readonly rawBody?: boolean;
	/** Largest accepted body in bytes; 1 MiB where absent. */
	readonly bodyLimit?: number;
	/** The body is multipart/form-data with one file named `file` of at most this many bytes. */
	readonly upload?: { readonly maxBytes: number };
	/** Success answers, and errors with a body of their own. Common errors are implied. */
	readonly answers: Answers;
}

/** Declares a route; exists for its type inference only. */
export function defineRoute<const Contract extends RouteContract>(contract: Contract): Contract {
	return contract;
}

/** An answer that carries no JSON: `content` is its media type, or `""` where there is no body. */
export function defineRawAnswer(content: string, description: string): RawAnswer {
	return { raw: content, description };
}

export function isRaw(answer: z.ZodType | RawAnswer): answer is RawAnswer {
	return "raw" in answer;
}
