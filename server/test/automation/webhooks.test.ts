/**
 * The receiver of the automation server's notifications: who may call, what a call leads to, and
 * what it never does.
 */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, type Rig, startRig } from "../support/automation.ts";
import { startTestApp, TEST_WEBHOOK_SECRET } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

const PATH = `${API}webhooks/receiver/`;
let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
	await rig.t.app.server.ready();
});
afterAll(() => rig.close());

const sendWebhook = (body: unknown, signature?: string, path = PATH, method = "POST") =>
	rig.t.anonymous.send(method, path, typeof body === "string" ? body : JSON.stringify(body), {
		"content-type": "application/json",
		...(signature === undefined ? {} : { "x-automation-webhook-signature": signature }),
	});
const signBody = (body: unknown, secret = TEST_WEBHOOK_SECRET) =>
	`sha256=${createHmac("sha256", secret).update(JSON.stringify(body)).digest("hex")}`;

/** A job that runs, and that nobody looks at for a long while. */
async function startExecution() {
	const template = await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 3600 } });
	const request = await rig.request(template);
	const { id } = await rig.execute(request);
	const execution = await rig.settle("it runs", async () => {
		const found = await rig.execution(id);
		return found.status === "running" ? found : null;
	});
	await rig.t.pool.query("update automation_executions set poll_at = now() + interval '100 years' where id = $1", [id]);
	return { request, id, job: execution.automation_job_id as number };
}

describe("a webhook", () => {
	it("accepts calls with the secret, or with a body that is signed by it, and no others", async () => {
		const body = { id: 999_999 };
		expect((await sendWebhook(body, TEST_WEBHOOK_SECRET)).body).toEqual({ status: "received", matched: 0 });
		expect((await sendWebhook(body, signBody(body))).status).toBe(200);
		expect((await sendWebhook(body, TEST_WEBHOOK_SECRET, PATH, "PUT")).status).toBe(200);
		const uniform = [
			await sendWebhook(body),
			await sendWebhook(body, ""),
			await sendWebhook(body, "wrong"),
			await sendWebhook(body, TEST_WEBHOOK_SECRET.slice(0, -1)),
			await sendWebhook(body, `${TEST_WEBHOOK_SECRET}x`),
			await sendWebhook(body, signBody({ id: 1 })),
			await sendWebhook(body, signBody(body, "another secret of the same sort, not the right one")),
			await sendWebhook(body, `sha256=${"0".repeat(64)}`),
		];
		for (const answer of uniform) expect([answer.status, answer.text]).toEqual([401, uniform[0]?.text]);
	});

	it("has its secret checked before the body is read", async () => {
		expect((await sendWebhook("{", "wrong")).status).toBe(401);
		for (const body of ["{", "[1]", "1", '"x"', "null", "\ufeff{}"]) {
			expect((await sendWebhook(body, TEST_WEBHOOK_SECRET)).status, body).toBe(400);
		}
	});

	it("refuses every call while no secret is configured, and shows its health to all", async () => {
		const closed = await startTestApp({ deps: { webhookSecrets: [] } });
		const headers = { "content-type": "application/json", "x-automation-webhook-signature": "" };
		const answer = await closed.anonymous.send("POST", PATH, "{}", headers);
		expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "3600"]);
		expect((await closed.anonymous.get(`${API}webhooks/health/`)).body).toEqual({ status: "ok" });
		await closed.close();
	});

	it("accepts the old and the new secret during a change", async () => {
		const older = "the secret that was used before, long enough";
		const both = await startTestApp({ deps: { webhookSecrets: [TEST_WEBHOOK_SECRET, older] } });
		for (const secret of [TEST_WEBHOOK_SECRET, older]) {
			const headers = { "content-type": "application/json", "x-automation-webhook-signature": secret };
			expect((await both.anonymous.send("POST", PATH, '{"id":1}', headers)).status).toBe(200);
		}
		await both.close();
	});
});

