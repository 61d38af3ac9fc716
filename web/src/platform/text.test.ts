/** Texts on the screen: times, numbers, names, keys, and calls to copy. */
import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findComboProblem } from "./combo-problem.ts";
import { formatKeyPress, isTyping, showCombo } from "./combos.ts";
import { splitDn, splitDnParts } from "./dn-text.ts";
import { splitDnTexts } from "./dns-in-text.ts";
import { formatBytes, formatDuration, formatPlural, getInitials } from "./format.ts";
import { formatCurl, formatPython } from "./snippets.ts";
import { addDays, createTimes, getWeekday } from "./time.ts";

const AT = "2026-03-29T01:30:00Z";

describe("times", () => {
	const times = (
		timezone: string,
		date_format: "YYYY-MM-DD" | "DD/MM/YYYY" | "MM/DD/YYYY" = "YYYY-MM-DD",
		time_format: "24h" | "12h" = "24h",
	) => createTimes({ timezone, date_format, time_format });

	it("are of the zone, in the format of the profile", () => {
		expect(times("UTC").dateTime(AT)).toBe("2026-03-29 01:30");
		expect(times("Europe/Paris").dateTime(AT)).toBe("2026-03-29 03:30");
		expect(times("America/New_York", "MM/DD/YYYY", "12h").dateTime(AT)).toBe("03/28/2026 9:30 pm");
		expect(times("Asia/Kolkata", "DD/MM/YYYY", "12h").dateTime(AT)).toBe("29/03/2026 7:00 am");
		expect(times("UTC", "YYYY-MM-DD", "12h").time("2026-01-01T00:05:00Z")).toBe("12:05 am");
		expect(times("UTC").time("2026-01-01T00:05:07Z", true)).toBe("00:05:07");
		expect(times("Pacific/Auckland").getDay("2026-11-20T12:00:00Z")).toBe("2026-11-21");
		expect(times("UTC").longDay("2026-11-20")).toBe("Friday 20 November 2026");
	});

	it("are near or far", () => {
		const now = Date.parse(AT);
		const { relative } = times("UTC");
		const of = (ms: number) => relative(now + ms, now);
		expect([of(-20_000), of(-5 * 60_000), of(3 * 3_600_000), of(-26 * 3_600_000)]).toEqual([
			"just now",
			"5 min ago",
			"in 3 h",
			"1 d ago",
		]);
		expect(of(-40 * 86_400_000)).toBe("2026-02-17");
	});

	it("count days on the calendar", () => {
		expect(addDays("2026-02-28", 1)).toBe("2026-03-01");
		expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
		expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
		expect([getWeekday("2026-11-16"), getWeekday("2026-11-22")]).toEqual([0, 6]);
	});
});

describe("numbers and names", () => {
	it("read well", () => {
		expect([formatDuration(84), formatDuration(2_100), formatDuration(185_000), formatDuration(7_800_000)]).toEqual([
			"84 ms",
			"2.1 s",
			"3 min 5 s",
			"2 h 10 min",
		]);
		expect([formatDuration(999.4), formatDuration(999.6)]).toEqual(["999 ms", "1.0 s"]);
		expect([formatBytes(1_048_000), formatBytes(1_048_500)]).toEqual(["1023 KB", "1.0 MB"]);
		expect([formatBytes(900), formatBytes(1_536), formatBytes(20 * 1024 * 1024)]).toEqual(["900 B", "1.5 KB", "20 MB"]);
		expect([formatPlural(1, "row"), formatPlural(12_345, "row"), formatPlural(2, "query", "queries")]).toEqual([
			"1 row",
			"12,345 rows",
			"2 queries",
		]);
		expect([getInitials("ada.lovelace"), getInitials("Grace Hopper"), getInitials("root")]).toEqual(["AL", "GH", "R"]);
	});

	it("a DN is split before its last name, brackets or not", () => {
		expect(splitDn("uni/tn-a/BD-b/subnet-[10.0.0.1/24]")).toEqual({
			above: "uni/tn-a/BD-b/",
			last: "subnet-[10.0.0.1/24]",
		});
		expect(splitDn("uni")).toEqual({ above: "", last: "uni" });
		fc.assert(
			fc.property(fc.string(), (dn) => {
				const { above, last } = splitDn(dn);
				expect(above + last).toBe(dn);
			}),
		);
	});
});

