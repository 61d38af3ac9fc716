/** Signing in and out, one's own profile, preferences and sessions, and the WebSocket ticket. */
import * as z from "zod";
import { defineDictionary } from "../../core/bounded.ts";
import { timestamp, uuid } from "../../core/common.ts";
import { refuseTurning } from "../../core/text.ts";
import { DATE_FORMATS, THEMES, TIME_FORMATS } from "./values.ts";

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
	class_browser_sections: defineDictionary(z.unknown(), { max: 1_000 })
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
	/** Whether the user must choose a new password before anything else. */
	must_change_password: z.boolean(),
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
export const personName = refuseTurning(
	z
		.string()
		.trim()
		.max(150)
		.regex(/^\P{Cc}*$/u, "Must be one line of text."),
);

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

export const session = z.object({
	id: z.string(),
	created_at: timestamp,
	last_seen_at: timestamp,
	/** Null where the client's address is unknown. */
	ip_address: z.string().nullable(),
	user_agent: z.string(),
	is_current: z.boolean(),
});

/** The answer where `revoke_tokens` was sent. */
export const endedAccess = z.object({ sessions_ended: z.int(), tokens_revoked: z.int() });
export type EndedAccess = z.infer<typeof endedAccess>;
/** Whether API tokens end too. Absent: true. */
export const revokeTokens = z.boolean("Must be true or false.").optional();

export const demoLogin = z.object({
	/** The role, such as `Operator`, and what it shows. */
	role: z.string(),
	username: z.string(),
	password: z.string(),
});
export type DemoLogin = z.infer<typeof demoLogin>;
