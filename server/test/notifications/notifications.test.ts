/**
 * Notifications through the API: the list, reading, deleting, preferences, announcements, the
 * channel, and whose they are.
 */
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { auditEntries, findAudit } from "../support/rights.ts";
import { createTelling, type Telling } from "../support/telling.ts";

const PATH = "/api/notifications/notifications/";
const PREFERENCES = "/api/notifications/preferences/";
const DAY = 24 * 3_600_000;

let t: TestApp;
let telling: Telling;
let ada: TestUser;
let bob: TestUser;
let names = 0;

beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
	telling = createTelling(t);
});
afterAll(() => t.close());
beforeEach(async () => {
	names++;
	[ada, bob] = [await t.user(`ada${names}`), await t.user(`bob${names}`)];
});

const publishNotice = (user: TestUser, notice = {}) => telling.tell(telling.noticeFor(user.id, notice));
const listNotifications = async (user: TestUser, query = "") => (await user.api.get(PATH + query)).body;
const countUnread = async (user: TestUser) => (await user.api.get(`${PATH}unread_count/`)).body.count;

describe("a notification", () => {
	it("has the specification's fields and is its user's alone", async () => {
		await publishNotice(ada, {
			category: "time_machine",
			severity: "warning",
			title: "Drift",
			body: "Much.",
			link: "/api/x/",
		});
		const { count, next, previous, results } = await listNotifications(ada);
		expect({ count, next, previous }).toEqual({ count: 1, next: null, previous: null });
		expect(results).toEqual([
			{
				id: expect.stringMatching(/^[0-9a-f-]{36}$/),
				category: "time_machine",
				severity: "warning",
				title: "Drift",
				body: "Much.",
				link: "/api/x/",
				read_at: null,
				created_at: expect.any(String),
			},
		]);
		const [{ id }] = results;
		for (const other of [bob, t.admin]) {
			expect((await other.api.post(`${PATH}${id}/mark_read/`)).status).toBe(404);
			expect((await other.api.del(`${PATH}${id}/`)).status).toBe(404);
			expect((await listNotifications(other)).results.map((one: { id: string }) => one.id)).not.toContain(id);
		}
		expect(await countUnread(ada)).toBe(1);
	});

	it("exists exactly if its cause does, once for each key, also for concurrent requests", async () => {
		await expect(
			telling.tell(telling.noticeFor(ada.id), async () => {
				throw new Error("the change failed");
			}),
		).rejects.toThrow("the change failed");
		expect(await listNotifications(ada)).toMatchObject({ count: 0 });
		await Promise.all(Array.from({ length: 8 }, () => publishNotice(ada, { key: "the same" })));
		expect(await listNotifications(ada)).toMatchObject({ count: 1 });
		expect(await countUnread(ada)).toBe(1);
		await publishNotice(bob, { key: "the same" });
		expect(await countUnread(bob)).toBe(1);
	});

	it("fails nothing if its user was deleted", async () => {
		await publishNotice({ ...ada, id: 2_000_000_000 });
		await t.admin.api.del(`/api/auth/management/${bob.id}/`);
		await publishNotice(bob);
	});

	it("is cut where it is too long, and says so", async () => {
		await publishNotice(ada, { title: `a\n${"🙂".repeat(400)}`, body: `\0${"x".repeat(9_000)}\ud800` });
		const [{ title, body }] = (await listNotifications(ada)).results;
		expect(title.length).toBeLessThanOrEqual(300);
		expect(title).toMatch(/^a 🙂+…$/u);
		expect(body).toHaveLength(8_000);
		expect(body.endsWith("x…")).toBe(true);
	});

	it("is marked as read, which once done changes nothing", async () => {
		await publishNotice(ada);
		const [{ id }] = (await listNotifications(ada)).results;
		const first = await ada.api.post(`${PATH}${id}/mark_read/`);
		expect([first.status, first.body.read_at]).toEqual([200, new Date(t.clock.now()).toISOString()]);
		await t.clock.advance(1_000);
		expect((await ada.api.post(`${PATH}${id}/mark_read/`)).body).toEqual(first.body);
		expect(await countUnread(ada)).toBe(0);
		const entries = await findAudit(t, id);
		expect(entries).toMatchObject([{ category: "notification_management", action: "notification_read" }]);
	});

	it("is deleted from the lists at once, and from the store after 30 days", async () => {
		await publishNotice(ada);
		await publishNotice(ada);
		const [{ id }] = (await listNotifications(ada)).results;
		expect((await ada.api.del(`${PATH}${id}/`)).status).toBe(204);
		expect((await ada.api.del(`${PATH}${id}/`)).status).toBe(404);
		expect((await ada.api.post(`${PATH}${id}/mark_read/`)).status).toBe(404);
		expect([await listNotifications(ada), await countUnread(ada)]).toMatchObject([{ count: 1 }, 1]);
		const kept = async () => (await t.pool.query("select 1 from notifications where id = $1", [id])).rows.length;
		await t.clock.advance(30 * DAY - 1);
		const timers = telling.work();
		// What the first look leaves is there for the next one, an hour later.
		await waitUntil("frames were looked at", async () => {
			const { rows } = await t.pool.query("select 1 from notification_frames where user_id = $1", [ada.id]);
			return rows.length === 0;
		});
		expect(await kept()).toBe(1);
		await t.clock.advance(3_600_000);
		await waitUntil("it is purged", async () => (await kept()) === 0);
		timers.stop();
		expect([await listNotifications(ada), await countUnread(ada)]).toMatchObject([{ count: 1 }, 1]);
	});

	it.each(["not-an-id", "01890000-0000-7000-8000-000000000000", "%00"])("that is none (%s) is a 404", async (id) => {
		expect((await ada.api.post(`${PATH}${id}/mark_read/`)).status).toBe(404);
		expect((await ada.api.del(`${PATH}${id}/`)).status).toBe(404);
	});
});