describe("what a call leads to", () => {
	it("the job is read back from the server; the body is only a hint", async () => {
		const { request, id, job } = await startExecution();
		const lie = { id: job, status: "successful", hosts: { leaf101: { failed: false } } };
		expect((await sendWebhook(lie, TEST_WEBHOOK_SECRET)).body).toEqual({ status: "received", matched: 1 });
		for (let look = 0; look < 10; look++) await rig.t.clock.advance(1_000);
		expect((await rig.execution(id)).status).toBe("running");
		await rig.lab.control("end", { id: job, status: "failed", explanation: "Job terminated due to error" });
		await rig.t.pool.query("update automation_executions set poll_at = now() + interval '100 years' where id = $1", [
			id,
		]);
		await sendWebhook({ id: job, status: "running" }, TEST_WEBHOOK_SECRET);
		expect((await rig.over(request, 5_000)).status).toBe("failed");
		expect((await sendWebhook({ id: job }, TEST_WEBHOOK_SECRET)).body.matched).toBe(0);
	});

	it("replays lead to one look each second", async () => {
		const { request, id, job } = await startExecution();
		rig.lab.resetRequests();
		for (let call = 0; call < 50; call++) await sendWebhook({ id: job }, TEST_WEBHOOK_SECRET);
		for (let look = 0; look < 3; look++) await rig.t.clock.advance(500);
		await rig.settle("it was looked at", () => rig.lab.requests().length > 0);
		expect(rig.lab.requests().filter(({ target }) => target.includes("unified_jobs")).length).toBeLessThan(5);
		await rig.alice.api.post(`${API}executions/${id}/cancel/`);
		await rig.over(request);
	});

	it("the connection is told by the address or the query", async () => {
		const { request, id, job } = await startExecution();
		const matched = async (body: unknown, query = "") =>
			(await sendWebhook(body, TEST_WEBHOOK_SECRET, PATH + query)).body.matched;
		expect(await matched({ id: job, url: `${rig.lab.url}/#/jobs/playbook/${job}` })).toBe(1);
		expect(await matched({ id: job, url: "https://towerhost/#/jobs/playbook/1" })).toBe(1);
		// A template of a notification makes a text of the number.
		expect(await matched({ id: String(job) })).toBe(1);
		expect(await matched({ id: job }, `?connection=${rig.connection}`)).toBe(1);
		expect(await matched({ id: job }, "?connection=01890000-0000-7000-8000-000000000000")).toBe(0);
		const other = await rig.alice.api.post(`${API}connections/`, {
			name: "Other",
			base_url: "https://other.example.com",
			oauth_token: "x",
		});
		expect(other.status).toBe(201);
		expect(await matched({ id: job, url: "https://other.example.com/#/jobs/playbook/1" })).toBe(0);
		for (const odd of [0, -1, 1.5, `${job}.0`, ` ${job}`, "", null, 2 ** 40, [job]])
			expect(await matched({ id: odd })).toBe(0);
		await rig.alice.api.post(`${API}executions/${id}/cancel/`);
		await rig.over(request);
	});

	it("the server's own notifications are understood", async () => {
		const address = rig.t.app.server.server.address();
		const port = typeof address === "object" ? address?.port : 0;
		const url = `http://127.0.0.1:${port}${PATH}`;
		const call = (path: string, body: unknown) =>
			fetch(`${rig.lab.apiUrl}${path}`, {
				method: "POST",
				headers: { authorization: `Bearer ${rig.lab.token}`, "content-type": "application/json" },
				body: JSON.stringify(body),
			});
		const made = await call("notification_templates/", {
			name: "weft",
			notification_configuration: { url, headers: { "X-Automation-Webhook-Signature": TEST_WEBHOOK_SECRET } },
		});
		const { id } = (await made.json()) as { id: number };
		for (const trigger of ["started", "success", "error"]) {
			await call(`job_templates/22/notification_templates_${trigger}/`, { id });
		}
		await call(`notification_templates/${id}/test/`, {});
		const request = await rig.request(await rig.template());
		await rig.execute(request);
		expect((await rig.over(request)).status).toBe("successful");
		const sent = async () => {
			const answer = await fetch(`${rig.lab.apiUrl}notification_templates/${id}/notifications/`, {
				headers: { authorization: `Bearer ${rig.lab.token}` },
			});
			return ((await answer.json()) as { results: { status: string; error: string }[] }).results;
		};
		await rig.settle(
			"three were sent",
			async () => (await sent()).filter(({ status }) => status === "successful").length === 3,
		);
	});
});

describe("the test", () => {
	it("passes through the receiver, and is for administrators", async () => {
		expect((await rig.alice.api.post(`${API}webhooks/test/`, { job_id: 1 })).status).toBe(403);
		const { status, body } = await rig.t.admin.api.post(`${API}webhooks/test/`, { job_id: 999_999, status: "failed" });
		expect([status, body]).toEqual([200, { status: "received", matched: 0 }]);
		const entries = await auditEntries(rig.t, { action: "webhook_test" });
		expect(entries).toHaveLength(1);
		expect(JSON.stringify(entries)).not.toContain(TEST_WEBHOOK_SECRET);
	});
});
