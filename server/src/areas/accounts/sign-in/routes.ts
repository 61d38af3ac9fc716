/** Signing in, one's own account, sessions and tickets. */
import { apiTokenRoutes, authRoutes, invitationRoutes, mfaRoutes, oidcRoutes, recoveryRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../core/http/binder.ts";
import { acceptInvitation, readInvitation } from "./accept-invitation.ts";
import { loginThroughDirectory } from "./login-through-directory.ts";
import {
	answerCallback,
	decideTerminal,
	exchangeCode,
	findEndSessionUrl,
	readTerminal,
	startSignIn,
} from "./login-through-provider.ts";
import { loginWithPassword, loginWithSecondFactor, refreshAccess } from "./login-with-password.ts";
import {
	createManagedToken,
	createOwnToken,
	listManagedTokens,
	listTokens,
	readToken,
	readTokenOptions,
	removeManagedToken,
	removeToken,
} from "./manage-api-tokens.ts";
import {
	changePassword,
	issueTicket,
	listSessions,
	readPreferences,
	readProfile,
	readSessionTimeout,
	revokeOtherAccess,
	revokeSession,
	setSessionTimeout,
	updatePreferences,
	updateProfile,
} from "./manage-own-account.ts";
import {
	disableSecondFactor,
	readSecondFactor,
	renewBackupCodes,
	setUpSecondFactor,
	verifySecondFactor,
} from "./manage-second-factor.ts";
import { reauthenticateCaller } from "./reauthenticate-caller.ts";
import { confirmPasswordReset, requestPasswordReset, sendVerificationMail, verifyEmail } from "./recover-account.ts";

/** The ways to sign in that the service has. */
const listSignInWays = ({ directory, identityProvider, mailer, demoLogins }: Context) => ({
	ldap_enabled: directory !== null,
	oidc_enabled: identityProvider !== null,
	oidc_label: identityProvider?.label ?? null,
	email_enabled: mailer !== null,
	...(demoLogins ? { demo_logins: [...demoLogins] } : {}),
});

const bindMfaRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(mfaRoutes, {
		login: async ({ body, origin }) => buildReply(200, await loginWithSecondFactor(ctx, body, origin)),
		setup: async ({ caller }) => buildReply(200, await setUpSecondFactor(ctx, caller)),
		verify: async ({ caller, body }) => buildReply(200, await verifySecondFactor(ctx, caller, body.code)),
		status: async ({ caller }) => buildReply(200, await readSecondFactor(ctx, caller)),
		backupCodes: async ({ caller, body }) => buildReply(200, await renewBackupCodes(ctx, caller, body.password)),
		disable: async ({ caller, body }) => buildReply(200, await disableSecondFactor(ctx, caller, body.password)),
	});

const bindAccountRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(authRoutes, {
		login: async ({ body, origin }) => loginWithPassword(ctx, body, origin),
		ldapLogin: async ({ body, origin }) => loginThroughDirectory(ctx, body, origin),
		refresh: async ({ body }) => buildReply(200, await refreshAccess(ctx, body.refresh)),
		logout: async ({ caller }) => {
			await revokeSession(ctx, caller, caller.sessionId);
			const end_session_url = await findEndSessionUrl(ctx, caller.userId);
			return end_session_url === null ? noContent : buildReply(200, { end_session_url });
		},
		profile: async ({ caller }) => buildReply(200, await readProfile(ctx, caller)),
		updateProfile: async ({ caller, body }) => buildReply(200, await updateProfile(ctx, caller, body)),
		preferences: async ({ caller }) => buildReply(200, await readPreferences(ctx, caller)),
		updatePreferences: async ({ caller, body }) => buildReply(200, await updatePreferences(ctx, caller, body)),
		sessionTimeout: async ({ caller }) => buildReply(200, await readSessionTimeout(ctx, caller)),
		setSessionTimeout: async ({ caller, body }) =>
			buildReply(200, await setSessionTimeout(ctx, caller, body.session_timeout_minutes)),
		changePassword: async ({ caller, body }) => buildReply(200, await changePassword(ctx, caller, body)),
		sessions: async ({ caller }) => buildReply(200, await listSessions(ctx, caller)),
		reauthenticate: async ({ caller, body }) => {
			await reauthenticateCaller(ctx, caller, body);
			return noContent;
		},
		revokeOthers: async ({ caller, query, body }) => {
			const sent = body.revoke_tokens ?? query.revoke_tokens;
			const ended = await revokeOtherAccess(ctx, caller, sent ?? true);
			return sent === undefined ? noContent : buildReply(200, ended);
		},
		revokeSession: async ({ caller, params }) => {
			await revokeSession(ctx, caller, params.id);
			return noContent;
		},
		health: async () => buildReply(200, { status: "ok" as const, ...listSignInWays(ctx) }),
		wsTicket: async ({ caller }) => {
			await ctx.quotas.check(caller, "sockets_max");
			return buildReply(200, await issueTicket(ctx, caller));
		},
	});

const bindOidcRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(oidcRoutes, {
		start: async ({ query, headers }) => {
			const { location, cookie } = await startSignIn(ctx, query, headers);
			return buildReply(302, undefined, { headers: { location, "set-cookie": cookie } });
		},
		callback: async ({ path, origin, headers }) => {
			const query = new URLSearchParams(path.split("?").slice(1).join("?"));
			const { location, cookie } = await answerCallback(ctx, query, origin, headers);
			return buildReply(302, undefined, {
				headers: { location, ...(cookie === null ? {} : { "set-cookie": cookie }) },
			});
		},
		terminal: async ({ body, headers }) => buildReply(200, await readTerminal(ctx, body.request, headers)),
		decideTerminal: async ({ body, headers }) => buildReply(200, await decideTerminal(ctx, body, headers)),
		exchange: async ({ body, origin, headers }) => exchangeCode(ctx, body, origin, headers),
	});

const bindRecoveryRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(recoveryRoutes, {
		request: async ({ body, origin }) => buildReply(200, await requestPasswordReset(ctx, body.email, origin)),
		confirm: async ({ body, origin }) => buildReply(200, await confirmPasswordReset(ctx, body, origin)),
		sendVerification: async ({ caller }) => buildReply(200, await sendVerificationMail(ctx, caller)),
		verifyEmail: async ({ query, origin }) =>
			buildReply(302, undefined, { headers: { location: await verifyEmail(ctx, query.token, origin) } }),
	});

const bindInvitationRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(
		{ detail: invitationRoutes.detail, accept: invitationRoutes.accept },
		{
			detail: async ({ params }) => buildReply(200, await readInvitation(ctx, params.token)),
			accept: async ({ params, body, origin }) =>
				buildReply(200, await acceptInvitation(ctx, params.token, body.password, origin)),
		},
	);

const bindTokenRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(apiTokenRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listTokens(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createOwnToken(ctx, caller, body)),
		options: async ({ caller }) => buildReply(200, await readTokenOptions(ctx, caller)),
		detail: async ({ caller, params }) => buildReply(200, await readToken(ctx, caller, params.id)),
		remove: async ({ caller, params }) => {
			await removeToken(ctx, caller, params.id);
			return noContent;
		},
		managedList: async ({ caller, params, query, url }) =>
			buildReply(200, await listManagedTokens(ctx, caller, params.id, query, url)),
		managedCreate: async ({ caller, params, body }) =>
			buildReply(201, await createManagedToken(ctx, caller, params.id, body)),
		managedRemove: async ({ caller, params }) => {
			await removeManagedToken(ctx, caller, params.id, params.token_id);
			return noContent;
		},
	});

export const createRoutes = (ctx: Context): BoundRoute[] => [
	...bindAccountRoutes(ctx),
	...bindMfaRoutes(ctx),
	...bindOidcRoutes(ctx),
	...bindRecoveryRoutes(ctx),
	...bindInvitationRoutes(ctx),
	...bindTokenRoutes(ctx),
];