describe("the list", () => {
	it("is filtered, ordered and paged", async () => {
		for (let i = 0; i < 5; i++) {
			await publishNotice(ada, {
				title: `Number ${i}`,
				category: i % 2 ? "system" : "time_machine",
				severity: i === 4 ? "error" : "info",
			});
			await t.clock.advance(1_000);
		}
		const titles = async (query: string) =>
			(await listNotifications(ada, query)).results.map(({ title }: { title: string }) => Number(title.slice(7)));
		const [, { id }] = (await listNotifications(ada)).results;
		await ada.api.post(`${PATH}${id}/mark_read/`);
		expect(await titles("")).toEqual([4, 3, 2, 1, 0]);
		expect(await titles("?ordering=created_at")).toEqual([0, 1, 2, 3, 4]);
		expect(await titles("?unread=true")).toEqual([4, 2, 1, 0]);
		expect(await titles("?unread=false")).toEqual([3]);
		expect(await titles("?category=system")).toEqual([3, 1]);
		expect(await titles("?category=system&unread=true")).toEqual([1]);
		expect(await titles("?severity=error")).toEqual([4]);
		expect(await titles("?page_size=2&page=3")).toEqual([0]);
		expect(await listNotifications(ada, "?page_size=2&unread=true")).toMatchObject({ count: 4 });
		expect((await ada.api.get(`${PATH}?page_size=2&page=4`)).status).toBe(404);
	});

	it.each([
		["unread=maybe", "unread"],
		["category=nothing", "category"],
		["severity=fatal", "severity"],
		["ordering=title", "ordering"],
		["page=0", "page"],
	])("refuses %s", async (query, field) => {
		const { status, body } = await ada.api.get(`${PATH}?${query}`);
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});

	it("is all read at once", async () => {
		for (let i = 0; i < 3; i++) await publishNotice(ada);
		await publishNotice(bob);
		expect((await ada.api.post(`${PATH}mark_all_read/`)).body).toEqual({ updated: 3 });
		expect((await ada.api.post(`${PATH}mark_all_read/`)).body).toEqual({ updated: 0 });
		expect([await countUnread(ada), await countUnread(bob)]).toEqual([0, 1]);
	});

	it("marks thousands of unread notifications as read", async () => {
		await t.pool.query(
			`insert into notifications (id, user_id, category, severity, title, body, key, created_at)
			select gen_random_uuid(), $1, 'system', 'info', 't', '', n::text, now() + n * interval '1 ms' from generate_series(1, 10001) n`,
			[ada.id],
		);
		await t.pool.query("insert into notification_inboxes (user_id, total, unread) values ($1, 10001, 10001)", [ada.id]);
		expect((await ada.api.post(`${PATH}mark_all_read/`)).body).toEqual({ updated: 10_001 });
		expect([await countUnread(ada), (await listNotifications(ada, "?unread=true")).count]).toEqual([0, 0]);
		const { rows } = await t.pool.query(
			"select count(*)::int as frames, max(seq)::int as last from notification_frames where user_id = $1",
			[ada.id],
		);
		expect(rows[0]).toEqual({ frames: 10_001, last: 10_001 });
	});

	it("has counters that are what is counted, whatever is done at the same time", async () => {
		const step = fc.constantFrom("tell", "read", "all", "delete");
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
				const { results } = await listNotifications(ada, "?page_size=200");
				let at = 0;
				await Promise.all(
					steps.map((name) => {
						const id = results[at++ % Math.max(1, results.length)]?.id;
						if (name === "tell" || id === undefined) return publishNotice(ada);
						if (name === "all") return ada.api.post(`${PATH}mark_all_read/`);
						return name === "read" ? ada.api.post(`${PATH}${id}/mark_read/`) : ada.api.del(`${PATH}${id}/`);
					}),
				);
				const { rows } = await t.pool.query(
					`select i.total, i.unread, i.last_frame::int as frames,
						(select count(*)::int from notifications n where n.user_id = $1 and deleted_at is null) as listed,
						(select count(*)::int from notifications n where n.user_id = $1 and deleted_at is null and read_at is null) as open,
						(select count(*)::int from notification_frames f where f.user_id = $1) as told
					from notification_inboxes i where i.user_id = $1`,
					[ada.id],
				);
				const [row = { total: 0, unread: 0, frames: 0, listed: 0, open: 0, told: 0 }] = rows;
				expect([row.total, row.unread, row.frames]).toEqual([row.listed, row.open, row.told]);
			}),
			{ numRuns: 12 },
		);
	});
});

