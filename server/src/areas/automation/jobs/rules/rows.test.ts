import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ItemResult, JobEvent } from "../../../../integrations/awx/port.ts";
import { createRowMatcher } from "./matching.ts";
import { countRowStatuses, type ItemResults, RANKS, readItemResults, readPublishedResults } from "./rows.ts";

const rows = [{ name: "a" }, { name: "b" }, { name: "c" }];
const sheets = [{ name: null, rows }];
const matcher = createRowMatcher(sheets);
const maskSecret = (text: string) => text.replaceAll("secret", "***");

function createEvent(
	name: string,
	more: Partial<Omit<JobEvent, "item">> & { item?: Partial<ItemResult> } = {},
): JobEvent {
	const { item, ...rest } = more;
	return {
		counter: 1,
		event: name,
		stdout: "",
		host: "leaf1",
		play: "",
		task: "T",
		taskUuid: "t1",
		failed: name.endsWith("failed"),
		changed: false,
		ignoreErrors: false,
		...rest,
		...(item && {
			item: { value: undefined, hidden: false, passedOn: null, message: "", unreachable: false, ...item },
		}),
	};
}
const createOkEvent = (at: number, more: Partial<JobEvent> = {}) =>
	createEvent("runner_item_on_ok", { changed: true, ...more, item: { value: rows[at], ...more.item } });
const createFailedEvent = (at: number, more: Partial<JobEvent> = {}) =>
	createEvent("runner_item_on_failed", { ...more, item: { value: rows[at], message: "no", ...more.item } });

describe("the counts of a job's rows by result", () => {
	it.each([
		["counts rows without a result as unknown", 4, 0, { changed: 1, failed: 1, unknown: 2 }],
		["counts rows without a result as censored if items are hidden", 4, 2, { changed: 1, failed: 1, censored: 2 }],
		["counts rows that were only passed on as unknown", 2, 0, { changed: 1, failed: 1 }],
	])("%s", (_, total, hidden, expected) => {
		const byRank = [
			{ rank: RANKS.indexOf("changed"), count: 1 },
			{ rank: RANKS.indexOf("failed"), count: 1 },
		];
		const counts = countRowStatuses(total, hidden, byRank);
		expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))).toEqual(expected);
		const passedOn = countRowStatuses(1, 0, [{ rank: -1, count: 1 }]);
		expect(passedOn).toMatchObject({ unknown: 1, skipped: 0 });
	});
});

const listRowResults = (events: readonly JobEvent[]) =>
	readItemResults(events, matcher, {}, maskSecret).rows.map(({ row_index, host, rank, message }) => [
		row_index,
		host,
		RANKS[rank] ?? "unknown",
		message,
	]);

describe("the result of a row", () => {
	it.each<[string, JobEvent[], unknown[]]>([
		["changed", [createOkEvent(0)], [[0, "leaf1", "changed", ""]]],
		["ok", [createOkEvent(0, { changed: false })], [[0, "leaf1", "ok", ""]]],
		[
			"the worst of its tasks",
			[createOkEvent(0), createFailedEvent(0), createOkEvent(0)],
			[[0, "leaf1", "failed", "no"]],
		],
		[
			"one for each host",
			[createOkEvent(1), createFailedEvent(1, { host: "leaf2" })],
			[
				[1, "leaf1", "changed", ""],
				[1, "leaf2", "failed", "no"],
			],
		],
		[
			"skipped",
			[createEvent("runner_item_on_skipped", { item: { value: rows[2], message: "Conditional result was False" } })],
			[[2, "leaf1", "skipped", "Conditional result was False"]],
		],
		[
			"unreachable",
			[createFailedEvent(0, { item: { ...createFailedEvent(0).item, unreachable: true } as ItemResult })],
			[[0, "leaf1", "unreachable", "no"]],
		],
		[
			"that of the last of its attempts",
			[
				createEvent("runner_retry", { changed: true }),
				createEvent("runner_retry", { changed: true }),
				createOkEvent(0),
			],
			[[0, "leaf1", "changed", ""]],
		],
		["none where it is hidden", [createEvent("runner_item_on_failed", { item: { hidden: true } })], []],
		["none of the closing of a loop", [createEvent("runner_on_failed")], []],
	])("is %s", (_what, events, expected) => {
		expect(listRowResults(events)).toEqual(expected);
	});

	it("is not known of a row that was only passed on, until a task names it", () => {
		const included = createOkEvent(0, {
			changed: false,
			item: { ...createOkEvent(0).item, passedOn: "included" } as ItemResult,
		});
		const started = createOkEvent(0, { item: { ...createOkEvent(0).item, passedOn: "started" } as ItemResult });
		expect(listRowResults([included])).toEqual([[0, "leaf1", "unknown", expect.stringMatching(/included file/)]]);
		expect(listRowResults([started])).toEqual([[0, "leaf1", "unknown", expect.stringMatching(/background/)]]);
		expect(listRowResults([started, createFailedEvent(0)])).toEqual([[0, "leaf1", "failed", "no"]]);
		expect(listRowResults([createFailedEvent(0), included])).toEqual([[0, "leaf1", "failed", "no"]]);
		// A file that cannot be included is a failure of the row.
		const broken = createFailedEvent(0, { item: { ...createFailedEvent(0).item, passedOn: "included" } as ItemResult });
		expect(listRowResults([broken])).toEqual([[0, "leaf1", "failed", "no"]]);
	});

	it("holds no secret, not even where the message is cut", () => {
		const message = `${"x".repeat(1_997)}secret`;
		const [result] = listRowResults([
			createFailedEvent(0, { item: { ...createFailedEvent(0).item, message } as ItemResult }),
		]);
		expect(result?.[3]).toBe(`${"x".repeat(1_997)}***`);
	});

	it("of a loop continues where the last page of events ended, and begins anew with the next loop", () => {
		const twins = createRowMatcher([{ name: null, rows: [{ n: 1 }, { n: 1 }] }]);
		const item = (name: string) => createEvent(name, { item: { value: { n: 1 } } });
		let open: ItemResults["openLoops"] = {};
		const at = (events: JobEvent[]) => {
			const found = readItemResults(events, twins, open, maskSecret);
			open = found.openLoops;
			return found.rows.map(({ row_index }) => row_index);
		};
		expect(at([item("runner_item_on_ok")])).toEqual([0]);
		expect(at([item("runner_item_on_failed")])).toEqual([1]);
		expect(at([createEvent("runner_on_failed"), item("runner_item_on_ok")])).toEqual([0]);
	});

	it("keeps results of a loop apart until its end shows that it goes over a column", () => {
		const item = (value: unknown, counter: number, name = "runner_item_on_ok") =>
			createEvent(name, { counter, item: { value } });
		const first = readItemResults([item("a", 5), item("b", 6, "runner_item_on_failed")], matcher, {}, maskSecret);
		expect([first.rows, first.endedLoops]).toEqual([[], []]);
		expect(first.columns).toEqual([
			{ loop_first: 5, row_index: 0, host: "leaf1", rank: RANKS.indexOf("ok"), message: "" },
			{ loop_first: 5, row_index: 1, host: "leaf1", rank: RANKS.indexOf("failed"), message: "" },
		]);
		const rest = [item("c", 7), createEvent("runner_on_failed", { counter: 8 })];
		expect(readItemResults(rest, matcher, first.openLoops, maskSecret)).toMatchObject({
			endedLoops: [{ loop_first: 5, sheet: "" }],
			openLoops: {},
		});
		expect(readItemResults(rest.slice(1), matcher, first.openLoops, maskSecret).endedLoops).toEqual([
			{ loop_first: 5, sheet: null },
		]);
	});
});

