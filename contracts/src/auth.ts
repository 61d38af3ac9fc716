/** Signing in and out, one's own profile, preferences and sessions, and the WebSocket ticket. */
import * as z from "zod";
import { dictionaryOf } from "./bounded.ts";
import { timestamp, uuid, uuidParams } from "./common.ts";
import { raw, route } from "./route.ts";

export const DATE_FORMATS = ["YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY"] as const;
export const TIME_FORMATS = ["24h", "12h"] as const;
export const THEMES = ["system", "light", "dark"] as const;
export const SESSION_TIMEOUTS = [0, 15, 30, 60, 120, 240, 480] as const;
const SECTIONS_MAX_BYTES = 16 * 1024;

/** Whether the runtime knows the zone: links and canonical names both count. */
export function isTimeZone(name: string): boolean {
	try {
		new Intl.DateTimeFormat("en", { timeZone: name });
		return /^[A-Za-z]/.test(name);
	} catch {
		return false;
	}
}

export const timeZone = z.string().max(64).refine(isTimeZone, "Must be an IANA time zone, such as Europe/Paris.");

export const preferences = z.object({
	timezone: timeZone,
	date_format: z.enum(DATE_FORMATS),
	time_format: z.enum(TIME_FORMATS),
	theme: z.enum(THEMES),
	class_browser_sections: z.record(z.string(), z.unknown()),
	/** The connection that runs go to unless another one is chosen; null: none was chosen yet. */
	default_controller_connection_id: z.string().nullable(),
});
export type Preferences = z.infer<typeof preferences>;

export const preferencesPatch = z.object({
	timezone: timeZone.optional(),
	date_format: z.enum(DATE_FORMATS).optional(),
	time_format: z.enum(TIME_FORMATS).optional(),
	theme: z.enum(THEMES).optional(),
	class_browser_sections: dictionaryOf(z.unknown(), { max: 1_000 })
		.refine((value) => JSON.stringify(value).length <= SECTIONS_MAX_BYTES, "Must be at most 16 KB.")
		.optional(),
	default_controller_connection_id: uuid.nullable().optional(),
});

export const profile = z.object({
	id: z.int(),
	username: z.string(),
	email: z.string(),
	first_name: z.string(),
	last_name: z.string(),
	group_names: z.array(z.string()),
	is_admin: z.boolean(),
	is_superuser: z.boolean(),
	email_verified: z.boolean(),
	mfa_enabled: z.boolean(),
	query_count: z.int(),
	favorite_count: z.int(),
	date_joined: timestamp,
	last_login: timestamp.nullable(),
	preferences,
});
export type Profile = z.infer<typeof profile>;

export const ownProfile = profile.extend({
	/** Codenames of what the caller may do, by name; administrators may do everything. */
	permissions: z.array(z.string()),
});
export type OwnProfile = z.infer<typeof ownProfile>;

export const userSummary = z.object({
	id: z.int(),
	username: z.string(),
	is_admin: z.boolean(),
	mfa_enabled: z.boolean(),
});

/** An address that mail can be sent to; its plain form only, without a display name. */
export const mailAddress = z.email({ error: "Must be an email address." }).max(254, "Must be at most 254 characters.");

/** May be left empty. */
export const email = z.union([z.literal(""), mailAddress]);

/** A person's name goes into mails and lists: one line. */
export const personName = z
	.string()
	.trim()
	.max(150)
	.regex(/^\P{Cc}*$/u, "Must be one line of text.");

/** A password in a request. The service applies the password policy. */
export const passwordInput = z.string().min(1, "Must not be empty.").max(1024, "Must be at most 1024 characters.");

export const profilePatch = z.object({
	first_name: personName.optional(),
	last_name: personName.optional(),
	email: email.optional(),
});

export const credentials = z.object({ username: z.string().min(1).max(150), password: passwordInput });
export const loginAnswer = z.object({ access: z.string(), refresh: z.string(), user: userSummary });
export const mfaAnswer = z.object({ mfa_required: z.literal(true), mfa_token: z.string(), expires_in: z.int() });
export const wsTicket = z.object({ ticket: z.string(), expires_in: z.int(), ttl: z.int() });

const timeout = z.object({ session_timeout_minutes: z.int() });

export const session = z.object({
	id: z.string(),
	created_at: timestamp,
	last_seen_at: timestamp,
	ip_address: z.string(),
	user_agent: z.string(),
	is_current: z.boolean(),
});

const demoLogin = z.object({
	/** The role, such as `Operator`, and what it shows. */
	role: z.string(),
	username: z.string(),
	password: z.string(),
});
export type DemoLogin = z.infer<typeof demoLogin>;

