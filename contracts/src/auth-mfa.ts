/** The second factor: enrolling, signing in with it, backup codes, and removing it. */
import * as z from "zod";
import { loginAnswer, passwordInput } from "./auth.ts";
import { route } from "./route.ts";

/** A code of the authenticator, or a backup code; spaces and dashes do not count. */
const code = z.string().min(1, "Must not be empty.").max(32, "Must be at most 32 characters.");
const ownPassword = z.object({ password: passwordInput });
const backupCodes = z.array(z.string()).length(8);

const write = { method: "POST", auth: "bearer", permission: "any" } as const;
const recorded = <const Action extends string>(action: Action) => ({ category: "authentication", action }) as const;

export const mfaRoutes = {
	login: route({
		id: "auth.mfa_login",
		method: "POST",
		path: "/api/auth/mfa-login/",
		summary: "Finish signing in with a code of the authenticator or a backup code",
		auth: "anonymous",
		throttle: "mfa",
		permission: "any",
		audit: recorded("login"),
		body: z.object({ mfa_token: z.string().min(1).max(256), code }),
		answers: { 200: loginAnswer },
	}),
	setup: route({
		...write,
		id: "auth.mfa_setup",
		path: "/api/auth/mfa/setup/",
		summary: "A new secret for an authenticator; counts once a code of it was verified",
		throttle: "user",
		audit: recorded("mfa_setup"),
		answers: { 200: z.object({ secret: z.string(), qr_code_svg: z.string(), otpauth_url: z.string() }) },
	}),
	verify: route({
		...write,
		id: "auth.mfa_verify",
		path: "/api/auth/mfa/verify/",
		summary: "Turn the second factor on with a code; answers eight backup codes, once",
		throttle: "mfa",
		audit: recorded("mfa_enable"),
		body: z.object({ code }),
		answers: { 200: z.object({ enabled: z.literal(true), backup_codes: backupCodes }) },
	}),
	status: route({
		id: "auth.mfa_status",
		method: "GET",
		path: "/api/auth/mfa/status/",
		summary: "Whether the caller has a second factor, and how many backup codes are left",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: z.object({ enabled: z.boolean(), backup_codes_remaining: z.int() }) },
	}),
	backupCodes: route({
		...write,
		id: "auth.mfa_backup_codes",
		path: "/api/auth/mfa/backup-codes/",
		summary: "Eight new backup codes; the earlier ones are void",
		throttle: "sensitive",
		audit: recorded("mfa_backup_codes"),
		body: ownPassword,
		answers: { 200: z.object({ backup_codes: backupCodes }) },
	}),
	disable: route({
		...write,
		id: "auth.mfa_disable",
		path: "/api/auth/mfa/disable/",
		summary: "Remove the caller's second factor and its backup codes",
		throttle: "sensitive",
		audit: recorded("mfa_disable"),
		body: ownPassword,
		answers: { 200: z.object({ enabled: z.literal(false) }) },
	}),
} as const;
