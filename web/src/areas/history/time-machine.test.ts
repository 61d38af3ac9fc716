/** A year as a grid, an object as lanes, and a comparison as it is shown. */
import type { CompareAnswer } from "@weft/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	buildHours,
	buildWeeks,
	findCellByKey,
	findMostChanges,
	findNextChange,
	getLevel,
	listLabels,
	listRows,
} from "./calendar.ts";
import {
	type Entry,
	formatCsv,
	getEntries,
	getLine,
	getLines,
	groupEqualChanges,
	showEntries,
	splitPieces,
	stepFrom,
} from "./compare-model.ts";
import { buildLane, buildPresenceSegments, getChanges, type Point } from "./lanes.ts";

const YEAR = { first: "2026-01-01", last: "2026-12-31" };
const HOURS = { first: "2026-10-31", last: "2026-11-29" };

describe("a heatmap", () => {
	it("has each of its days once, under its weekday", () => {
		for (const [first, last, days] of [
			["2024-01-01", "2024-12-31", 366],
			["2026-01-01", "2026-12-31", 365],
			["2025-11-30", "2026-11-29", 365],
		] as const) {
			const weeks = buildWeeks({ first, last }, {}, 0);
			const all = weeks.flat().flatMap((cell) => (cell ? [cell.at] : []));
			expect([all.length, new Set(all).size, all[0], all.at(-1)]).toEqual([days, days, first, last]);
			for (const week of weeks) {
				for (const [row, cell] of week.entries())
					if (cell) expect((new Date(`${cell.at}T00:00:00Z`).getUTCDay() + 6) % 7).toBe(row);
			}
		}
	});

	it("has 24 hours for each of its days, and names all rows", () => {
		const hours = buildHours(HOURS, { "2026-11-29T07": { count: 1, has_changes: true, changes: 3 } }, 3);
		expect([hours.length, hours.flat().length]).toEqual([30, 720]);
		expect(hours.at(-1)?.[7]).toEqual({ at: "2026-11-29T07", count: 1, hasChanges: true, changes: 3, level: 4 });
		expect([listRows("day").length, listRows("hour").length]).toEqual([7, 24]);
	});

	it("shades by how much changed on one scale for all lanes, and a day without a change as such", () => {
		expect([0, 1, 9, 10, 100, 1_000].map((changes) => getLevel(changes, 1_000))).toEqual([1, 2, 2, 3, 4, 4]);
		expect([0, 1].map((changes) => getLevel(changes, 1))).toEqual([1, 4]);
		const lane = { "2026-01-01": { count: 2, has_changes: true, changes: 5 } };
		const most = findMostChanges([lane, { "2026-01-02": { count: 1, has_changes: true, changes: 5_000 } }]);
		const [day, next] = buildWeeks(YEAR, lane, most).flat().filter(Boolean);
		expect(day).toEqual({ at: "2026-01-01", count: 2, hasChanges: true, changes: 5, level: 2 });
		expect(next).toMatchObject({ count: 0, level: 0 });
	});

	it("names months over the week that they begin in, and days of hours over Mondays", () => {
		const weeks = buildWeeks(YEAR, {}, 0);
		const labels = listLabels(YEAR, "day");
		expect(labels).toHaveLength(12);
		for (const [at, { column }] of labels.entries()) {
			const first = `2026-${String(at + 1).padStart(2, "0")}-01`;
			const week = weeks.findIndex((days) => days.some((cell) => cell?.at === first));
			expect(column).toBe(week);
		}
		expect(listLabels(HOURS, "hour").map(({ text }) => text)).toEqual(["11-02", "11-09", "11-16", "11-23"]);
	});

	it.each([
		["2026-03-10", "ArrowRight", "2026-03-17"],
		["2026-03-10", "Home", "2026-03-01"],
		["2026-02-10", "End", "2026-02-28"],
		["2026-12-30", "PageDown", "2026-12-31"],
	])("of days leads from %s by %s to %s", (at, key, expected) => {
		expect(findCellByKey(YEAR, "day", { at, key, ctrl: false })).toBe(expected);
	});

	it.each([
		["2026-11-10T00", "ArrowUp", "2026-11-09T23"],
		["2026-11-10T05", "ArrowRight", "2026-11-11T05"],
		["2026-11-10T05", "End", "2026-11-10T23"],
		["2026-11-29T23", "ArrowDown", "2026-11-29T23"],
	])("of hours leads from %s by %s to %s", (at, key, expected) => {
		expect(findCellByKey(HOURS, "hour", { at, key, ctrl: false })).toBe(expected);
	});

	it("is walked by keys and never left", () => {
		expect(findCellByKey(YEAR, "day", { at: "2026-03-10", key: "x", ctrl: false })).toBeNull();
		const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"];
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean())),
				fc.constantFrom("day" as const, "hour" as const),
				(presses, step) => {
					let at = step === "day" ? "2026-11-15" : "2026-11-15T12";
					for (const [key, ctrl] of presses) at = findCellByKey(HOURS, step, { at, key, ctrl }) ?? "";
					expect(at).toMatch(step === "day" ? /^2026-1[01]-\d\d$/ : /^2026-1[01]-\d\dT\d\d$/);
					expect(at.slice(0, 10) >= HOURS.first && at.slice(0, 10) <= HOURS.last).toBe(true);
				},
			),
		);
	});

	it("has changes before and after a day", () => {
		const data = Object.fromEntries(
			["2026-01-05", "2026-03-01", "2026-07-09"].map((day) => [
				day,
				{ count: 1, has_changes: day !== "2026-03-01", changes: 0 },
			]),
		);
		expect(findNextChange(data, "2026-03-01", 1)).toBe("2026-07-09");
		expect(findNextChange(data, "2026-03-01", -1)).toBe("2026-01-05");
		expect(findNextChange(data, "2026-07-09", 1)).toBeNull();
	});
});

