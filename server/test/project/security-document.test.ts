/** docs/security.md lists each requirement once, and cites tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const rows = readFileSync(`${root}docs/security.md`, "utf8")
	.split("\n")
	.map((line) =>
		/^\| (\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]*)\| ([^|]*)\|$/
			.exec(line)
			?.slice(1)
			.map((cell) => cell.trim()),
	)
	.filter((cells) => cells !== undefined) as [id: string, state: string, how: string, tests: string][];

/**
 * Requirements of levels 1 and 2 by section, without chapter V17 and the parts of V10 that are not
 * about clients; level 3 is not numbered.
 */
const SECTIONS: Record<string, string> = {
	"1.1": "1-2",
	"1.2": "1-9",
	"1.3": "1-11",
	"1.4": "1-3",
	"1.5": "1-2",
	"2.1": "1-3",
	"2.2": "1-3",
	"2.3": "1-4",
	"2.4": "1",
	"3.2": "1-2",
	"3.3": "1-4",
	"3.4": "1-6",
	"3.5": "1-5",
	"3.7": "1-2",
	"4.1": "1-3",
	"4.2": "1",
	"4.3": "1-2",
	"4.4": "1-4",
	"5.1": "1",
	"5.2": "1-3",
	"5.3": "1-2",
	"5.4": "1-3",
	"6.1": "1-3",
	"6.2": "1-11",
	"6.3": "1-3",
	"6.4": "1-4",
	"6.5": "1-5",
	"6.6": "1-3",
	"6.8": "1-4",
	"7.1": "1-3",
	"7.2": "1-4",
	"7.3": "1-2",
	"7.4": "1-5",
	"7.5": "1-2",
	"7.6": "1-2",
	"8.1": "1-2",
	"8.2": "1-3",
	"8.3": "1",
	"8.4": "1",
	"9.1": "1-3",
	"9.2": "1-4",
	"10.1": "1-2",
	"10.2": "1-2",
	"10.5": "1-5",
	"11.1": "1-2",
	"11.2": "1-3",
	"11.3": "1-3",
	"11.4": "1-3",
	"11.5": "1",
	"11.6": "1",
	"12.1": "1-3",
	"12.2": "1-2",
	"12.3": "1-4",
	"13.1": "1",
	"13.2": "1-5",
	"13.3": "1-2",
	"13.4": "1-5",
	"14.1": "1-2",
	"14.2": "1-4",
	"14.3": "1-3",
	"15.1": "1-3",
	"15.2": "1-3",
	"15.3": "1-7",
	"16.1": "1",
	"16.2": "1-5",
	"16.3": "1-4",
	"16.4": "1-3",
	"16.5": "1-3",
};

it("names every requirement once, in order", () => {
	const expected = Object.entries(SECTIONS).flatMap(([section, range]) => {
		const [first = 1, last = first] = range.split("-").map(Number);
		return Array.from({ length: last - first + 1 }, (_, i) => `${section}.${first + i}`);
	});
	expect(rows.map(([id]) => id)).toEqual(expected);
});

it("says of each what its state is, and of those that are not met why", () => {
	for (const [id, state, how] of rows) {
		expect(["met", "partly", "not met", "proxy", "front end", "n.a."], id).toContain(state);
		if (["partly", "not met", "n.a."].includes(state)) expect(how.length, id).toBeGreaterThan(4);
	}
});

it("cites tests that are there", () => {
	for (const [id, , , tests] of rows) {
		for (const [, file = ""] of tests.matchAll(/`([^`]+)`/g)) {
			const path = /^(server|lab|web|contracts|sdk)\//.test(file) ? file : `server/test/${file}`;
			expect([id, path, existsSync(root + path)]).toEqual([id, path, true]);
		}
	}
	expect(rows.filter(([, state, , tests]) => state === "met" && tests !== "").length).toBeGreaterThan(100);
});
