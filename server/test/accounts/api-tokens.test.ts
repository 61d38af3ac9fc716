/** API tokens, through the API: their use, their rights and what they are refused for. */
import { allRoutes, isAccountRoute, isReadOnlyRoute } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { getSecret } from "../../src/areas/accounts/sign-in/rules/api-token.ts";
import { buildForwardedHeader, createToken, DAY, PROFILE, TOKENS } from "../support/api-tokens.ts";
import { type Answer, type Api, startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { auditEntries, findPermissionIds } from "../support/rights.ts";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
	ada = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

const getCode = ({ status, body }: Answer) => [status, body.code];

describe("a token", () => {
	it("has the record's fields, and its secret in the answer to its creation only", async () => {
		const { status, body } = await ada.api.post(TOKENS, { name: "nightly", expires_in_days: 30, read_only: true });
		expect(status).toBe(201);
		const { token, ...record } = body;
		expect(token).toMatch(/^weft_pat_[0-9A-Za-z]{49}$/);
		expect(record).toEqual({
			id: expect.any(String),
			name: "nightly",
			prefix: token.slice(0, 16),
			permission_ids: null,
			read_only: true,
			allowed_addresses: null,
			expires_at: new Date(t.clock.now() + 30 * DAY).toISOString(),
			created_at: new Date(t.clock.now()).toISOString(),
			last_used_at: null,
			last_used_ip: null,
			owner: { id: ada.id, username: "ada" },
		});
		expect((await ada.api.get(`${TOKENS}${body.id}/`)).body).toEqual(record);
		expect((await ada.api.get(TOKENS)).body).toMatchObject({ count: 1, results: [record] });
		const { rows } = await t.pool.query("select * from api_tokens");
		expect(JSON.stringify(rows)).not.toContain(token);
	});

	it("acts for its owner, and its name is in the audit entry", async () => {
		const { id, api } = await createToken(t, ada, { name: "auditor" });
		expect((await api.get(PROFILE)).body.username).toBe("ada");
		expect((await api.patch("/api/auth/preferences/", { theme: "dark" })).status).toBe(200);
		const entries = await auditEntries(t, { user: String(ada.id) });
		expect(entries.at(-1).metadata).toMatchObject({ api_token: { id, name: "auditor" } });
	});

	it("compares the client address without the port that a gateway adds, and refuses an unknown address", async () => {
		const inside = (await createToken(t, ada, { allowed_addresses: ["10.1.2.0/24", "fd00::/8"] })).api;
		const status = async (api: Api, address: string) => getCode(await api.get(PROFILE, buildForwardedHeader(address)));
		expect(await status(inside, "10.1.2.3:51008")).toEqual([200, undefined]);
		expect(await status(inside, "[fd00::1]:443")).toEqual([200, undefined]);
		const peer = (await createToken(t, ada, { allowed_addresses: ["127.0.0.0/8", "::/0", "0.0.0.0/0"] })).api;
		expect(await status(peer, "10.1.2.3:51008")).toEqual([200, undefined]);
		for (const unknown of ["unknown", "10.1.2.3:x", "_gateway", ""])
			expect(await status(peer, unknown)).toEqual([401, "token_address"]);
		const proxy = (await createToken(t, ada, { allowed_addresses: ["127.0.0.0/8"] })).api;
		expect(await status(proxy, "10.1.2.3:51008")).toEqual([401, "token_address"]);
	});

	it("notifies its owner of a use from an unknown address, and shows none", async () => {
		const { id, api } = await createToken(t, ada, { name: "hidden" });
		await api.get(PROFILE);
		await waitUntil("the first network is stored", async () => {
			const { rows } = await t.pool.query("select network from api_token_networks where token_id = $1", [id]);
			return rows.length === 1;
		});
		await t.clock.advance(61_000);
		await api.get(PROFILE, buildForwardedHeader("unknown"));
		const notice = await waitUntil("the owner has a notification", async () => {
			const { body } = await ada.api.get("/api/notifications/notifications/");
			return body.results.find(({ title }: { title: string }) => title.includes('"hidden" was used'));
		});
		expect(notice.body).toContain("from an unknown address");
		const record = await waitUntil("the use is stored", async () => {
			const { body } = await ada.api.get(`${TOKENS}${id}/`);
			return body.last_used_ip === "127.0.0.1" ? null : body;
		});
		expect(record.last_used_ip).toBeNull();
	});

	it("records its last use, at most once a minute", async () => {
		const { id, api } = await createToken(t, ada);
		const used = async () => (await ada.api.get(`${TOKENS}${id}/`)).body;
		await api.get(PROFILE);
		const first = await waitUntil("the use is stored", async () => (await used()).last_used_at);
		expect((await used()).last_used_ip).toBe("127.0.0.1");
		await t.clock.advance(30_000);
		await api.get(PROFILE);
		expect((await used()).last_used_at).toBe(first);
		await t.clock.advance(31_000);
		await api.get(PROFILE);
		await waitUntil("the later use is stored", async () => (await used()).last_used_at !== first);
	});

	it.each([
		[{ name: "" }, "name"],
		[{ name: "x", expires_in_days: 0 }, "expires_in_days"],
		[{ name: "x", expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
		[{ name: "x", expires_at: "2100-01-01T00:00:00Z", expires_in_days: 3 }, "expires_at"],
		[{ name: "x", permission_ids: [999_999] }, "permission_ids"],
		[{ name: "x", allowed_addresses: ["10.0.0.0/33"] }, "allowed_addresses"],
		[{ name: "x", allowed_addresses: [] }, "allowed_addresses"],
		[{ name: "x", allowed_addresses: ["fe80::1%eth0"] }, "allowed_addresses"],
	])("is refused for %j", async (input, field) => {
		const { status, body } = await ada.api.post(TOKENS, input);
		expect(status).toBe(400);
		expect(Object.keys(body)).toEqual([field]);
	});

	it("may have no permission at all", async () => {
		const { api } = await createToken(t, ada, { permission_ids: [] });
		expect((await api.get(PROFILE)).status).toBe(200);
		expect((await api.get("/api/queries/saved-queries/")).status).toBe(403);
	});

	it("cannot have a permission that its owner lacks", async () => {
		const [id] = await findPermissionIds(t, "approve_automationrequest");
		const { status, body } = await ada.api.post(TOKENS, { name: "x", permission_ids: [id] });
		expect([status, body]).toEqual([
			400,
			{ permission_ids: ["ada does not have the permission approve_automationrequest."] },
		]);
	});
});

describe("the rights of a token", () => {
	it("are the chosen ones, and follow its owner's downwards", async () => {
		const bob = await t.user("bob", ["Editor"]);
		const ids = await findPermissionIds(t, "view_savedquery");
		const { api } = await createToken(t, bob, { permission_ids: ids });
		expect((await api.get("/api/queries/saved-queries/")).status).toBe(200);
		expect((await api.get("/api/controller/connections/")).status).toBe(403);
		await t.setGroups(bob, []);
		await t.pool.query("delete from group_permissions where group_id = (select id from groups where name = 'Users')");
		await t.setGroups(bob, ["Users"]);
		expect((await api.get("/api/queries/saved-queries/")).status).toBe(403);
	});

	it("of a superuser with chosen permissions are these alone", async () => {
		const { api } = await createToken(t, t.admin, { permission_ids: await findPermissionIds(t, "view_savedquery") });
		expect((await api.get("/api/queries/saved-queries/")).status).toBe(200);
		expect((await api.get("/api/controller/connections/")).status).toBe(403);
		expect((await api.get("/api/auth/management/")).status).toBe(403);
		const whole = await createToken(t, t.admin);
		expect((await whole.api.get("/api/auth/management/")).status).toBe(200);
	});

	it("never reach the account itself, and read-only tokens reach nothing that changes or starts something", async () => {
		const plain = await createToken(t, t.admin);
		const reader = await createToken(t, t.admin, { read_only: true });
		const id = "01890000-0000-7000-8000-000000000000";
		for (const route of allRoutes.filter(({ auth }) => auth === "bearer")) {
			const path = route.path.replace(/:\w+/g, id);
			const [payload, headers] = route.body ? ["{}", { "content-type": "application/json" }] : [];
			const what = `${route.method} ${route.path}`;
			const answers = [plain, reader].map(({ api }) => api.send(route.method, path, payload, headers));
			const [byPlain, byReader] = (await Promise.all(answers)) as [Answer, Answer];
			if (isAccountRoute(route)) {
				for (const { status, body } of [byPlain, byReader])
					expect([status, body.detail], what).toEqual([403, expect.stringContaining("API tokens cannot")]);
			} else if (isReadOnlyRoute(route)) {
				expect(String(byReader.body?.detail), what).not.toContain("read-only");
			} else {
				expect([byReader.status, byReader.body.detail], what).toEqual([403, expect.stringContaining("read-only")]);
			}
		}
	});

	it("has its account routes and its read-only routes by name", () => {
		const named = (test: (typeof allRoutes)[number][]) => test.map(({ method, path }) => `${method} ${path}`);
		expect(named(allRoutes.filter(isAccountRoute))).toEqual(
			expect.arrayContaining([
				"POST /api/auth/password/change/",
				"POST /api/auth/mfa/setup/",
				"DELETE /api/auth/sessions/:id/",
				"POST /api/auth/tokens/",
				"DELETE /api/auth/management/:id/tokens/:token_id/",
				"PATCH /api/auth/profile/",
				"POST /api/auth/session-timeout/",
				"POST /api/auth/logout/",
			]),
		);
		const posts = allRoutes.filter((route) => route.method === "POST" && route.auth === "bearer");
		expect(named(posts.filter(isReadOnlyRoute)).sort()).toEqual([
			"POST /api/automation/regex-patterns/test/",
			"POST /api/automation/templates/:id/read-file/",
			"POST /api/automation/templates/:id/read-tables/",
			"POST /api/automation/templates/from-server/",
			"POST /api/automation/templates/validate-input/",
			"POST /api/automation/templates/validate-sheets/",
			"POST /api/change-plans/:id/preview/",
			"POST /api/checks/preview/",
			"POST /api/dashboard/opening/",
			"POST /api/mim/check/",
			"POST /api/queries/import-requests/",
			"POST /api/queries/read-file/",
			"POST /api/queries/saved-queries/:id/version-preview/",
			"POST /api/queries/saved-queries/generate-query/",
			"POST /api/queries/saved-queries/preview/",
			"POST /api/queries/saved-queries/validate-connection/",
			"POST /api/queries/scheduled-tasks/preview/",
			"POST /api/queries/validate-files/",
			"POST /api/time-machine/cleanup/preview/",
			"POST /api/time-machine/compare/",
			"POST /api/ws-ticket/",
		]);
	});
});

describe("a token is refused", () => {
	it("with the reason for each kind", async () => {
		const { token, api, id } = await createToken(t, ada, { expires_in_days: 1 });
		expect((await api.get(PROFILE)).status).toBe(200);
		const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
		expect(getCode(await t.as(wrong).get(PROFILE))).toEqual([401, "token_malformed"]);
		const other = await createToken(t, ada);
		await t.pool.query("delete from api_tokens where id = $1", [other.id]);
		expect(getCode(await other.api.get(PROFILE))).toEqual([401, "token_unknown"]);
		await t.clock.advance(DAY + 1);
		expect(getCode(await api.get(PROFILE))).toEqual([401, "token_expired"]);
		expect((await ada.api.del(`${TOKENS}${id}/`)).status).toBe(204);
		expect(getCode(await api.get(PROFILE))).toEqual([401, "token_revoked"]);
		expect((await ada.api.get(`${TOKENS}${id}/`)).status).toBe(404);
	});

	it("without a look-up once an address has sent too many unknown ones", async () => {
		const { api } = await createToken(t, ada);
		const guess = getSecret(Buffer.alloc(32, 7));
		const lookUps = vi.spyOn(t.deps.store.db, "selectFrom");
		const asked = () => lookUps.mock.calls.filter(([table]) => table === "api_tokens as t").length;
		const statuses: number[] = [];
		for (let i = 0; i < 62; i++)
			statuses.push((await t.as(guess).get(PROFILE, buildForwardedHeader("203.0.113.9"))).status);
		expect([asked(), statuses.slice(58)]).toEqual([60, [401, 401, 429, 429]]);
		lookUps.mockRestore();
		const refused = await api.get(PROFILE, buildForwardedHeader("203.0.113.9"));
		expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
		expect((await api.get(PROFILE, buildForwardedHeader("203.0.113.10"))).status).toBe(200);
		expect((await api.get(PROFILE, buildForwardedHeader("203.0.113.9"))).status).toBe(200);
		await t.clock.advance(60_001);
		expect(getCode(await t.as(guess).get(PROFILE, buildForwardedHeader("203.0.113.9")))).toEqual([
			401,
			"token_unknown",
		]);
	});

	it("from another address than its own", async () => {
		const { api } = await createToken(t, ada, { allowed_addresses: ["10.1.0.0/16", "2001:db8::/32"] });
		expect((await api.get(PROFILE, buildForwardedHeader("10.1.2.3"))).status).toBe(200);
		expect((await api.get(PROFILE, buildForwardedHeader("2001:db8::9"))).status).toBe(200);
		expect(getCode(await api.get(PROFILE, buildForwardedHeader("10.2.2.3")))).toEqual([401, "token_address"]);
	});

	it.each(["deactivated", "given another password"])("once its owner is %s", async (what) => {
		const user = await t.user(`owner-${what.length}`);
		const { api } = await createToken(t, user);
		expect((await api.get(PROFILE)).status).toBe(200);
		const one = `/api/auth/management/${user.id}/`;
		const { status } = await (what === "deactivated"
			? t.admin.api.post(`${one}deactivate/`)
			: t.admin.api.post(`${one}reset_password/`, { new_password: "a fine new password" }));
		expect(status).toBe(200);
		expect(getCode(await api.get(PROFILE))).toEqual([401, "token_revoked"]);
	});

	it("at an open socket too", async () => {
		const { api, id } = await createToken(t, ada);
		const socket = await api.open("/ws/notifications/");
		await waitUntil("the socket has its first frame", () => socket.frames.length > 0);
		await ada.api.del(`${TOKENS}${id}/`);
		await t.clock.advance(10_000);
		expect((await socket.closed).code).toBe(4001);
	});
});