export const authRoutes = {
	login: route({
		id: "auth.login",
		method: "POST",
		path: "/api/auth/login/",
		summary: "Sign in with a name and a password",
		auth: "anonymous",
		throttle: "login",
		permission: "any",
		audit: { category: "authentication", action: "login" },
		body: credentials,
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
	ldapLogin: route({
		id: "auth.ldap_login",
		method: "POST",
		path: "/api/auth/ldap-login/",
		summary: "Sign in with the name and the password of a directory; 404 where there is none",
		auth: "anonymous",
		throttle: "login",
		permission: "any",
		audit: { category: "authentication", action: "ldap_login" },
		body: credentials,
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
	refresh: route({
		id: "auth.refresh",
		method: "POST",
		path: "/api/auth/token/refresh/",
		summary: "A new access token for a refresh token, which stays valid",
		auth: "anonymous",
		throttle: "token_refresh",
		permission: "any",
		audit: { none: "changes nothing" },
		body: z.object({ refresh: z.string().min(1).max(4096) }),
		answers: { 200: z.object({ access: z.string() }) },
	}),
	logout: route({
		id: "auth.logout",
		method: "POST",
		path: "/api/auth/logout/",
		summary: "End the caller's session at once, on every node",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { category: "authentication", action: "logout" },
		answers: {
			200: z.object({
				/** Where the session at the identity provider is ended. */
				end_session_url: z.string(),
			}),
			204: raw("", "The session has ended"),
		},
	}),
	profile: route({
		id: "auth.profile",
		method: "GET",
		path: "/api/auth/profile/",
		summary: "The caller's profile",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: ownProfile },
	}),
	updateProfile: route({
		id: "auth.update_profile",
		method: "PATCH",
		path: "/api/auth/profile/",
		summary: "Change the caller's names or email; a new email is unverified",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { category: "user_management", action: "profile_update" },
		body: profilePatch,
		answers: { 200: ownProfile },
	}),
	preferences: route({
		id: "auth.preferences",
		method: "GET",
		path: "/api/auth/preferences/",
		summary: "The caller's preferences",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: preferences },
	}),
	updatePreferences: route({
		id: "auth.update_preferences",
		method: "PATCH",
		path: "/api/auth/preferences/",
		summary: "Change some of the caller's preferences",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { category: "settings_change", action: "preferences_update" },
		body: preferencesPatch,
		answers: { 200: preferences },
	}),
	sessionTimeout: route({
		id: "auth.session_timeout",
		method: "GET",
		path: "/api/auth/session-timeout/",
		summary: "Minutes of idleness after which a session ends; 0 means never",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: timeout },
	}),
	setSessionTimeout: route({
		id: "auth.set_session_timeout",
		method: "POST",
		path: "/api/auth/session-timeout/",
		summary: "Set the minutes of idleness after which a session ends",
		auth: "bearer",
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
	changePassword: route({
		id: "auth.change_password",
		method: "POST",
		path: "/api/auth/password/change/",
		summary: "Change the caller's password; every other session ends",
		auth: "bearer",
		throttle: "sensitive",
		permission: "any",
		audit: { category: "authentication", action: "password_change" },
		body: z.object({ old_password: passwordInput, new_password: passwordInput }),
		answers: { 200: z.object({ message: z.string() }) },
	}),
	sessions: route({
		id: "auth.sessions",
		method: "GET",
		path: "/api/auth/sessions/",
		summary: "The caller's live sessions, newest first",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: z.array(session) },
	}),
	revokeOthers: route({
		id: "auth.revoke_other_sessions",
		method: "DELETE",
		path: "/api/auth/sessions/",
		summary: "End all of the caller's sessions but this one",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { category: "authentication", action: "session_revoke_others" },
		answers: { 204: raw("", "The other sessions have ended") },
	}),
	revokeSession: route({
		id: "auth.revoke_session",
		method: "DELETE",
		path: "/api/auth/sessions/:id/",
		summary: "End one of the caller's sessions",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { category: "authentication", action: "session_revoke" },
		params: uuidParams,
		answers: { 204: raw("", "The session has ended") },
	}),
	health: route({
		id: "auth.health",
		method: "GET",
		path: "/api/auth/health/",
		summary: "Liveness of signing in, and which ways to sign in there are",
		auth: "anonymous",
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
	wsTicket: route({
		id: "auth.ws_ticket",
		method: "POST",
		path: "/api/ws-ticket/",
		summary: "A ticket that opens one WebSocket",
		auth: "bearer",
		throttle: "user",
		permission: "any",
		audit: { none: "changes nothing that outlives a minute" },
		answers: { 200: wsTicket },
	}),
} as const;