describe("preferences", () => {
	it("have defaults, and are changed field by field", async () => {
		const { body: before } = await ada.api.get(PREFERENCES);
		const both = { in_app: true, email: true };
		expect(before).toEqual({
			in_app_enabled: true,
			email_enabled: false,
			digest_enabled: false,
			categories: { scheduled_task: both, automation_execution: both, time_machine: both, system: both },
			quiet_hours_start: null,
			quiet_hours_end: null,
		});
		const changed = await ada.api.patch(PREFERENCES, {
			digest_enabled: true,
			quiet_hours_start: "22:00",
			quiet_hours_end: "06:30",
			categories: { system: { email: false } },
		});
		expect(changed.status).toBe(200);
		expect(changed.body).toEqual({
			...before,
			digest_enabled: true,
			quiet_hours_start: "22:00",
			quiet_hours_end: "06:30",
			categories: { ...before.categories, system: { in_app: true, email: false } },
		});
		expect((await ada.api.get(PREFERENCES)).body).toEqual(changed.body);
		expect((await bob.api.get(PREFERENCES)).body).toEqual(before);
		await ada.api.patch(PREFERENCES, {});
		expect(await auditEntries(t, { user: String(ada.id), action: "preferences_update" })).toHaveLength(1);
	});

	it("of two changes at once keep both", async () => {
		await Promise.all([
			ada.api.patch(PREFERENCES, { digest_enabled: true }),
			ada.api.patch(PREFERENCES, { email_enabled: true }),
			ada.api.patch(PREFERENCES, { categories: { system: { in_app: false } } }),
			ada.api.patch(PREFERENCES, { categories: { time_machine: { in_app: false } } }),
		]);
		expect((await ada.api.get(PREFERENCES)).body).toMatchObject({
			digest_enabled: true,
			email_enabled: true,
			categories: { system: { in_app: false }, time_machine: { in_app: false } },
		});
	});

	it.each([
		[{ quiet_hours_start: "22:00" }, "quiet_hours_end"],
		[{ quiet_hours_end: "22:00" }, "quiet_hours_start"],
		[{ quiet_hours_start: "24:00", quiet_hours_end: "06:00" }, "quiet_hours_start"],
		[{ quiet_hours_start: "07:00", quiet_hours_end: "07:00" }, "quiet_hours_end"],
		[{ in_app_enabled: "yes" }, "in_app_enabled"],
		[{ categories: { system: { email: 1 } } }, "categories.system.email"],
		[{ categories: [] }, "categories"],
	])("refuse %j", async (patch, field) => {
		const { status, body } = await ada.api.patch(PREFERENCES, patch);
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});

	it("keep out of the list what is not wanted there", async () => {
		await ada.api.patch(PREFERENCES, { categories: { system: { in_app: false } } });
		await publishNotice(ada, { category: "system", key: "s" });
		await publishNotice(ada, { category: "time_machine" });
		expect(await listNotifications(ada)).toMatchObject({ count: 1, results: [{ category: "time_machine" }] });
		await ada.api.patch(PREFERENCES, { in_app_enabled: false });
		await publishNotice(ada, { category: "time_machine" });
		expect([await listNotifications(ada), await countUnread(ada)]).toMatchObject([{ count: 1 }, 1]);
		await ada.api.patch(PREFERENCES, { in_app_enabled: true, categories: { system: { in_app: true } } });
		await publishNotice(ada, { category: "system", key: "s" });
		expect(await countUnread(ada)).toBe(1);
	});
});

