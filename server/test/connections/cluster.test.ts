/**
 * Connections with several addresses: their fields, what a test says of the cluster, and runs that
 * go on when a member fails.
 */
import { Writable } from "node:stream";
import { type FaultSettings, type RunningController, startController } from "@weft/lab";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createControllerDriver } from "../../src/adapters/controller/index.ts";
import { createMetrics } from "../../src/adapters/metrics/prometheus.ts";
import { createOutgoingTargets } from "../../src/adapters/system/outgoing.ts";
import { timerSleep } from "../../src/adapters/system/signals.ts";
import { noteFailover } from "../../src/features/connections/index.ts";
import { startTestApp, type TestApp, type TestUser, until } from "../support/harness.ts";

const PATH = "/api/controller/connections/";
const FABRIC = "weft-fabric/FDO20000001";

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let log = "";
const metrics = createMetrics("1");
beforeAll(async () => {
	lab = await startController({ members: 3 });
	const sink = new Writable({
		write(chunk, _encoding, done) {
			log += chunk;
			done();
		},
	});
	const logger = pino({ level: "info" }, sink);
	t = await startTestApp({
		work: true,
		deps: {
			logger,
			controllers: createControllerDriver({
				clock: { now: Date.now },
				// Retries go on at once; probes wait.
				sleep: (ms, signal) => (ms % 1_000 === 0 ? timerSleep(ms, signal) : Promise.resolve()),
				random: () => 0.123,
				onFailover: noteFailover(logger, metrics),
				targets: createOutgoingTargets(["127.0.0.0/8", "10.1.0.0/16", "192.168.0.0/16"]),
			}),
		},
	});
	ada = await t.user("ada", ["Editor"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});
beforeEach(async () => {
	lab.reset();
	await Promise.all(lab.members.map((member) => member.clearFaults()));
	log = "";
});

const url = (id: number) => lab.members[id - 1]?.url ?? "";
const set = (id: number, faults: FaultSettings) => lab.members[id - 1]?.setFaults(faults);

let counter = 0;
const body = (fields: Record<string, unknown> = {}) => ({
	name: `Cluster ${++counter}`,
	url: url(1),
	alternate_urls: [url(2), url(3)],
	username: "admin",
	password: lab.password,
	...fields,
});
async function add(fields: Record<string, unknown> = {}) {
	const { status, body: made, text } = await ada.api.post(PATH, body(fields));
	expect([status, text]).toEqual([201, text]);
	return made;
}
const patch = (id: string, fields: Record<string, unknown>) => ada.api.patch(`${PATH}${id}/`, fields);
const detail = async (id: string) => (await ada.api.get(`${PATH}${id}/`)).body;
const test = (id: string) => ada.api.post(`${PATH}${id}/test/`);
const states = async (id: string) => (await detail(id)).members.map(({ state }: { state: string }) => state);
const EPGS = 40;

async function run(id: string) {
	const flow_data = { nodes: [{ id: "n1", type: "class", data: { className: "fvAEPg" } }], edges: [] };
	const made = await ada.api.post("/api/queries/pipeline-executions/", { flow_data, controller_connection_id: id });
	expect([made.status, made.text]).toEqual([201, made.text]);
	const path = `/api/queries/pipeline-executions/${made.body.id}/`;
	await until("the run has ended", async () => ["completed", "failed"].includes((await ada.api.get(path)).body.status));
	return (await ada.api.get(path)).body;
}

describe("the fields of a cluster", () => {
	it("are stored in canonical form, and learned at save", async () => {
		const made = await add({ alternate_urls: [`${url(2)}/`, url(3)] });
		expect(made).toMatchObject({ alternate_urls: [url(2), url(3)], fabric_id: FABRIC });
		expect(made.members.map((member: { url: string }) => member.url)).toEqual([url(1), url(2), url(3)]);
		expect(await detail(made.id)).toEqual(made);
		const renamed = await patch(made.id, { description: "x" });
		expect(renamed.body).toMatchObject({ alternate_urls: [url(2), url(3)], fabric_id: FABRIC });
		const fewer = await patch(made.id, { alternate_urls: [url(3)] });
		expect(fewer.body).toMatchObject({ alternate_urls: [url(3)], fabric_id: FABRIC });
		const replaced = await ada.api.put(`${PATH}${made.id}/`, { name: "Alone", url: url(1), username: "admin" });
		expect(replaced.body.alternate_urls).toEqual([]);
	});

	it.each<[string, unknown, RegExp]>([
		["a text", "https://a.lab", /list/],
		["nine addresses", Array.from({ length: 9 }, (_, at) => `https://10.1.0.${at + 1}`), /at most 8/],
		["no address", ["apic"], /http/],
		["credentials", ["https://a:b@10.1.0.1"], /credentials/],
		["a query", ["https://10.1.0.1/?x=1"], /query/],
		["one twice", ["https://10.1.0.1", "https://10.1.0.1/"], /twice/],
		["a refused address", ["https://169.254.169.254"], /do not allow/],
	])("are refused: %s", async (_, alternate_urls, message) => {
		const { status, body: answer } = await ada.api.post(PATH, body({ alternate_urls }));
		expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringMatching(message)]);
		expect(Object.keys(answer)[0]).toMatch(/^alternate_urls/);
	});

	it("refuse the connection's own address, and a change that makes one twice", async () => {
		expect((await ada.api.post(PATH, body({ alternate_urls: [url(1)] }))).body).toMatchObject({
			alternate_urls: [expect.stringContaining("twice")],
		});
		const { id } = await add();
		expect((await patch(id, { url: url(2), password: lab.password })).body).toHaveProperty("alternate_urls");
	});

	it("need the password again for another host, which would get it", async () => {
		const { id } = await add({ alternate_urls: [url(2)] });
		const other = await patch(id, { alternate_urls: [url(2), "https://10.1.0.1"] });
		expect([other.status, other.body]).toEqual([
			400,
			{ password: [expect.stringContaining("Enter the password again")] },
		]);
		expect((await patch(id, { alternate_urls: [url(2), "https://10.1.0.1"], password: lab.password })).status).toBe(
			200,
		);
		expect((await patch(id, { alternate_urls: [] })).status).toBe(200);
	});

	it("are in the audit log, without addresses of others", async () => {
		const { id } = await add();
		await patch(id, { alternate_urls: [url(3)] });
		const { rows } = await t.pool.query("select metadata from audit_entries where target_id = $1 order by id", [id]);
		expect(JSON.stringify(rows)).toContain('"alternate_urls"');
		expect(JSON.stringify(rows)).not.toContain(lab.password);
	});
});

