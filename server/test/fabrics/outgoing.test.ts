/** Where connections may lead: to no address that the settings refuse, whatever names it. */
import { type RunningAutomation, type RunningController, startAutomation, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/system/clock.ts";
import { createOutgoingTargets } from "../../src/core/system/outgoing.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import { createAutomationDriver } from "../../src/integrations/awx/index.ts";
import { createModelSource } from "../../src/integrations/class-documents/index.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

const CONTROLLERS = "/api/controller/connections/";
const AUTOMATION = "/api/automation/connections/";
const ALWAYS = ["http://169.254.169.254", "http://[fe80::1]", "http://[::ffff:a9fe:a9fe]", "http://[fd00:ec2::254]"];

let lab: RunningController;
let server: RunningAutomation;
let names = 0;
beforeAll(async () => {
	[lab, server] = await Promise.all([startController({ size: "empty" }), startAutomation()]);
});
afterAll(() => Promise.all([lab.close(), server.close()]));

/** The service with a setting for both kinds of connections. */
async function withTargets(networks: readonly string[] | null): Promise<TestApp> {
	const targets = createOutgoingTargets(networks);
	const controllers = createControllerDriver({ clock: systemClock, targets });
	return startTestApp({ deps: { controllers, automation: createAutomationDriver({ pace: 0, targets }) } });
}
const buildController = (url: string) => ({
	name: `C ${++names}`,
	url,
	username: lab.username,
	password: lab.password,
});
const buildAutomationServer = (base_url: string) => ({
	name: `A ${++names}`,
	base_url,
	username: "x",
	oauth_token: server.token,
});
const findByName = (url: string) => url.replace("127.0.0.1", "localhost");

describe("without the settings", () => {
	let t: TestApp;
	beforeAll(async () => {
		t = await withTargets(null);
	});
	afterAll(() => t.close());

	it("addresses of this host, of the link and of metadata services are refused when they are entered", async () => {
		for (const url of ["http://127.0.0.1:1", "http://[::1]", "http://0.0.0.0", "http://2130706433", ...ALWAYS]) {
			const one = await t.admin.api.post(CONTROLLERS, buildController(url));
			expect([url, one.status, one.body]).toEqual([url, 400, { url: [expect.stringContaining("do not allow")] }]);
			const other = await t.admin.api.post(AUTOMATION, buildAutomationServer(url));
			expect([url, other.status, Object.keys(other.body)]).toEqual([url, 400, ["base_url"]]);
		}
		const { body } = await t.admin.api.post(CONTROLLERS, buildController("https://10.1.2.3"));
		const moved = { url: "https://127.0.0.1", password: "x" };
		expect((await t.admin.api.patch(`${CONTROLLERS}${body.id}/`, moved)).body).toEqual({ url: [expect.any(String)] });
	});

	it("names that resolve to them are refused when they are used, and nothing is sent", async () => {
		const one = (await t.admin.api.post(CONTROLLERS, buildController(findByName(lab.url)))).body;
		const other = (await t.admin.api.post(AUTOMATION, buildAutomationServer(findByName(server.url)))).body;
		for (const path of [`${CONTROLLERS}${one.id}/test/`, `${AUTOMATION}${other.id}/test/`]) {
			const { status, body } = await t.admin.api.post(path);
			expect([status, body.reason, body.message]).toEqual([400, "address", expect.stringContaining("localhost")]);
		}
		const query = { connection_id: one.id, query_path: "/api/class/fvTenant.json" };
		expect((await t.admin.api.post(`${CONTROLLERS}execute_query/`, query)).status).toBe(502);
	});

	it("a stored address that is refused now is not connected to", async () => {
		const { body } = await t.admin.api.post(CONTROLLERS, buildController("https://10.1.2.3"));
		await t.pool.query("update controller_connections set url = $1 where id = $2", [lab.url, body.id]);
		const tested = await t.admin.api.post(`${CONTROLLERS}${body.id}/test/`);
		expect([tested.status, tested.body.reason]).toEqual([400, "address"]);
	});
});

it("with the settings, the named networks and no others are allowed, and addresses of the link never", async () => {
	const t = await withTargets(["127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10"]);
	const one = (await t.admin.api.post(CONTROLLERS, buildController(lab.url))).body;
	expect((await t.admin.api.post(`${CONTROLLERS}${one.id}/test/`)).status).toBe(200);
	const other = (await t.admin.api.post(AUTOMATION, buildAutomationServer(server.url))).body;
	expect((await t.admin.api.post(`${AUTOMATION}${other.id}/test/`)).status).toBe(200);
	for (const url of ["https://10.1.2.3", "https://8.8.8.8", ...ALWAYS]) {
		expect((await t.admin.api.post(CONTROLLERS, buildController(url))).status).toBe(400);
	}
	await t.close();
});

it("class documents are read from no controller at a refused address", async () => {
	const source = createModelSource({
		pacing: { ...systemClock, random: () => 0 },
		targets: createOutgoingTargets(null),
	});
	const target = {
		id: "c",
		revision: "1",
		url: lab.url,
		username: "x",
		password: "x",
		verifyTls: true,
		timeoutMs: 5000,
	};
	await expect(source.open({ kind: "controller", target }, 1)).rejects.toThrow("do not allow");
});
