import { expect, it } from "vitest";
import { findCounterparts } from "./counterparts.ts";

const createPlace = (connection_id: string, dn: string) => ({ connection_id, dn });

it("pairs objects of a name that each fabric has once", () => {
	const found = [createPlace("a", "topology/pod-1/node-101/sys"), createPlace("b", "topology/pod-2/node-201/sys")];
	expect(findCounterparts(found, { connectionId: "a", dn: "topology/pod-1/node-101/sys" })).toEqual([found[1]]);
});

it("pairs by DN where one of the fabrics has several objects of the name", () => {
	const [own, second] = [
		createPlace("a", "topology/pod-1/node-101/sys"),
		createPlace("a", "topology/pod-1/node-102/sys"),
	];
	const [same, other] = [createPlace("b", own.dn), createPlace("b", "topology/pod-1/node-103/sys")];
	const input = { connectionId: "a", dn: own.dn };
	expect(findCounterparts([own, same, other], input)).toEqual([same]);
	expect(findCounterparts([own, second, same], input)).toEqual([same]);
	expect(findCounterparts([own, second, other], input)).toEqual([]);
});

it("pairs an object that only the controller has", () => {
	const there = createPlace("b", "topology/pod-2/node-201/sys");
	expect(findCounterparts([there], { connectionId: "a", dn: "topology/pod-1/node-101/sys" })).toEqual([there]);
});
