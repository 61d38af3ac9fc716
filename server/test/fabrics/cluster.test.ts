/**
 * Connections with several addresses: their fields, what a test says of the cluster, and runs that
 * go on when a member fails.
 */
import { Writable } from "node:stream";
import { type FaultSettings, type RunningController, startController } from "@weft/lab";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noteFailover } from "../../src/areas/fabrics/driver-log.ts";
import { createOutgoingTargets } from "../../src/core/system/outgoing.ts";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { sleepByTimer } from "../../src/core/system/signals.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

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
				sleep: (ms, signal) => (ms % 1_000 === 0 ? sleepByTimer(ms, signal) : Promise.resolve()),
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

const getUrl = (id: number) => lab.members[id - 1]?.url ?? "";
const setMemberFaults = (id: number, faults: FaultSettings) => lab.members[id - 1]?.setFaults(faults);

let counter = 0;
const buildBody = (fields: Record<string, unknown> = {}) => ({
	name: `Cluster ${++counter}`,
	url: getUrl(1),
	alternate_urls: [getUrl(2), getUrl(3)],
	username: "admin",
	password: lab.password,
	...fields,
});
async function addConnection(fields: Record<string, unknown> = {}) {
	const { status, body: made, text } = await ada.api.post(PATH, buildBody(fields));
	expect([status, text]).toEqual([201, text]);
	return made;
}
const patchConnection = (id: string, fields: Record<string, unknown>) => ada.api.patch(`${PATH}${id}/`, fields);
const readDetail = async (id: string) => (await ada.api.get(`${PATH}${id}/`)).body;
const testConnection = (id: string) => ada.api.post(`${PATH}${id}/test/`);
const listStates = async (id: string) => (await readDetail(id)).members.map(({ state }: { state: string }) => state);
const EPGS = 40;

async function runQuery(id: string) {
	const flow_data = { nodes: [{ id: "n1", type: "class", data: { className: "fvAEPg" } }], edges: [] };
	const made = await ada.api.post("/api/queries/pipeline-executions/", { flow_data, controller_connection_id: id });
	expect([made.status, made.text]).toEqual([201, made.text]);
	const path = `/api/queries/pipeline-executions/${made.body.id}/`;
	await waitUntil("the run has ended", async () =>
		["completed", "failed"].includes((await ada.api.get(path)).body.status),
	);
	return (await ada.api.get(path)).body;
}

describe("the fields of a cluster", () => {
	it("are stored in canonical form, and learned at save", async () => {
		const made = await addConnection({ alternate_urls: [`${getUrl(2)}/`, getUrl(3)] });
		expect(made).toMatchObject({ alternate_urls: [getUrl(2), getUrl(3)], fabric_id: FABRIC });
		expect(made.members.map((member: { url: string }) => member.url)).toEqual([getUrl(1), getUrl(2), getUrl(3)]);
		expect(await readDetail(made.id)).toEqual(made);
		const renamed = await patchConnection(made.id, { description: "x" });
		expect(renamed.body).toMatchObject({ alternate_urls: [getUrl(2), getUrl(3)], fabric_id: FABRIC });
		const fewer = await patchConnection(made.id, { alternate_urls: [getUrl(3)] });
		expect(fewer.body).toMatchObject({ alternate_urls: [getUrl(3)], fabric_id: FABRIC });
		const replaced = await ada.api.put(`${PATH}${made.id}/`, { name: "Alone", url: getUrl(1), username: "admin" });
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
		const { status, body: answer } = await ada.api.post(PATH, buildBody({ alternate_urls }));
		expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringMatching(message)]);
		expect(Object.keys(answer)[0]).toMatch(/^alternate_urls/);
	});

	it("refuse the connection's own address, and a change that makes one twice", async () => {
		expect((await ada.api.post(PATH, buildBody({ alternate_urls: [getUrl(1)] }))).body).toMatchObject({
			alternate_urls: [expect.stringContaining("twice")],
		});
		const { id } = await addConnection();
		expect((await patchConnection(id, { url: getUrl(2), password: lab.password })).body).toHaveProperty(
			"alternate_urls",
		);
	});

	it("need the password again for another host, which would get it", async () => {
		const { id } = await addConnection({ alternate_urls: [getUrl(2)] });
		const other = await patchConnection(id, { alternate_urls: [getUrl(2), "https://10.1.0.1"] });
		expect([other.status, other.body]).toEqual([
			400,
			{ password: [expect.stringContaining("Enter the password again")] },
		]);
		expect(
			(await patchConnection(id, { alternate_urls: [getUrl(2), "https://10.1.0.1"], password: lab.password })).status,
		).toBe(200);
		expect((await patchConnection(id, { alternate_urls: [] })).status).toBe(200);
	});

	it("are in the audit log, without addresses of others", async () => {
		const { id } = await addConnection();
		await patchConnection(id, { alternate_urls: [getUrl(3)] });
		const { rows } = await t.pool.query("select metadata from audit_entries where target_id = $1 order by id", [id]);
		expect(JSON.stringify(rows)).toContain('"alternate_urls"');
		expect(JSON.stringify(rows)).not.toContain(lab.password);
	});
});

