/**
 * The owners of API tokens: administrators, superusers and service accounts, notices, and the
 * longest life.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildForwardedHeader, createToken, DAY, listLaterNotices, PROFILE, TOKENS } from "../support/api-tokens.ts";
import { type Answer, startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
	ada = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

const getCode = ({ status, body }: Answer) => [status, body.code];

describe("tokens of others", () => {
	it("are seen and revoked by administrators only", async () => {
		const { id, api } = await createToken(t, ada, { name: "hers" });
		const eve = await t.user("eve");
		expect((await eve.api.get(`${TOKENS}?owner=all`)).status).toBe(403);
		expect((await eve.api.get(`${TOKENS}?owner=${ada.id}`)).status).toBe(403);
		expect((await eve.api.get(`${TOKENS}${id}/`)).status).toBe(404);
		expect((await eve.api.del(`${TOKENS}${id}/`)).status).toBe(404);
		const { body } = await t.admin.api.get(`${TOKENS}?owner=all&page_size=200`);
		expect(body.results.map((row: { id: string }) => row.id)).toContain(id);
		const managed = `/api/auth/management/${ada.id}/tokens/`;
		expect((await t.admin.api.get(managed)).body.results.map((row: { id: string }) => row.id)).toContain(id);
		expect((await t.admin.api.post(managed, { name: "x" })).status).toBe(400);
		expect((await t.admin.api.del(`${managed}${id}/`)).status).toBe(204);
		expect(getCode(await api.get(PROFILE))).toEqual([401, "token_revoked"]);
	});
});

describe("tokens of superusers", () => {
	it("are seen and revoked by superusers only", async () => {
		const chief = await t.user("chief", ["Admin"]);
		const { id, api } = await createToken(t, t.admin, { name: "of root" });
		await createToken(t, ada);
		const onlySuperusers = [403, { detail: "Only a superuser may do this with a superuser." }];
		const one = `/api/auth/management/${t.admin.id}/tokens/`;
		for (const path of [one, `${TOKENS}?owner=${t.admin.id}`, `${TOKENS}${id}/`]) {
			const { status, body } = await chief.api.get(path);
			expect([status, body], path).toEqual(onlySuperusers);
		}
		for (const path of [`${one}${id}/`, `${TOKENS}${id}/`]) {
			const { status, body } = await chief.api.del(path);
			expect([status, body], path).toEqual(onlySuperusers);
		}
		const owners = async (user: TestUser): Promise<string[]> =>
			(await user.api.get(`${TOKENS}?owner=all&page_size=200`)).body.results.map(
				({ owner }: { owner: { username: string } }) => owner.username,
			);
		expect(await owners(chief)).not.toContain("root");
		expect(await owners(chief)).toContain("ada");
		expect(await owners(t.admin)).toContain("root");
		expect((await api.get(PROFILE)).status).toBe(200);
		expect((await chief.api.get(`${TOKENS}?owner=999999`)).status).toBe(404);
	});
});

describe("the options of a token", () => {
	it("are the caller's own permissions and the bound of its life", async () => {
		const hal = await t.user("hal", ["Viewer"]);
		const { status, body } = await hal.api.get(`${TOKENS}options/`);
		expect([status, body.max_days]).toEqual([200, null]);
		const own = (await hal.api.get(PROFILE)).body.permissions;
		expect(body.permissions.map(({ codename }: { codename: string }) => codename).sort()).toEqual([...own].sort());
		const ids = body.permissions.map(({ id }: { id: number }) => id);
		expect((await hal.api.post(TOKENS, { name: "all", permission_ids: ids })).status).toBe(201);
		const { rows } = await t.pool.query("select id from permissions");
		expect((await t.admin.api.get(`${TOKENS}options/`)).body.permissions).toHaveLength(rows.length);
	});
});

describe("a service account", () => {
	it("has tokens from administrators, and no way to sign in", async () => {
		const add = (more: object) => t.admin.api.post("/api/auth/management/", { username: "svc-ci", ...more });
		expect((await add({ auth_source: "service", password: "a fine new password" })).body).toHaveProperty("password");
		expect((await add({})).body).toHaveProperty("password");
		const { status, body: account } = await add({ auth_source: "service" });
		expect([status, account.auth_source]).toEqual([201, "service"]);
		const one = `/api/auth/management/${account.id}/`;
		const made = await t.admin.api.post(`${one}tokens/`, { name: "ci" });
		expect(made.status, made.text).toBe(201);
		expect(made.body.owner).toEqual({ id: account.id, username: "svc-ci" });
		expect((await t.as(made.body.token).get(PROFILE)).body.username).toBe("svc-ci");
		const login = await t.anonymous.post("/api/auth/login/", { username: "svc-ci", password: "" });
		expect(login.status).toBe(400);
		expect((await t.anonymous.post("/api/auth/login/", { username: "svc-ci", password: "x" })).status).toBe(401);
		const reset = await t.admin.api.post(`${one}reset_password/`, { new_password: "a fine new password" });
		expect(reset.status).toBe(400);
		expect((await t.admin.api.post(`${one}generate_reset_code/`)).status).toBe(400);
	});
});

describe("the owner is notified", () => {
	const titles = async (user: TestUser): Promise<string[]> =>
		(await listLaterNotices(user.api)).map(({ title }) => title);

	it("of use from a new network, once, and not of the first one", async () => {
		const fay = await t.user("fay", ["Editor"]);
		const { api } = await createToken(t, fay, { name: "roaming" });
		await api.get(PROFILE, buildForwardedHeader("10.1.1.1"));
		await waitUntil(
			"the first network is stored",
			async () => (await t.pool.query("select 1 from api_token_networks where network = '10.1.1.0/24'")).rowCount,
		);
		await api.get(PROFILE, buildForwardedHeader("10.1.1.2"));
		for (let i = 0; i < 3; i++) await api.get(PROFILE, buildForwardedHeader(`10.9.9.${i}`));
		await waitUntil("the notification is there", async () => (await titles(fay)).length > 0);
		expect(await titles(fay)).toEqual(['API token "roaming" was used from a new network']);
	});

	it("of the second of two networks that are new at the same time", async () => {
		const ivy = await t.user("ivy", ["Editor"]);
		const { api } = await createToken(t, ivy, { name: "twins" });
		await Promise.all(["10.3.1.1", "10.3.2.1"].map((ip) => api.get(PROFILE, buildForwardedHeader(ip))));
		await waitUntil("the notification is there", async () => (await titles(ivy)).length > 0);
		expect(await titles(ivy)).toEqual(['API token "twins" was used from a new network']);
	});

	it("of a service account's token by who created it, with a link to the account", async () => {
		const kim = await t.user("kim", ["Admin"]);
		const account = await kim.api.post("/api/auth/management/", { username: "svc-kim", auth_source: "service" });
		const managed = `/api/auth/management/${account.body.id}/tokens/`;
		const { body } = await kim.api.post(managed, { name: "machine" });
		for (const ip of ["10.6.1.1", "10.6.2.1"]) await t.as(body.token).get(PROFILE, buildForwardedHeader(ip));
		await waitUntil("the notification is there", async () => (await titles(kim)).length > 0);
		const told = await listLaterNotices(kim.api);
		expect(told).toMatchObject([{ title: 'API token "machine" was used from a new network', link: managed }]);
	});

	it("that further networks are not reported", async () => {
		const jan = await t.user("jan", ["Editor"]);
		const { id, api } = await createToken(t, jan, { name: "everywhere" });
		await t.pool.query(
			`insert into api_token_networks select $1, '10.4.' || n || '.0/24', now() from generate_series(1, 199) n`,
			[id],
		);
		await api.get(PROFILE, buildForwardedHeader("10.5.1.1"));
		await waitUntil("the notification is there", async () => (await titles(jan)).length > 0);
		await api.get(PROFILE, buildForwardedHeader("10.5.2.1"));
		const told = await listLaterNotices(jan.api);
		expect(told).toMatchObject([{ body: expect.stringContaining("Further networks are not reported.") }]);
	});

	it("seven days before the token expires, once", async () => {
		const gus = await t.user("gus", ["Editor"]);
		await createToken(t, gus, { name: "short", expires_in_days: 8 });
		const app = t.app;
		await app.work();
		await t.clock.advance(DAY + 3_600_000);
		await waitUntil("the notification is there", async () => (await titles(gus)).length > 0);
		await t.clock.advance(3_600_000);
		expect(await titles(gus)).toEqual(['API token "short" expires soon']);
	});
});

describe("WEFT_TOKEN_MAX_DAYS", () => {
	it("bounds every life, and is taken where none is given", async () => {
		const bounded = await startTestApp({ deps: { tokenMaxDays: 30 } });
		const { body } = await bounded.admin.api.post(TOKENS, { name: "x" });
		expect(Date.parse(body.expires_at)).toBe(bounded.clock.now() + 30 * DAY);
		const tooLong = await bounded.admin.api.post(TOKENS, { name: "x", expires_in_days: 31 });
		expect([tooLong.status, tooLong.body]).toEqual([400, { expires_in_days: ["Must be at most 30 days from now."] }]);
		expect((await bounded.admin.api.get(`${TOKENS}options/`)).body.max_days).toBe(30);
		await bounded.close();
	});

	it("ends tokens that were created before it was lowered, and shows when", async () => {
		const bounded = await startTestApp({ deps: { tokenMaxDays: 30 } });
		const { api } = bounded.admin;
		async function createAgedToken(days: number) {
			const { body } = await api.post(TOKENS, { name: `of ${days} days` });
			const created = new Date(bounded.clock.now() - days * DAY);
			const unbounded = "update api_tokens set created_at = $2, expires_at = null where id = $1";
			await bounded.pool.query(unbounded, [body.id, created]);
			return { id: body.id, api: bounded.as(body.token), end: new Date(created.getTime() + 30 * DAY).toISOString() };
		}
		const [old, young] = [await createAgedToken(31), await createAgedToken(20)];
		expect(getCode(await old.api.get(PROFILE))).toEqual([401, "token_expired"]);
		expect((await young.api.get(PROFILE)).status).toBe(200);
		for (const { id, end } of [old, young]) {
			expect((await api.get(`${TOKENS}${id}/`)).body.expires_at).toBe(end);
			expect((await api.get(TOKENS)).body.results.find((row: { id: string }) => row.id === id).expires_at).toBe(end);
		}
		await bounded.app.work();
		await bounded.clock.advance(4 * DAY);
		const told = () => listLaterNotices(api);
		await waitUntil("the notification is there", async () => (await told()).length > 0);
		expect(await told()).toMatchObject([{ title: 'API token "of 20 days" expires soon' }]);
		await bounded.clock.advance(7 * DAY);
		expect(getCode(await young.api.get(PROFILE))).toEqual([401, "token_expired"]);
		await bounded.close();
	});
});
