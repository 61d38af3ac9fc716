/** Reads on a simulated cluster whose members fail, and come back. */
import { type FaultSettings, type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { awaitCondition, captureRejection } from "../../../../test/support/controllers.ts";
import { createFakeClock } from "../../../../test/support/fake-clock.ts";
import { createControllerDriver } from "../index.ts";
import type { ClusterChange, ControllerObject, ControllerQuery, ControllerTarget } from "../port.ts";
import type { Failover } from "./members.ts";

const FABRIC = "weft-fabric/FDO20000001";
let lab: RunningController;
beforeAll(async () => {
	lab = await startController({ members: 3 });
});
afterAll(() => lab.close());
beforeEach(async () => {
	lab.reset();
	await Promise.all(lab.members.map((member) => member.clearFaults()));
});

const listUrls = () => lab.members.map(({ url }) => url);
const setMemberFaults = (id: number, faults: FaultSettings) => lab.members[id - 1]?.setFaults(faults);
/** Reads of objects by member; logins and checks of the cluster do not count. */
const countReads = () =>
	lab.members.map(({ stats }) => stats().last.filter(({ target }) => target.includes("/fvAEPg.json")).length);
const countLogins = () => lab.members.map(({ stats }) => stats().logins);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
	for (const one of open.splice(0)) await one.close();
});

function setUp(changes: Partial<ControllerTarget> = {}) {
	const clock = createFakeClock();
	const failovers: Failover[] = [];
	const changed: ClusterChange[] = [];
	/** Delays before probes. */
	const probes: number[] = [];
	const driver = createControllerDriver({
		clock,
		// Retries go on at once; probes wait for the clock.
		sleep(ms, signal) {
			if (ms % 1_000 !== 0) return Promise.resolve();
			probes.push(ms);
			return clock.sleep(ms, signal);
		},
		random: () => 0.123,
		onFailover: (_target, failover) => failovers.push(failover),
	});
	driver.onClusterChange((change) => changed.push(change));
	open.push(driver);
	const [url = "", ...alternateUrls] = listUrls();
	const target: ControllerTarget = {
		id: "c1",
		revision: "1",
		url,
		alternateUrls,
		fabricId: FABRIC,
		username: lab.username,
		password: lab.password,
		verifyTls: true,
		timeoutMs: 5_000,
		...changes,
	};
	const rows = async (query: Partial<ControllerQuery> = {}) =>
		(await driver.rows(target, { path: "/api/class/fvAEPg.json", pageSize: 2, ...query })).rows;
	const states = () => {
		const last = new Map(changed.flatMap(({ member }) => (member ? [[member.url, member.state] as const] : [])));
		return listUrls().map((one) => last.get(one) ?? "unknown");
	};
	return { clock, driver, target, rows, failovers, changed, states, probes };
}

const listDns = (rows: readonly ControllerObject[]) => rows.map((row) => Object.values(row)[0]?.attributes.dn ?? "");
async function readExpectedDns(): Promise<string[]> {
	const { rows } = setUp({ alternateUrls: [], fabricId: null });
	const found = listDns(await rows());
	expect(found.length).toBeGreaterThan(30);
	for (const { resetStats } of lab.members) resetStats();
	return found;
}

