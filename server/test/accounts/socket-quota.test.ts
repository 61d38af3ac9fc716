/** The quota of open sockets of one user, over all processes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { buildApp } from "../../src/app.ts";
import { systemClock } from "../../src/core/system/clock.ts";
import { createAnnouncements } from "../../src/storage/postgres/announcements.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil, waitUntilAfter } from "../support/harness.ts";

const PATH = "/ws/notifications/";
const TICKET = "/api/ws-ticket/";

let t: TestApp;
let users = 0;
beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
});
afterAll(() => t.close());

function buildSocketAddress(): string {
	const bound = t.app.server.server.address();
	return `ws://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`;
}

/** A user whose quota of sockets is `limit`. */
async function addUser(limit: number): Promise<TestUser> {
	const name = `Sockets ${++users}`;
	await t.admin.api.post("/api/auth/groups/", { name, quota: { sockets_max: limit } });
	return t.user(`viewer${users}`, [name, "Viewer"]);
}

/** Opens a socket and waits for its first frame. */
async function openSocket(user: TestUser) {
	const socket = await user.api.open(PATH);
	await waitUntil("the socket has its first frame", () => socket.frames.length > 0);
	return socket;
}
const readOpen = async (user: TestUser) => (await user.api.get("/api/auth/quota-usage/")).body.usage.sockets_open;

describe("the quota of open sockets", () => {
	it("refuses the ticket of one more, until a socket closes", async () => {
		const ada = await addUser(2);
		const [first] = [await openSocket(ada), await openSocket(ada)];
		expect(await readOpen(ada)).toBe(2);
		expect(await ada.api.post(TICKET)).toMatchObject({
			status: 403,
			body: {
				detail: "Your quota of live connections (2) is used up. Close other tabs. An administrator can raise it.",
				quota: "sockets_max",
			},
		});
		expect((await ada.api.post("/api/dashboard/opening/")).body.ws_ticket).toBeNull();
		first.close();
		await waitUntil("a place is free", async () => (await readOpen(ada)) === 1);
		await openSocket(ada);
	});

	it("closes one more with 4003 when tickets were issued before", async () => {
		const ben = await addUser(3);
		const tickets: string[] = [];
		for (let count = 0; count < 8; count++) tickets.push((await ben.api.post(TICKET)).body.ticket);
		const refusals: { code: number; reason: string }[] = [];
		for (const ticket of tickets) {
			const socket = new WebSocket(`${buildSocketAddress()}${PATH}?ticket=${ticket}`);
			socket.on("close", (code, reason) => refusals.push({ code, reason: String(reason) }));
		}
		await waitUntil("all but three are closed", () => refusals.length === 5);
		for (const { code, reason } of refusals) {
			expect(code).toBe(4003);
			expect(reason).toMatch(/^sockets_max: Your quota of live connections \(3\) is used up/);
		}
		expect(await readOpen(ben)).toBe(3);
		await t.admin.api.put(`/api/auth/groups/${await findGroup(ben)}/quota/`, { sockets_max: 4 });
		await openSocket(ben);
	});

	it("limits a user without a quota to 20 sockets, and administrators not at all", async () => {
		const cleo = await t.user("cleo-sockets");
		for (let count = 0; count < 20; count++) await openSocket(cleo);
		expect((await cleo.api.post(TICKET)).body.quota).toBe("sockets_max");
		for (let count = 0; count < 21; count++) await openSocket(t.admin);
	});

	it("counts the sockets of all processes, and those of a process that died until its lease ends", async () => {
		const dora = await addUser(1);
		const announcements = await createAnnouncements({
			connection: t.pool.options,
			log: t.deps.logger,
			clock: systemClock,
		});
		const other = await buildApp({ ...t.deps, announcements });
		await other.declareQueues();
		await other.server.listen({ host: "127.0.0.1", port: 0 });
		try {
			await openSocket(dora);
			const answer = await other.server.inject({ method: "POST", url: TICKET, headers: await authorizeSocket(dora) });
			expect(answer.statusCode).toBe(403);
		} finally {
			await other.close();
			await announcements.close();
		}
		const eve = await addUser(1);
		const lease = new Date(t.clock.now() + 60_000);
		const died = "11111111-1111-4111-8111-111111111111";
		await t.pool.query("insert into socket_processes values ($1, $2)", [died, lease]);
		await t.pool.query("insert into open_sockets values (gen_random_uuid(), $1, $2)", [died, eve.id]);
		expect((await eve.api.post(TICKET)).status).toBe(403);
		await waitUntilAfter(t.clock, 20_000, "the lease has ended", async () => (await readOpen(eve)) === 0);
		await openSocket(eve);
		const isGone = async () =>
			(await t.pool.query("select 1 from socket_processes where id = $1", [died])).rowCount === 0;
		await waitUntilAfter(t.clock, 20_000, "the process is removed", isGone);
	});

	it("stores the sockets again after another process took this one for dead", async () => {
		const finn = await addUser(1);
		await openSocket(finn);
		await t.pool.query("delete from socket_processes");
		expect(await readOpen(finn)).toBe(0);
		await waitUntilAfter(t.clock, 20_000, "the lease is extended", async () => (await readOpen(finn)) === 1);
	});
});

async function findGroup({ username }: TestUser): Promise<number> {
	const { results } = (await t.admin.api.get("/api/auth/groups/?page_size=500")).body;
	return results.find(({ name }: { name: string }) => name === `Sockets ${username.replace("viewer", "")}`).id;
}

async function authorizeSocket({ username, password }: TestUser): Promise<Record<string, string>> {
	const { access } = (await t.anonymous.post("/api/auth/login/", { username, password })).body;
	return { authorization: `Bearer ${access}` };
}
