/** Messages about a change window to its requester and its approver, and to nobody else. */
import { beforeAll, describe, expect, it } from "vitest";
import type { TestUser } from "../support/harness.ts";
import { type Notice, useWindows } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, reach } = windows;
/** Sees the connection, and has no part in the windows. */
let bob: TestUser;
beforeAll(async () => {
	bob = await windows.t.user("bob-of-messages", ["Operator"]);
});

/** The notifications of a user about a window, oldest first. */
async function listNotices({ api }: TestUser, id: string): Promise<Notice[]> {
	const { body } = await api.get("/api/notifications/notifications/?page_size=200");
	return body.results.filter(({ link }: Notice) => link === `/change-windows/${id}`).reverse();
}

const listTitles = async (user: TestUser, id: string) => (await listNotices(user, id)).map(({ title }) => title);

/** Creates a window that Kim has approved. */
async function createApproved(fields: object): Promise<string> {
	const { id } = await window({ ticket: { number: "CHG0031337" }, requires_approval: true, ...fields });
	expect((await move(id, "approve", {}, windows.kim.api)).status).toBe(200);
	return id;
}

describe("the messages about a change window", () => {
	it("say to requester and approver why it is blocked", async () => {
		const id = await createApproved({ title: "Blocked one" });
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		await move(id, "start");
		const { gate } = await reach(id, "blocked");
		const expected = {
			title: 'The change window "Blocked one" (CHG0031337) is blocked',
			body: gate.reasons[0].detail,
			severity: "error",
			category: "time_machine",
		};
		expect(await listNotices(windows.ada, id)).toMatchObject([expected]);
		// The first message to the approver was about the approval.
		expect((await listNotices(windows.kim, id)).slice(1)).toMatchObject([expected]);
		expect(await listNotices(bob, id)).toEqual([]);
	});

	it("name three reasons of a blocked window at most", async () => {
		const items = Array.from({ length: 4 }, () => ({ query: windows.query }));
		const { id } = await window({}, { items });
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		await move(id, "start");
		expect((await reach(id, "blocked")).gate.reasons).toHaveLength(4);
		const [notice] = await listNotices(windows.ada, id);
		expect(notice?.body.split("\n")).toHaveLength(3);
	});

	it("name the freeze that blocks it at its start", async () => {
		const [starts, ends] = [2_000, 3_600_000].map((ms) => new Date(windows.t.clock.now() + ms).toISOString());
		const freeze = await windows.kim.api.post("/api/calendar/entries/", {
			kind: "freeze",
			title: "Quarter end",
			controller_connection_ids: [windows.connection],
			starts_at: new Date(windows.t.clock.now() - 60_000).toISOString(),
			ends_at: ends,
		});
		expect(freeze.status, freeze.text).toBe(201);
		const id = await createApproved({ title: "Frozen one", starts_at: starts, auto_start: true });
		await reach(id, "blocked");
		await windows.kim.api.del(`/api/calendar/entries/${freeze.body.id}/`);
		const body = 'The freeze "Quarter end" is active.';
		for (const user of [windows.ada, windows.kim])
			expect((await listNotices(user, id)).at(-1)).toMatchObject({ severity: "error", body });
	});

	it("say that it was signed, once, and by whom", async () => {
		const id = await createApproved({ title: "Signed one" });
		await open(id);
		await judge(id);
		await move(id, "sign", { comment: "Seen" }, windows.kim.api);
		await move(id, "sign", {}, windows.kim.api);
		const signed = 'The change window "Signed one" (CHG0031337) was signed by kim: passed';
		expect(await listTitles(windows.ada, id)).toEqual(['The change window "Signed one" (CHG0031337): passed', signed]);
		expect((await listTitles(windows.kim, id)).at(-1)).toBe(signed);
		expect((await listNotices(windows.ada, id)).at(-1)).toMatchObject({ severity: "info" });
		expect(await listNotices(bob, id)).toEqual([]);
	});

	it("say that it has expired before it was opened", async () => {
		const ends_at = new Date(windows.t.clock.now() + 5_000).toISOString();
		const id = await createApproved({ title: "Expired one", ends_at });
		await reach(id, "expired");
		const expected = {
			title: 'The change window "Expired one" (CHG0031337) has expired',
			body: "Nothing was opened.",
			severity: "warning",
			category: "time_machine",
		};
		expect(await listNotices(windows.ada, id)).toMatchObject([expected]);
		expect((await listNotices(windows.kim, id)).slice(1)).toMatchObject([expected]);
		expect(await listNotices(bob, id)).toEqual([]);
	});
});
