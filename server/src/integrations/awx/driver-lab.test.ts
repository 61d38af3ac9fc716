/**
 * The driver against the simulated AWX: every release's root and credentials, classification,
 * identification of launched jobs, events and states.
 */
import { type AutomationOptions, type RunningAutomation, startAutomation } from "@weft/lab";
import { afterEach, describe, expect, it } from "vitest";
import { listRoots } from "./connection.ts";
import { createAutomationDriver } from "./index.ts";
import type { AutomationTarget } from "./port.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

async function startLabDriver(options: AutomationOptions = {}, target: Partial<AutomationTarget> = {}) {
	const lab = await startAutomation(options);
	const driver = createAutomationDriver({ pace: 0, random: () => 0 });
	closers.push(
		() => lab.close(),
		() => driver.close(),
	);
	const base: AutomationTarget = {
		id: "a",
		revision: "1",
		url: lab.url,
		username: "",
		token: lab.token,
		verifyTls: true,
		timeoutMs: 5_000,
		...target,
	};
	return { lab, driver, target: base };
}

const launchable = { extraVars: { rows: [{ name: "r1" }] } };
const countJobs = async (lab: RunningAutomation) => (await lab.jobs()).length;

describe("the root and the credentials of each release", () => {
	it.each([
		["awx_24", "/api/v2/", "", "24.6.1"],
		["awx_22", "/api/v2/", "", "22.2.0"],
		["awx_15", "/api/v2/", "", "15.0.1"],
		["tower_3_2", "/api/v1/", "", "3.2.8"],
		["aap_2_4", "/api/v2/", "", "4.5.12"],
		["aap_2_5", "/api/controller/v2/", "", "4.6.3"],
		["awx_devel", "/api/v2/", "admin", "24.6.2.dev118"],
	] as const)("%s", async (profile, root, username, version) => {
		const { driver, target, lab } = await startLabDriver({ profile });
		// Where the server has no tokens, name and password sign in.
		const token = username === "" ? lab.token : lab.password;
		const result = await driver.test({ ...target, username, token });
		expect(result).toMatchObject({ ok: true, root, version, username: "admin", warnings: [] });
		expect((await driver.templates({ ...target, username, token }, "job", { page: 1, pageSize: 5 })).count).toBe(12);
	});

	it("is read from the address where it is in it", () => {
		const roots = (address: string) => listRoots(new URL(address));
		expect(roots("https://awx.example.com")).toEqual(["/api/v2/", "/api/controller/v2/", "/api/v1/"]);
		expect(roots("https://x/api/controller/v2/")).toEqual(["/api/controller/v2/"]);
		expect(roots("https://x/api/v2")).toEqual(["/api/v2/"]);
		expect(roots("https://x/behind/api/controller")).toEqual(["/behind/api/controller/v2/"]);
		expect(roots("https://x/behind")[0]).toBe("/behind/api/v2/");
	});
});

describe("a test tells apart", () => {
	it("a wrong token, no server, something else, an ill server", async () => {
		const { driver, target, lab } = await startLabDriver();
		const kind = async (change: Partial<AutomationTarget>) => {
			const result = await driver.test({ ...target, ...change });
			return result.ok ? "ok" : result.kind;
		};
		expect(await kind({ token: "wrong" })).toBe("credentials");
		expect(await kind({ url: "http://127.0.0.1:1" })).toBe("refused");
		expect(await kind({ url: "http://no-such-host.invalid" })).toBe("dns");
		expect(await kind({ url: `${lab.url}/elsewhere` })).toBe("not_an_automation_server");
		lab.setFaults({ not_json: {} });
		expect(await kind({})).toBe("not_an_automation_server");
		lab.clearFaults();
		lab.setFaults({ database_down: {} });
		expect(await kind({})).toBe("server");
		lab.clearFaults();
		await lab.control("behaviour", { dispatcher: false });
		expect(await driver.test(target)).toMatchObject({ ok: true, warnings: [expect.stringMatching(/capacity/)] });
	});

	it("no message holds the token", async () => {
		const { driver, target } = await startLabDriver();
		const result = await driver.test({ ...target, token: "secret-token-text" });
		expect(JSON.stringify(result)).not.toContain("secret-token-text");
	});
});