describe("the system tells", () => {
	it("every active user what an administrator announces", async () => {
		const path = "/api/notifications/announcements/";
		await t.admin.api.post(`/api/auth/management/${bob.id}/deactivate/`);
		expect((await ada.api.post(path, { title: "Hello" })).status).toBe(403);
		const { rows } = await t.pool.query("select count(*)::int as count from users where is_active");
		const said = await t.admin.api.post(path, { title: "Maintenance at 18:00", severity: "warning", link: "/status" });
		expect([said.status, said.body]).toEqual([201, { recipients: rows[0].count }]);
		expect((await listNotifications(ada)).results).toMatchObject([
			{ category: "system", severity: "warning", title: "Maintenance at 18:00", body: "", link: "/status" },
		]);
		for (const link of ["https://example.com/", "//example.com/", "/\\example.com", "javascript:alert(1)"]) {
			expect(Object.keys((await t.admin.api.post(path, { title: "x", link })).body)).toEqual(["link"]);
		}
		expect((await t.admin.api.post(path, { title: " " })).status).toBe(400);
	});

	it("people what happens to their account", async () => {
		await t.admin.api.post(`/api/auth/management/${ada.id}/disable_mfa/`);
		expect((await listNotifications(ada)).results).toMatchObject([
			{ category: "system", severity: "warning", title: expect.stringContaining("second factor") },
		]);
	});
});

describe("counters elsewhere", () => {
	it("say the same: auth stats", async () => {
		await publishNotice(ada);
		expect((await ada.api.get("/api/auth/stats/")).body.notifications_unread).toBe(1);
	});
});

describe("the channel", () => {
	const getTypes = (socket: { frames: { type: string }[] }) => socket.frames.map(({ type }) => type);

	it("begins with the count, and tells at once what comes, is read and is deleted, in order, on every socket of the user", async () => {
		await publishNotice(ada, { title: "Before" });
		const sockets = [await ada.api.open("/ws/notifications/"), await ada.api.open("/ws/notifications/")];
		const other = await bob.api.open("/ws/notifications/");
		for (const socket of [...sockets, other]) await waitUntil("the count has come", () => socket.frames.length === 1);
		expect(sockets[0]?.frames[0]).toMatchObject({ type: "unread_count", data: { count: 1 } });
		expect(other.frames[0]?.data).toEqual({ count: 0 });
		await publishNotice(ada, { category: "system", severity: "error", title: "Now", body: "b", link: "/l" });
		for (const socket of sockets) await waitUntil("the frames arrive", () => socket.frames.length === 3);
		const { results } = await listNotifications(ada);
		const { read_at: _, created_at, ...shown } = results[0];
		expect(sockets[1]?.frames.slice(1)).toEqual([
			{ type: "notification_created", timestamp: created_at, data: shown },
			{ type: "unread_count", timestamp: expect.any(String), data: { count: 2 } },
		]);
		await ada.api.post(`${PATH}${shown.id}/mark_read/`);
		await ada.api.post(`${PATH}mark_all_read/`);
		await ada.api.del(`${PATH}${shown.id}/`);
		for (const socket of sockets)
			await waitUntil("the deletion arrives", () => getTypes(socket).includes("notification_deleted"));
		expect(sockets[0]?.frames.filter(({ type }) => type !== "unread_count").slice(1)).toMatchObject([
			{ type: "notification_read", data: { id: shown.id } },
			{ type: "notification_read", data: { id: results[1].id } },
			{ type: "notification_deleted", data: { id: shown.id } },
		]);
		await waitUntil(
			"the last count is told",
			() => sockets[0]?.frames.findLast(({ type }) => type === "unread_count")?.data.count === 0,
		);
		expect(other.frames).toHaveLength(1);
		for (const socket of [...sockets, other]) socket.close();
	});

	it("tells all of many, each once, with the count at the end", async () => {
		const socket = await ada.api.open("/ws/notifications/");
		await waitUntil("the count has come", () => socket.frames.length === 1);
		await telling.many(ada.id, 450);
		const created = () => socket.frames.filter(({ type }) => type === "notification_created");
		await waitUntil("all have come", () => created().length === 450);
		expect(created().map(({ data }) => data.title)).toEqual(Array.from({ length: 450 }, (_, i) => `Number ${i}`));
		await waitUntil("the count is right", () => socket.frames.at(-1)?.data.count === 450);
		expect(socket.frames.filter(({ type }) => type === "unread_count").length).toBeLessThan(10);
		socket.close();
	});

	it("tells what was committed while no wake-up came", async () => {
		const socket = await ada.api.open("/ws/notifications/");
		await waitUntil("the count has come", () => socket.frames.length === 1);
		await createTelling(t, { pubsub: { ...t.deps.pubsub, publish: async () => {} } }).tell(telling.noticeFor(ada.id));
		expect(socket.frames).toHaveLength(1);
		await t.clock.advance(5_000);
		await waitUntil("the frames arrive", () => getTypes(socket).includes("notification_created"));
		socket.close();
	});

	it("is closed to those who may not see notifications", async () => {
		await t.setGroups(ada, []);
		const socket = await ada.api.open("/ws/notifications/");
		expect((await socket.closed).code).toBe(4003);
		expect((await ada.api.get(PATH)).status).toBe(403);
	});
});
