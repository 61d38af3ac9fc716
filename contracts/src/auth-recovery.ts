/** Resetting a forgotten password, and verifying an email address. */
import * as z from "zod";
import { mailAddress, passwordInput } from "./auth.ts";
import { raw, route } from "./route.ts";

const ok = z.object({ status: z.literal("ok") });
/** `<uidb64>:<token>`, as it was mailed. */
const linkToken = z.string().max(512, "Must be at most 512 characters.");

export const recoveryRoutes = {
	request: route({
		id: "auth.password_reset",
		method: "POST",
		path: "/api/auth/password-reset/",
		summary: "Have a link for a new password mailed; answers the same whether or not somebody has this address",
		auth: "anonymous",
		throttle: "password_reset",
		permission: "any",
		audit: { category: "authentication", action: "password_reset_request" },
		body: z.object({ email: mailAddress }),
		answers: { 200: ok },
	}),
	confirm: route({
		id: "auth.password_reset_confirm",
		method: "POST",
		path: "/api/auth/password-reset/confirm/",
		summary: "Set a new password with the token of a link or the code of an administrator; all sessions end",
		auth: "anonymous",
		throttle: "password_reset",
		permission: "any",
		audit: { category: "authentication", action: "password_reset" },
		body: z.object({
			token: linkToken.optional(),
			code: z.string().max(32, "Must be at most 32 characters.").optional(),
			new_password: passwordInput,
		}),
		answers: { 200: ok },
	}),
	sendVerification: route({
		id: "auth.send_verification",
		method: "POST",
		path: "/api/auth/email/send-verification/",
		summary: "Mail a link that verifies the caller's address; sent again it is the same link, with its time begun anew",
		auth: "bearer",
		throttle: "email_send",
		permission: "any",
		audit: { category: "user_management", action: "email_send_verification" },
		answers: { 200: ok },
	}),
	verifyEmail: route({
		id: "auth.verify_email",
		method: "GET",
		path: "/api/auth/email/verify/",
		summary: "Follow the link of a verification mail; leads to the sign-in page",
		auth: "anonymous",
		throttle: "anon",
		permission: "any",
		audit: { none: "the first time it is followed it records email_verify by itself" },
		query: z.object({ token: linkToken }),
		answers: { 302: raw("", "To the sign-in page, with email_verified=1") },
	}),
} as const;
