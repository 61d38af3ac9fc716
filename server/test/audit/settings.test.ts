import { AUDIT_CATEGORIES, AUDIT_GROUPS } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const LOGS = "/api/audit/logs/";
const SETTINGS = "/api/audit/settings/";
const ATTEMPTS = "/api/audit/login-attempts/";
const QUERIES = "/api/queries/saved-queries/";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
});
afterAll(() => t.close());

const listEntries = async (query: string): Promise<{ id: number; description: string }[]> => {
	const { status, body } = await t.admin.api.get(`${LOGS}?${query}`);
	expect([status, body]).toEqual([200, body]);
	return body.results;
};

describe("settings", () => {
	const change = (user: TestUser) => user.api.patch("/api/auth/preferences/", { theme: "dark" });
	const recorded = async (action: string) => (await t.admin.api.get(`${LOGS}?action=${action}`)).body.count;

	it("have a switch and a retention for each group, and two limits", async () => {
		const { body } = await t.admin.api.get(SETTINGS);
		expect(Object.keys(body).sort()).toEqual(
			[
				...AUDIT_GROUPS.flatMap((group) => [`${group}_enabled`, `${group}_retention_days`]),
				"content_max_bytes",
				"compress_threshold_bytes",
			].sort(),
		);
		expect(body).toMatchObject({
			authentication_enabled: true,
			api_access_enabled: false,
			content_max_bytes: 10_485_760,
			user_management_retention_days: 365,
			authentication_retention_days: 365,
			group_permission_retention_days: 365,
			api_access_retention_days: 30,
			query_retention_days: 180,
			compress_threshold_bytes: 1_048_576,
		});
		expect([AUDIT_CATEGORIES.length, AUDIT_GROUPS.length]).toEqual([20, 12]);
	});

	it("switch a group off and on at once, and are recorded themselves", async () => {
		const before = await recorded("preferences_update");
		expect((await t.admin.api.patch(SETTINGS, { settings_enabled: false, unknown: 1 })).body.settings_enabled).toBe(
			false,
		);
		expect((await change(ada)).status).toBe(200);
		expect(await recorded("preferences_update")).toBe(before);
		expect((await t.admin.api.patch(SETTINGS, { settings_enabled: true })).body.settings_enabled).toBe(true);
		await change(ada);
		expect(await recorded("preferences_update")).toBe(before + 1);
		const [last, first] = await listEntries("action=audit_settings_update");
		expect([first, last]).toMatchObject([
			{ category: "admin_action", username: "root", metadata: { settings_enabled: false } },
			{ metadata: { settings_enabled: true } },
		]);
		const entries = await recorded("audit_settings_update");
		expect((await t.admin.api.patch(SETTINGS, {})).status).toBe(200);
		expect(await recorded("audit_settings_update")).toBe(entries);
	});

	it("refuse what is none, by name, and change nothing then", async () => {
		for (const [patch, field] of [
			[{ query_enabled: "yes" }, "query_enabled"],
			[{ query_retention_days: 0 }, "query_retention_days"],
			[{ query_retention_days: 4000 }, "query_retention_days"],
			[{ content_max_bytes: 1 }, "content_max_bytes"],
			[{ content_max_bytes: 2048, query_enabled: false }, "compress_threshold_bytes"],
		] as const) {
			const { status, body } = await t.admin.api.patch(SETTINGS, patch);
			expect([status, Object.keys(body)]).toEqual([400, [field]]);
		}
		expect((await t.admin.api.get(SETTINGS)).body).toMatchObject({
			query_enabled: true,
			content_max_bytes: 10_485_760,
		});
	});

	it("say how much of a document is kept, and from which size on compressed", async () => {
		const { body: query } = await ada.api.post(QUERIES, { name: "With content", flow_data: { nodes: [], edges: [] } });
		const report = async (size: number) => {
			await ada.api.post(`${QUERIES}${query.id}/execute/`, {
				success: true,
				response_content: { text: "a".repeat(size) },
			});
			const [entry] = await listEntries(`action=query_run&user=${ada.id}`);
			return (await t.admin.api.get(`${LOGS}${entry?.id}/`)).body;
		};
		await t.admin.api.patch(SETTINGS, { compress_threshold_bytes: 2_000, content_max_bytes: 4_000 });
		expect(await report(1_000)).toMatchObject({ content_compressed: false, content: { text: "a".repeat(1_000) } });
		expect(await report(3_000)).toMatchObject({
			content_compressed: true,
			content_size_bytes: 3_011,
			content: { text: "a".repeat(3_000) },
		});
		expect(await report(5_000)).toMatchObject({
			content: null,
			content_compressed: false,
			content_size_bytes: 5_011,
			metadata: { content_dropped: expect.any(String) },
		});
		const { rows } = await t.pool.query(
			"select octet_length(content) as bytes from audit_log where content_compressed",
		);
		expect(Math.min(...rows.map(({ bytes }) => bytes))).toBeLessThan(200);
		await t.admin.api.patch(SETTINGS, { compress_threshold_bytes: 1_048_576, content_max_bytes: 10_485_760 });
	});
});

