/**
 * The service behind a real nginx with the project's configuration: TLS, WebSockets, rates, sizes,
 * addresses, health.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntil } from "../support/harness.ts";
import { missing, type Nginx, startNginx } from "../support/nginx.ts";
import { loginAttempts } from "../support/rights.ts";

/** Headers of every answer, of nginx's own too, each once. */
const PROTECTION = {
	"strict-transport-security": "max-age=31536000; includeSubDomains",
	"x-content-type-options": "nosniff",
};

if (missing !== null) process.stderr.write(`skipped: ${missing}\n`);

describe.skipIf(missing !== null)("behind nginx", () => {
	let t: TestApp;
	let nginx: Nginx;
	let token: string;

	beforeAll(async () => {
		t = await startTestApp({ inProcess: true, rates: { anon: { requests: 1_000, windowMs: 60_000 } } });
		const address = t.app.server.server.address();
		if (typeof address !== "object" || address === null) throw new Error("the service does not listen");
		nginx = await startNginx([`127.0.0.1:${address.port}`]);
		const login = await t.anonymous.post("/api/auth/login/", { username: "root", password: TEST_PASSWORD });
		token = login.body.access;
	});
	afterAll(async () => {
		await nginx?.stop();
		await t?.close();
	});
	const authorized = () => ({ authorization: `Bearer ${token}` });

	it("tells its own health, and the service's", async () => {
		for (const url of [nginx.url, nginx.plainUrl]) {
			const health =
				url === nginx.url ? await nginx.call("GET", "/nginx-health") : await getText(`${url}/nginx-health`);
			expect(health).toMatchObject({ status: 200, text: "healthy" });
		}
		expect(JSON.parse((await nginx.call("GET", "/api/health/")).text)).toMatchObject({ status: "ok" });
	});

	it("sends everything else from HTTP to HTTPS, and answers with HSTS", async () => {
		const moved = await fetch(`${nginx.plainUrl}/api/health/?a=1`, { redirect: "manual" });
		expect(moved.status).toBe(308);
		expect(moved.headers.get("location")).toMatch(/^https:\/\/127\.0\.0\.1\/api\/health\/\?a=1$/);
		const { headers } = await nginx.call("GET", "/api/health/");
		expect(headers).toMatchObject(PROTECTION);
		expect(headers["x-request-id"]).toBeTruthy();
	});

	it("makes links with the address that the client used", async () => {
		for (const name of ["One", "Two"]) {
			await t.admin.api.post("/api/queries/saved-queries/", { name, flow_data: { nodes: [], edges: [] } });
		}
		const list = await nginx.call("GET", "/api/queries/saved-queries/?page_size=1", { headers: authorized() });
		expect(JSON.parse(list.text).next).toMatch(new RegExp(`^${nginx.url}/api/queries/saved-queries/`));
	});

	it("tells the service who calls, and believes no address that a client claims", async () => {
		await nginx.call("POST", "/api/auth/login/", {
			headers: { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" },
			body: JSON.stringify({ username: "root", password: "wrong" }),
		});
		const [attempt] = await loginAttempts(t, "root");
		expect(attempt).toMatchObject({ success: false, ip_address: "127.0.0.1" });
	});

	it("forwards WebSockets, and keeps tickets out of its log", async () => {
		const ticket = JSON.parse((await nginx.call("POST", "/api/ws-ticket/", { headers: authorized() })).text).ticket;
		const job = "00000000-0000-4000-8000-000000000000";
		const socket = await nginx.open(`/ws/chain-execution/${job}/?ticket=${ticket}`);
		const code = await new Promise((resolve) => socket.once("close", resolve));
		// The service itself has closed it: the ticket was good, the job is not there.
		expect(code).toBe(4004);
		const log = await waitUntil("the socket is logged", () => (nginx.log().includes("/ws/") ? nginx.log() : null));
		expect(log).not.toContain(ticket);
	});

	it("takes bodies of up to 50 MB and refuses larger ones in JSON", async () => {
		const send = (bytes: number) =>
			nginx.call("POST", "/api/time-machine/capture/", {
				headers: { ...authorized(), "content-type": "application/json", "content-length": String(bytes) },
				body: Buffer.alloc(bytes, " "),
			});
		expect((await send(49 * 1024 * 1024)).status).toBe(400);
		const refused = await send(51 * 1024 * 1024);
		expect(refused.status).toBe(413);
		expect(JSON.parse(refused.text).detail).toContain("50 MB");
	});

	it("has nothing at /metrics for the world", async () => {
		for (const path of ["/metrics", "/metrics/", "//metrics/", "/%6detrics/"]) {
			const { status, headers } = await nginx.call("GET", path);
			expect([path, status, headers["x-request-id"]]).toEqual([path, 404, undefined]);
		}
	});

	it("allows few sign-ins from one address", async () => {
		const statuses: number[] = [];
		for (let i = 0; i < 8; i++) {
			const { status } = await nginx.call("POST", "/api/auth/password-reset/", {
				headers: { "content-type": "application/json" },
				body: JSON.stringify({ email: "nobody@example.com" }),
			});
			statuses.push(status);
		}
		expect(statuses).toContain(429);
	});

	it("allows bursts and no floods, except where people type", async () => {
		const flood = async (path: string) =>
			(await Promise.all(Array.from({ length: 400 }, () => nginx.call("GET", path)))).map(({ status }) => status);
		const statuses = await flood("/api/health/");
		expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(50);
		expect(statuses).toContain(429);
		const refused = await waitUntil("a refusal is seen", async () => {
			const answers = await Promise.all(Array.from({ length: 200 }, () => nginx.call("GET", "/api/health/")));
			return answers.find(({ status }) => status === 429) ?? null;
		});
		expect(refused.headers["retry-after"]).toBeTruthy();
		expect(JSON.parse(refused.text).detail).toContain("Too many requests");
		const typed = await flood("/api/time-machine/saved-queries/00000000-0000-4000-8000-000000000000/dns/");
		expect(new Set(typed)).toEqual(new Set([401]));
	});

	it("says so in JSON when no process is there", async () => {
		const alone = await startNginx(["127.0.0.1:1"]);
		try {
			const answer = await alone.call("GET", "/api/health/");
			expect(answer.status).toBe(503);
			expect(JSON.parse(answer.text).detail).toContain("cannot be reached");
			expect(answer.headers).toMatchObject(PROTECTION);
		} finally {
			await alone.stop();
		}
	});
});

async function getText(url: string): Promise<{ status: number; text: string }> {
	const answer = await fetch(url);
	return { status: answer.status, text: await answer.text() };
}
