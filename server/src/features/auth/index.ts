/** Identity: signing in, sessions, one's own account, and the users that the command line makes. */
import type { DemoLogin } from "@weft/contracts";
import type { Identity, TokenRefusal } from "../../platform/caller.ts";
import { buildUnavailableError, invalidField } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { Announcements } from "../../ports/announcements.ts";
import type { Cache } from "../../ports/cache.ts";
import type { Clock } from "../../ports/clock.ts";
import { DirectoryUnavailable } from "../../ports/directory.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Mailer } from "../../ports/mailer.ts";
import type { Passwords } from "../../ports/passwords.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Db, Store } from "../../ports/store.ts";
import { isSecretLike } from "./domain/api-token.ts";
import { usernameKey } from "./domain/names.ts";
import type { MfaRequirement } from "./domain/restriction.ts";
import { createEmailChangeReport } from "./email-change.ts";
import { createAuthJobs } from "./jobs.ts";
import { createProvisioning } from "./provisioning.ts";
import { findUser, listUserEmails, type UserRow } from "./repo.ts";
import { createApiTokensRepo } from "./repo-api-tokens.ts";
import { createRoutes } from "./routes.ts";
import { type AuthDeps, createAccount } from "./service.ts";
import { type Accounts, createAccounts } from "./service-accounts.ts";
import { createApiTokens } from "./service-api-tokens.ts";
import { createUsers, type Users } from "./service-commands.ts";
import { createDirectoryLogin, type DirectoryLoginDeps } from "./service-directory.ts";
import { createInvitations, type Invitations } from "./service-invitations.ts";
import { createLinks } from "./service-links.ts";
import { createLogin } from "./service-login.ts";
import { createMfa } from "./service-mfa.ts";
import { createOidcLogin, type OidcLoginDeps } from "./service-oidc.ts";
import { createReauthentication, type Reauthentication } from "./service-reauthentication.ts";
import { createRecheck } from "./service-recheck.ts";
import { createRecovery } from "./service-recovery.ts";
import { createResetCodes } from "./service-reset-codes.ts";
import { createSecondFactor } from "./service-second-factor.ts";
import { createSessions } from "./service-sessions.ts";
import { createTokenIdentities } from "./service-token-identity.ts";
import { createTokens } from "./service-tokens.ts";

export { usernameKey } from "./domain/names.ts";
export { MFA_REQUIREMENTS, type MfaRequirement } from "./domain/restriction.ts";
export { oidcSecrets } from "./service-oidc.ts";
export { secondFactorSecrets } from "./service-second-factor.ts";

export interface AuthFeatureDeps {
	readonly store: Store;
	readonly cache: Cache;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Log;
	readonly secrets: Secrets;
	readonly passwords: Passwords;
	readonly announcements: Announcements;
	readonly events: Events;
	readonly queryCounts: AuthDeps["queryCounts"];
	readonly quotas: Quotas;
	readonly jobs: Pick<Jobs, "enqueue">;
	/** Null: no mail is sent. */
	readonly mailer: Mailer | null;
	/** Address of a web front end, for links and redirects; empty where there is none. */
	readonly frontendUrl: string;
	/** Upper bound of the life of API tokens, in days; null: none. */
	readonly tokenMaxDays: number | null;
	/** Days between two checks whether an account's person is gone; null: off. */
	readonly accountRecheckDays: number | null;
	/** Accounts that need a second factor. */
	readonly requireMfa: ReadonlySet<MfaRequirement>;
	/** Null: there is none to sign in with. */
	readonly directory: DirectoryLoginDeps["directory"];
	/** Null: there is none to sign in at. */
	readonly identityProvider: OidcLoginDeps["provider"];
	/** Logins that the sign-in page offers; absent where the service is no demonstration. */
	readonly demoLogins?: readonly DemoLogin[] | undefined;
}

export interface Auth {
	readonly routes: BoundRoute[];
	readonly users: Users;
	/** What user management does to accounts. */
	readonly accounts: Accounts;
	readonly invitations: Pick<Invitations, "issue" | "page" | "remove"> & Pick<Reauthentication, "assertRecent">;
	readonly queues: readonly JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
	/** Who an access or API token belongs to; null when it is not valid or its session has ended. */
	authenticate(token: string, ip: string): Promise<Identity | TokenRefusal | null>;
	/** Who a one-shot WebSocket ticket belongs to. */
	redeem(ticket: string): Promise<Identity | null>;
	/** The user of a session with current rights; null when it has ended. Does not keep it alive. */
	renew(identity: Identity): Promise<Identity | null>;
	/** A user as they are now, for background work on their behalf; null when gone or not active. */
	getIdentity(userId: number, db?: Db): Promise<Identity | null>;
	/** Those of the addresses that active users have, in lower case. */
	emailsOfUsers(db: Db, addresses: readonly string[]): Promise<string[]>;
	/** The number of a user's API tokens that are not revoked. */
	countTokens(db: Db, userId: number): Promise<number>;
	/** When a user signed in last; null for never. */
	lastLogin(db: Db, userId: number): Promise<Date | null>;
	/** A user's own profile, and a ticket that opens one WebSocket, as their routes answer them. */
	readonly account: Pick<ReturnType<typeof createAccount>, "profile" | "ticket">;
}

