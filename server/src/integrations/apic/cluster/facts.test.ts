import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PeerView, readIdentity, readOwnState, readSerialOfFirst, readSystems, readViews } from "./facts.ts";

const createObject = (name: string, attributes: Record<string, string>) => ({ [name]: { attributes } });
const createView = (viewer: number, id: number, changes: Partial<PeerView> = {}): PeerView => ({
	viewer: String(viewer),
	id: String(id),
	name: `apic${id}`,
	isStandby: false,
	isAvailable: true,
	health: "fully-fit",
	serial: `S${id}`,
	...changes,
});

describe("readViews", () => {
	it("reads viewer and member from the dn", () => {
		const attributes = {
			dn: "topology/pod-2/node-3/av/node-1",
			id: "1",
			nodeName: "apic1",
			apicMode: "active",
			operSt: "available",
			health: "fully-fit",
			mbSn: "FCH1",
		};
		expect(readViews([createObject("infraWiNode", attributes)])).toEqual([
			{ ...createView(3, 1, { serial: "FCH1" }), isAvailable: true },
		]);
	});

	it("drops objects of other classes and with other dns, and takes missing attributes as empty", () => {
		expect(
			readViews([
				createObject("fvBD", { dn: "topology/pod-1/node-1/av/node-1" }),
				createObject("infraWiNode", { dn: "uni" }),
				createObject("infraWiNode", {}),
			]),
		).toEqual([]);
		expect(readViews([createObject("infraWiNode", { dn: "topology/pod-1/node-1/av/node-1" })])).toEqual([
			createView(1, 1, { name: "", isAvailable: false, health: "", serial: "" }),
		]);
	});
});

describe("identity", () => {
	const systems = readSystems([
		createObject("topSystem", { id: "101", role: "leaf", fabricDomain: "wrong" }),
		createObject("topSystem", {
			id: "1",
			role: "controller",
			name: "apic1",
			fabricDomain: "ACI Fabric1",
			oobMgmtAddr: "10.1.1.1",
			oobMgmtAddr6: "fe80::1",
			inbMgmtAddr: "0.0.0.0",
			inbMgmtAddr6: "fc00::1/64",
		}),
	]);

	it("is the domain and the serial of node 1", () => {
		expect(systems).toEqual([
			{ id: "1", name: "apic1", domain: "ACI Fabric1", version: "", addresses: ["10.1.1.1", "fc00::1"] },
		]);
		const node = (id: string, serial: string) => [createObject("fabricNode", { id, serial })];
		const [domain, serial] = [
			expect.stringContaining("topSystem.fabricDomain"),
			expect.stringContaining("fabricNode.serial"),
		];
		expect(readIdentity(systems, node("2", "X"))).toEqual({ fabricId: null, unreadable: [serial] });
		expect(readIdentity([], node("1", "X"))).toEqual({ fabricId: null, unreadable: [domain] });
		expect(readIdentity([], node("1", ""))).toEqual({ fabricId: null, unreadable: [domain, serial] });
		expect(readIdentity(systems, node("1", "X"))).toEqual({ fabricId: "ACI Fabric1/X", unreadable: [] });
		expect(readSerialOfFirst([createView(2, 3), createView(2, 1)])).toBe("S1");
	});
});

describe("ownState", () => {
	const down = { isAvailable: false, health: "unknown" };
	it.each<[string, PeerView[], string]>([
		["a whole cluster", [createView(1, 1), createView(1, 2), createView(1, 3)], "ok"],
		["one controller alone", [createView(1, 1)], "ok"],
		["one of three down", [createView(1, 1), createView(1, 2, down), createView(1, 3)], "ok"],
		["two of three down", [createView(1, 1), createView(1, 2, down), createView(1, 3, down)], "partial"],
		["half of four down", [createView(1, 1), createView(1, 2), createView(1, 3, down), createView(1, 4, down)], "ok"],
		[
			"not fully fit",
			[createView(1, 1, { health: "data-layer-partially-diverged" }), createView(1, 2), createView(1, 3)],
			"partial",
		],
		["a standby peer that is down", [createView(1, 1), createView(1, 21, { ...down, isStandby: true })], "ok"],
		["a standby", [createView(1, 1, { isStandby: true, health: "unknown" }), createView(1, 2)], "standby"],
		["the views of others", [createView(2, 1, { health: "unknown" }), createView(2, 2)], "unknown"],
		["nothing", [], "unknown"],
	])("of %s", (_, views, state) => {
		expect(readOwnState({ selfId: "1", views }).state).toBe(state);
	});

	it("depends on the member's own views only", () => {
		const views = fc.array(
			fc.record({ viewer: fc.integer({ min: 1, max: 3 }), id: fc.integer({ min: 1, max: 3 }), up: fc.boolean() }),
		);
		fc.assert(
			fc.property(views, (list) => {
				const all = list.map(({ viewer, id, up }) => createView(viewer, id, { isAvailable: up }));
				const own = all.filter(({ viewer }) => viewer === "1");
				expect(readOwnState({ selfId: "1", views: all })).toEqual(readOwnState({ selfId: "1", views: own }));
			}),
		);
	});
});
