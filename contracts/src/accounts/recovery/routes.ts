/** Resetting a forgotten password, and verifying an email address. */
import * as z from "zod";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { endedAccess, mailAddress, passwordInput, revokeTokens } from "../session/shapes.ts";
import { recoveryPaths } from "./paths.ts";

const ok = z.object({ status: z.literal("ok") });
/** `<uidb64>:<token>`, as it was mailed. */
const linkToken = z.string().max(512, "Must be at most 512 characters.");

export const recoveryRoutes = {
	request: defineRoute({
		...recoveryPaths.request,
		summary: "Request a mail with a link for a new password; the answer is the same for an unknown address",
		throttle: "password_reset",
		permission: "any",
		audit: { category: "authentication", action: "password_reset_request" },
		body: z.object({ email: mailAddress }),
		answers: { 200: ok },
	}),
	confirm: defineRoute({
		...recoveryPaths.confirm,
		summary:
			"Set a new password with the token of a link or the code of an administrator; all sessions and API tokens end",
		throttle: "password_reset",
		permission: "any",
		audit: { category: "authentication", action: "password_reset" },
		body: z.object({
			token: linkToken.optional(),
			code: z.string().max(32, "Must be at most 32 characters.").optional(),
			new_password: passwordInput,
			revoke_tokens: revokeTokens,
		}),
		answers: { 200: z.union([ok, endedAccess]) },
	}),
	sendVerification: defineRoute({
		...recoveryPaths.sendVerification,
		summary: "Mail a link that verifies the caller's address; sent again it is the same link, with its time begun anew",
		throttle: "email_send",
		permission: "any",
		audit: { category: "user_management", action: "email_send_verification" },
		answers: { 200: ok },
	}),
	verifyEmail: defineRoute({
		...recoveryPaths.verifyEmail,
		summary: "Follow the link of a verification mail; leads to the sign-in page",
		throttle: "anon",
		permission: "any",
		audit: { none: "the first time it is followed it records email_verify by itself" },
		query: z.object({ token: linkToken }),
		answers: { 302: defineRawAnswer("", "To the sign-in page, with email_verified=1") },
	}),
} as const;
