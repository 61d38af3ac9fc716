/** Who sees, uses and changes controller connections, and who may make one the default. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONNECTIONS, createConnectionBodies, UNKNOWN } from "../support/connection-bodies.ts";
import { type Api, startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = [await t.user("ada", ["Editor"]), await t.user("bob")];
});
afterAll(() => t.close());

const { buildBody, addConnection } = createConnectionBodies();

describe("rights", () => {
	const act = async (api: Api, id: string) => ({
		detail: (await api.get(`${CONNECTIONS}${id}/`)).status,
		listed: (await api.get(`${CONNECTIONS}?page_size=200`)).body.results?.some((one: { id: string }) => one.id === id),
		patch: (await api.patch(`${CONNECTIONS}${id}/`, { description: "changed" })).status,
		put: (await api.put(`${CONNECTIONS}${id}/`, buildBody({ is_public: undefined }))).status,
		test: (await api.post(`${CONNECTIONS}${id}/test/`)).status,
		remove: (await api.del(`${CONNECTIONS}${id}/`)).status,
	});
	/** Nothing listens there. */
	const url = "http://127.0.0.1:1";

	it("the owner and administrators do everything", async () => {
		const boss = await t.user("boss", ["Admin"]);
		for (const api of [ada.api, t.admin.api, boss.api]) {
			const { id } = await addConnection(ada.api, { url });
			const all = { detail: 200, listed: true, patch: 200, put: 200, test: 400, remove: 204 };
			expect(await act(api, id)).toEqual(all);
			expect(await act(api, id)).toMatchObject({ detail: 404, patch: 404, put: 404, test: 404, remove: 404 });
		}
	});

	it("others see public connections and change nothing, and do not see private ones", async () => {
		const shared = await addConnection(ada.api, { is_public: true, url });
		const own = await addConnection(ada.api, { url });
		expect(await act(bob.api, shared.id)).toEqual({
			detail: 200,
			listed: true,
			patch: 403,
			put: 403,
			test: 403,
			remove: 403,
		});
		expect((await bob.api.get(`${CONNECTIONS}${shared.id}/`)).body).toMatchObject({
			can_edit: false,
			can_delete: false,
		});
		expect((await t.admin.api.get(`${CONNECTIONS}${own.id}/`)).body).toMatchObject({
			can_edit: true,
			can_delete: true,
		});
		const none = { detail: 404, listed: false, patch: 404, put: 404, test: 404, remove: 404 };
		expect(await act(bob.api, own.id)).toEqual(none);
		expect(await act(bob.api, UNKNOWN)).toEqual(none);
		expect(await act(bob.api, "nonsense")).toEqual(none);
	});

	it("the permissions of the groups count", async () => {
		const shared = await addConnection(ada.api, { is_public: true, url });
		const only = async (username: string, groups: string[]) => {
			const user = await t.user(username, groups);
			await t.setGroups(user, groups);
			return user;
		};
		const viewer = await only("vic", ["Viewer"]);
		expect(await act(viewer.api, shared.id)).toMatchObject({ detail: 200, listed: true, patch: 403, remove: 403 });
		expect((await viewer.api.post(CONNECTIONS, buildBody())).status).toBe(403);
		const mine = buildBody();
		await t.pool.query(
			`insert into controller_connections (id, name, url, username, password_sealed, created_by, created_at, updated_at)
			values ($1, $2, $3, 'x', 'x', $4, now(), now())`,
			[UNKNOWN.replace("8000", "8001"), mine.name, url, viewer.id],
		);
		const { body: seen } = await viewer.api.get(`${CONNECTIONS}${UNKNOWN.replace("8000", "8001")}/`);
		expect(seen).toMatchObject({ can_edit: false, can_delete: false });
		const nobody = await only("nic", []);
		expect((await nobody.api.get(CONNECTIONS)).status).toBe(403);
		expect((await t.anonymous.get(CONNECTIONS)).status).toBe(401);
	});

	it("lists by name, in pages, and offers neither search nor ordering", async () => {
		const cat = await t.user("cat");
		for (const name of ["Site C", "Site A", "Site B"]) await addConnection(cat.api, { name });
		const first = await cat.api.get(`${CONNECTIONS}?page_size=2&search=nothing&ordering=-nonsense`);
		expect(first.status).toBe(200);
		const mine = (answer: { body: { results: { name: string; created_by: { id: number } }[] } }) =>
			answer.body.results.filter(({ created_by }) => created_by.id === cat.id).map(({ name }) => name);
		expect(first.body.results).toHaveLength(2);
		expect(first.body.next).toContain("page=2");
		expect(mine(await cat.api.get(`${CONNECTIONS}?page_size=500`))).toEqual(["Site A", "Site B", "Site C"]);
		expect((await cat.api.get(`${CONNECTIONS}?page=999`)).status).toBe(404);
		expect((await cat.api.get(`${CONNECTIONS}?page_size=0`)).status).toBe(400);
		const all = (await t.admin.api.get(`${CONNECTIONS}?page_size=1`)).body.count;
		const { rows } = await t.pool.query("select count(*)::int as count from controller_connections");
		expect(all).toBe(rows[0].count);
		expect((await cat.api.get(CONNECTIONS)).body.count).toBeLessThan(all);
	});

	it("execute_query is no connection's id", async () => {
		const { status, headers } = await ada.api.get(`${CONNECTIONS}execute_query/`);
		expect(status).toBe(405);
		expect(headers.allow).toBe("POST");
	});
});

describe("the choice of a default", () => {
	it("has own connections, and public ones of administrators; never public ones of other users", async () => {
		const keys = await Promise.all([
			addConnection(ada.api, { is_public: true }),
			addConnection(bob.api),
			addConnection(t.admin.api, { is_public: true }),
			addConnection(t.admin.api),
		]);
		const listCandidates = async ({ api }: TestUser): Promise<boolean[]> => {
			const { results } = (await api.get(`${CONNECTIONS}?page_size=200`)).body;
			return keys.map(
				({ id }) => results.find((each: { id: string }) => each.id === id)?.is_default_candidate ?? false,
			);
		};
		expect(await listCandidates(ada)).toEqual([true, false, true, false]);
		expect(await listCandidates(bob)).toEqual([false, true, true, false]);
		expect(await listCandidates(t.admin)).toEqual([false, false, true, true]);
	});

	it("follows the rights of the owner", async () => {
		const lead = await t.user("lena", ["Editor", "Admin"]);
		const { id } = await addConnection(lead.api, { is_public: true });
		const isCandidate = async () => (await bob.api.get(`${CONNECTIONS}${id}/`)).body.is_default_candidate;
		expect(await isCandidate()).toBe(true);
		await t.pool.query("delete from user_groups where user_id = $1", [lead.id]);
		expect(await isCandidate()).toBe(false);
	});
});
