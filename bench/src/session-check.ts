/**
 * Cost of identifying the caller of a request: by a session (token signature and session) for 1,000
 * sessions in turn, and by an API token with expiry and networks for 1,000 tokens in turn. Baseline
 * of sessions: the same check with rows read from the store; of tokens: sessions.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "../../server/dist/app.js";
import { createLocalUser } from "../../server/dist/areas/accounts/sign-in/create-local-users.js";
import { createSessions } from "../../server/dist/areas/accounts/sign-in/create-sessions.js";
import { createTokenIdentities } from "../../server/dist/areas/accounts/sign-in/find-token-identity.js";
import { getNetwork, getSecret, SHOWN_CHARS } from "../../server/dist/areas/accounts/sign-in/rules/api-token.js";
import { createTokens } from "../../server/dist/areas/accounts/sign-in/sign-tokens.js";
import { insertApiToken } from "../../server/dist/areas/accounts/sign-in/sql/api-tokens.js";
import { readConfig } from "../../server/dist/config.js";
import { openDependencies } from "../../server/dist/open.js";
import { PASSWORD, printFigure } from "./tools.ts";

const SESSIONS = 1_000;
const CHECKS = 200_000;
const CHECKS_IN_STORE = 3_000;
const ADDRESS = "192.0.2.1";
const GOAL_MS = 0.1;

const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
const opened = await openDependencies(readConfig({ WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: "warn" }));
const app = await buildApp(opened.deps);
try {
	await app.declareQueues();
	const user_id = await createLocalUser(app.context, { username: "admin", password: PASSWORD, superuser: true });
	const tokens = createTokens(app.context);
	const sessions = createSessions(app.context);
	// Nothing is remembered while announcements cannot be heard.
	const announcements = { announce: async () => {}, listen: () => {}, heard: () => false, close: async () => {} };
	const forgetful = createSessions({ ...app.context, announcements });

	const now = new Date();
	const expires_at = new Date(now.getTime() + 3_600_000);
	const rows = Array.from({ length: SESSIONS }, () => ({
		id: randomUUID(),
		user_id,
		expires_at,
		last_seen_at: now,
		created_at: now,
		ip_address: ADDRESS,
		user_agent: "bench",
		revoked_at: null,
	}));
	await opened.deps.store.db.insertInto("sessions").values(rows).execute();
	const access = await Promise.all(rows.map(({ id }) => tokens.sign("access", user_id, id)));

	const secrets = rows.map(() => getSecret(randomBytes(32)));
	const tokenRows = secrets.map((secret) => ({
		id: randomUUID(),
		user_id,
		created_by_id: user_id,
		name: "bench",
		prefix: secret.slice(0, SHOWN_CHARS),
		secret_hash: createHash("sha256").update(secret).digest(),
		permission_ids: null,
		read_only: false,
		allowed_addresses: ["10.0.0.0/8", "2001:db8::/32", getNetwork(ADDRESS)],
		created_at: now,
		expires_at,
		expiry_notified_at: null,
		revoked_at: null,
		last_used_at: now,
		last_used_ip: ADDRESS,
	}));
	await opened.deps.store.transaction(async (tx) => {
		for (const row of tokenRows) await insertApiToken(tx, row);
	});
	const used = tokenRows.map(({ id }) => ({ token_id: id, network: getNetwork(ADDRESS), first_used_at: now }));
	await opened.deps.store.db.insertInto("api_token_networks").values(used).execute();
	const identities = createTokenIdentities(app.context, sessions.onForget);

	/** Milliseconds of one check. */
	async function perCheck(checks: number, identify: (i: number) => Promise<unknown>): Promise<number> {
		const began = performance.now();
		for (let i = 0; i < checks; i++) {
			const identity = await identify(i % SESSIONS);
			if ((identity as { userId?: number } | null)?.userId !== user_id) throw new Error("a caller was not known");
		}
		return (performance.now() - began) / checks;
	}
	const bySession = (by: typeof sessions) => async (i: number) => {
		const claims = await tokens.verify("access", access[i] ?? "");
		return claims === null ? null : by.resume(claims.sessionId);
	};
	const byToken = (i: number) => identities.identify(secrets[i] ?? "", ADDRESS);

	const first = await perCheck(SESSIONS, bySession(sessions));
	const firstToken = await perCheck(SESSIONS, byToken);
	const later = await perCheck(CHECKS, bySession(sessions));
	const laterToken = await perCheck(CHECKS, byToken);
	const stored = await perCheck(CHECKS_IN_STORE, bySession(forgetful));
	const more = laterToken - later;
	printFigure("the same, read from the store each time", `${(stored * 1000).toFixed(0)} us`);
	printFigure("first request of a session", `${(first * 1000).toFixed(0)} us`);
	printFigure("each later one", `${(later * 1000).toFixed(1)} us`, { met: later <= GOAL_MS, text: "≤ 100 us" });
	printFigure("first request of an API token", `${(firstToken * 1000).toFixed(0)} us`);
	printFigure("each later one", `${(laterToken * 1000).toFixed(1)} us`);
	printFigure("more than by a session", `${(more * 1000).toFixed(1)} us`, { met: more <= GOAL_MS, text: "≤ 100 us" });
	if (later > GOAL_MS || more > GOAL_MS) process.exitCode = 1;
} finally {
	await app.close();
	await opened.close(0);
	await rm(dataDir, { recursive: true, force: true });
}
