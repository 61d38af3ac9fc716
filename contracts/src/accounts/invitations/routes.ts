/** Routes of invitations. */
import * as z from "zod";
import { defineEnvelope, intParams, timestamp } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { passwordInput } from "../session/shapes.ts";
import { invitationPaths } from "./paths.ts";
import { invitation, invitationList, invite, issuedInvitation } from "./shapes.ts";

const detail = z.object({ detail: z.string() });
const params = z.object({ token: z.string().max(128) });

export const invitationRoutes = {
	create: defineRoute({
		...invitationPaths.create,
		summary: "Invite people: each gets a link that sets a password, valid once and for 7 days; needs a recent sign-in",
		throttle: "user",
		permission: "admin",
		audit: { category: "user_management", action: "user_invite" },
		body: invite,
		answers: { 201: z.object({ invitations: z.array(issuedInvitation) }) },
	}),
	list: defineRoute({
		...invitationPaths.list,
		summary: "Invitations that were not accepted, the newest first",
		throttle: "user",
		permission: "admin",
		audit: { none: "read" },
		query: invitationList,
		answers: { 200: defineEnvelope(invitation) },
	}),
	withdraw: defineRoute({
		...invitationPaths.withdraw,
		summary: "Withdraw an invitation; the user, who never signed in, is deleted",
		throttle: "user",
		permission: "admin",
		audit: { category: "user_management", action: "invitation_withdraw" },
		params: intParams,
		answers: { 204: defineRawAnswer("", "The invitation is void") },
	}),
	renew: defineRoute({
		...invitationPaths.renew,
		summary: "Replace the link of an invitation by a new one, valid for 7 days; needs a recent sign-in",
		throttle: "user",
		permission: "admin",
		audit: { category: "user_management", action: "invitation_renew" },
		params: intParams,
		answers: { 200: issuedInvitation },
	}),
	detail: defineRoute({
		...invitationPaths.detail,
		summary: "The invitation of a link; 404 where it is unknown, was accepted or withdrawn, or is over",
		throttle: "anon",
		permission: "any",
		audit: { none: "read" },
		params,
		answers: { 200: z.object({ username: z.string(), expires_at: timestamp }), 404: detail },
	}),
	accept: defineRoute({
		...invitationPaths.accept,
		summary: "Accept an invitation by setting the password; once",
		throttle: "anon",
		permission: "any",
		audit: { category: "authentication", action: "invitation_accept" },
		params,
		body: z.object({ password: passwordInput }),
		answers: { 200: z.object({ username: z.string() }), 404: detail },
	}),
} as const;
