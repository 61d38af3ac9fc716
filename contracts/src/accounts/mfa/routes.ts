/** The second factor: enrolling, signing in with it, backup codes, and removing it. */
import * as z from "zod";
import { defineRoute } from "../../core/route.ts";
import { loginAnswer, passwordInput } from "../session/shapes.ts";
import { mfaPaths } from "./paths.ts";

/** A code of the authenticator, or a backup code; spaces and dashes do not count. */
const code = z.string().min(1, "Must not be empty.").max(32, "Must be at most 32 characters.");
const ownPassword = z.object({ password: passwordInput });
const backupCodes = z.array(z.string()).length(8);

const write = { permission: "any" } as const;
const defineAudit = <const Action extends string>(action: Action) => ({ category: "authentication", action }) as const;

export const mfaRoutes = {
	login: defineRoute({
		...mfaPaths.login,
		summary: "Finish signing in with a code of the authenticator or a backup code",
		throttle: "mfa",
		permission: "any",
		audit: defineAudit("login"),
		body: z.object({ mfa_token: z.string().min(1).max(256), code }),
		answers: { 200: loginAnswer },
	}),
	setup: defineRoute({
		...mfaPaths.setup,
		...write,
		summary: "A new secret for an authenticator; counts once a code of it was verified",
		throttle: "user",
		audit: defineAudit("mfa_setup"),
		answers: { 200: z.object({ secret: z.string(), qr_code_svg: z.string(), otpauth_url: z.string() }) },
	}),
	verify: defineRoute({
		...mfaPaths.verify,
		...write,
		summary: "Turn the second factor on with a code; answers eight backup codes, once",
		throttle: "mfa",
		audit: defineAudit("mfa_enable"),
		body: z.object({ code }),
		answers: { 200: z.object({ enabled: z.literal(true), backup_codes: backupCodes }) },
	}),
	status: defineRoute({
		...mfaPaths.status,
		summary: "Whether the caller has a second factor, and how many backup codes are left",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: z.object({ enabled: z.boolean(), backup_codes_remaining: z.int() }) },
	}),
	backupCodes: defineRoute({
		...mfaPaths.backupCodes,
		...write,
		summary: "Eight new backup codes; the earlier ones are void",
		throttle: "sensitive",
		audit: defineAudit("mfa_backup_codes"),
		body: ownPassword,
		answers: { 200: z.object({ backup_codes: backupCodes }) },
	}),
	disable: defineRoute({
		...mfaPaths.disable,
		...write,
		summary: "Remove the caller's second factor and its backup codes",
		throttle: "sensitive",
		audit: defineAudit("mfa_disable"),
		body: ownPassword,
		answers: { 200: z.object({ enabled: z.literal(false) }) },
	}),
} as const;