describe("the test of a cluster", () => {
	it("offers the members that the connection lacks", async () => {
		const { id } = await add({ alternate_urls: [] });
		const port = new URL(url(1)).port;
		expect((await test(id)).body).toMatchObject({
			success: true,
			fabric_id: FABRIC,
			members: [
				{ url: url(1), name: "apic1", node_id: 1, answered: true, state: "ok", health: "fully-fit" },
				{ url: null, name: "apic2", node_id: 2, address: "192.168.10.12", answered: false, state: "unknown" },
				{ url: null, name: "apic3", node_id: 3, answered: false },
			],
			suggested_urls: [`http://192.168.10.12:${port}`, `http://192.168.10.13:${port}`],
		});
		expect(await detail(id)).toMatchObject({ fabric_id: FABRIC, members: [{ url: url(1), state: "ok" }] });
	});

	it("says which members answered, and how they are", async () => {
		const { id } = await add();
		await Promise.all([set(1, { down: true }), set(2, { half_upgraded: true }), set(3, { standby: true })]);
		const { status, body: found } = await test(id);
		expect([status, found.fabric_id, found.suggested_urls]).toEqual([200, FABRIC, []]);
		expect(found.members).toMatchObject([
			{ url: url(1), answered: false, state: "down" },
			{ url: url(2), name: "apic2", answered: true, state: "ok", version: "6.1(1f)" },
			{ url: url(3), name: "apic3", answered: true, state: "standby" },
			{ url: null, name: "apic1", node_id: 1, state: "down" },
		]);
		expect(found.message).toContain(`Not in use: ${url(1)} (down), ${url(3)} (standby).`);
		expect(await states(id)).toEqual(["down", "ok", "standby"]);
	});

	it("refuses an address of another fabric", async () => {
		const { id } = await add();
		await set(3, { other_fabric: true });
		const { status, body: found } = await test(id);
		expect([status, found]).toEqual([
			400,
			{ success: false, reason: "other_fabric", message: expect.stringContaining(`${url(3)} belongs to the fabric`) },
		]);
		expect(await detail(id)).toMatchObject({ last_test_status: false, fabric_id: FABRIC });
		expect(await states(id)).toEqual(["ok", "ok", "other_fabric"]);
	});

	it("fails when no member may be asked", async () => {
		const { id } = await add();
		await Promise.all(lab.members.map((member) => member.setFaults({ partial_cluster: true })));
		expect((await test(id)).body).toMatchObject({ success: false, reason: "no_member" });
		await Promise.all(lab.members.map((member) => member.setFaults({ down: true })));
		expect((await test(id)).body).toMatchObject({ success: false, reason: "refused" });
	});
});