describe("discovery", () => {
	it("gives templates with what they ask for, survey and nodes; no address of the server", async () => {
		const { driver, target, lab } = await startLabDriver();
		const rowsTemplate = await driver.template(target, "job", 9);
		expect(rowsTemplate).toMatchObject({
			name: "Rows",
			playbook: "rows.yml",
			can_start: true,
			survey_spec: null,
			asks: { variables: true, job_type: true, tags: false },
			inventory: { id: 2, name: "DC1 switches" },
		});
		expect(Math.abs((rowsTemplate.serverTime ?? 0) - Date.now())).toBeLessThan(5_000);
		const survey = await driver.template(target, "job", 16);
		expect(survey.surveyVariables).toEqual(["tenant", "vlan", "env", "sec"]);
		expect(survey.survey_spec?.spec[3]).toMatchObject({ type: "password", default: null });
		const workflow = await driver.template(target, "workflow", 17);
		expect(workflow.workflow_nodes).toHaveLength(4);
		const everything = [rowsTemplate, survey, workflow, await driver.credentials(target, { page: 1, pageSize: 50 })];
		expect(JSON.stringify(everything)).not.toMatch(new RegExp(`${lab.url}|/api/v2/|\\$encrypted\\$`));
		const types = await driver.credentialTypes(target, { page: 2, pageSize: 5 });
		expect([types.count, types.items.length]).toEqual([19, 5]);
		const found = await driver.templates(target, "job", { page: 1, pageSize: 10, search: "surv" });
		expect(found.items.map(({ name }) => name)).toEqual(["Survey"]);
		await expect(driver.template(target, "job", 999)).rejects.toMatchObject({ kind: "not_found" });
	});
});

describe("requests", () => {
	it("are repeated on what may pass, and not on what will not", async () => {
		const { driver, target, lab } = await startLabDriver();
		const read = () => driver.templates(target, "job", { page: 1, pageSize: 1 });
		await read();
		for (const fault of ["html_error", "server_error", "reset", "truncated", "throttle", "migrations"] as const) {
			lab.setFaults({ [fault]: { times: 2, seconds: 1, status: 503 } });
			expect((await read()).count, fault).toBe(12);
		}
		lab.setFaults({ html_error: { status: 502 } });
		await expect(read()).rejects.toMatchObject({ kind: "server", status: 502, retryable: true });
		lab.clearFaults();
		lab.resetRequests();
		await lab.control("revoke_tokens");
		await expect(read()).rejects.toMatchObject({ kind: "credentials", status: 401 });
		expect(lab.requests()).toHaveLength(1);
		await lab.control("grant_tokens");
		expect((await read()).count).toBe(12);
	});

	it("never follow a redirect, and end with their time", async () => {
		const { driver, target, lab } = await startLabDriver();
		const short = { ...target, timeoutMs: 300 };
		await driver.templates(short, "job", { page: 1, pageSize: 1 });
		lab.resetRequests();
		lab.setFaults({ hang: {} });
		await expect(driver.templates(short, "job", { page: 1, pageSize: 1 })).rejects.toMatchObject({ kind: "timeout" });
		lab.clearFaults();
		lab.setFaults({ migrations: {} });
		await expect(driver.templates(short, "job", { page: 1, pageSize: 1 })).rejects.toMatchObject({ kind: "redirect" });
		expect(lab.requests().filter(({ target: path }) => path.includes("migrations"))).toEqual([]);
	});
});