describe("an object over time", () => {
	const point = (index: number, attributes: Record<string, unknown> | null): Point => ({
		snapshot_id: `s${index}`,
		executed_at: `2026-01-0${index + 1}T00:00:00Z`,
		present: attributes !== null,
		attributes: attributes ?? {},
	});
	const points = [
		point(0, { mtu: "1500", name: "a" }),
		point(1, { mtu: "9000", name: "a" }),
		point(2, null),
		point(3, { mtu: "9000" }),
	];

	it("is there and gone, and each attribute has its lane", () => {
		expect(buildPresenceSegments(points)).toEqual([
			{ value: "there", from: 0, length: 2 },
			{ value: null, from: 2, length: 1 },
			{ value: "there", from: 3, length: 1 },
		]);
		expect(buildLane(points, "mtu").map(({ value, length }) => [value, length])).toEqual([
			["1500", 1],
			["9000", 1],
			[null, 1],
			["9000", 1],
		]);
	});

	it("lists its changes, newest first; appearing and disappearing is not a change of attributes", () => {
		expect(
			getChanges(points, ["mtu", "name"]).map(({ attribute, before, after, fromId, toId }) => [
				attribute,
				before,
				after,
				fromId,
				toId,
			]),
		).toEqual([
			[null, null, "there", "s2", "s3"],
			[null, "there", null, "s1", "s2"],
			["mtu", "1500", "9000", "s0", "s1"],
		]);
	});
});

