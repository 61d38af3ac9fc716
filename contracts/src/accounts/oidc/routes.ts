/** Routes of signing in at an identity provider. */
import * as z from "zod";
import { timestamp } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { loginAnswer, mfaAnswer } from "../session/shapes.ts";
import { oidcPaths } from "./paths.ts";
import { oidcStart, terminalRequest } from "./shapes.ts";

const detail = z.object({ detail: z.string() });

const verifier = z
	.string()
	.max(128)
	.regex(/^[\w.~-]{43,128}$/, "Must have 43 to 128 letters, digits and - . _ ~.");

export const oidcRoutes = {
	start: defineRoute({
		...oidcPaths.start,
		summary: "To the identity provider, to sign in there; 404 where there is none",
		throttle: "anon",
		permission: "any",
		audit: { none: "nobody is signed in yet" },
		query: oidcStart,
		answers: {
			302: defineRawAnswer("", "To the identity provider; sets a cookie that binds the sign-in to this browser"),
			404: detail,
		},
	}),
	callback: defineRoute({
		...oidcPaths.callback,
		summary: "Where the identity provider sends the browser back to",
		throttle: "anon",
		permission: "any",
		audit: { none: "the exchange is recorded; failures and changed users are recorded as such" },
		answers: {
			302: defineRawAnswer(
				"",
				"To the sign-in page, with a one-time code in the fragment (#oidc=CODE) or a word in oidc_error; for a " +
					"program to the page /login/terminal, or to redirect_uri with an error",
			),
			404: detail,
		},
	}),
	exchange: defineRoute({
		...oidcPaths.exchange,
		summary: "Sign in with the one-time code of the callback, once and within 60 seconds",
		throttle: "login",
		permission: "any",
		audit: { category: "authentication", action: "oidc_login" },
		body: z.object({
			code: z.string().min(1).max(128),
			/** For the code of a sign-in that was begun with a challenge, and for no other. */
			code_verifier: verifier.optional(),
		}),
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
	terminal: defineRoute({
		...oidcPaths.terminal,
		summary: "A program's sign-in that waits for a decision in this browser; 404 where there is none",
		throttle: "anon",
		permission: "any",
		audit: { none: "reads" },
		body: terminalRequest,
		answers: {
			200: z.object({
				/** The short code that the program's terminal shows too. */
				code: z.string(),
				username: z.string(),
				/** The program's address, such as `127.0.0.1:49152`. */
				address: z.string(),
				expires_at: timestamp,
			}),
			404: detail,
		},
	}),
	decideTerminal: defineRoute({
		...oidcPaths.decideTerminal,
		summary: "Sign the program in, or cancel; once, and in the browser that began",
		throttle: "anon",
		permission: "any",
		audit: { none: "the exchange is recorded" },
		body: terminalRequest.extend({ decision: z.enum(["sign_in", "cancel"]) }),
		answers: {
			/** The program's address, with a one-time code or the error `denied`. */
			200: z.object({ location: z.string() }),
			404: detail,
		},
	}),
} as const;
