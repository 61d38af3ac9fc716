/**
 * Cost of identifying the caller of a request (token signature and session) for 1,000 sessions in
 * turn. Baseline: the same check with rows read from the store.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "../../server/dist/app.js";
import { readConfig } from "../../server/dist/config.js";
import { createAuthRepo } from "../../server/dist/features/auth/repo.js";
import { createSessions } from "../../server/dist/features/auth/service-sessions.js";
import { createTokens } from "../../server/dist/features/auth/service-tokens.js";
import { open } from "../../server/dist/open.js";
import { figure, PASSWORD } from "./tools.ts";

const SESSIONS = 1_000;
const CHECKS = 200_000;
const CHECKS_IN_STORE = 3_000;

const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
const opened = await open(readConfig({ WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: "warn" }));
const app = await buildApp(opened.deps);
try {
	await app.declareQueues();
	const user_id = await app.users.createUser({ username: "admin", password: PASSWORD, superuser: true });
	const repo = createAuthRepo();
	const tokens = createTokens(opened.deps);
	const sessions = createSessions({ ...opened.deps, log: opened.deps.logger, repo });
	// Nothing is remembered while announcements cannot be heard.
	const announcements = { announce: async () => {}, listen: () => {}, heard: () => false, close: async () => {} };
	const forgetful = createSessions({ ...opened.deps, log: opened.deps.logger, repo, announcements });

	const now = new Date();
	const expires_at = new Date(now.getTime() + 3_600_000);
	const rows = Array.from({ length: SESSIONS }, () => ({
		id: randomUUID(),
		user_id,
		expires_at,
		last_seen_at: now,
		created_at: now,
		ip_address: "192.0.2.1",
		user_agent: "bench",
		revoked_at: null,
	}));
	await opened.deps.store.db.insertInto("sessions").values(rows).execute();
	const access = await Promise.all(rows.map(({ id }) => tokens.sign("access", user_id, id)));

	async function perCheck(checks: number, by: typeof sessions): Promise<number> {
		const began = performance.now();
		for (let i = 0; i < checks; i++) {
			const claims = await tokens.verify("access", access[i % SESSIONS] ?? "");
			const identity = claims === null ? null : await by.resume(claims.sessionId);
			if (identity?.userId !== user_id) throw new Error("a session was not known");
		}
		return (performance.now() - began) / checks;
	}
	const first = await perCheck(SESSIONS, sessions);
	const later = await perCheck(CHECKS, sessions);
	const stored = await perCheck(CHECKS_IN_STORE, forgetful);
	figure("the same, read from the store each time", `${(stored * 1000).toFixed(0)} us`);
	figure("first request of a session", `${(first * 1000).toFixed(0)} us`);
	figure("each later one", `${(later * 1000).toFixed(1)} us`, { met: later <= 0.1, text: "≤ 100 us" });
} finally {
	await app.close();
	await opened.close(0);
	await rm(dataDir, { recursive: true, force: true });
}