describe("a launch", () => {
	it("gives the job, and what the server dropped", async () => {
		const { driver, target } = await startLabDriver();
		expect(await driver.launch(target, "job", 9, { ...launchable, jobType: "check" })).toMatchObject({
			kind: "launched",
			job: { type: "job", templateId: 9, jobType: "check", ignored: {} },
		});
		expect(await driver.launch(target, "job", 15, { ...launchable, jobType: "check" })).toMatchObject({
			kind: "launched",
			job: { jobType: "run", ignored: { job_type: "check", extra_vars: launchable.extraVars } },
		});
		expect(await driver.launch(target, "workflow", 17, launchable)).toMatchObject({
			kind: "launched",
			job: { type: "workflow_job", jobType: null },
		});
		expect(await driver.launch(target, "job", 23, launchable)).toMatchObject({
			kind: "launched",
			job: { type: "workflow_job", templateId: 23 },
		});
	});

	it("that the application refuses was none; its words are told", async () => {
		const { driver, target, lab } = await startLabDriver();
		const refused = (kind: string, text: RegExp) => ({
			kind: "refused",
			error: { kind, message: expect.stringMatching(text) },
		});
		expect(await driver.launch(target, "job", 16, { extraVars: {} })).toMatchObject(
			refused("invalid", /'tenant' value missing/),
		);
		expect(await driver.launch(target, "job", 9, { extraVars: {}, credentials: [9999] })).toMatchObject(
			refused("invalid", /credentials: Invalid pk/),
		);
		expect(await driver.launch(target, "workflow", 18, launchable)).toMatchObject(
			refused("invalid", /not allowed on launch/),
		);
		expect(await driver.launch(target, "job", 999, launchable)).toMatchObject(
			refused("not_found", /has no such object/),
		);
		const reader = { ...target, id: "reader", token: `${lab.token}-read` };
		expect(await driver.launch(reader, "job", 9, launchable)).toMatchObject(
			refused("permission", /does not allow this to the token's user/),
		);
		expect(
			await driver.launch({ ...target, id: "none", url: "http://127.0.0.1:1" }, "job", 9, launchable),
		).toMatchObject(refused("refused", /127\.0\.0\.1:1 refused the connection/));
		lab.setFaults({ too_large: { times: 1, method: "POST" } });
		expect(await driver.launch(target, "job", 9, launchable)).toMatchObject(refused("invalid", /proxy/));
		expect(await countJobs(lab)).toBe(0);
	});

	it.each([
		["launch_500_created", 1],
		["launch_lost", 1],
		["launch_refused", 0],
		["launch_garbled", 1],
		["launch_html", 1],
	] as const)("with %s is not known, and is sent once", async (fault, made) => {
		const { driver, target, lab } = await startLabDriver();
		await driver.template(target, "job", 9);
		lab.setFaults({ [fault]: {} });
		lab.resetRequests();
		expect(await driver.launch(target, "job", 9, launchable)).toMatchObject({ kind: "unknown" });
		expect(lab.requests().filter(({ method }) => method === "POST")).toHaveLength(1);
		expect(await countJobs(lab)).toBe(made);
	});

	it("can be found among the template's jobs, slices too", async () => {
		const { driver, target } = await startLabDriver();
		const since = Date.now() - 60_000;
		const extraVars = { rows: [], execution_ref: "abc" };
		await driver.launch(target, "job", 9, { extraVars });
		const [found] = await driver.launchedSince(target, "job", 9, since);
		expect(found).toMatchObject({ type: "job", templateId: 9, extraVars, launchType: "manual", jobType: "run" });
		await driver.launch(target, "job", 23, { extraVars });
		expect(await driver.launchedSince(target, "job", 23, since)).toMatchObject([{ type: "workflow_job", extraVars }]);
		await driver.launch(target, "workflow", 17, { extraVars });
		expect(await driver.launchedSince(target, "workflow", 17, since)).toMatchObject([
			{ type: "workflow_job", extraVars },
		]);
	});
});

describe("jobs", () => {
	async function runJobToEnd(extraVars: Record<string, unknown>, template = 9) {
		const parts = await startLabDriver();
		const outcome = await parts.driver.launch(parts.target, "job", template, { extraVars });
		if (outcome.kind !== "launched") throw outcome.error;
		await parts.lab.control("advance", { seconds: 60 });
		return { ...parts, id: outcome.job.id };
	}

	it("states of many come with one request; those that are gone are absent", async () => {
		const { driver, target, lab, id } = await runJobToEnd({ rows: [] });
		lab.resetRequests();
		const states = await driver.states(target, [id, 99_999]);
		expect([...states.keys()]).toEqual([id]);
		expect(states.get(id)).toMatchObject({ status: "successful", templateId: 9, type: "job" });
		expect(lab.requests()).toHaveLength(1);
		expect(await driver.job(target, "job", id)).toMatchObject({ eventsStored: true, taskCount: 4 });
		expect(await driver.job(target, "job", 99_999)).toBeNull();
	});

	it("events carry items, output and statistics; totals are summed over hosts", async () => {
		const rows = [{ name: "a" }, { name: "b", rc: 3 }, { name: "c", unreachable: true }];
		const { driver, target, id } = await runJobToEnd({ rows });
		const events = await driver.events(target, id, 0, 1000);
		expect(events.map(({ counter }) => counter)).toEqual(events.map((_, at) => at + 1));
		const items = events.filter(({ item }) => item);
		expect(items).toHaveLength(6);
		expect(items.find(({ item }) => JSON.stringify(item ?? null).includes('"b"'))).toMatchObject({
			failed: true,
			changed: true,
			task: "Apply row",
			item: { message: "non-zero return code", unreachable: false },
		});
		expect(items.find(({ item }) => item?.unreachable)).toBeDefined();
		const { hosts, ...tasks } = (await driver.hostTotals(target, id)) ?? { hosts: 0 };
		expect([hosts > 0, events.at(-1)?.stats]).toEqual([true, tasks]);
		expect(await driver.events(target, id, events.length - 1, 1000)).toHaveLength(1);
	});

	it("hidden results say that they are hidden; releases without limit are paged", async () => {
		const { driver, target, lab } = await startLabDriver({ profile: "awx_15" });
		const outcome = await driver.launch(target, "job", 9, { extraVars: { rows: [{ name: "a" }], no_log: true } });
		if (outcome.kind !== "launched") throw outcome.error;
		await lab.control("advance", { seconds: 60 });
		const events = await driver.events(target, outcome.job.id, 0, 1000);
		const items = events.filter(({ event }) => event.startsWith("runner_item"));
		expect(items).toHaveLength(2);
		for (const { item } of items) expect(item).toMatchObject({ hidden: true, value: undefined, message: "" });
	});

	it("cancel is asked for, or too late; nodes tell their jobs", async () => {
		const { driver, target, lab } = await startLabDriver();
		const outcome = await driver.launch(target, "workflow", 17, { extraVars: {} });
		if (outcome.kind !== "launched") throw outcome.error;
		const { id } = outcome.job;
		await lab.control("advance", { seconds: 60 });
		const nodes = await driver.nodes(target, id, 100);
		expect(nodes.map(({ identifier, status, doNotRun }) => [identifier, status, doNotRun])).toEqual([
			["a", "successful", false],
			["b", "successful", false],
			["c", null, true],
			["d", "successful", false],
		]);
		expect(nodes[0]?.next).toEqual([nodes[1]?.id, nodes[2]?.id]);
		expect(await driver.cancel(target, "workflow_job", id)).toBe("over");
		const slow = await driver.launch(target, "job", 10, { extraVars: { secs: 100 } });
		if (slow.kind !== "launched") throw slow.error;
		expect(await driver.cancel(target, "job", slow.job.id)).toBe("asked");
		await expect(driver.cancel(target, "job", 99_999)).rejects.toMatchObject({ kind: "not_found" });
		expect(await driver.output(target, "job", nodes[0]?.jobId ?? 0, 1_000_000)).toContain("PLAY [Bulk rows]");
	});
});
