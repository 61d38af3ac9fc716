import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ControllerChange } from "../../../integrations/apic/port.ts";
import {
	type ChangedObject,
	createAttribute,
	createRecordFinder,
	joinStored,
	listRecordedObjects,
} from "./attribution.ts";

const createChangeRecord = (dn: string, more: Partial<ControllerChange> = {}): ControllerChange => ({
	dn,
	user: "eva",
	at: 1,
	action: "modified",
	session: null,
	attributes: [],
	...more,
});
const createModifiedObject = (dn: string, attributes: string[], isFlat = false): ChangedObject => ({
	dn,
	kind: "modified",
	attributes,
	isFlat,
});
const createDeletedObject = (dn: string): ChangedObject => ({ dn, kind: "deleted", attributes: [], isFlat: false });

describe("records of a change", () => {
	const prio = createChangeRecord("a/b", { user: "prio", attributes: ["prio"], at: 3 });
	const descr = createChangeRecord("a/b", { user: "descr", attributes: ["descr"], at: 2 });
	const child = createChangeRecord("a/b/rsctx", { user: "child", attributes: ["tnFvCtxName"], at: 4 });
	const other = createChangeRecord("a/bc", { user: "other", attributes: ["prio"] });
	const above = createChangeRecord("a", { user: "above", action: "deleted" });
	const all = [child, prio, descr, other, above];

	it.each<[string, ChangedObject, ControllerChange[]]>([
		["its own that name the attribute", createModifiedObject("a/b", ["prio"]), [prio]],
		["all of them, newest first", createModifiedObject("a/b", ["descr", "prio"]), [prio, descr]],
		["its own, if none names the attribute", createModifiedObject("a/b", ["mtu"]), [prio, descr]],
		["those of children, if children differ", createModifiedObject("a/b", ["children"]), [child]],
		["both", createModifiedObject("a/b", ["children", "descr"]), [child, descr]],
		["no child's, if the row is the controller's", createModifiedObject("a", ["prio"]), [above]],
		[
			"a child's that names an attribute of a flat row",
			createModifiedObject("a/b", ["fvRsCtx.tnFvCtxName"], true),
			[child],
		],
		["no child's for an attribute that its own explain", createModifiedObject("a/b", ["prio"], true), [prio]],
		["the deletion of an object above", createDeletedObject("a/x/y"), [above]],
		["its own rather than that", createDeletedObject("a/b"), [prio, descr]],
		["none", createDeletedObject("b"), []],
	])("are %s", (_what, object, expected) => {
		expect(createRecordFinder(all)(object)).toEqual(expected);
	});

	it("are what a search of all of them finds", () => {
		const rn = fc.constantFrom("a", "b", "b-[x/y]", "c");
		const dn = fc.array(rn, { minLength: 1, maxLength: 4 }).map((rns) => rns.join("/"));
		const names = fc.subarray(["prio", "descr", "children"]);
		const records = fc.array(
			fc.record({
				dn,
				attributes: fc.subarray(["prio", "descr"]),
				action: fc.constantFrom("created", "modified", "deleted"),
				at: fc.integer({ min: 0, max: 9 }),
			}),
			{ maxLength: 20 },
		);
		fc.assert(
			fc.property(
				records,
				dn,
				names,
				fc.constantFrom("added", "deleted", "modified"),
				(given, of, attributes, kind) => {
					const log = given.map((one) => createChangeRecord(one.dn, one)).sort((a, b) => b.at - a.at);
					const found = createRecordFinder(log)({ dn: of, kind, attributes, isFlat: false });
					const own = log.filter((one) => one.dn === of);
					if (kind !== "modified") {
						const parents = of.split("/").map((_, i, rns) => rns.slice(0, i).join("/"));
						const deletions = log.filter((one) => parents.includes(one.dn) && one.action === "deleted");
						expect(found.length > 0).toBe(own.length + deletions.length > 0);
						for (const one of found) expect(own.length > 0 ? own : deletions).toContain(one);
						return;
					}
					const below = attributes.includes("children") ? log.filter((one) => one.dn.startsWith(`${of}/`)) : [];
					const named = own.filter(
						(one) =>
							one.action !== "modified" ||
							one.attributes.length === 0 ||
							one.attributes.some((name) => attributes.includes(name as "prio")),
					);
					const expected = named.length + below.length > 0 ? [...named, ...below] : own;
					expect(new Set(found)).toEqual(new Set(expected));
					expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).sort((a, b) => b - a));
				},
			),
		);
	});
});

describe("who changed an object", () => {
	const changed_by = [{ user: "kim", at: "2026-01-01T00:00:00.000Z", action: "created" as const, session: null }];
	const stored = new Map([
		["a", { changed_by }],
		["b", { changed_by: [], changed_by_reason: "rotated" as const }],
	]);

	it("is what the controller says now, else what is stored, else the reason", () => {
		const now = createAttribute({ records: [createChangeRecord("c")], reason: "no_record", stored });
		expect(now(createModifiedObject("c", ["x"]))).toMatchObject({ changed_by: [{ user: "eva" }] });
		expect(now(createModifiedObject("a", ["x"]))).toEqual({ changed_by });
		expect(now(createModifiedObject("b", ["x"]))).toEqual({ changed_by: [], changed_by_reason: "no_record" });
		const before = createAttribute({ records: null, reason: null, stored });
		expect(before(createModifiedObject("a", ["x"]))).toEqual({ changed_by });
		expect(before(createModifiedObject("b", ["x"]))).toEqual({ changed_by: [], changed_by_reason: "rotated" });
		expect(before(createModifiedObject("c", ["x"]))).toBeUndefined();
	});

	it("is at most 50 records", () => {
		const attribute = createAttribute({
			records: Array.from({ length: 80 }, (_, at) => createChangeRecord("a", { at: 80 - at })),
			reason: null,
			stored: new Map(),
		});
		expect(attribute(createModifiedObject("a", ["x"]))?.changed_by).toHaveLength(50);
	});

	it("joins what several snapshots have, latest first", () => {
		const older = [{ ...(changed_by[0] as (typeof changed_by)[0]), user: "old" }];
		const joined = joinStored([
			stored,
			new Map([
				["a", { changed_by: older }],
				["b", { changed_by: older }],
			]),
		]);
		expect(joined.get("a")?.changed_by.map(({ user }) => user)).toEqual(["kim", "old"]);
		expect(joined.get("b")).toEqual({ changed_by: older });
	});
});

it("names the objects whose records are enough, and those above of deleted ones", () => {
	expect(listRecordedObjects([createModifiedObject("a/b", ["x"])])).toEqual(["a/b"]);
	expect(listRecordedObjects([createDeletedObject("a/p-[b/c]/d")])).toEqual(["a/p-[b/c]/d", "a/p-[b/c]", "a"]);
	expect(listRecordedObjects([createModifiedObject("a", ["children"])])).toBeNull();
	expect(listRecordedObjects([createModifiedObject("a", ["x"], true)])).toBeNull();
});
