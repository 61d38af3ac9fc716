/** Identity: signing in, sessions, one's own account, and the users that the command line makes. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { createKeyedMutex, type KeyedMutex } from "../../../core/keyed-mutex.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import type { Repeating } from "../../../core/repeating.ts";
import { createSessions, type Sessions } from "./create-sessions.ts";
import { createTokenIdentities, type TokenIdentities } from "./find-token-identity.ts";
import { listAuthQueues, startAuthTimers } from "./jobs.ts";
import { createRoutes } from "./routes.ts";
import { createTokens, type Tokens } from "./sign-tokens.ts";

export interface SignIn {
	readonly routes: BoundRoute[];
	readonly queues: readonly JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
	/** The process's cache of sessions. */
	readonly sessions: Sessions;
	/** Signs access and refresh tokens, and caches those that were verified. */
	readonly tokens: Tokens;
	/** The process's cache of API tokens. */
	readonly tokenIdentities: TokenIdentities;
	/** Runs sign-ins of one name from one client one after another. */
	readonly signInMutex: KeyedMutex;
}

export function createSignIn(ctx: Context): SignIn {
	const sessions = createSessions(ctx);
	return {
		routes: createRoutes(ctx),
		queues: listAuthQueues(ctx),
		work: () => startAuthTimers(ctx),
		sessions,
		tokens: createTokens(ctx),
		tokenIdentities: createTokenIdentities(ctx, sessions.onForget),
		signInMutex: createKeyedMutex(),
	};
}