describe("a cluster", () => {
	it("costs nothing with a single address", async () => {
		const { rows, changed } = setUp({ alternateUrls: [], fabricId: null });
		await rows({ pageSize: 1_000 });
		expect(lab.stats().last.map(({ target }) => target.split("?")[0])).toEqual([
			"/api/aaaLogin.json",
			"/api/class/fvAEPg.json",
		]);
		expect(changed).toEqual([]);
	});

	it("spreads reads over its members, and keeps each on one", async () => {
		const all = await readExpectedDns();
		const { driver, target } = setUp();
		const pages = Array.from({ length: 3 }, () =>
			driver.pages(target, { path: "/api/class/fvAEPg.json", pageSize: 2 })[Symbol.asyncIterator](),
		);
		const found = pages.map((): string[] => []);
		for (let isOver = false; !isOver; ) {
			const next = await Promise.all(pages.map((page) => page.next()));
			isOver = next.every(({ done }) => done);
			for (const [at, { value }] of next.entries()) if (value) found[at]?.push(...listDns(value.rows));
		}
		expect(found).toEqual([all, all, all]);
		expect(new Set(countReads())).toEqual(new Set([Math.ceil(all.length / 2)]));
		expect(countLogins()).toEqual([1, 1, 1]);
	});

	it.each<[string, FaultSettings]>([
		["refuses connections", { down: true }],
		["resets them", { reset: true }],
		["stays at 503", { html_error: { status: 503 } }],
		["cuts its answers off", { truncated_body: true }],
		["has lost its peers", { partial_cluster: { part: 0.5 } }],
		["is a standby", { standby: true }],
		["belongs to another fabric", { other_fabric: true }],
		["answers another page", { html_error: { status: 200 } }],
	])("goes on without a member that %s, before and in the middle of a read", async (_, faults) => {
		const all = await readExpectedDns();
		const before = setUp();
		await setMemberFaults(1, faults);
		expect(listDns(await before.rows())).toEqual(all);
		expect(before.states()[0]).not.toBe("ok");
		await setMemberFaults(1, { ...Object.fromEntries(Object.keys(faults).map((name) => [name, false])) });

		const { driver, target, failovers } = setUp();
		const members: string[] = [];
		let asked = 0;
		const failedMembers = new Set<string>();
		const read = async () => {
			const found: string[] = [];
			const query = {
				path: "/api/class/fvAEPg.json",
				pageSize: 2,
				failedMembers,
				onMember: (url: string) => members.push(url),
			};
			for await (const page of driver.pages(target, query)) {
				found.push(...listDns(page.rows));
				asked += 1;
				if (asked === 3) await setMemberFaults(1, faults);
			}
			return found;
		};
		const first = await read().catch((error: unknown) => error);
		const found = Array.isArray(first) ? first : await read();
		expect(found).toEqual(all);
		if (!Array.isArray(first)) {
			expect(first).toMatchObject({ interrupted: true });
			expect(failovers).toEqual([{ from: listUrls()[0], to: expect.any(String), reason: expect.any(String) }]);
		}
		expect(members[0]).toBe(listUrls()[0]);
	});

	it("does not believe the last page of a member that lost its peers during the read", async () => {
		const all = await readExpectedDns();
		const { driver, target } = setUp();
		const query = { path: "/api/class/fvAEPg.json", pageSize: 2, failedMembers: new Set<string>() };
		const error = await captureRejection(
			(async () => {
				for await (const page of driver.pages(target, query)) {
					if (page.index === 2) await setMemberFaults(1, { partial_cluster: { part: 0 } });
				}
			})(),
		);
		expect(error).toMatchObject({ interrupted: true, message: expect.stringContaining("lost members") });
		expect([...query.failedMembers]).toEqual([listUrls()[0]]);
		expect(listDns((await driver.rows(target, query)).rows)).toEqual(all);
	});

	it("confirms the member of a read that is left early", async () => {
		const { driver, target } = setUp();
		const leave = async () => {
			for await (const page of driver.pages(target, { path: "/api/class/fvAEPg.json", pageSize: 2 })) {
				await setMemberFaults(1, { partial_cluster: { part: 0 } });
				if (page.index === 1) break;
			}
		};
		expect(await captureRejection(leave())).toMatchObject({ interrupted: true });
	});

	it("begins rows and counts again by itself", async () => {
		const all = await readExpectedDns();
		const { driver, target, rows } = setUp();
		await rows();
		await setMemberFaults(1, { reset: { match: "page=17&" } });
		expect(listDns(await rows())).toEqual(all);
		await setMemberFaults(2, { reset: { match: "fvAEPg" } });
		expect(await driver.count(target, { path: "/api/class/fvAEPg.json" })).toBe(all.length);
	});

	it("fails with the cause at each member when none is left, having asked each once", async () => {
		const { rows, driver, target } = setUp();
		await Promise.all([
			setMemberFaults(1, { down: true }),
			setMemberFaults(2, { partial_cluster: true }),
			setMemberFaults(3, { other_fabric: true }),
		]);
		const error = await captureRejection(rows());
		expect(error).toMatchObject({ interrupted: false, message: expect.stringContaining("No member of the cluster") });
		const { message } = error as Error;
		const [one = "", two = "", three = ""] = listUrls();
		expect(message).toContain(`${one}: 127.0.0.1`);
		expect(message).toMatch(new RegExp(`${two}: .*lost members of its cluster`));
		expect(message).toMatch(new RegExp(`${three}: .*other-fabric/FDO29999991.*${FABRIC}`));
		expect(countReads()).toEqual([0, 0, 0]);
		expect(await captureRejection(driver.count(target, { path: "/api/class/fvBD.json" }))).toMatchObject({
			message: expect.stringContaining("No member"),
		});
	});

	it("does not ask another member about a request that the controller refuses", async () => {
		const { driver, target, failovers } = setUp();
		expect(await captureRejection(driver.count(target, { path: "/api/class/noSuch.json" }))).toMatchObject({
			kind: "rejected",
		});
		expect([countLogins(), failovers]).toEqual([[1, 0, 0], []]);
	});

	it("sends a change again only where it did not arrive", async () => {
		const { driver, target, rows } = setUp();
		await rows();
		const path = "/api/mo/uni/tn-sent.json";
		const body = { fvTenant: { attributes: { name: "sent" } } };
		await setMemberFaults(1, { reset: { match: "tn-sent" } });
		expect(await captureRejection(driver.request(target, { method: "POST", path, body }))).toMatchObject({
			kind: "reset",
		});
		expect(lab.members.map(({ stats }) => stats().kinds.write ?? 0)).toEqual([0, 0, 0]);
		await setMemberFaults(1, { reset: false, down: true });
		expect((await driver.request(target, { method: "POST", path, body })).status).toBe(200);
		expect(lab.members.map(({ stats }) => stats().kinds.write ?? 0)).toEqual([0, 1, 0]);
	});

	it("tries refused credentials on one member only", async () => {
		const { driver, target, rows } = setUp({ password: "wrong" });
		const many = await Promise.all([1, 2, 3, 4].map(() => captureRejection(rows())));
		expect(many).toMatchObject(Array.from({ length: 4 }, () => ({ kind: "credentials" })));
		expect(countLogins()).toEqual([1, 0, 0]);
		expect(await driver.test(target)).toMatchObject({ ok: false, kind: "credentials" });
		expect(countLogins()).toEqual([2, 0, 0]);
	});

	it("takes the fabric from the first member that answers, in their order, when it is not known", async () => {
		const { rows, changed } = setUp({ fabricId: null });
		await Promise.all([setMemberFaults(1, { down: true }), setMemberFaults(3, { other_fabric: true })]);
		await Promise.all([rows(), rows(), rows()]);
		expect(changed).toContainEqual({ targetId: "c1", revision: "1", fabricId: FABRIC });
		expect(countLogins()[2]).toBe(0);
	});

	it("keeps to its own address while that answers and the fabric is not known", async () => {
		const { rows, changed } = setUp({ fabricId: null });
		await setMemberFaults(2, { other_fabric: true });
		await Promise.all([rows(), rows(), rows()]);
		expect(changed).toContainEqual({ targetId: "c1", revision: "1", fabricId: FABRIC });
	});
});