describe("calls of the interface", () => {
	it("are recorded while that is switched on, whatever their answer, without their query string", async () => {
		const calls = async () =>
			(await t.admin.api.get(`${LOGS}?category=api_access&user=${ada.id}&ordering=created_at`)).body.results;
		await ada.api.get("/api/auth/profile/?secret=x");
		expect(await calls()).toEqual([]);
		await t.admin.api.patch(SETTINGS, { api_access_enabled: true });
		await ada.api.get("/api/auth/profile/?secret=x", { "x-request-id": "access-1", "x-forwarded-for": "203.0.113.5" });
		await ada.api.get(LOGS);
		await ada.api.del(`${QUERIES}01890000-0000-7000-8000-000000000000/`);
		await ada.api.post(QUERIES, {});
		await t.admin.api.patch(SETTINGS, { api_access_enabled: false });
		await ada.api.get("/api/auth/profile/");
		const found = await calls();
		expect(found.map(({ description }: { description: string }) => description)).toEqual([
			"GET /api/auth/profile/ answered 200",
			"GET /api/audit/logs/ answered 403",
			`DELETE ${QUERIES}01890000-0000-7000-8000-000000000000/ answered 404`,
			`POST ${QUERIES} answered 400`,
		]);
		expect(found[0]).toMatchObject({
			action: "api_call",
			username: "ada",
			request_id: "access-1",
			ip_address: "203.0.113.5",
			target_type: "route",
			target_id: "auth.profile",
			metadata: { method: "GET", path: "/api/auth/profile/", status: 200 },
		});
	});

	it("name the address that called, and nothing that is none", async () => {
		const from = async (header: string) => {
			await t.anonymous.post(
				"/api/auth/login/",
				{ username: "from.where", password: "x" },
				{ "x-forwarded-for": header },
			);
			return (await t.admin.api.get(`${ATTEMPTS}?username=from.where&page_size=1`)).body.results[0].ip_address;
		};
		expect(await from("2001:DB8::7")).toBe("2001:db8::7");
		expect(await from("10.1.2.3:51008")).toBe("10.1.2.3");
		expect(await from("[2001:db8::7]:443")).toBe("2001:db8::7");
		expect(await from("203.0.113.5, <script>")).toBeNull();
		expect(await from("'; drop table users; --")).toBeNull();
		const { body: entries } = await t.admin.api.get(`${LOGS}?username=from.where&ordering=created_at`);
		const addresses = entries.results.map(({ ip_address }: { ip_address: string | null }) => ip_address);
		expect(addresses).toEqual(["2001:db8::7", "10.1.2.3", "2001:db8::7", null, null]);
		const csv = (await t.admin.api.get("/api/audit/logs/export/?username=from.where&ordering=created_at")).text;
		expect(csv).toContain(",from.where,10.1.2.3,");
		expect(csv).toContain(",from.where,,");
	});

	it("name an unknown address in sessions too", async () => {
		const bea = await t.user("bea");
		const { body } = await t.anonymous.post(
			"/api/auth/login/",
			{ username: "bea", password: bea.password },
			{ "x-forwarded-for": "unknown" },
		);
		const sessions = (await t.as(body.access).get("/api/auth/sessions/")).body;
		expect(JSON.stringify(sessions)).toContain('"ip_address":null');
	});
});
