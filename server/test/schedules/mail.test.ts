/** Mail of scheduled tasks, through a real SMTP server of the test's own. */
import type { AddressInfo } from "node:net";
import { type RunningController, startController } from "@weft/lab";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Mailer } from "../../src/integrations/smtp/port.ts";
import { createSmtpMailer } from "../../src/integrations/smtp/smtp.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const PATH = "/api/queries/scheduled-tasks/";
const SETTINGS = "/api/queries/task-settings/";

interface Received {
	readonly from: string;
	readonly to: string[];
	readonly text: string;
}

let received: Received[] = [];
/** Tries by recipient, and how many of them the server turns away first. */
let tries: Record<string, number> = {};
const busyFor: Record<string, number> = { "later@example.com": 1 };

let smtp: SMTPServer;
let mailer: Mailer;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let task: string;

beforeAll(async () => {
	smtp = new SMTPServer({
		hideSTARTTLS: true,
		allowInsecureAuth: true,
		logger: false,
		onAuth: ({ username, password }, _session, done) =>
			username === "weft" && password === "p@ss/word" ? done(null, { user: username }) : done(new Error("no")),
		onRcptTo: ({ address }, _session, done) => {
			tries[address] = (tries[address] ?? 0) + 1;
			const refusal = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });
			if (address.startsWith("nobody@")) return done(refusal(550, "no such mailbox"));
			if ((tries[address] ?? 0) <= (busyFor[address] ?? 0)) return done(refusal(451, "try again"));
			done();
		},
		onData: (stream, session, done) => {
			const parts: Buffer[] = [];
			stream.on("data", (part: Buffer) => parts.push(part));
			stream.on("end", () => {
				const { mailFrom, rcptTo } = session.envelope;
				const from = mailFrom === false ? "" : mailFrom.address;
				received.push({ from, to: rcptTo.map(({ address }) => address), text: Buffer.concat(parts).toString() });
				done();
			});
		},
	});
	await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
	const { port } = smtp.server.address() as AddressInfo;
	mailer = createSmtpMailer({
		url: `smtp://weft:${encodeURIComponent("p@ss/word")}@127.0.0.1:${port}`,
		from: "weft@example.com",
	});
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true, deps: { mailer } });
	ada = await t.user("ada", ["Editor"]);
	const { url, username, password } = lab;
	const connection = { name: "Fabric", url, username, password, verify_ssl: false };
	const { body: fabric } = await ada.api.post("/api/controller/connections/", connection);
	const { body: query } = await ada.api.post("/api/queries/saved-queries/", {
		name: "Tenants",
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
	});
	const { body: made } = await ada.api.post(PATH, {
		name: "Ünïcode nightly",
		saved_query: query.id,
		controller_connection_ids: [fabric.id],
		frequency: "daily",
		time_of_day: "00:00",
	});
	task = made.id;
});
afterAll(async () => {
	await t.close();
	await mailer.close();
	await lab.close();
	await new Promise<void>((resolve) => smtp.close(() => resolve()));
});
beforeEach(() => {
	[received, tries] = [[], {}];
});

/** Runs the task, with these fields, until its run has ended; gives the run's outcome. */
async function runTask(fields: Record<string, unknown>): Promise<string> {
	const { status } = await ada.api.patch(`${PATH}${task}/`, {
		email_on_success: false,
		email_on_failure: false,
		...fields,
	});
	expect(status).toBe(200);
	await ada.api.post(`${PATH}${task}/execute_now/`);
	return waitUntil("the run has ended", async () => {
		const { rows } = await t.pool.query("select outcome, state from scheduled_runs order by id desc limit 1");
		return rows[0]?.state === "finished" ? rows[0].outcome : null;
	});
}

const broken = { nodes: [], edges: [] };
const getHeader = (mail: Received | undefined, name: string) =>
	new RegExp(`^${name}: (.*)$`, "im").exec((mail?.text ?? "").replace(/\r\n[ \t]+/g, " "))?.[1]?.trim();
const countQueuedMails = async () =>
	(
		await t.pool.query(
			"select count(*)::int as count from pgboss.job where name = 'schedules.email' and state in ('created', 'retry', 'active')",
		)
	).rows[0].count;

