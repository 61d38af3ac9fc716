/** Differences between the version that was read and the stored one. */
import { describe, expect, it } from "vitest";
import { findChanges } from "./conflict.ts";

describe("the changes of a stored version", () => {
	it("are those of the named fields, whichever order their members have", () => {
		const old = { name: "a", config: { op: "gt", value: 1 }, other: 1 };
		const now = { config: { value: 2, op: "gt" }, name: "a", other: 2 };
		expect(findChanges(old, now, ["name", "config", "secret"])).toEqual([{ path: "config.value", old: "1", now: "2" }]);
	});

	it("find the entries of a list by their ids", () => {
		const old = {
			nodes: [
				{ id: "a", x: 1 },
				{ id: "b", x: 2 },
			],
		};
		const now = {
			nodes: [
				{ id: "b", x: 3 },
				{ id: "c", x: 4 },
			],
		};
		expect(findChanges(old, now, ["nodes"])).toEqual([
			{ path: "nodes.a", old: '{"id":"a","x":1}', now: null },
			{ path: "nodes.b.x", old: "2", now: "3" },
			{ path: "nodes.c", old: null, now: '{"id":"c","x":4}' },
		]);
	});

	it("compare other lists as a whole", () => {
		expect(findChanges({ tags: ["a", "b"] }, { tags: ["b", "a"] }, ["tags"])).toEqual([
			{ path: "tags", old: '["a","b"]', now: '["b","a"]' },
		]);
		expect(findChanges({ tags: [] }, { tags: [] }, ["tags"])).toEqual([]);
	});
});