describe("a comparison", () => {
	const object = (attributes: Record<string, unknown>) => ({ fvBD: { attributes } });
	const answer: Pick<CompareAnswer, "diff"> = {
		diff: {
			total_changes: 4,
			added: [{ dn: "uni/b", class_name: "fvBD", object: object({ dn: "uni/b", name: "b", descr: "" }) }],
			deleted: [{ dn: "uni/d", class_name: "fvBD", object: object({ dn: "uni/d", name: "=cmd()" }) }],
			modified: [
				{
					dn: "uni/a",
					class_name: "fvBD",
					before: object({}),
					after: object({ dn: "uni/a", mtu: "9000", modTs: "2", name: "a" }),
					attribute_changes: [
						{ key: "modTs", old: "1", new: "2" },
						{ key: "mtu", old: "1500", new: "9000" },
					],
				},
				{
					dn: "uni/c",
					class_name: null,
					before: object({}),
					after: object({ modTs: "2" }),
					attribute_changes: [{ key: "modTs", old: "1", new: "2" }],
				},
			],
		},
	};
	const entries = getEntries(answer);

	it("is in the order of the DNs, with the attributes that changed and those that did not", () => {
		expect(entries.map(({ kind, dn }) => `${kind} ${dn}`)).toEqual([
			"modified uni/a",
			"added uni/b",
			"modified uni/c",
			"deleted uni/d",
		]);
		expect(entries[0]?.unchanged.map(({ key }) => key)).toEqual(["dn", "name"]);
		expect(entries[1]?.changed).toEqual([
			{ key: "dn", old: null, now: "uni/b" },
			{ key: "name", old: null, now: "b" },
		]);
		expect(entries[1]?.unchanged).toEqual([{ key: "descr", old: null, now: "" }]);
	});

	it("leaves noise out and says how much", () => {
		const shown = showEntries(entries, new Set(["modTs"]), null, "");
		expect(shown.quiet).toBe(1);
		expect(shown.counts).toEqual({ added: 1, deleted: 1, modified: 1 });
		expect(shown.entries[0]?.changed.map(({ key }) => key)).toEqual(["mtu"]);
		expect(showEntries(entries, new Set(), null, "").quiet).toBe(0);
		expect(showEntries(entries, new Set(), "deleted", "").entries.map(({ dn }) => dn)).toEqual(["uni/d"]);
		expect(showEntries(entries, new Set(), null, "MTU").entries.map(({ dn }) => dn)).toEqual(["uni/a"]);
	});

	it("folds what did not change", () => {
		const closed = getLines(entries, new Set()).map(({ kind }) => kind);
		expect(closed.filter((kind) => kind === "head")).toHaveLength(4);
		expect(getLines(entries, new Set(["uni/a"])).length).toBe(closed.length + 2);
	});

	it("gathers objects with the same changes, which count as one step", () => {
		const entry = (dn: string, now: string): Entry => ({
			id: dn,
			dn,
			kind: "modified",
			className: "fvSubnet",
			changed: [{ key: "scope", old: "private", now }],
			unchanged: [{ key: "dn", old: dn, now: dn }],
		});
		const list = ["a public", "b shared", "c public", "d public"].map((text) => {
			const [dn = "", now = ""] = text.split(" ");
			return entry(dn, now);
		});
		const gathered = groupEqualChanges(list);
		expect(gathered.map(({ dn }) => dn)).toEqual(["a", "c", "d", "b"]);
		const shape = (open: readonly string[]) =>
			getLines(gathered, new Set(open)).map((line) => (line.kind === "group" ? `group of ${line.count}` : line.kind));
		expect(shape([])).toEqual(["group of 3", "attribute", "head", "attribute", "fold"]);
		const { group = "" } = gathered[0] ?? {};
		expect(shape([group])).toEqual([
			...["group of 3", "attribute", "head", "fold", "head", "fold", "head", "fold"],
			...["head", "attribute", "fold"],
		]);
		const lines = getLines(gathered, new Set());
		expect([0, 1, 2, 3].map((index) => getLine(lines, gathered, index))).toEqual([0, 0, 0, 2]);
		expect([stepFrom(gathered, 0, 1), stepFrom(gathered, 3, 1)]).toEqual([3, 3]);
		expect([stepFrom(gathered, 3, -1), stepFrom(gathered, 0, -1)]).toEqual([0, 0]);
		// Two are shown one by one, where they are.
		const few = list.slice(0, 3);
		expect(groupEqualChanges(few)).toEqual(few);
	});

	it("marks what differs within a value, and loses nothing", () => {
		expect(
			splitPieces("vlan-107", "vlan-2207")
				.now.filter(({ differs }) => differs)
				.map(({ text }) => text),
		).toEqual(["22"]);
		expect(splitPieces("no", "yes").old).toEqual([{ text: "no", differs: true }]);
		fc.assert(
			fc.property(fc.string(), fc.string(), (a, b) => {
				const { old, now } = splitPieces(a, b);
				expect(old.map(({ text }) => text).join("")).toBe(a);
				expect(now.map(({ text }) => text).join("")).toBe(b);
				const same = (pieces: typeof old) =>
					pieces
						.filter(({ differs }) => !differs)
						.map(({ text }) => text)
						.join("");
				expect(same(old)).toBe(same(now));
			}),
		);
	});

	it("can be taken to a spreadsheet without running there", () => {
		const [head, ...rows] = formatCsv(entries).trimEnd().split("\r\n");
		expect(head).toBe("change,dn,class,attribute,before,after");
		expect(rows).toContain("deleted,uni/d,fvBD,name,'=cmd(),");
		expect(rows).toHaveLength(7);
	});
});
