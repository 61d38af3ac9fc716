/** The pure parts of the screens of checks. */
import type { Check, CheckState, CheckStateEntry, CheckType } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	type Condition,
	createCondition,
	readValueText,
	removeEmptyEntries,
	withOperator,
	withValueText,
} from "./config.ts";
import { getDefinition } from "./describe.ts";
import { buildMatrix, collectOthers, findWorstEntry, isMuted, isProblem } from "./entries.ts";

const STATES: readonly CheckState[] = ["ok", "unknown", "pending", "error", "failing"];
const buildTime = (minutes: number): string => new Date(minutes * 60_000).toISOString();
const createEntry = (id: string | null, state: CheckState, rest: Partial<CheckStateEntry> = {}): CheckStateEntry => ({
	controller_connection_id: id,
	controller_connection_name: id,
	state,
	since: buildTime(0),
	last_evaluated_at: null,
	last_run: null,
	runs: [],
	violations: 0,
	error: null,
	acknowledged_by: null,
	muted_until: null,
	held_by: null,
	...rest,
});
const getCheck = (...states: CheckStateEntry[]): Pick<Check, "states"> => ({ states });

describe("entries", () => {
	it("are problems unless they are ok or unknown", () => {
		expect(STATES.filter((state) => isProblem({ state }))).toEqual(["pending", "error", "failing"]);
	});

	it("are muted until their time", () => {
		expect(
			[null, buildTime(4), buildTime(5), buildTime(6)].map((muted_until) => isMuted({ muted_until }, 5 * 60_000)),
		).toEqual([false, false, false, true]);
	});

	it("have a worst one: the first of those in the worst state", () => {
		expect(findWorstEntry([])).toBeUndefined();
		const all = [
			createEntry("a", "ok"),
			createEntry("b", "error"),
			createEntry("c", "failing"),
			createEntry("d", "failing"),
		];
		expect(findWorstEntry(all)?.controller_connection_id).toBe("c");
	});
});

describe("the matrix", () => {
	it("has a column for each connection by name, and says whether there are states of all together", () => {
		const matrix = buildMatrix([
			getCheck(createEntry("f10", "ok"), createEntry("f2", "ok")),
			getCheck(createEntry(null, "failing")),
		]);
		expect(matrix.columns.map(({ name }) => name)).toEqual(["f2", "f10"]);
		expect(matrix).toMatchObject({ hasAcross: true, hasOthers: false });
	});

	it("has columns for the connections in the worst states where there are many", () => {
		const states = Array.from({ length: 12 }, (_, i) =>
			createEntry(`c${i}`, i === 11 ? "failing" : i === 9 ? "error" : "ok"),
		);
		const check = getCheck(...states);
		const matrix = buildMatrix([check]);
		expect(matrix.columns.map(({ id }) => id)).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c9", "c11"]);
		expect(matrix.hasOthers).toBe(true);
		expect(collectOthers(check, matrix).map(({ controller_connection_id: id }) => id)).toEqual([
			"c6",
			"c7",
			"c8",
			"c10",
		]);
	});

	it("has one column where one connection is asked for", () => {
		const matrix = buildMatrix([getCheck(createEntry("a", "ok"), createEntry("b", "ok"))], "b");
		expect(matrix.columns.map(({ id }) => id)).toEqual(["b"]);
		expect(matrix.hasOthers).toBe(false);
	});
});

describe("a definition", () => {
	it.each<[CheckType, Record<string, unknown>, number, string[]]>([
		["no_rows", {}, 1, ["Fails when the query returns any row."]],
		["row_count", { operator: "le", value: 1, group_by: [] }, 1, ["Fails unless the query returns at most 1 row."]],
		[
			"row_count",
			{ operator: "eq", value: 2, group_by: ["tenant", "name"] },
			3,
			["Fails unless each group of equal tenant and name has exactly 2 rows.", "Alerts after 3 failed runs in a row."],
		],
		[
			"each_row",
			{ conditions: [{ field: "descr", operator: "exists" }], match: "all" },
			1,
			["Fails unless in every row descr has a value."],
		],
		[
			"each_row",
			{
				conditions: [
					{ field: "a", operator: "in", value: ["x", "y"], caseSensitive: false },
					{ field: "b", operator: "eq", value: "" },
				],
				match: "any",
			},
			1,
			[
				"Fails unless every row meets at least one of these conditions:",
				"a is one of x, y, in any case.",
				"b is empty.",
			],
		],
		["unique", { fields: ["ip"] }, 1, ["Fails when two rows have the same ip, in any of the fabrics."]],
		[
			"same_everywhere",
			{ key: ["name"], fields: ["mtu"], ignore: ["descr"] },
			1,
			[
				"Fails when rows with the same name differ between fabrics, or are missing in one.",
				"Compared: mtu.",
				"Not compared: descr.",
			],
		],
		[
			"unchanged",
			{ baseline: { kind: "previous" } },
			1,
			["Fails when anything changed since the last snapshot, by the query's drift rules."],
		],
		[
			"trend",
			{ value: "max", field: "eqptTemp.value", group_by: "dn", operator: "lt", threshold: 70, within_days: 7 },
			1,
			[
				"The largest value of eqptTemp.value of each dn is less than 70.",
				"So is its line through the last 14 days in 7 days.",
			],
		],
		["trend", { value: "count", operator: "le", threshold: 9 }, 1, ["The number of rows is at most 9."]],
	])("of %s %j", (type, config, for_runs, sentences) => {
		expect(getDefinition({ type, config, for_runs })).toEqual(sentences);
	});

	it("of a type of a newer service is its configuration", () => {
		expect(getDefinition({ type: "sorted" as CheckType, config: { by: "name" }, for_runs: 1 })).toEqual([
			'sorted: {"by":"name"}',
		]);
	});
});

describe("a condition in the editor", () => {
	const named = (rest: Partial<Condition>): Condition => ({ ...createCondition(), field: "a", ...rest });

	it("has a value as its operator takes it", () => {
		expect(withOperator(named({ value: "x" }), "in").value).toEqual(["x"]);
		expect(withOperator(named({ operator: "in", value: ["x", "y"] }), "eq").value).toBe("x, y");
		expect(withOperator(named({ value: "x" }), "missing")).not.toHaveProperty("value");
		expect(withOperator(named({ operator: "missing" }), "eq").value).toBe("");
	});

	it("keeps texts without commas through its field", () => {
		const word = fc.stringMatching(/^[a-z]{1,8}$/);
		fc.assert(
			fc.property(fc.array(word, { minLength: 1 }), (words) => {
				const condition = named({ operator: "in", value: words });
				expect(withValueText(condition, readValueText(condition)).value).toEqual(words);
			}),
		);
	});
});

it("fields that were left empty are not sent", () => {
	expect(removeEmptyEntries("unique", { fields: ["name", " ", ""] })).toEqual({ fields: ["name"] });
	expect(removeEmptyEntries("trend", { value: "count", field: "", threshold: 0 })).toEqual({
		value: "count",
		threshold: 0,
	});
	expect(removeEmptyEntries("row_count", { operator: "eq", value: 0, group_by: [""] })).toEqual({
		operator: "eq",
		value: 0,
		group_by: [],
	});
});
