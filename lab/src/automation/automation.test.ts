/**
 * The simulated AWX behaves like a real one: late, unordered events, silent drops, lost webhooks.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type AutomationOptions, type JobNotice, type RunningAutomation, startAutomation } from "./automation.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

type Body = Record<string, unknown> & { results?: Body[] };

async function startLab(options: AutomationOptions = {}) {
	const lab = await startAutomation({ now: () => Date.parse("2026-01-15T10:00:00Z"), ...options });
	closers.push(() => lab.close());
	const call = async (method: string, path: string, body?: unknown) => {
		const response = await fetch(`${lab.url}/api/v2/${path}`, {
			method,
			redirect: "manual",
			headers: { authorization: `Bearer ${lab.token}`, accept: "application/json", "content-type": "application/json" },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		const json = response.headers.get("content-type")?.startsWith("application/json");
		return {
			status: response.status,
			text,
			headers: response.headers,
			body: (json && text ? JSON.parse(text) : {}) as Body,
		};
	};
	return { lab, call, advance: (seconds: number) => lab.control("advance", { seconds }) };
}

const createRows = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `r${at}` }));

async function registerHooks(lab: RunningAutomation, template: string, configuration: Record<string, unknown> = {}) {
	const received: { method: string; headers: Record<string, unknown>; body: Body }[] = [];
	let answer: (url: string) => { status: number; location?: string } = () => ({ status: 200 });
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk) => chunks.push(chunk));
		request.on("end", () => {
			const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
			received.push({ method: request.method ?? "", headers: request.headers, body });
			const { status, location } = answer(request.url ?? "/");
			response.writeHead(status, location ? { location } : {}).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closers.push(() => server.close());
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
	const post = (path: string, body: unknown) =>
		fetch(`${lab.url}/api/v2/${path}`, {
			method: "POST",
			headers: { authorization: `Bearer ${lab.token}`, "content-type": "application/json" },
			body: JSON.stringify(body),
		});
	const made = await post("notification_templates/", {
		name: "hook",
		notification_type: "webhook",
		notification_configuration: { url, headers: { "X-Automation-Webhook-Signature": "secret" }, ...configuration },
	});
	const { id } = (await made.json()) as { id: number };
	for (const trigger of ["started", "success", "error"]) {
		await post(`${template}/notification_templates_${trigger}/`, { id });
	}
	return {
		received,
		id,
		answerWith: (how: typeof answer) => {
			answer = how;
		},
	};
}

async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
	const end = Date.now() + 10_000;
	while (!(await condition())) {
		if (Date.now() > end) throw new Error("waited in vain");
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

describe("events", () => {
	it("are stored late, out of order, with ids that do not follow the counter; the final status comes before them", async () => {
		const { lab, call, advance } = await startLab({ behaviour: { store_ms: 2_000, batch_ms: 200, event_ms: 50 } });
		const { body } = await call("POST", "job_templates/9/launch/", { extra_vars: { rows: createRows(20) } });
		const counters = async () => {
			const { body: page } = await call("GET", `jobs/${body.id}/job_events/?order_by=counter&page_size=200`);
			return (page.results ?? []).map((event) => event.counter as number);
		};
		let gap = false;
		let finalFirst = false;
		let seen: number[] = [];
		for (let step = 0; step < 100; step++) {
			await lab.control("advance", { ms: 60 });
			seen = await counters();
			gap ||= seen.some((counter, at) => counter !== at + 1);
			const { body: job } = await call("GET", `jobs/${body.id}/`);
			finalFirst ||= job.status === "successful" && job.event_processing_finished === false;
		}
		expect([gap, finalFirst]).toEqual([true, true]);
		await advance(60);
		expect((await call("GET", `jobs/${body.id}/`)).body.event_processing_finished).toBe(true);
		seen = await counters();
		expect(seen).toEqual(seen.map((_, at) => at + 1));
		const { body: whole } = await call("GET", `jobs/${body.id}/job_events/?order_by=counter&limit=500`);
		const ids = (whole.results ?? []).map((event) => event.id as number);
		expect(ids).not.toEqual([...ids].sort((a, b) => a - b));
	});

	it("may be lost, and the flag stay unset; long lines are cut unless asked for whole", async () => {
		const { call, advance } = await startLab({ behaviour: { lose: [5] } });
		const { body } = await call("POST", "job_templates/9/launch/", {
			extra_vars: { rows: [{ name: "x".repeat(3000), rc: 1 }] },
		});
		await advance(60);
		const path = `jobs/${body.id}/job_events/?order_by=counter&limit=100`;
		const events = (await call("GET", path)).body.results ?? [];
		expect(events.map(({ counter }) => counter).slice(3, 5)).toEqual([4, 6]);
		expect((await call("GET", `jobs/${body.id}/`)).body.event_processing_finished).toBe(false);
		const longest = (list: Body[]) => Math.max(...list.map(({ stdout }) => String(stdout).length));
		expect(longest(events)).toBeLessThan(1100);
		expect(longest((await call("GET", `${path}&no_truncate=1`)).body.results ?? [])).toBeGreaterThan(3000);
	});

	it("of many lines come when they are asked for", async () => {
		const { call, advance } = await startLab();
		const { body } = await call("POST", "job_templates/21/launch/", { extra_vars: { events: 20_000, every_ms: 1 } });
		await advance(60);
		const { body: page } = await call(
			"GET",
			`jobs/${body.id}/job_events/?counter__gt=19990&order_by=counter&limit=1000`,
		);
		expect(page.results?.at(-1)).toMatchObject({ counter: 20_000, event: "playbook_on_stats" });
	});
});

describe("a launch", () => {
	it("drops what the template does not ask for; a workflow refuses it", async () => {
		const { call } = await startLab();
		const plain = await call("POST", "job_templates/15/launch/", { job_type: "check", extra_vars: { a: 1 } });
		expect(plain.body).toMatchObject({ job_type: "run", ignored_fields: { job_type: "check", extra_vars: { a: 1 } } });
		expect((await call("POST", "workflow_job_templates/18/launch/", { limit: "x" })).status).toBe(400);
	});

	it("may answer an error and make the job, or the other way round", async () => {
		const { lab, call } = await startLab();
		const count = async () => (await lab.jobs()).length;
		const launch = () => call("POST", "job_templates/22/launch/", { extra_vars: {} });
		lab.setFaults({ launch_500_created: { times: 1 } });
		expect((await launch()).status).toBe(500);
		expect(await count()).toBe(1);
		lab.setFaults({ launch_lost: { times: 1 } });
		await expect(launch()).rejects.toThrow();
		expect(await count()).toBe(2);
		lab.setFaults({ launch_refused: { times: 1 } });
		await expect(launch()).rejects.toThrow();
		expect(await count()).toBe(2);
		lab.setFaults({ launch_late: { times: 1, ms: 5_000 } });
		await expect(launch()).rejects.toThrow();
		expect(await count()).toBe(2);
		await lab.control("advance", { seconds: 6 });
		expect(await count()).toBe(3);
		lab.setFaults({ launch_html: { times: 1, status: 504, created: false } });
		expect((await launch()).status).toBe(504);
		expect(await count()).toBe(3);
	});
});

describe("a job's start and end", () => {
	it("are reported with its variables, so that a program can do what the playbook would", async () => {
		const seen: JobNotice[] = [];
		const { call, advance } = await startLab({ onJob: (job) => seen.push(job) });
		await call("POST", "job_templates/9/launch/", { extra_vars: { rows: createRows(1) }, job_type: "check" });
		await advance(60);
		const job = { id: 1, template: "Rows", check: true, variables: { rows: [{ name: "r0" }] } };
		expect(seen).toEqual([
			{ ...job, status: "running" },
			{ ...job, status: "successful" },
		]);
	});
});

describe("cancel", () => {
	it("is 202, then 405; what runs goes on for a while", async () => {
		const { call, advance } = await startLab();
		const { body } = await call("POST", "job_templates/10/launch/", { extra_vars: { secs: 30 } });
		await advance(1);
		expect((await call("POST", `jobs/${body.id}/cancel/`)).status).toBe(202);
		expect((await call("GET", `jobs/${body.id}/`)).body).toMatchObject({ status: "running" });
		await advance(1);
		expect((await call("GET", `jobs/${body.id}/`)).body).toMatchObject({
			status: "canceled",
			host_status_counts: null,
		});
		expect((await call("POST", `jobs/${body.id}/cancel/`)).status).toBe(405);
	});
});

describe("webhooks", () => {
	it("tell of the start and the end, with fixed headers, and once", async () => {
		const { lab, call, advance } = await startLab();
		const { received } = await registerHooks(lab, "job_templates/9");
		const { body } = await call("POST", "job_templates/9/launch/", {
			extra_vars: { rows: [{ name: "a" }, { name: "b", rc: 1 }] },
		});
		await advance(60);
		await waitUntil(() => received.length === 2);
		expect(received.map((one) => one.body.status)).toEqual(expect.arrayContaining(["running", "failed"]));
		const last = received.find((one) => one.body.status === "failed");
		expect(Object.keys(last?.body ?? {})).toEqual(
			"id name url created_by started finished status traceback inventory project playbook credential limit extra_vars hosts".split(
				" ",
			),
		);
		expect(last?.body).toMatchObject({ id: body.id, hosts: { leaf101: { failures: 1, failed: true } } });
		expect(last?.headers).toMatchObject({
			"x-automation-webhook-signature": "secret",
			"user-agent": `AWX ${"24.6.1"} (open)`,
		});
	});

	it("never come for what was cancelled before it ran, and late where there were no hosts", async () => {
		const { lab, call, advance } = await startLab({ behaviour: { pending_ms: 1_000 } });
		const { received } = await registerHooks(lab, "job_templates/13");
		const { body } = await call("POST", "job_templates/13/launch/");
		await call("POST", `jobs/${body.id}/cancel/`);
		await call("POST", "job_templates/13/launch/");
		await advance(3);
		await waitUntil(() => received.length === 1);
		expect(received[0]?.body.status).toBe("running");
		await advance(5);
		await waitUntil(() => received.length === 2);
		expect(received[1]?.body).toMatchObject({ status: "failed", hosts: {} });
	});

	it("are not repeated after an error, follow 307 with body and credentials, and take 302 for success", async () => {
		const { lab, call } = await startLab();
		const hook = await registerHooks(lab, "job_templates/9", { username: "u", password: "p" });
		const last = async () =>
			(await call("GET", `notification_templates/${hook.id}/notifications/?order_by=-id`)).body.results?.[0];
		hook.answerWith(() => ({ status: 500 }));
		await call("POST", `notification_templates/${hook.id}/test/`);
		await waitUntil(async () => (await last())?.status === "failed");
		expect(await last()).toMatchObject({ error: "Error sending webhook notification: 500" });
		expect(hook.received).toHaveLength(1);
		hook.answerWith((url) => (url === "/hook" ? { status: 307, location: "/other" } : { status: 200 }));
		await call("POST", `notification_templates/${hook.id}/test/`);
		await waitUntil(() => hook.received.length === 3);
		expect(hook.received[2]).toMatchObject({
			method: "POST",
			headers: { authorization: expect.stringMatching(/^Basic /) },
		});
		hook.answerWith(() => ({ status: 302, location: "/other" }));
		await call("POST", `notification_templates/${hook.id}/test/`);
		await waitUntil(async () => (await last())?.status === "successful" && (await last())?.notifications_sent === 0);
		expect(hook.received).toHaveLength(4);
	});
});

describe("faults and controls", () => {
	it("are shown as often as wanted, on the paths that match", async () => {
		const { lab, call } = await startLab();
		lab.setFaults({ html_error: { times: 1, status: 502, match: "/jobs/" } });
		expect((await call("GET", "job_templates/")).status).toBe(200);
		expect(await call("GET", "jobs/")).toMatchObject({ status: 502, text: expect.stringContaining("<html>") });
		expect((await call("GET", "jobs/")).status).toBe(200);
		lab.setFaults({ migrations: { times: 1 }, throttle: { times: 1, seconds: 7 }, too_large: { times: 1 } });
		expect((await call("GET", "jobs/")).status).toBe(302);
		expect((await call("GET", "jobs/")).headers.get("retry-after")).toBe("7");
		expect((await call("GET", "jobs/")).status).toBe(413);
		expect(() => lab.setFaults({ nonsense: {} } as never)).toThrow(/unknown fault nonsense/);
	});

	it("rebuild the server, skip ids, revoke tokens, show a status that nobody knows", async () => {
		const { lab, call } = await startLab();
		const first = await call("POST", "job_templates/22/launch/", {});
		await lab.control("status", { id: first.body.id, status: "hibernating" });
		expect((await call("GET", `jobs/${first.body.id}/`)).body.status).toBe("hibernating");
		await lab.control("skip_ids", { count: 16 });
		expect((await call("POST", "job_templates/22/launch/", {})).body.id).toBe((first.body.id as number) + 17);
		const uuid = (await call("GET", "ping/")).body.install_uuid;
		await lab.control("rebuild");
		expect((await call("GET", "ping/")).body.install_uuid).not.toBe(uuid);
		expect((await call("POST", "job_templates/22/launch/", {})).body.id).toBe(first.body.id);
		await lab.control("revoke_tokens");
		expect((await call("GET", "me/")).status).toBe(401);
	});

	it("releases differ in root and credentials", async () => {
		const gateway = await startLab({ profile: "aap_2_5" });
		const status = async (path: string, authorization?: string) =>
			(await fetch(gateway.lab.url + path, authorization ? { headers: { authorization } } : {})).status;
		expect(await status("/api/v2/ping/")).toBe(404);
		expect(await status("/api/controller/v2/ping/")).toBe(200);
		expect(await status("/api/controller/v2/me/", `Bearer ${gateway.lab.token}`)).toBe(200);
		expect((await (await fetch(`${gateway.lab.url}/api/controller/v2/me/`)).json()).detail).toBe(
			"Authentication credentials were not provided.",
		);
		const basic = `Basic ${Buffer.from(`${gateway.lab.username}:${gateway.lab.password}`).toString("base64")}`;
		const json = { authorization: basic, "content-type": "application/json" };
		const made = await fetch(`${gateway.lab.url}/api/gateway/v1/tokens/`, {
			method: "POST",
			headers: json,
			body: JSON.stringify({ scope: "read" }),
		});
		const { token } = await made.json();
		expect(made.status).toBe(201);
		const list = await fetch(`${gateway.lab.url}/api/controller/v2/job_templates/?page_size=1`, {
			headers: { authorization: `Bearer ${token}` },
		});
		const { next, results } = await list.json();
		expect([next, results[0].url, results[0].related.launch].map((link) => link.slice(0, 19))).toEqual(
			Array(3).fill("/api/controller/v2/"),
		);
		const missing = await fetch(`${gateway.lab.url}/api/controller/v2/job_templates/987654/`, { headers: json });
		expect((await missing.json()).detail).toBe("No JobTemplate matches the given query.");
		const getVersion = (answer: Response) => answer.headers.get("x-api-product-version");
		expect([getVersion(list), getVersion(await fetch(`${gateway.lab.url}/api/controller/v2/ping/`))]).toEqual([
			"4.6.3",
			null,
		]);
		const older = await startLab({ profile: "awx_22" });
		expect((await older.call("GET", "job_templates/987654/")).body.detail).toBe("Not found.");
		const devel = await startLab({ profile: "awx_devel" });
		expect((await devel.call("GET", "me/")).status).toBe(401);
	});
});
