/** Routes of signing in and the caller's own profile. */
import * as z from "zod";
import { boolParam, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { authPaths } from "./paths.ts";
import {
	credentials,
	demoLogin,
	endedAccess,
	loginAnswer,
	mfaAnswer,
	ownProfile,
	passwordInput,
	preferences,
	preferencesPatch,
	profilePatch,
	revokeTokens,
	session,
	wsTicket,
} from "./shapes.ts";
import { SESSION_TIMEOUTS } from "./values.ts";

const timeout = z.object({ session_timeout_minutes: z.int() });

export const authRoutes = {
	login: defineRoute({
		...authPaths.login,
		summary: "Sign in with a name and a password",
		throttle: "login",
		permission: "any",
		audit: { category: "authentication", action: "login" },
		body: credentials,
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
	ldapLogin: defineRoute({
		...authPaths.ldapLogin,
		summary: "Sign in with the name and the password of a directory; 404 where there is none",
		throttle: "login",
		permission: "any",
		audit: { category: "authentication", action: "ldap_login" },
		body: credentials,
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
	refresh: defineRoute({
		...authPaths.refresh,
		summary: "A new access token for a refresh token, which stays valid",
		throttle: "token_refresh",
		permission: "any",
		audit: { none: "changes nothing" },
		body: z.object({ refresh: z.string().min(1).max(4096) }),
		answers: { 200: z.object({ access: z.string() }) },
	}),
	logout: defineRoute({
		...authPaths.logout,
		summary: "End the caller's session at once, on every node",
		throttle: "user",
		permission: "any",
		audit: { category: "authentication", action: "logout" },
		answers: {
			200: z.object({
				/** Where the session at the identity provider is ended. */
				end_session_url: z.string(),
			}),
			204: defineRawAnswer("", "The session has ended"),
		},
	}),
	profile: defineRoute({
		...authPaths.profile,
		summary: "The caller's profile",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: ownProfile },
	}),
	updateProfile: defineRoute({
		...authPaths.updateProfile,
		summary: "Change the caller's names or email; a new email is unverified",
		throttle: "user",
		permission: "any",
		audit: { category: "user_management", action: "profile_update" },
		body: profilePatch,
		answers: { 200: ownProfile },
	}),
	preferences: defineRoute({
		...authPaths.preferences,
		summary: "The caller's preferences",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: preferences },
	}),
	updatePreferences: defineRoute({
		...authPaths.updatePreferences,
		summary: "Change some of the caller's preferences",
		throttle: "user",
		permission: "any",
		audit: { category: "settings_change", action: "preferences_update" },
		body: preferencesPatch,
		answers: { 200: preferences },
	}),
	sessionTimeout: defineRoute({
		...authPaths.sessionTimeout,
		summary: "Minutes of idleness after which a session ends; 0 means never",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: timeout },
	}),
	setSessionTimeout: defineRoute({
		...authPaths.setSessionTimeout,
		summary: "Set the minutes of idleness after which a session ends",
		throttle: "user",
		permission: "any",
		audit: { category: "settings_change", action: "session_timeout_update" },
		body: z.object({
			session_timeout_minutes: z
				.int()
				.refine(
					(value) => (SESSION_TIMEOUTS as readonly number[]).includes(value),
					`Must be one of: ${SESSION_TIMEOUTS.join(", ")}.`,
				),
		}),
		answers: { 200: timeout },
	}),
	changePassword: defineRoute({
		...authPaths.changePassword,
		summary: "Change the caller's password; every other session and every API token of the caller ends",
		throttle: "sensitive",
		permission: "any",
		audit: { category: "authentication", action: "password_change" },
		body: z.object({ old_password: passwordInput, new_password: passwordInput, revoke_tokens: revokeTokens }),
		answers: { 200: z.union([z.object({ message: z.string() }), endedAccess]) },
	}),
	reauthenticate: defineRoute({
		...authPaths.reauthenticate,
		summary: "Confirm the sign-in of this session, with the password or a code of the second factor",
		throttle: "sensitive",
		permission: "any",
		audit: { category: "authentication", action: "reauthenticate" },
		body: z.object({
			password: passwordInput.optional(),
			code: z.string().min(1, "Must not be empty.").max(32, "Must be at most 32 characters.").optional(),
		}),
		answers: { 204: defineRawAnswer("", "The sign-in is confirmed") },
	}),
	sessions: defineRoute({
		...authPaths.sessions,
		summary: "The caller's live sessions, newest first",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: z.array(session) },
	}),
	revokeOthers: defineRoute({
		...authPaths.revokeOthers,
		summary: "End all of the caller's sessions but this one, and all API tokens of the caller",
		throttle: "user",
		permission: "any",
		audit: { category: "authentication", action: "session_revoke_others" },
		query: z.object({ revoke_tokens: boolParam.optional() }),
		body: z.object({ revoke_tokens: revokeTokens }),
		bodyOptional: true,
		answers: { 200: endedAccess, 204: defineRawAnswer("", "The other sessions and the API tokens have ended") },
	}),
	revokeSession: defineRoute({
		...authPaths.revokeSession,
		summary: "End one of the caller's sessions",
		throttle: "user",
		permission: "any",
		audit: { category: "authentication", action: "session_revoke" },
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "The session has ended") },
	}),
	health: defineRoute({
		...authPaths.health,
		summary: "Liveness of signing in, and which ways to sign in there are",
		throttle: "anon",
		permission: "any",
		audit: { none: "read" },
		answers: {
			200: z.object({
				status: z.literal("ok"),
				ldap_enabled: z.boolean(),
				oidc_enabled: z.boolean(),
				/** What the identity provider is called on the sign-in page; null where there is none. */
				oidc_label: z.string().nullable(),
				email_enabled: z.boolean(),
				/** Logins that the sign-in page offers. Only a demonstration has them. */
				demo_logins: z.array(demoLogin).optional(),
			}),
		},
	}),
	wsTicket: defineRoute({
		...authPaths.wsTicket,
		summary: "A ticket that opens one WebSocket",
		throttle: "user",
		permission: "any",
		audit: { none: "changes nothing that outlives a minute" },
		answers: { 200: wsTicket },
	}),
} as const;
