/** The notice to administrators about built-in groups that an upgrade has changed. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApp, type TestApp, until } from "../support/harness.ts";

const NOTIFICATIONS = "/api/notifications/notifications/?page_size=200";
const HOUR = 3_600_000;

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp({ work: true });
});
afterAll(() => t.close());

async function listNotices(): Promise<{ id: string; title: string; severity: string; body: string }[]> {
	const { body } = await t.admin.api.get(NOTIFICATIONS);
	return body.results.filter(({ link }: { link: string }) => link === "/api/auth/groups/");
}

it("is not sent by a new service", async () => {
	await t.clock.advance(2 * HOUR);
	expect(await listNotices()).toEqual([]);
});

it("is sent once after an upgrade, and counts the viewers who can still write", async () => {
	await t.user("viola", ["Viewer"]);
	await t.pool.query("insert into upgrade_notices (key) values ('groups')");
	await t.clock.advance(HOUR);
	await until("administrators have it", async () => (await listNotices()).length > 0);
	const [notice] = await listNotices();
	expect(notice).toMatchObject({ title: "Built-in groups are complete by themselves now", severity: "warning" });
	expect(notice?.body).toContain("1 of those in Viewer are in Users too");
	await t.admin.api.del(`/api/notifications/notifications/${notice?.id}/`);
	await t.clock.advance(2 * HOUR);
	expect(await listNotices()).toEqual([]);
});
