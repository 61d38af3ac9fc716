/** Several members over one fabric: what they share, what each has, and their faults. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningController, startController } from "./controller.ts";
import type { FaultSettings } from "./faults.ts";

let lab: RunningController;
beforeAll(async () => {
	lab = await startController({ members: 3 });
});
afterAll(() => lab.close());
beforeEach(async () => {
	lab.reset();
	await Promise.all(lab.members.map((member) => member.clearFaults()));
});

interface Item {
	readonly [cls: string]: { readonly attributes: Record<string, string> };
}

const getUrl = (id: number) => lab.members[id - 1]?.url ?? "";
const setMemberFaults = (id: number, faults: FaultSettings) => lab.members[id - 1]?.setFaults(faults);

async function loginMember(id: number) {
	const body = JSON.stringify({ aaaUser: { attributes: { name: lab.username, pwd: lab.password } } });
	const answer = await fetch(`${getUrl(id)}/api/aaaLogin.json`, { method: "POST", body });
	const { aaaLogin } = ((await answer.json()) as { imdata: Item[] }).imdata[0] as Item;
	return aaaLogin?.attributes ?? {};
}

async function readMember(id: number, path: string, token?: string): Promise<Record<string, string>[]> {
	const Cookie = `APIC-cookie=${token ?? (await loginMember(id)).token}`;
	const answer = await fetch(`${getUrl(id)}/api/${path}`, { headers: { Cookie } });
	const { imdata } = (await answer.json()) as { imdata: Item[] };
	return imdata.map((item) => Object.values(item)[0]?.attributes ?? {});
}

/** What a member says of each member. */
async function readOwnView(id: number) {
	const views = await readMember(id, "class/infraWiNode.json?order-by=infraWiNode.dn");
	expect(views).toHaveLength(9);
	return views
		.filter(({ dn }) => dn?.startsWith(`topology/pod-1/node-${id}/av/`))
		.map(({ apicMode, operSt, health }) => `${apicMode} ${operSt} ${health}`);
}
const FIT = "active available fully-fit";
const GONE = "active unavailable unknown";

describe("a cluster", () => {
	it("shares its objects, and has sessions of each member", async () => {
		const [one, two] = [await loginMember(1), await loginMember(2)];
		expect([one.node, two.node]).toEqual(["topology/pod-1/node-1", "topology/pod-1/node-2"]);
		expect(
			(await fetch(`${getUrl(2)}/api/class/fvBD.json`, { headers: { Cookie: `APIC-cookie=${one.token}` } })).status,
		).toBe(403);
		const headers = { Cookie: `APIC-cookie=${one.token}` };
		const body = '{"fvTenant":{"attributes":{"name":"written"}}}';
		await fetch(`${getUrl(1)}/api/mo/uni/tn-written.json`, { method: "POST", headers, body });
		expect(await readMember(2, "mo/uni/tn-written.json", two.token)).toMatchObject([{ name: "written" }]);
		expect(lab.members.map(({ stats }) => stats().logins)).toEqual([1, 1, 0]);
	});

	it("answers with every member's view, and with the member that answers", async () => {
		for (const { id } of lab.members) {
			expect(await readOwnView(id)).toEqual([FIT, FIT, FIT]);
			expect(await readMember(id, "mo/info.json")).toMatchObject([{ dn: "info", id: String(id), role: "controller" }]);
		}
	});

	it("shows a member that is down to the others, until it comes back", async () => {
		await setMemberFaults(2, { down: true });
		await expect(loginMember(2)).rejects.toThrow();
		expect(await readOwnView(1)).toEqual([FIT, GONE, FIT]);
		await setMemberFaults(2, { down: false });
		expect(await readOwnView(2)).toEqual([FIT, FIT, FIT]);
		expect(await readOwnView(1)).toEqual([FIT, FIT, FIT]);
	});

	it("has faults of one member only", async () => {
		const tenants = await readMember(1, "class/fvTenant.json");
		await setMemberFaults(2, { partial_cluster: { part: 0.5 } });
		expect(await readOwnView(2)).toEqual([GONE, "active available data-layer-partially-diverged", GONE]);
		expect((await readMember(2, "class/fvTenant.json")).length).toBeLessThan(tenants.length);
		await setMemberFaults(3, { standby: true });
		expect(await readOwnView(3)).toEqual([FIT, FIT, "standby available fully-fit"]);
		expect(await readMember(3, "class/fvTenant.json")).toEqual([]);
		expect(await readOwnView(1)).toEqual([FIT, FIT, FIT]);
		expect(await readMember(1, "class/fvTenant.json")).toEqual(tenants);
	});

	it("has a member of another version, and one of another fabric", async () => {
		await setMemberFaults(2, { half_upgraded: true });
		expect((await loginMember(2)).version).toBe("6.1(1f)");
		const versions = (id: number) =>
			readMember(id, "class/topSystem.json").then((all) => new Set(all.map((one) => one.version)));
		expect(await versions(2)).toContain("6.1(1f)");
		expect(await versions(1)).not.toContain("6.1(1f)");
		await setMemberFaults(3, { other_fabric: { domain: "elsewhere", serial: "X1" } });
		const identity = async (id: number) => [
			(await readMember(id, "class/topSystem.json"))[0]?.fabricDomain,
			(await readMember(id, "class/infraCont.json"))[0]?.fbDmNm,
			(await readMember(id, "mo/topology/pod-1/node-1.json"))[0]?.serial,
			(await readMember(id, "mo/topology/pod-1/node-1/av/node-1.json"))[0]?.mbSn,
		];
		expect(await identity(3)).toEqual(["elsewhere", "elsewhere", "X1", "X1"]);
		expect(await identity(1)).not.toContain("X1");
	});

	it("is controlled through any member", async () => {
		const control = (id: number, path: string, body?: unknown) =>
			fetch(`${getUrl(id)}/_lab/${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
		expect((await control(1, "faults?member=3", { down: true })).status).toBe(200);
		await expect(control(3, "health")).rejects.toThrow();
		expect((await control(2, "faults?member=2", { down: true })).status).toBe(200);
		expect((await control(1, "faults?member=9")).status).toBe(400);
		expect(await (await control(1, "faults?member=3")).json()).toMatchObject({ faults: { down: { on: true } } });
		expect((await control(1, "reset", {})).status).toBe(200);
		expect((await control(3, "health")).status).toBe(200);
	});
});