describe("the test of a cluster", () => {
	it("offers the members that the connection lacks", async () => {
		const { id } = await addConnection({ alternate_urls: [] });
		const port = new URL(getUrl(1)).port;
		expect((await testConnection(id)).body).toMatchObject({
			success: true,
			fabric_id: FABRIC,
			members: [
				{ url: getUrl(1), name: "apic1", node_id: 1, answered: true, state: "ok", health: "fully-fit" },
				{ url: null, name: "apic2", node_id: 2, address: "192.168.10.12", answered: false, state: "unknown" },
				{ url: null, name: "apic3", node_id: 3, answered: false },
			],
			suggested_urls: [`http://192.168.10.12:${port}`, `http://192.168.10.13:${port}`],
		});
		expect(await readDetail(id)).toMatchObject({ fabric_id: FABRIC, members: [{ url: getUrl(1), state: "ok" }] });
	});

	it("says which members answered, and how they are", async () => {
		const { id } = await addConnection();
		await Promise.all([
			setMemberFaults(1, { down: true }),
			setMemberFaults(2, { half_upgraded: true }),
			setMemberFaults(3, { standby: true }),
		]);
		const { status, body: found } = await testConnection(id);
		expect([status, found.fabric_id, found.suggested_urls]).toEqual([200, FABRIC, []]);
		expect(found.members).toMatchObject([
			{ url: getUrl(1), answered: false, state: "down" },
			{ url: getUrl(2), name: "apic2", answered: true, state: "ok", version: "6.1(1f)" },
			{ url: getUrl(3), name: "apic3", answered: true, state: "standby" },
			{ url: null, name: "apic1", node_id: 1, state: "down" },
		]);
		expect(found.message).toContain(`Not in use: ${getUrl(1)} (down), ${getUrl(3)} (standby).`);
		expect(await listStates(id)).toEqual(["down", "ok", "standby"]);
	});

	it("refuses an address of another fabric", async () => {
		const { id } = await addConnection();
		await setMemberFaults(3, { other_fabric: true });
		const { status, body: found } = await testConnection(id);
		expect([status, found]).toEqual([
			400,
			{
				success: false,
				reason: "other_fabric",
				message: expect.stringContaining(`${getUrl(3)} belongs to the fabric`),
			},
		]);
		expect(await readDetail(id)).toMatchObject({ last_test_status: false, fabric_id: FABRIC });
		expect(await listStates(id)).toEqual(["ok", "ok", "other_fabric"]);
	});

	it("fails when no member may be asked", async () => {
		const { id } = await addConnection();
		await Promise.all(lab.members.map((member) => member.setFaults({ partial_cluster: true })));
		expect((await testConnection(id)).body).toMatchObject({ success: false, reason: "no_member" });
		await Promise.all(lab.members.map((member) => member.setFaults({ down: true })));
		expect((await testConnection(id)).body).toMatchObject({ success: false, reason: "refused" });
	});
});

describe("a run on a cluster", () => {
	it("names the member that answered, and goes on without one that is down", async () => {
		const { id, name } = await addConnection();
		expect(await runQuery(id)).toMatchObject({ status: "completed", total_rows: EPGS, member_url: getUrl(1) });
		await setMemberFaults(1, { down: true });
		const second = await runQuery(id);
		expect(second).toMatchObject({ status: "completed", total_rows: EPGS });
		expect([getUrl(2), getUrl(3)]).toContain(second.member_url);
		expect(second.stages[0].member_url).toBe(second.member_url);
		await waitUntil("it is down", async () => (await listStates(id))[0] === "down");
		expect((await readDetail(id)).members[0]).toMatchObject({
			last_error: expect.stringContaining("refused"),
			since: expect.any(String),
		});
		expect(log).toContain('"msg":"controller_failover"');
		expect((await metrics.text()).body).toContain(`weft_controller_failovers_total{connection="${name}"} 1`);
		await setMemberFaults(1, { down: false });
		await waitUntil("it is back", async () => (await listStates(id))[0] === "ok");
	});

	it("has each row once when a member fails in the middle of many pages", async () => {
		const many = Array.from({ length: 12_000 }, (_, at) => ({
			fvAEPg: { attributes: { dn: `uni/tn-many/ap-a/epg-e${String(at).padStart(5, "0")}`, name: `e${at}` } },
		}));
		lab.load(many);
		const { id } = await addConnection();
		await setMemberFaults(1, { reset: { match: "page=9&" } });
		const found = await runQuery(id);
		expect(found).toMatchObject({ status: "completed", total_rows: EPGS + many.length });
		expect(found.member_url).not.toBe(getUrl(1));
		const results = await ada.api.get(`${found.results_url}?export=ndjson`);
		const dns = results.text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line).fvAEPg.attributes.dn);
		expect([dns.length, new Set(dns).size]).toEqual([EPGS + many.length, EPGS + many.length]);
	});

	it("fails and says why when no member is left", async () => {
		const { id } = await addConnection();
		await Promise.all([
			setMemberFaults(1, { partial_cluster: { part: 0.5 } }),
			setMemberFaults(2, { other_fabric: true }),
			setMemberFaults(3, { standby: true }),
		]);
		const found = await runQuery(id);
		expect(found.status).toBe("failed");
		expect(found.errors[0].message).toMatch(/No member of the cluster.*lost members.*other-fabric.*standby/);
	});

	it("has the only address where there is one", async () => {
		const { id } = await addConnection({ alternate_urls: [] });
		expect(await runQuery(id)).toMatchObject({ status: "completed", member_url: getUrl(1) });
		expect(await listStates(id)).toEqual(["unknown"]);
	});
});

