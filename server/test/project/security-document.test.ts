/** docs/security.md lists each requirement once, and cites tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const text = readFileSync(`${root}docs/security.md`, "utf8");
const rows = text
	.split("\n")
	.map((line) =>
		/^\| (\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]*)\| ([^|]*)\|$/
			.exec(line)
			?.slice(1)
			.map((cell) => cell.trim()),
	)
	.filter((cells) => cells !== undefined) as [id: string, state: string, how: string, tests: string][];

/**
 * Requirements of levels 1 and 2 of ASVS 5.0.0 by section, without chapter V17. Level 3 has the
 * numbers after them.
 */
const SECTIONS: Record<string, number> = {
	"1.1": 2,
	"1.2": 9,
	"1.3": 11,
	"1.4": 3,
	"1.5": 2,
	"2.1": 3,
	"2.2": 3,
	"2.3": 4,
	"2.4": 1,
	"3.2": 2,
	"3.3": 4,
	"3.4": 6,
	"3.5": 5,
	"3.7": 2,
	"4.1": 3,
	"4.2": 1,
	"4.3": 2,
	"4.4": 4,
	"5.1": 1,
	"5.2": 3,
	"5.3": 2,
	"5.4": 3,
	"6.1": 3,
	"6.2": 12,
	"6.3": 4,
	"6.4": 4,
	"6.5": 5,
	"6.6": 3,
	"6.8": 4,
	"7.1": 3,
	"7.2": 4,
	"7.3": 2,
	"7.4": 5,
	"7.5": 2,
	"7.6": 2,
	"8.1": 2,
	"8.2": 3,
	"8.3": 1,
	"8.4": 1,
	"9.1": 3,
	"9.2": 4,
	"10.1": 2,
	"10.2": 2,
	"10.3": 4,
	"10.4": 11,
	"10.5": 5,
	"10.6": 2,
	"10.7": 3,
	"11.1": 2,
	"11.2": 3,
	"11.3": 3,
	"11.4": 4,
	"11.5": 1,
	"11.6": 1,
	"12.1": 3,
	"12.2": 2,
	"12.3": 4,
	"13.1": 1,
	"13.2": 5,
	"13.3": 2,
	"13.4": 5,
	"14.1": 2,
	"14.2": 4,
	"14.3": 3,
	"15.1": 3,
	"15.2": 3,
	"15.3": 7,
	"16.1": 1,
	"16.2": 5,
	"16.3": 4,
	"16.4": 3,
	"16.5": 3,
};

/** Met by a choice or a document: no test can show them. */
const UNTESTED = [
	"1.4.1",
	"3.7.1",
	"5.1.1",
	"6.2.10",
	"6.4.2",
	"10.5.4",
	"11.1.2",
	"11.2.1",
	"11.4.1",
	"11.4.2",
	"13.1.1",
	"14.1.1",
	"14.1.2",
	"14.2.3",
	"15.1.1",
	"15.1.3",
	"16.1.1",
];

const hasTest = (tests: string): boolean => /`[^`]+\.test\.ts`/.test(tests);

it("names every requirement once, in order", () => {
	const expected = Object.entries(SECTIONS).flatMap(([section, count]) =>
		Array.from({ length: count }, (_, i) => `${section}.${i + 1}`),
	);
	expect(rows.map(([id]) => id)).toEqual(expected);
});

it("says of each what its state is, and of those that are not met why", () => {
	for (const [id, state, how] of rows) {
		expect(["met", "partly", "not met", "proxy", "n.a."], id).toContain(state);
		if (["partly", "not met", "n.a."].includes(state)) expect(how.length, id).toBeGreaterThan(4);
	}
});

it("cites a test of each that is met, except where none can show it", () => {
	const untested = rows.filter(([, state, , tests]) => state === "met" && !hasTest(tests)).map(([id]) => id);
	expect(untested).toEqual(UNTESTED);
});

it("quotes headings and paragraphs that it has", () => {
	const names = new Set([...text.matchAll(/^(?:## |\*\*)([A-Z][\w -]+?)(?:\.?\*\*|$)/gm)].map(([, name = ""]) => name));
	for (const [id, , how] of rows) {
		for (const [, name = ""] of how.matchAll(/"([^"]+)"/g)) expect(names, id).toContain(name);
	}
});

it("cites tests that are there", () => {
	for (const [id, , , tests] of rows) {
		for (const [, file = ""] of tests.matchAll(/`([^`]+)`/g)) {
			const path = /^(server|lab|web|contracts|sdk)\//.test(file) ? file : `server/test/${file}`;
			expect([id, path, existsSync(root + path)]).toEqual([id, path, true]);
		}
	}
});
