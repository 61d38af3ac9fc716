/** Rates and locks of sign-ins: by network of the client, and of failures only. */
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import WebSocket from "ws";
import { DEFAULT_RATES } from "../../src/core/http/throttle.ts";
import { startTestApp, TEST_PASSWORD, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp({ rates: { login: DEFAULT_RATES.login, anon: { requests: 3, windowMs: 60_000 } } });
	for (const name of ["ada", "bea", "cleo", "dan"]) await t.user(name);
});
afterAll(() => t.close());

const postLogin = async (username: string, password: string, ip: string) =>
	(await t.anonymous.post("/api/auth/login/", { username, password }, { "x-forwarded-for": ip })).status;

it("counts the failures of one IPv6 /64 as those of one client", async () => {
	for (let n = 1; n <= 5; n++) expect(await postLogin("ada", "wrong", `2001:db8:1:2:${n}::1`)).toBe(401);
	expect(await postLogin("ada", TEST_PASSWORD, "2001:db8:1:2:ffff::9")).toBe(429);
	expect(await postLogin("ada", TEST_PASSWORD, "2001:db8:1:3::9")).toBe(200);
	for (let n = 1; n <= 4; n++) expect(await postLogin(`ghost${n}`, "wrong", `2001:db8:1:2::${n}`)).toBe(401);
	expect(await postLogin("bea", TEST_PASSWORD, "2001:db8:1:2:7::1")).toBe(429);
});

it("lets many people behind one address sign in within a minute", async () => {
	for (let n = 0; n < 15; n++) expect(await postLogin("bea", TEST_PASSWORD, "192.0.2.1")).toBe(200);
	for (let n = 0; n < 10; n++) expect(await postLogin(`nobody${n}`, "wrong", "192.0.2.1")).toBe(401);
	expect(await postLogin("bea", TEST_PASSWORD, "192.0.2.1")).toBe(429);
});

it("takes ten right passwords of one user at once", async () => {
	const statuses = await Promise.all(Array.from({ length: 10 }, () => postLogin("cleo", TEST_PASSWORD, "192.0.2.2")));
	expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
});

it("lets parallel guesses of one client try five passwords", async () => {
	const guesses = Array.from({ length: 10 }, (_, n) => postLogin("dan", `wrong ${n}`, `2001:db8:9::${n + 1}`));
	const statuses = await Promise.all(guesses);
	expect(statuses.filter((status) => status === 401)).toHaveLength(5);
	expect(statuses.filter((status) => status === 429)).toHaveLength(5);
});

it("refuses upgrades of sockets after too many without a valid ticket, and counts no valid one", async () => {
	const { port } = t.app.server.server.address() as AddressInfo;
	const open = async (ticket: string) => {
		const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/notifications/?ticket=${ticket}`);
		return new Promise<number>((resolve) => {
			socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
			socket.on("close", (code) => resolve(code));
			socket.on("message", () => {
				resolve(101);
				socket.close();
			});
			socket.on("error", () => {});
		});
	};
	for (let n = 0; n < 5; n++) {
		const { ticket } = (await t.admin.api.post("/api/ws-ticket/")).body;
		expect(await open(ticket)).toBe(101);
	}
	for (let n = 0; n < 3; n++) expect(await open("wrong")).toBe(4001);
	expect(await open("wrong")).toBe(429);
});