describe("DNs in a text", () => {
	const listDns = (text: string) => splitDnTexts(text).flatMap(({ part, isDn }) => (isDn ? [part] : []));

	it("finds DNs with brackets, and leaves signs of the sentence out", () => {
		const path = "uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]";
		expect(listDns(`Down: ${path}, topology/pod-1/node-101/sys (mtu 9000) and uni/tn-a/BD-b.`)).toEqual([
			path,
			"topology/pod-1/node-101/sys",
			"uni/tn-a/BD-b",
		]);
		expect(listDns("The unicode/uni text https://host/uni/tn-a has none.")).toEqual([]);
	});

	it("keeps the whole text in its parts", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom("uni/", "a", "[", "]", " ", ".", "/")), (signs) => {
				const text = signs.join("");
				expect(
					splitDnTexts(text)
						.map(({ part }) => part)
						.join(""),
				).toBe(text);
			}),
		);
	});
});

describe("a DN in a narrow place", () => {
	it("keeps its last name, and of a long one its end", () => {
		expect(splitDnParts("uni/tn-a/BD-b/subnet-[10.0.0.1/24]")).toEqual({
			head: "uni/tn-a/BD-b",
			tail: "/subnet-[10.0.0.1/24]",
		});
		expect(splitDnParts("uni")).toEqual({ head: "", tail: "uni" });
		const path = "uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]";
		expect(splitDnParts(path).tail).toBe("od-1/paths-101/pathep-[eth1/1]]".slice(-30));
	});

	it("loses nothing", () => {
		fc.assert(
			fc.property(fc.string(), (dn) => {
				const { head, tail } = splitDnParts(dn);
				expect(head + tail).toBe(dn);
			}),
		);
	});
});

describe("keys", () => {
	const press = (key: string, held: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {}) =>
		formatKeyPress({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

	it("are spelt as in a combination", () => {
		expect(press("k", { ctrlKey: true })).toBe("mod+k");
		expect(press("k", { metaKey: true })).toBe("mod+k");
		expect(press("T", { shiftKey: true })).toBe("shift+t");
		expect(press("?", { shiftKey: true })).toBe("?");
		expect(press("Enter", { ctrlKey: true })).toBe("mod+enter");
		expect(press(" ")).toBe("space");
		expect(press("Shift", { shiftKey: true })).toBeNull();
	});

	it("do nothing in fields but with Ctrl, and are shown as they are printed", () => {
		expect([isTyping("g"), isTyping("shift+t"), isTyping("mod+k"), isTyping("escape")]).toEqual([
			true,
			true,
			false,
			false,
		]);
		expect(showCombo("mod+k", false)).toEqual(["Ctrl", "K"]);
		expect(showCombo("g o", false)).toEqual(["G", "then", "O"]);
		expect(showCombo("mod+enter", true)).toEqual(["⌘", "↵"]);
	});

	it("that the browser keeps cannot be taken", () => {
		expect(findComboProblem("mod+w")).not.toBeNull();
		expect(findComboProblem("mod+k")).toBeNull();
		expect(findComboProblem("g o")).toBeNull();
		expect(findComboProblem("")).not.toBeNull();
	});
});

describe("a copied call", () => {
	const route = { method: "POST", path: "/api/things/:id/", auth: "bearer" } as const;
	const hostile = { name: `it's "x" $HOME \`id\` \\ ü`, on: true, none: null };

	it("reaches curl as it was meant, whatever is in it", () => {
		const text = formatCurl({ route, params: { id: "a b" }, body: hostile }, "https://weft.example.net");
		expect(text).toContain("'https://weft.example.net/api/things/a%20b/'");
		// The shell itself tells what curl would get.
		const script = text.replace(/^curl/, "printf '%s\\0'");
		const args = execFileSync("sh", ["-c", `TOKEN=secret; ${script}`], { encoding: "utf8" }).split("\0");
		expect(JSON.parse(args[args.indexOf("-d") + 1] ?? "")).toEqual(hostile);
		expect(args).toContain("authorization: Bearer secret");
	});

	it("is Python that holds the same body", () => {
		const text = formatPython({ route, params: { id: "1" }, body: hostile }, "https://x");
		const literal = /json\.loads\((".*")\)\)\.encode/.exec(text)?.[1] ?? '""';
		expect(JSON.parse(JSON.parse(literal))).toEqual(hostile);
	});
});
