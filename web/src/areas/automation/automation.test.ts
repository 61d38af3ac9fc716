/** Rows that are compared and joined to results; output that is put together and coloured. */
import type { AutomationRequestDetail } from "@weft/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitSpans, stripToPlainText } from "./ansi.ts";
import { EMPTY_LOG, getMatches, KEPT_LINES, withPiece } from "./log.ts";
import { buildRowKey, getChanges, getFieldChanges, getOutcomes, listColumns, listSheets } from "./rows-model.ts";

describe("rows", () => {
	it("have the template's columns first, then their own", () => {
		const [sheet] = listSheets([{ b: 1, c: 2 }]);
		if (!sheet) throw new Error("there is no sheet");
		expect(listColumns(sheet, { schema: [{ name: "a" }, { name: "b" }] })).toEqual(["a", "b", "c"]);
		const [hosts] = listSheets({ hosts: [{ x: 1 }] });
		if (!hosts) throw new Error("there is no sheet");
		expect(listColumns(hosts, { sheets: [{ name: "hosts", columns: [{ name: "x" }, { name: "y" }] }] })).toEqual([
			"x",
			"y",
		]);
	});

	it("tell what was changed, added and removed", () => {
		const before = [{ name: "a" }, { name: "b", vlan: 1 }, { name: "c" }];
		expect(getChanges(before, before)).toEqual([]);
		expect(getChanges(before, [{ name: "a" }, { name: "b", vlan: 2 }, { name: "c" }])).toEqual([
			{ kind: "changed", sheet: null, row: 2, cells: [{ column: "vlan", old: "1", now: "2" }] },
		]);
		expect(getChanges(before, [...before, { name: "d" }])).toEqual([
			{ kind: "added", sheet: null, row: 4, cells: [{ column: "name", old: null, now: "d" }] },
		]);
		expect(getChanges(before, before.slice(1)).map(({ kind, row }) => [kind, row])).toEqual([["removed", 1]]);
		expect(getChanges({ x: [{ a: 1 }] }, { x: [], y: [{ a: 1 }] }).map(({ kind, sheet }) => [kind, sheet])).toEqual([
			["removed", "x"],
			["added", "y"],
		]);
	});

	it("never miss a difference", () => {
		const rows = fc.array(fc.record({ a: fc.nat(2), b: fc.constantFrom("x", "y") }), { maxLength: 6 });
		fc.assert(
			fc.property(rows, rows, (before, after) => {
				expect(getChanges(before, after).length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
			}),
		);
	});

	it("come with what else counts for a decision, the mode first", () => {
		const request = { check_mode: true, title: "t", template_snapshot: {} } as AutomationRequestDetail;
		expect(getFieldChanges(request, { ...request, title: "u", check_mode: false })).toEqual([
			{ label: "Mode", old: "dry run", now: "makes changes" },
			{ label: "Title", old: "t", now: "u" },
		]);
	});

	it("have the worst of their results", () => {
		const result = (row_index: number, status: "ok" | "failed" | "changed", host: string) => ({
			row_index,
			status,
			host,
			sheet: null,
			message: "",
		});
		const outcomes = getOutcomes([
			result(0, "ok", "a"),
			result(0, "failed", "b"),
			result(0, "changed", "c"),
			result(1, "ok", "a"),
		]);
		expect(outcomes.get(buildRowKey(null, 0))).toMatchObject({ status: "failed", hosts: [{}, {}, {}] });
		expect(outcomes.get(buildRowKey(null, 1))?.status).toBe("ok");
	});
});

describe("output", () => {
	it("is whole whatever pieces it comes in, and however often", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom("a", "\n", "é", "\r\n", "ok: [leaf101]\n"), { maxLength: 40 }), (parts) => {
				const whole = parts.join("");
				let log = EMPTY_LOG;
				let at = 0;
				for (const part of parts) {
					log = withPiece(log, at, part) ?? EMPTY_LOG;
					log = withPiece(log, 0, whole.slice(0, at)) ?? EMPTY_LOG;
					at += part.length;
				}
				expect(log.end).toBe(whole.length);
				expect(log.lines.map((line) => line.replaceAll("\r", ""))).toEqual(whole.split(/\r?\n/));
			}),
		);
	});

	it("tells a gap, and keeps the last lines", () => {
		expect(withPiece(EMPTY_LOG, 5, "x")).toBeNull();
		const log = withPiece(EMPTY_LOG, 0, "line\n".repeat(KEPT_LINES + 10));
		expect(log?.lines).toHaveLength(KEPT_LINES);
		expect(log?.dropped).toBe(11);
	});

	it("is coloured, and searched without its colours", () => {
		const line = "\u001b[0;31mfatal: [leaf\u001b[1m101]\u001b[0m: FAILED\u001b[K";
		expect(splitSpans(line)).toEqual([
			{ text: "fatal: [leaf", color: "red", bold: false },
			{ text: "101]", color: "red", bold: true },
			{ text: ": FAILED", color: null, bold: false },
		]);
		expect(getMatches(["ok", line], "LEAF101")).toEqual([1]);
		fc.assert(
			fc.property(fc.string(), (text) => {
				expect(
					splitSpans(text)
						.map((span) => span.text)
						.join(""),
				).toBe(stripToPlainText(text));
			}),
		);
	});
});