describe("published results", () => {
	const published = (row_results: unknown) =>
		readPublishedResults([{ row_results }], sheets, maskSecret).map(({ row_index, host, rank, message }) => [
			row_index,
			host,
			RANKS[rank],
			message,
		]);

	it.each<[string, unknown, unknown[]]>([
		["a list", [{ row: 1, status: "changed", host: "h", message: "secret" }], [[1, "h", "changed", "***"]]],
		[
			"an object by row",
			{ 0: { status: "ok" }, 2: "failed" },
			[
				[0, "", "ok", ""],
				[2, "", "failed", ""],
			],
		],
		["numbers that became texts", [{ row_index: "2", status: "ok" }], [[2, "", "ok", ""]]],
		[
			"twice the same row: the worst",
			[
				{ row: 0, status: "ok" },
				{ row: 0, status: "failed" },
			],
			[[0, "", "failed", ""]],
		],
		[
			"rows that are none",
			[
				{ row: 3, status: "ok" },
				{ row: "", status: "ok" },
				{ row: true, status: "ok" },
				{ row: 0.5, status: "ok" },
				{ status: "ok" },
			],
			[],
		],
		["states that are none", [{ row: 0, status: "great" }, { row: 0 }, 7, null], []],
		["no list", "hidden", []],
	])("are read from %s", (_what, given, expected) => {
		expect(published(given)).toEqual(expected);
	});
});

describe("properties", () => {
	const arbitrary = fc.record({
		row: fc.nat(2),
		host: fc.constantFrom("h1", "h2"),
		rank: fc.nat(RANKS.length - 1),
	});
	const buildEvent = ({ row, host, rank }: { row: number; host: string; rank: number }): JobEvent => {
		const status = RANKS[rank];
		const item = { value: rows[row], message: `${status}`, unreachable: status === "unreachable" };
		if (status === "failed" || status === "unreachable") return createEvent("runner_item_on_failed", { host, item });
		if (status === "skipped") return createEvent("runner_item_on_skipped", { host, item });
		return createEvent("runner_item_on_ok", { host, changed: status === "changed", item });
	};

	it("the worst result of each row on each host wins, in whatever order and pages events come", () => {
		fc.assert(
			fc.property(fc.array(arbitrary, { maxLength: 30 }), fc.nat(30), (all, cut) => {
				const worst = new Map<string, number>();
				for (const { row, host, rank } of all) {
					const key = `${row} ${host}`;
					worst.set(key, Math.max(worst.get(key) ?? -1, rank));
				}
				const events = all.map(buildEvent);
				const pages = [events.slice(0, cut), events.slice(cut)].flatMap(
					(page) => readItemResults(page, matcher, {}, maskSecret).rows,
				);
				const merged = new Map<string, number>();
				for (const { row_index, host, rank } of pages) {
					const key = `${row_index} ${host}`;
					merged.set(key, Math.max(merged.get(key) ?? -1, rank));
				}
				expect(merged).toEqual(worst);
			}),
		);
	});

	it("published results never repeat a row of a host", () => {
		const one = fc.record({
			row: fc.oneof(fc.nat(4), fc.constantFrom("0", "1", "x", null)),
			status: fc.constantFrom("ok", "changed", "failed", "odd"),
			host: fc.constantFrom("h1", "h2", undefined),
		});
		fc.assert(
			fc.property(fc.array(one), (list) => {
				const keys = readPublishedResults([{ row_results: list }], sheets, maskSecret).map(
					(r) => `${r.row_index} ${r.host}`,
				);
				expect(new Set(keys).size).toBe(keys.length);
			}),
		);
	});
});