describe("a member that failed", () => {
	it("is probed after 1, 2, 4 s, and comes back by itself", async () => {
		const { clock, rows, states, changed } = setUp();
		await rows();
		await setMemberFaults(1, { down: true });
		await rows();
		expect(states().slice(0, 2)).toEqual(["down", "ok"]);
		const probed = () => changed.length;
		const before = probed();
		await clock.advance(999);
		await setMemberFaults(1, { down: false });
		expect(countLogins()[0]).toBe(1);
		await clock.advance(1);
		await awaitCondition(() => states()[0] === "ok");
		expect(probed()).toBe(before + 1);
		for (const { resetStats } of lab.members) resetStats();
		await rows();
		expect(countReads()[0]).toBeGreaterThan(0);
	});

	it("is probed less often the longer it fails, and not while the connection is not used", async () => {
		const { clock, rows, states, probes } = setUp();
		await rows();
		await setMemberFaults(1, { standby: true });
		await rows();
		expect(states()[0]).toBe("standby");
		const minutes = Array.from({ length: 14 }, () => 60);
		const delays = [1, 2, 4, 8, 16, 32, ...minutes];
		const asked = () => lab.members[0]?.stats().kinds.class ?? 0;
		let before = 0;
		for (const [at, seconds] of delays.entries()) {
			await awaitCondition(() => probes.length === at + 1);
			before = asked();
			await clock.advance(seconds * 1_000);
		}
		// A probe asks for views, systems and the first node.
		await awaitCondition(() => asked() === before + 3);
		expect(probes).toEqual(delays.map((seconds) => seconds * 1_000));
		// The connection was not used for 15 minutes: the last probe is followed by none.
		await setMemberFaults(1, { standby: false });
		await rows();
		await awaitCondition(() => probes.length === delays.length + 1);
		await clock.advance(60_000);
		await awaitCondition(() => states()[0] === "ok");
		expect(probes).toHaveLength(delays.length + 1);
	});
});
