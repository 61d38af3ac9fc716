/** Signing in, one's own account, sessions and tickets. */
import { apiTokenRoutes, authRoutes, invitationRoutes, mfaRoutes, oidcRoutes, recoveryRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { createAccount } from "./service.ts";
import type { ApiTokens } from "./service-api-tokens.ts";
import type { DirectoryLogin } from "./service-directory.ts";
import type { Invitations } from "./service-invitations.ts";
import type { createLogin } from "./service-login.ts";
import type { Mfa } from "./service-mfa.ts";
import type { OidcLogin } from "./service-oidc.ts";
import type { Reauthentication } from "./service-reauthentication.ts";
import type { Recovery } from "./service-recovery.ts";

interface Services {
	readonly account: ReturnType<typeof createAccount>;
	readonly logins: ReturnType<typeof createLogin>;
	readonly directory: DirectoryLogin;
	readonly oidc: OidcLogin;
	readonly mfa: Mfa;
	readonly recovery: Recovery;
	readonly invitations: Invitations;
	readonly ofTokens: ApiTokens;
	readonly reauthentication: Reauthentication;
	readonly quotas: Quotas;
	readonly ways: {
		readonly ldap_enabled: boolean;
		readonly oidc_enabled: boolean;
		readonly oidc_label: string | null;
		readonly email_enabled: boolean;
	};
}

export function createRoutes(services: Services): BoundRoute[] {
	const { account, logins, directory, oidc, mfa, recovery, invitations, ofTokens, reauthentication, quotas, ways } =
		services;
	const ofMfa = bindAll(mfaRoutes, {
		login: async ({ body, origin }) => buildReply(200, await logins.mfaLogin(body, origin)),
		setup: async ({ caller }) => buildReply(200, await mfa.setup(caller)),
		verify: async ({ caller, body }) => buildReply(200, await mfa.verify(caller, body.code)),
		status: async ({ caller }) => buildReply(200, await mfa.status(caller)),
		backupCodes: async ({ caller, body }) => buildReply(200, await mfa.backupCodes(caller, body.password)),
		disable: async ({ caller, body }) => buildReply(200, await mfa.disable(caller, body.password)),
	});
	const ofAccount = bindAll(authRoutes, {
		login: async ({ body, origin }) => logins.login(body, origin),
		ldapLogin: async ({ body, origin }) => directory.login(body, origin),
		refresh: async ({ body }) => buildReply(200, await logins.refresh(body.refresh)),
		logout: async ({ caller }) => {
			await account.revokeSession(caller, caller.sessionId);
			const end_session_url = await oidc.endSessionUrl(caller.userId);
			return end_session_url === null ? noContent : buildReply(200, { end_session_url });
		},
		profile: async ({ caller }) => buildReply(200, await account.profile(caller)),
		updateProfile: async ({ caller, body }) => buildReply(200, await account.updateProfile(caller, body)),
		preferences: async ({ caller }) => buildReply(200, await account.preferences(caller)),
		updatePreferences: async ({ caller, body }) => buildReply(200, await account.updatePreferences(caller, body)),
		sessionTimeout: async ({ caller }) => buildReply(200, await account.sessionTimeout(caller)),
		setSessionTimeout: async ({ caller, body }) =>
			buildReply(200, await account.setSessionTimeout(caller, body.session_timeout_minutes)),
		changePassword: async ({ caller, body }) => buildReply(200, await account.changePassword(caller, body)),
		sessions: async ({ caller }) => buildReply(200, await account.sessions(caller)),
		reauthenticate: async ({ caller, body }) => {
			await reauthentication.reauthenticate(caller, body);
			return noContent;
		},
		revokeOthers: async ({ caller, query, body }) => {
			const sent = body.revoke_tokens ?? query.revoke_tokens;
			const ended = await account.revokeOthers(caller, sent ?? true);
			return sent === undefined ? noContent : buildReply(200, ended);
		},
		revokeSession: async ({ caller, params }) => {
			await account.revokeSession(caller, params.id);
			return noContent;
		},
		health: async () => buildReply(200, { status: "ok" as const, ...ways }),
		wsTicket: async ({ caller }) => {
			await quotas.check(caller, "sockets_max");
			return buildReply(200, await account.ticket(caller));
		},
	});
	const ofOidc = bindAll(oidcRoutes, {
		start: async ({ query, headers }) => {
			const { location, cookie } = await oidc.start(query, headers);
			return buildReply(302, undefined, { headers: { location, "set-cookie": cookie } });
		},
		callback: async ({ path, origin, headers }) => {
			const query = new URLSearchParams(path.split("?").slice(1).join("?"));
			const { location, cookie } = await oidc.callback(query, origin, headers);
			return buildReply(302, undefined, {
				headers: { location, ...(cookie === null ? {} : { "set-cookie": cookie }) },
			});
		},
		terminal: async ({ body, headers }) => buildReply(200, await oidc.findTerminal(body.request, headers)),
		decideTerminal: async ({ body, headers }) => buildReply(200, await oidc.decideTerminal(body, headers)),
		exchange: async ({ body, origin, headers }) => oidc.exchange(body, origin, headers),
	});
	const ofRecovery = bindAll(recoveryRoutes, {
		request: async ({ body, origin }) => buildReply(200, await recovery.request(body.email, origin)),
		confirm: async ({ body, origin }) => buildReply(200, await recovery.confirm(body, origin)),
		sendVerification: async ({ caller }) => buildReply(200, await recovery.sendVerification(caller)),
		verifyEmail: async ({ query, origin }) =>
			buildReply(302, undefined, { headers: { location: await recovery.verifyEmail(query.token, origin) } }),
	});
	const ofInvitations = bindAll(
		{ detail: invitationRoutes.detail, accept: invitationRoutes.accept },
		{
			detail: async ({ params }) => buildReply(200, await invitations.detail(params.token)),
			accept: async ({ params, body, origin }) =>
				buildReply(200, await invitations.accept(params.token, body.password, origin)),
		},
	);
	const ofApiTokens = bindAll(apiTokenRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await ofTokens.list(caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await ofTokens.create(caller, body)),
		options: async ({ caller }) => buildReply(200, await ofTokens.options(caller)),
		detail: async ({ caller, params }) => buildReply(200, await ofTokens.detail(caller, params.id)),
		remove: async ({ caller, params }) => {
			await ofTokens.remove(caller, params.id);
			return noContent;
		},
		managedList: async ({ caller, params, query, url }) =>
			buildReply(200, await ofTokens.managedList(caller, params.id, query, url)),
		managedCreate: async ({ caller, params, body }) =>
			buildReply(201, await ofTokens.managedCreate(caller, params.id, body)),
		managedRemove: async ({ caller, params }) => {
			await ofTokens.managedRemove(caller, params.id, params.token_id);
			return noContent;
		},
	});
	return [...ofAccount, ...ofMfa, ...ofOidc, ...ofRecovery, ...ofInvitations, ...ofApiTokens];
}
