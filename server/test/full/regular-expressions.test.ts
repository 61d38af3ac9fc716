/**
 * Regular expressions of the service on texts that make an engine with backtracking try again at
 * each place. The processor time of a text of twice the size is about twice as much; three times
 * as much, twice in a row, is quadratic.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDERS = ["server/src", "contracts/src"];

/** Those whose texts are short, with the reason. */
const SHORT_TEXTS: Readonly<Record<string, string>> = {
	"/0+$/": "fractions of numbers of at most 400 digits",
	"/^'+|'+$/g": "titles of sheets of 31 characters",
	"/-+$/": "slugs of 80 characters",
	"/^-+|-+$/g": "slugs whose runs of dashes are one dash, and names",
	"/^\\/+|\\/+$/g": "DNs of at most 2,000 characters",
	"/\\/+$/": "addresses of at most 2,000 characters",
	"/\\w+$/": "nouns of classes, which are written in the code",
	"/[!\\s]+$/": "results of the pre-upgrade script of at most 200 characters",
	"/=+$/": "Base64 with at most two signs at the end",
};
/** Patterns of users have at most 1,000 characters; this one reads them. */
const OF_PATTERNS = "server/src/core/regex.ts";

const PUMPS = [
	..." \t\n\r/-[](){}<>.,:;\"'\\=&%_@|*#~$aA0x",
	...'a |a.|a-|a/|a,|[a|(a|"a|--|<a|a=|${|a:| -|\\"|0.|a_|%2|&a|=a|://|[]|()|\\\n|- |\r\n'.split("|"),
];
const BEFORE = ["", "fvBD", '"', "<"];
const AFTER = ["", "\u0000", "!x", "]", '"', ")"];
/** Characters of the smallest text. */
const SIZE = 4_000;
/** Milliseconds of processor time below which a text of this size proves nothing. */
const NOISE_MS = 3;

interface Found {
	readonly pattern: RegExp;
	readonly places: string[];
}

function listFiles(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return listFiles(path);
		return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [path] : [];
	});
}

function readPatterns(): Map<string, Found> {
	const found = new Map<string, Found>();
	for (const file of FOLDERS.flatMap((folder) => listFiles(join(root, folder)))) {
		const place = file.slice(root.length);
		if (place === OF_PATTERNS) continue;
		visitRegexes(parseSync(file, readFileSync(file, "utf8")).program, (source, flags) => {
			const key = `/${source}/${flags}`;
			const known = found.get(key) ?? { pattern: new RegExp(source, flags.replace("y", "")), places: [] };
			found.set(key, known);
			known.places.push(place);
		});
	}
	return found;
}

function visitRegexes(node: unknown, report: (source: string, flags: string) => void): void {
	if (typeof node !== "object" || node === null) return;
	if ("regex" in node && typeof node.regex === "object" && node.regex !== null) {
		const { pattern, flags } = node.regex as { pattern: string; flags: string };
		report(pattern, flags);
		return;
	}
	for (const child of Object.values(node)) visitRegexes(child, report);
}

function measureMatch(pattern: RegExp, text: string): number {
	const times = [1, 2].map(() => {
		pattern.lastIndex = 0;
		const before = process.cpuUsage();
		if (pattern.global) text.replace(pattern, "");
		else pattern.exec(text);
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1_000;
	});
	return Math.min(...times);
}

/** The first text on which the pattern takes quadratic time; null if there is none. */
function findSlowText(pattern: RegExp): string | null {
	for (const pump of PUMPS) {
		for (const before of BEFORE) {
			for (const after of AFTER) {
				const build = (size: number) => before + pump.repeat(Math.ceil(size / pump.length)) + after;
				if (measureMatch(pattern, build(SIZE)) < NOISE_MS) continue;
				const [one = 0, two = 0, four = 0] = [1, 2, 4].map((times) => measureMatch(pattern, build(times * SIZE)));
				if (two > 3 * one && four > 3 * two) {
					const figures = [one, two, four].map((ms) => ms.toFixed(1)).join(", ");
					return `${JSON.stringify(`${before}${pump}…${after}`)}: ${figures} ms at n, 2n and 4n`;
				}
			}
		}
	}
	return null;
}

describe("regular expressions of the service", () => {
	it("take time in proportion to their text", { timeout: 600_000 }, () => {
		const patterns = readPatterns();
		expect(patterns.size).toBeGreaterThan(200);
		const slow = [...patterns].flatMap(([key, { pattern, places }]) => {
			if (SHORT_TEXTS[key] !== undefined) return [];
			const text = findSlowText(pattern);
			return text === null ? [] : [`${key} of ${places.join(", ")} on ${text}`];
		});
		expect(slow).toEqual([]);
	});
});