it("each recipient gets one mail of their own when the task asks for it", async () => {
	const email_recipients = ["one@example.com", "two@example.com"];
	expect(await runTask({ email_on_success: true, email_recipients })).toBe("success");
	await waitUntil("both have come", () => received.length === 2);
	expect(received.flatMap(({ to }) => to).sort()).toEqual(email_recipients);
	const [mail, other] = received;
	expect(mail?.from).toBe("weft@example.com");
	expect(getHeader(mail, "Subject")).toContain("=?UTF-8?");
	expect(getHeader(mail, "Auto-Submitted")).toBe("auto-generated");
	expect(getHeader(mail, "Message-ID")).toMatch(/^<run\.[0-9a-f-]{36}\.[0-9a-f]{16}@weft>$/);
	expect(getHeader(mail, "Message-ID")).not.toBe(getHeader(other, "Message-ID"));
	expect(mail?.text).toMatch(/Query: Tenants\r\nFabric: \d+ objects\r\n\r\nRun of 2026-01-15T10:/);
	expect(mail?.text).not.toContain(mail?.to[0] === email_recipients[0] ? email_recipients[1] : email_recipients[0]);
});

it("mail that the server cannot take now is tried again under the same message id; one that it refuses is not", async () => {
	const email_recipients = ["nobody@example.com", "later@example.com"];
	expect(await runTask({ email_on_success: true, email_recipients })).toBe("success");
	await waitUntil("the delayed one has come", () => received.length === 1);
	expect(received[0]?.to).toEqual(["later@example.com"]);
	await waitUntil("nothing is left to send", async () => (await countQueuedMails()) === 0);
	expect(tries).toEqual({ "nobody@example.com": 1, "later@example.com": 2 });
});

it("failures go to those who want failures, and nothing goes when the settings say so", async () => {
	const { body: query } = await ada.api.post("/api/queries/saved-queries/", { name: "Empty", flow_data: broken });
	const failing = { saved_query: query.id, email_recipients: ["one@example.com"] };
	expect(await runTask({ ...failing, email_on_success: true })).toBe("failed");
	expect(await countQueuedMails()).toBe(0);
	await t.admin.api.patch(SETTINGS, { email_enabled: false });
	expect(await runTask({ ...failing, email_on_failure: true })).toBe("failed");
	expect(await countQueuedMails()).toBe(0);
	await t.admin.api.patch(SETTINGS, { email_enabled: true, email_from_address: "tasks@example.com" });
	expect(await runTask({ ...failing, email_on_failure: true })).toBe("failed");
	await waitUntil("it has come", () => received.length === 1);
	expect(received[0]?.from).toBe("tasks@example.com");
	expect(received[0]?.text).toContain("The query cannot be run");
});

it("goes to users and allowed domains only, and a task sends no more than a hundred mails an hour", async () => {
	const bob = await t.user("bob");
	const profile = await bob.api.patch("/api/auth/profile/", { email: "Bob@elsewhere.example" });
	expect(profile.status).toBe(200);
	const refused = await ada.api.patch(`${PATH}${task}/`, { email_recipients: ["a@example.com", "x@evil.example"] });
	expect([refused.status, refused.body]).toEqual([
		400,
		{ email_recipients: [expect.stringContaining("x@evil.example")] },
	]);
	expect(await runTask({ email_on_failure: true, email_recipients: ["bob@elsewhere.example"] })).toBe("failed");
	await waitUntil("it has come", () => received.length === 1);

	await t.admin.api.post(`/api/auth/management/${bob.id}/deactivate/`);
	expect(await runTask({ email_on_failure: true })).toBe("failed");
	await waitUntil("nothing is left to send", async () => (await countQueuedMails()) === 0);
	expect(received).toHaveLength(1);

	for (let sent = 0; sent < 100; sent++) await t.deps.cache.increment(`schedules.mail:task:${task}`, 3_600_000);
	expect(await runTask({ email_on_failure: true, email_recipients: ["one@example.com"] })).toBe("failed");
	await waitUntil("nothing is left to send", async () => (await countQueuedMails()) === 0);
	expect(received).toHaveLength(1);
});