describe("the identity of a cluster", () => {
	const denied = { access_denied: { match: "fabricNode" } };
	const denyAll = () => Promise.all(lab.members.map((member) => member.setFaults(denied)));

	it("comes from the first member that answers, for a connection that was never tested", async () => {
		await setMemberFaults(1, { down: true });
		const made = await addConnection();
		expect(made.fabric_id).toBe(FABRIC);
		expect(await runQuery(made.id)).toMatchObject({ status: "completed", total_rows: EPGS });
	});

	it("is confirmed by an administrator where the user may not read it, until the addresses change", async () => {
		await denyAll();
		const { id, fabric_id, is_one_fabric_confirmed } = await addConnection();
		expect([fabric_id, is_one_fabric_confirmed]).toEqual([null, false]);
		const missing = "may not read the serial of node 1 (fabricNode.serial). Give the user the right";
		expect((await testConnection(id)).body).toMatchObject({ success: true, message: expect.stringContaining(missing) });
		await setMemberFaults(1, { down: true });
		const failed = await runQuery(id);
		expect(failed).toMatchObject({ status: "failed", errors: [{ message: expect.stringContaining(missing) }] });
		expect(failed.errors[0].message).not.toContain("test the connection");

		const refused = await patchConnection(id, { is_one_fabric_confirmed: true });
		expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Only administrators")]);
		const confirmed = await t.admin.api.patch(`${PATH}${id}/`, { is_one_fabric_confirmed: true });
		expect([confirmed.status, confirmed.body.is_one_fabric_confirmed]).toEqual([200, true]);
		expect(await runQuery(id)).toMatchObject({ status: "completed", total_rows: EPGS });
		expect((await testConnection(id)).body.message).not.toContain("may not read");

		const kept = await patchConnection(id, { is_one_fabric_confirmed: true, description: "as before" });
		expect([kept.status, kept.body.is_one_fabric_confirmed]).toEqual([200, true]);
		const moved = { alternate_urls: [getUrl(3)], is_one_fabric_confirmed: true };
		expect((await patchConnection(id, moved)).status).toBe(403);
		const changed = await patchConnection(id, { alternate_urls: [getUrl(3)] });
		expect([changed.status, changed.body.is_one_fabric_confirmed]).toEqual([200, false]);
	});

	it("is confirmed at creation by administrators only", async () => {
		const refused = await ada.api.post(PATH, buildBody({ is_one_fabric_confirmed: true }));
		expect(refused.status).toBe(403);
		const made = await t.admin.api.post(PATH, buildBody({ is_one_fabric_confirmed: true }));
		expect([made.status, made.body.is_one_fabric_confirmed]).toEqual([201, true]);
	});

	it("still excludes a member that says it belongs to another fabric", async () => {
		const { body: made } = await t.admin.api.post(PATH, buildBody({ is_one_fabric_confirmed: true, is_public: true }));
		await Promise.all([
			setMemberFaults(1, { down: true }),
			setMemberFaults(2, { other_fabric: true }),
			setMemberFaults(3, { down: true }),
		]);
		expect((await runQuery(made.id)).errors[0].message).toContain("belongs to the fabric other-fabric");
	});
});

describe("a member that sees one of three members", () => {
	it("is refused with the number of members that it sees", async () => {
		const { id } = await addConnection();
		await Promise.all([setMemberFaults(1, { down: true }), setMemberFaults(2, { down: true })]);
		const message = `${getUrl(3)} sees 1 of 3 members of its cluster`;
		expect((await runQuery(id)).errors[0].message).toContain(message);
		expect((await testConnection(id)).body).toMatchObject({
			reason: "no_member",
			message: expect.stringContaining(message),
		});
		expect((await readDetail(id)).members[2]).toMatchObject({
			state: "partial",
			last_error: expect.stringContaining(message),
		});
	});
});
