/** Invitations: people who set their password with a link at their first sign-in. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { paging, timestamp } from "../../core/common.ts";
import { idList } from "../groups/shapes.ts";
import { email } from "../session/shapes.ts";
import { username } from "../users/shapes.ts";

/** People that one request invites at most. */
const PEOPLE_MAX = 100;

const person = z.object({
	username,
	/** The link is mailed to it where the service has a mail server and a front end. */
	email: email.default(""),
	/** Exactly these groups. */
	group_ids: idList,
});

export const invite = z.object({
	people: defineList(person, { max: PEOPLE_MAX, tooMany: `Must be at most ${PEOPLE_MAX} people.` }).min(
		1,
		"Name at least one person.",
	),
});
export type Invite = z.output<typeof invite>;

/** Invitations that may be open at the same time. */
export const OPEN_INVITATIONS_MAX = 500;

export const issuedInvitation = z.object({
	username: z.string(),
	/**
	 * The page behind the link, with the secret in its fragment. Begins with the service's front end,
	 * or with a slash where none is configured. Shown once.
	 */
	url: z.string(),
	expires_at: timestamp,
	/** Whether it was also mailed. */
	is_mailed: z.boolean(),
});
export type IssuedInvitation = z.infer<typeof issuedInvitation>;

export const invitation = z.object({
	/** The user's id. */
	id: z.int(),
	username: z.string(),
	email: z.string(),
	group_names: z.array(z.string()),
	/** Null: that user was deleted. */
	invited_by: z.string().nullable(),
	created_at: timestamp,
	/** In the past if it was not accepted in time. */
	expires_at: timestamp,
	/** `expired`: the link is of no use any more; a new one replaces it. */
	state: z.enum(["open", "expired"]),
	/** `none`: the link was shown, not mailed. `sent`: the mail server took it. */
	mail: z.enum(["none", "waiting", "sent"]),
});
export type Invitation = z.infer<typeof invitation>;

export const invitationList = z.object(paging);
export type InvitationList = z.output<typeof invitationList>;