export function createAuth(deps: AuthFeatureDeps): Auth {
	const tokens = createTokens(deps);
	const sessions = createSessions(deps);
	const apiTokens = createApiTokensRepo(deps.tokenMaxDays);
	const tokenIdentities = createTokenIdentities({ ...deps, apiTokens, sessions });
	const reportEmailChange = createEmailChangeReport(deps);
	const all = { ...deps, reportEmailChange, apiTokens, tokens, sessions, tokenIdentities };
	const secondFactor = createSecondFactor(deps);
	/** Whether this is the user's password, wherever it is kept. */
	async function isPassword(user: UserRow, password: string): Promise<boolean> {
		if (user.auth_source === "local") return deps.passwords.verify(user.password_hash, password);
		if (user.auth_source === "oidc") {
			throw invalidField("password", "You have no password here. An administrator can remove your second factor.");
		}
		const person = await deps.directory?.authenticate(user.username, password).catch((error: unknown) => {
			if (error instanceof DirectoryUnavailable)
				throw buildUnavailableError("The directory cannot be asked. Try again shortly.");
			throw error;
		});
		return person !== undefined && person !== null && usernameKey(person.username) === user.username_key;
	}
	const reauthentication = createReauthentication({ ...all, secondFactor, isPassword });
	const ofTokens = createApiTokens({ ...all, reauthentication, maxDays: deps.tokenMaxDays });
	const logins = createLogin({ ...all, secondFactor });
	const codes = createResetCodes(deps);
	const account = createAccount(all);
	const accounts = createAccounts({ ...all, codes });
	const invitations = createInvitations({ ...all, accounts });
	const links = createLinks(all);
	const recovery = createRecovery({ ...all, accounts, codes, links, canMail: deps.mailer !== null });
	const recheck = createRecheck({ ...all, accounts });
	const { queues, work } = createAuthJobs({ ...all, links, invitations, ofTokens, recheck });
	const provision = createProvisioning(all);
	const provider = deps.identityProvider;
	const ways = {
		ldap_enabled: deps.directory !== null,
		oidc_enabled: provider !== null,
		oidc_label: provider?.label ?? null,
		email_enabled: deps.mailer !== null,
		...(deps.demoLogins ? { demo_logins: [...deps.demoLogins] } : {}),
	};
	return {
		routes: createRoutes({
			account,
			logins,
			directory: createDirectoryLogin({ ...all, logins, provision }),
			oidc: createOidcLogin({ ...all, logins, provision, provider }),
			mfa: createMfa({ ...all, secondFactor, isPassword }),
			recovery,
			invitations,
			ofTokens,
			reauthentication,
			quotas: deps.quotas,
			ways,
		}),
		users: createUsers({ ...deps, apiTokens, sessions }),
		accounts,
		invitations: { ...invitations, assertRecent: reauthentication.assertRecent },
		queues,
		work,
		async authenticate(token, ip) {
			if (isSecretLike(token)) return tokenIdentities.identify(token, ip);
			const claims = await tokens.verify("access", token);
			return claims && sessions.resume(claims.sessionId);
		},
		account,
		redeem: account.redeem,
		getIdentity: sessions.ofUser,
		emailsOfUsers: listUserEmails,
		countTokens: apiTokens.countTokens,
		lastLogin: async (db, userId) => (await findUser(db, userId))?.last_login ?? null,
		renew: (identity) =>
			identity.token === null
				? sessions.resume(identity.sessionId, { touch: false })
				: tokenIdentities.renew(identity.token.id),
	};
}

/** Users for a command beside the service. */
export function createUserCommands(
	deps: Pick<AuthFeatureDeps, "store" | "clock" | "log" | "passwords" | "announcements" | "events">,
): Users {
	return createUsers({
		...deps,

		apiTokens: createApiTokensRepo(null),
		sessions: createSessions({ ...deps, requireMfa: new Set() }),
	});
}
