import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectTerms, listIdsWithin } from "./terms.ts";

const HOUR = 3_600_000;
/** Segments whose times overlap as they like; times are hours. */
const histories = fc.array(
	fc.record({
		hours: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 }),
		whole: fc.boolean(),
	}),
	{ maxLength: 8 },
);

describe("the ids among which the first matches are", () => {
	it("are the matches of as few segments as their times allow", () => {
		const segments = [0, 1, 2, 3].map((n) => ({
			ids: [n * 10, n * 10 + 1],
			oldest: new Date(n * HOUR),
			newest: new Date(n * HOUR + 1),
			whole: true,
		}));
		expect(listIdsWithin({ segments, fresh: [99] }, 3, true)).toEqual([30, 31, 20, 21, 99]);
		expect(listIdsWithin({ segments, fresh: [99] }, 2, false)).toEqual([0, 1, 99]);
		expect(listIdsWithin({ segments, fresh: [] }, Number.POSITIVE_INFINITY, false)).toEqual([
			0, 1, 10, 11, 20, 21, 30, 31,
		]);
	});

	it("hold the first matches of any history, whatever part of it is asked for", () => {
		fc.assert(
			fc.property(histories, fc.integer({ min: 1, max: 20 }), fc.boolean(), (history, reach, descending) => {
				const entries = history.flatMap(({ hours, whole }, segment) =>
					hours.map((hour, i) => ({ id: segment * 10 + i, hour, segment, whole })),
				);
				const segments = history.map(({ hours, whole }, segment) => ({
					ids: hours.map((_, i) => segment * 10 + i),
					oldest: new Date(Math.min(...hours) * HOUR),
					newest: new Date(Math.max(...hours) * HOUR),
					whole,
				}));
				const ids = new Set(listIdsWithin({ segments, fresh: [] }, reach, descending));
				// Of segments that are not whole, here either all entries or none are inside of the time.
				for (const inside of [entries, entries.filter(({ whole }) => whole)]) {
					const sorted = inside.sort((a, b) => (a.hour - b.hour || a.id - b.id) * (descending ? -1 : 1));
					for (const { id } of sorted.slice(0, reach)) expect(ids).toContain(id);
				}
			}),
		);
	});
});

describe("terms", () => {
	const entry = {
		category: "query_management",
		action: "query_create",
		user_id: 7,
		username: "ada",
		ip_address: "::1",
	};
	const getIds = (all: { id: number; words: string[] }[]) => {
		const terms = collectTerms();
		for (const one of all) terms.add({ ...entry, ...one });
		return terms.all();
	};

	it("are values of filters, short words, and the beginnings of longer ones up to thirty letters", () => {
		const found = getIds([{ id: 1, words: ["ab", "zürich", "x".repeat(40)] }]);
		const long = Array.from({ length: 28 }, (_, i) => "x".repeat(i + 3));
		const filters = ["category=query_management", "action=query_create", "username=ada", "ip=::1", "user=7"];
		expect([...found.keys()].sort()).toEqual([...filters, "ab", "zür", "züri", "züric", "zürich", ...long].sort());
	});

	it("have each entry once, whatever words of it begin alike", () => {
		const words = fc.uniqueArray(fc.stringMatching(/^[ab]{1,5}$/), { maxLength: 6 });
		fc.assert(
			fc.property(fc.array(words, { maxLength: 8 }), (histories) => {
				const found = getIds(histories.map((own, id) => ({ id, words: own })));
				for (const word of histories.flat()) expect([...found.keys()]).toContain(word);
				for (const [term, ids] of found) {
					if (term.includes("=")) expect(ids).toHaveLength(histories.length);
					else {
						const having = (word: string) => (term.length < 3 ? word === term : word.startsWith(term));
						const expected = histories.flatMap((own, id) => (own.some(having) ? [id] : []));
						expect([...ids].sort((a, b) => a - b)).toEqual(expected);
					}
				}
			}),
		);
	});
});
