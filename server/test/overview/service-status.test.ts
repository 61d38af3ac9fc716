/** The service's status, its first setup and the test mail, for administrators. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DirectoryUnavailable } from "../../src/integrations/ldap/port.ts";
import { MailRefused } from "../../src/integrations/smtp/port.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

const STATUS = "/api/service/status/";
const SETUP = "/api/service/setup/";
const TEST_MAIL = "/api/service/test-mail/";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

describe("the status of the service", () => {
	it("names the process, the store, and what is not configured", async () => {
		const { status, body } = await t.admin.api.get(STATUS);
		expect(status).toBe(200);
		expect(body).toMatchObject({
			version: "0.0.0-test",
			nodes: [{ host: "machine.example.com", roles: ["web", "worker"], is_alive: true, is_answering: true }],
			store: { health: "healthy", error: null },
			mail: { health: "not_configured" },
			directory: { health: "not_configured" },
			identity_provider: { health: "not_configured", label: null },
			backups: [],
		});
		expect(body.store.size_bytes).toBeGreaterThan(1_000_000);
		expect(body.store.version).toMatch(/^\d+/);
	});

	it("calls a process silent that has not reported for 90 seconds", async () => {
		await t.pool.query(
			`insert into service_nodes values ('00000000-0000-4000-8000-000000000001', 'old.example.com', 7, '1', '{web}', $1, $2)`,
			[new Date(t.clock.now() - 600_000), new Date(t.clock.now() - 91_000)],
		);
		const { nodes } = (await t.admin.api.get(STATUS)).body;
		expect(nodes.map(({ host, is_alive }: { host: string; is_alive: boolean }) => [host, is_alive])).toEqual([
			["machine.example.com", true],
			["old.example.com", false],
		]);
	});

	it("says why the directory cannot be asked", async () => {
		const directory = {
			authenticate: async () => null,
			findPeople: async () => {
				throw new DirectoryUnavailable("connect ECONNREFUSED");
			},
			rules: { groupMap: {}, adminGroup: null },
		};
		const app = await startTestApp({ deps: { directory } });
		try {
			expect((await app.admin.api.get(STATUS)).body.directory).toEqual({
				health: "down",
				error: "connect ECONNREFUSED",
			});
		} finally {
			await app.close();
		}
	});

	it("refuses everything to who is no administrator", async () => {
		const user = await t.user("status.viewer", ["Viewer"]);
		const answers = await Promise.all([user.api.get(STATUS), user.api.get(SETUP), user.api.post(TEST_MAIL, {})]);
		expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
	});
});

describe("the first setup", () => {
	const readStates = async () =>
		Object.fromEntries(
			(await t.admin.api.get(SETUP)).body.steps.map(({ step, state }: Record<string, string>) => [step, state]),
		);

	it("knows what is done, keeps what was left out, and audits it", async () => {
		expect(await readStates()).toMatchObject({ fabric: "open", automation: "open", mail: "open" });
		const { status, body } = await t.admin.api.patch(SETUP, { skipped: ["automation", "mail"] });
		expect([status, body.is_complete]).toEqual([200, false]);
		const connection = { name: "Fabric", url: "http://controller.test", username: "u", password: "p" };
		expect((await t.admin.api.post("/api/controller/connections/", connection)).status).toBe(201);
		await t.user("second.person");
		expect(await readStates()).toEqual({ fabric: "done", automation: "skipped", mail: "skipped", people: "done" });
		expect((await t.admin.api.get(SETUP)).body.is_complete).toBe(true);
		await t.admin.api.patch(SETUP, { skipped: ["automation"] });
		expect(await readStates()).toMatchObject({ automation: "skipped", mail: "open" });
		expect(await auditEntries(t, { action: "setup_update" })).toHaveLength(2);
	});

	it("refuses a step that does not exist", async () => {
		expect((await t.admin.api.patch(SETUP, { skipped: ["coffee"] })).status).toBe(400);
	});
});

describe("the test mail", () => {
	it("says that no mail server is configured", async () => {
		const { status, body } = await t.admin.api.post(TEST_MAIL, {});
		expect([status, body.success]).toEqual([200, false]);
		expect(body.message).toContain("WEFT_SMTP_URL");
	});

	it("goes to the caller's own address, and says why the server refused it", async () => {
		const sent: string[] = [];
		let isRefused = false;
		const mailer = {
			async send({ to }: { readonly to: string }) {
				if (isRefused) throw new MailRefused("550 no such sender");
				sent.push(to);
			},
			async close() {},
		};
		const app = await startTestApp({ deps: { mailer } });
		try {
			expect((await app.admin.api.post(TEST_MAIL, {})).body.message).toContain("has no email address");
			await app.admin.api.patch("/api/auth/profile/", { email: "root@example.com" });
			expect((await app.admin.api.post(TEST_MAIL, {})).body).toEqual({
				success: true,
				message: "The mail server took a mail to root@example.com.",
			});
			expect(sent).toEqual(["root@example.com"]);
			isRefused = true;
			expect((await app.admin.api.post(TEST_MAIL, {})).body).toEqual({
				success: false,
				message: "The mail server did not take the mail: 550 no such sender",
			});
			expect((await app.admin.api.get(STATUS)).body.mail).toMatchObject({ health: "healthy", has_address: false });
		} finally {
			await app.close();
		}
	});
});
