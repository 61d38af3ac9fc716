/** API tokens on several nodes: a change on one of them holds on another at the next request. */
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, buildApp } from "../../src/app.ts";
import type { Announcements } from "../../src/core/ports/announcements.ts";
import { systemClock } from "../../src/core/system/clock.ts";
import { createMemoryCache } from "../../src/storage/memory/cache.ts";
import { createMemoryPubSub } from "../../src/storage/memory/pubsub.ts";
import { createAnnouncements } from "../../src/storage/postgres/announcements.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

const TOKENS = "/api/auth/tokens/";
const QUERIES = "/api/queries/saved-queries/";

let t: TestApp;
let other: App;
let announcements: Announcements;
/** Ids of users whose changes the other node has heard of. */
const heard: string[] = [];
beforeAll(async () => {
	t = await startTestApp();
	const connection = t.pool.options as pg.ClientConfig;
	announcements = await createAnnouncements({ connection, log: t.deps.logger, clock: systemClock });
	const own = {
		cache: createMemoryCache(t.clock),
		localCache: createMemoryCache(t.clock),
		pubsub: createMemoryPubSub(),
	};
	other = await buildApp({ ...t.deps, ...own, announcements });
	await other.server.ready();
	// The node itself listens before.
	announcements.listen(
		"session",
		(userId) => heard.push(userId),
		() => {},
	);
});
afterAll(async () => {
	await other.close();
	await announcements.close();
	await t.close();
});

let users = 0;
async function withToken(): Promise<{ user: TestUser; id: string; ask: () => Promise<[number, string | undefined]> }> {
	const user = await t.user(`owner-${++users}`, ["Editor"]);
	const { status, body, text } = await user.api.post(TOKENS, { name: "ci" });
	expect(status, text).toBe(201);
	/** One request to the other node. */
	const ask = async (): Promise<[number, string | undefined]> => {
		const answer = await other.server.inject({ url: QUERIES, headers: { authorization: `Bearer ${body.token}` } });
		return [answer.statusCode, answer.json().code];
	};
	return { user, id: body.id, ask };
}

const CHANGES: readonly { what: string; change: (user: TestUser, id: string) => Promise<{ status: number }> }[] = [
	{ what: "deleted by its owner", change: (user, id) => user.api.del(`${TOKENS}${id}/`) },
	{
		what: "deleted by an administrator",
		change: (user, id) => t.admin.api.del(`/api/auth/management/${user.id}/tokens/${id}/`),
	},
	{
		what: "deactivated with its owner",
		change: (user) => t.admin.api.post(`/api/auth/management/${user.id}/deactivate/`),
	},
	{
		what: "revoked by a new password from an administrator",
		change: (user) =>
			t.admin.api.post(`/api/auth/management/${user.id}/reset_password/`, { new_password: "a fine new password" }),
	},
];

describe("a token on another node", () => {
	it.each(CHANGES)("is refused at the next request once it is $what", async ({ change }) => {
		const { user, id, ask } = await withToken();
		expect(await ask()).toEqual([200, undefined]);
		// It is cached there: a change that is not announced is not seen.
		await t.pool.query("update api_tokens set revoked_at = now() where id = $1", [id]);
		expect(await ask()).toEqual([200, undefined]);
		await t.pool.query("update api_tokens set revoked_at = null where id = $1", [id]);
		heard.length = 0;
		expect((await change(user, id)).status).toBeLessThan(300);
		await waitUntil("the announcement has arrived", () => heard.includes(String(user.id)));
		expect(await ask()).toEqual([401, "token_revoked"]);
	});

	it("has its owner's fewer rights at the next request", async () => {
		const { user, ask } = await withToken();
		expect(await ask()).toEqual([200, undefined]);
		heard.length = 0;
		await setRights(t, user, {});
		await waitUntil("the announcement has arrived", () => heard.includes(String(user.id)));
		expect(await ask()).toEqual([403, undefined]);
	});

	it("is refused at the next request also by a node that cannot hear announcements", async () => {
		const { user, id, ask } = await withToken();
		expect(await ask()).toEqual([200, undefined]);
		await announcements.close();
		expect((await user.api.del(`${TOKENS}${id}/`)).status).toBe(204);
		expect(await ask()).toEqual([401, "token_revoked"]);
	});
});