describe("a run on a cluster", () => {
	it("names the member that answered, and goes on without one that is down", async () => {
		const { id, name } = await add();
		expect(await run(id)).toMatchObject({ status: "completed", total_rows: EPGS, member_url: url(1) });
		await set(1, { down: true });
		const second = await run(id);
		expect(second).toMatchObject({ status: "completed", total_rows: EPGS });
		expect([url(2), url(3)]).toContain(second.member_url);
		expect(second.stages[0].member_url).toBe(second.member_url);
		await until("it is down", async () => (await states(id))[0] === "down");
		expect((await detail(id)).members[0]).toMatchObject({
			last_error: expect.stringContaining("refused"),
			since: expect.any(String),
		});
		expect(log).toContain('"msg":"controller_failover"');
		expect((await metrics.text()).body).toContain(`weft_controller_failovers_total{connection="${name}"} 1`);
		await set(1, { down: false });
		await until("it is back", async () => (await states(id))[0] === "ok");
	});

	it("has each row once when a member fails in the middle of many pages", async () => {
		const many = Array.from({ length: 12_000 }, (_, at) => ({
			fvAEPg: { attributes: { dn: `uni/tn-many/ap-a/epg-e${String(at).padStart(5, "0")}`, name: `e${at}` } },
		}));
		lab.load(many);
		const { id } = await add();
		await set(1, { reset: { match: "page=9&" } });
		const found = await run(id);
		expect(found).toMatchObject({ status: "completed", total_rows: EPGS + many.length });
		expect(found.member_url).not.toBe(url(1));
		const results = await ada.api.get(`${found.results_url}?export=ndjson`);
		const dns = results.text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line).fvAEPg.attributes.dn);
		expect([dns.length, new Set(dns).size]).toEqual([EPGS + many.length, EPGS + many.length]);
	});

	it("fails and says why when no member is left", async () => {
		const { id } = await add();
		await Promise.all([
			set(1, { partial_cluster: { part: 0.5 } }),
			set(2, { other_fabric: true }),
			set(3, { standby: true }),
		]);
		const found = await run(id);
		expect(found.status).toBe("failed");
		expect(found.errors[0].message).toMatch(/No member of the cluster.*lost members.*other-fabric.*standby/);
	});

	it("has the only address where there is one", async () => {
		const { id } = await add({ alternate_urls: [] });
		expect(await run(id)).toMatchObject({ status: "completed", member_url: url(1) });
		expect(await states(id)).toEqual(["unknown"]);
	});
});

describe("the identity of a cluster", () => {
	const denied = { access_denied: { match: "fabricNode" } };
	const denyAll = () => Promise.all(lab.members.map((member) => member.setFaults(denied)));

	it("comes from the first member that answers, for a connection that was never tested", async () => {
		await set(1, { down: true });
		const made = await add();
		expect(made.fabric_id).toBe(FABRIC);
		expect(await run(made.id)).toMatchObject({ status: "completed", total_rows: EPGS });
	});

	it("is confirmed by an administrator where the user may not read it, until the addresses change", async () => {
		await denyAll();
		const { id, fabric_id, is_one_fabric_confirmed } = await add();
		expect([fabric_id, is_one_fabric_confirmed]).toEqual([null, false]);
		const missing = "may not read the serial of node 1 (fabricNode.serial). Give the user the right";
		expect((await test(id)).body).toMatchObject({ success: true, message: expect.stringContaining(missing) });
		await set(1, { down: true });
		const failed = await run(id);
		expect(failed).toMatchObject({ status: "failed", errors: [{ message: expect.stringContaining(missing) }] });
		expect(failed.errors[0].message).not.toContain("test the connection");

		const refused = await patch(id, { is_one_fabric_confirmed: true });
		expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Only administrators")]);
		const confirmed = await t.admin.api.patch(`${PATH}${id}/`, { is_one_fabric_confirmed: true });
		expect([confirmed.status, confirmed.body.is_one_fabric_confirmed]).toEqual([200, true]);
		expect(await run(id)).toMatchObject({ status: "completed", total_rows: EPGS });
		expect((await test(id)).body.message).not.toContain("may not read");

		const kept = await patch(id, { is_one_fabric_confirmed: true, description: "as before" });
		expect([kept.status, kept.body.is_one_fabric_confirmed]).toEqual([200, true]);
		const moved = { alternate_urls: [url(3)], is_one_fabric_confirmed: true };
		expect((await patch(id, moved)).status).toBe(403);
		const changed = await patch(id, { alternate_urls: [url(3)] });
		expect([changed.status, changed.body.is_one_fabric_confirmed]).toEqual([200, false]);
	});

	it("is confirmed at creation by administrators only", async () => {
		const refused = await ada.api.post(PATH, body({ is_one_fabric_confirmed: true }));
		expect(refused.status).toBe(403);
		const made = await t.admin.api.post(PATH, body({ is_one_fabric_confirmed: true }));
		expect([made.status, made.body.is_one_fabric_confirmed]).toEqual([201, true]);
	});

	it("still excludes a member that says it belongs to another fabric", async () => {
		const { body: made } = await t.admin.api.post(PATH, body({ is_one_fabric_confirmed: true, is_public: true }));
		await Promise.all([set(1, { down: true }), set(2, { other_fabric: true }), set(3, { down: true })]);
		expect((await run(made.id)).errors[0].message).toContain("belongs to the fabric other-fabric");
	});
});

describe("a member that sees one of three members", () => {
	it("is refused with the number of members that it sees", async () => {
		const { id } = await add();
		await Promise.all([set(1, { down: true }), set(2, { down: true })]);
		const message = `${url(3)} sees 1 of 3 members of its cluster`;
		expect((await run(id)).errors[0].message).toContain(message);
		expect((await test(id)).body).toMatchObject({ reason: "no_member", message: expect.stringContaining(message) });
		expect((await detail(id)).members[2]).toMatchObject({
			state: "partial",
			last_error: expect.stringContaining(message),
		});
	});
});
