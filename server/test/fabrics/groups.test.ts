/** Groups of controller connections through the API: members, and who sees and changes a group. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

const PATH = "/api/controller/connection-groups/";
const CONNECTIONS = "/api/controller/connections/";
const UNKNOWN = "01890000-0000-7000-8000-000000000000";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = [await t.user("ada", ["Editor"]), await t.user("bob", ["Editor"])];
});
afterAll(() => t.close());

let counter = 0;
async function addConnection(api: Api, fields: Record<string, unknown> = {}): Promise<string> {
	const login = { url: "https://apic.example.com", username: "admin", password: "a password" };
	const { status, body } = await api.post(CONNECTIONS, { name: `Fabric ${++counter}`, ...login, ...fields });
	expect(status).toBe(201);
	return body.id;
}
async function addGroup(api: Api, fields: Record<string, unknown> = {}) {
	const { status, body } = await api.post(PATH, { name: `Group ${++counter}`, ...fields });
	expect(status).toBe(201);
	return body;
}

describe("fields", () => {
	it("are answered in full, with the members in their order", async () => {
		const [one, two, three] = [
			await addConnection(ada.api),
			await addConnection(ada.api),
			await addConnection(ada.api),
		];
		const connection_ids = [three, one, two];
		const { status, body: made } = await ada.api.post(PATH, {
			name: "  Production ",
			description: "All sites",
			connection_ids: [three, one, three.toUpperCase(), two],
			is_public: true,
		});
		expect(status).toBe(201);
		const at = new Date(t.clock.now()).toISOString();
		expect(made).toEqual({
			id: expect.stringMatching(/^[0-9a-f-]{36}$/),
			name: "Production",
			description: "All sites",
			connection_ids,
			hidden_count: 0,
			is_public: true,
			created_by: { id: ada.id, username: "ada", first_name: "", last_name: "" },
			created_at: at,
			updated_at: at,
			can_edit: true,
			can_delete: true,
		});
		expect((await ada.api.get(`${PATH}${made.id}/`)).body).toEqual(made);
		expect((await ada.api.get(PATH)).body.results).toContainEqual(made);
	});

	it("have defaults, which PUT sets; PATCH changes the given ones only", async () => {
		const [one, two] = [await addConnection(ada.api), await addConnection(ada.api)];
		const made = await addGroup(ada.api);
		expect(made).toMatchObject({ description: "", connection_ids: [], is_public: false });
		await t.clock.advance(1000);
		const path = `${PATH}${made.id}/`;
		const changed = await ada.api.patch(path, { connection_ids: [two, one], description: "x" });
		const updated_at = new Date(t.clock.now()).toISOString();
		expect(changed.body).toEqual({ ...made, connection_ids: [two, one], description: "x", updated_at });
		expect((await ada.api.patch(path, { is_public: true })).body).toMatchObject({ connection_ids: [two, one] });
		expect((await ada.api.patch(path, { connection_ids: [one] })).body.connection_ids).toEqual([one]);
		expect((await ada.api.patch(path, {})).status).toBe(200);
		const put = await ada.api.put(path, { name: "Put" });
		expect(put.body).toMatchObject({ name: "Put", description: "", connection_ids: [], is_public: false });
	});

	it.each<[Record<string, unknown>, string]>([
		[{ name: undefined }, "name"],
		[{ name: " " }, "name"],
		[{ name: "x".repeat(101) }, "name"],
		[{ description: "x".repeat(2001) }, "description"],
		[{ connection_ids: "all" }, "connection_ids"],
		[{ connection_ids: [UNKNOWN] }, "connection_ids"],
		[{ connection_ids: Array.from({ length: 51 }, () => UNKNOWN) }, "connection_ids"],
		[{ connection_ids: ["nonsense"] }, "connection_ids.0"],
		[{ is_public: "yes" }, "is_public"],
	])("refuses %j under %s and makes nothing", async (fields, key) => {
		const before = (await ada.api.get(PATH)).body.count;
		const { status, body } = await ada.api.post(PATH, { name: `Group ${++counter}`, ...fields });
		expect([status, Object.keys(body)]).toEqual([400, [key]]);
		expect((await ada.api.get(PATH)).body.count).toBe(before);
	});

	it("a name is unique per owner, also of two that come at once", async () => {
		const answers = await Promise.all([ada.api.post(PATH, { name: "Once" }), ada.api.post(PATH, { name: "Once" })]);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
		expect(answers.find(({ status }) => status === 400)?.body).toEqual({ name: [expect.any(String)] });
		const others = await addGroup(bob.api, { name: "Once" });
		await addGroup(bob.api, { name: "Twice" });
		expect((await bob.api.patch(`${PATH}${others.id}/`, { name: "Twice" })).body).toEqual({
			name: [expect.any(String)],
		});
	});
});

describe("members", () => {
	it("that the caller does not see are counted, not shown, and stay when the others change", async () => {
		const [shared, secret, own] = [
			await addConnection(ada.api, { is_public: true }),
			await addConnection(ada.api),
			await addConnection(bob.api, { is_public: true }),
		];
		const { id } = await addGroup(ada.api, { connection_ids: [secret, shared, own], is_public: true });
		const path = `${PATH}${id}/`;
		expect((await bob.api.get(path)).body).toMatchObject({ connection_ids: [shared, own], hidden_count: 1 });
		expect((await t.admin.api.get(path)).body).toMatchObject({
			connection_ids: [secret, shared, own],
			hidden_count: 0,
		});
		const refused = await bob.api.post(PATH, { name: "Mine", connection_ids: [shared, secret] });
		expect([refused.status, refused.body]).toEqual([400, { connection_ids: [expect.stringContaining(secret)] }]);

		// Bob's connection is a member that its owner takes from the others' sight.
		await bob.api.patch(`${CONNECTIONS}${own}/`, { is_public: false });
		expect((await ada.api.get(path)).body).toMatchObject({ connection_ids: [secret, shared], hidden_count: 1 });
		const changed = await ada.api.patch(path, { connection_ids: [shared] });
		expect(changed.body).toMatchObject({ connection_ids: [shared], hidden_count: 1 });
		expect((await t.admin.api.get(path)).body.connection_ids).toEqual([shared, own]);
		const given = await ada.api.patch(path, { connection_ids: [own, shared] });
		expect([given.status, given.body]).toEqual([400, { connection_ids: [expect.stringContaining(own)] }]);
		expect((await t.admin.api.patch(path, { connection_ids: [] })).body).toMatchObject({ connection_ids: [] });
		expect((await ada.api.get(path)).body.hidden_count).toBe(0);
	});

	it("that the caller does not see keep their order behind the others, and their places in other groups", async () => {
		const [first, second, shown] = [
			await addConnection(ada.api, { is_public: true }),
			await addConnection(ada.api, { is_public: true }),
			await addConnection(bob.api),
		];
		const group = await addGroup(bob.api, { connection_ids: [second, shown, first] });
		const other = await addGroup(ada.api, { connection_ids: [first, second] });
		for (const id of [first, second]) await ada.api.patch(`${CONNECTIONS}${id}/`, { is_public: false });
		const changed = await bob.api.patch(`${PATH}${group.id}/`, { connection_ids: [shown] });
		expect(changed.body).toMatchObject({ connection_ids: [shown], hidden_count: 2 });
		expect((await t.admin.api.get(`${PATH}${group.id}/`)).body.connection_ids).toEqual([shown, second, first]);
		expect((await ada.api.get(`${PATH}${other.id}/`)).body.connection_ids).toEqual([first, second]);
	});

	it("leave with their connections; a group leaves its connections alone", async () => {
		const [one, two] = [await addConnection(ada.api), await addConnection(ada.api)];
		const { id } = await addGroup(ada.api, { connection_ids: [one, two] });
		expect((await ada.api.del(`${CONNECTIONS}${one}/`)).status).toBe(204);
		expect((await ada.api.get(`${PATH}${id}/`)).body).toMatchObject({ connection_ids: [two], hidden_count: 0 });
		expect((await ada.api.del(`${PATH}${id}/`)).status).toBe(204);
		expect((await ada.api.get(`${PATH}${id}/`)).status).toBe(404);
		expect((await ada.api.get(`${CONNECTIONS}${two}/`)).status).toBe(200);
	});

	it("that are deleted while a group is made are refused or leave it", async () => {
		for (let i = 0; i < 5; i++) {
			const connection = await addConnection(ada.api);
			const [made, gone] = await Promise.all([
				ada.api.post(PATH, { name: `Race ${i}`, connection_ids: [connection] }),
				ada.api.del(`${CONNECTIONS}${connection}/`),
			]);
			expect(gone.status).toBe(204);
			expect([201, 400]).toContain(made.status);
			if (made.status === 201) expect((await ada.api.get(`${PATH}${made.body.id}/`)).body.connection_ids).toEqual([]);
		}
	});
});

describe("who sees and does what", () => {
	const act = async (api: Api, id: string) => ({
		detail: (await api.get(`${PATH}${id}/`)).status,
		listed: (await api.get(`${PATH}?page_size=200`)).body.results?.some((one: { id: string }) => one.id === id),
		patch: (await api.patch(`${PATH}${id}/`, { description: "changed" })).status,
		put: (await api.put(`${PATH}${id}/`, { name: `Put ${++counter}`, is_public: true })).status,
		remove: (await api.del(`${PATH}${id}/`)).status,
	});

	it("the owner and administrators do everything, others see public groups only", async () => {
		const [own, shared] = [await addGroup(ada.api), await addGroup(ada.api, { is_public: true })];
		const none = { detail: 404, listed: false, patch: 404, put: 404, remove: 404 };
		expect(await act(bob.api, own.id)).toEqual(none);
		expect(await act(bob.api, UNKNOWN)).toEqual(none);
		expect(await act(bob.api, shared.id)).toEqual({ detail: 200, listed: true, patch: 403, put: 403, remove: 403 });
		expect((await bob.api.get(`${PATH}${shared.id}/`)).body).toMatchObject({ can_edit: false, can_delete: false });
		expect(await act(ada.api, own.id)).toEqual({ detail: 200, listed: true, patch: 200, put: 200, remove: 204 });
		expect(await act(t.admin.api, shared.id)).toMatchObject({ detail: 200, listed: true, patch: 200, remove: 204 });
		expect((await t.anonymous.get(PATH)).status).toBe(401);
	});

	it("the permissions of the groups of users count", async () => {
		const viewer = await t.user("vic", ["Viewer"]);
		await t.setGroups(viewer, ["Viewer"]);
		expect((await viewer.api.get(PATH)).status).toBe(200);
		expect((await viewer.api.post(PATH, { name: "No" })).status).toBe(403);
	});

	it("changes leave audit entries", async () => {
		const connection = await addConnection(ada.api);
		const { id } = await addGroup(ada.api);
		await ada.api.patch(`${PATH}${id}/`, { connection_ids: [connection] });
		await ada.api.del(`${PATH}${id}/`);
		const entries = await findAudit(t, id);
		expect(entries.map(({ action }) => action)).toEqual([
			"connection_group_create",
			"connection_group_update",
			"connection_group_delete",
		]);
		for (const entry of entries) expect(entry).toMatchObject({ category: "controller_management", user_id: ada.id });
		expect(entries[1].metadata).toEqual({ fields: ["connection_ids"], connection_ids: [connection] });
	});
});
