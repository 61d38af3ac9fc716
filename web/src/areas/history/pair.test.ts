/** The two snapshots that are compared: without a choice, by an address, and by a person. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choice, choosePair, type End, isSameController, type Pair, resolvePair } from "./pair.ts";

describe("two snapshots", () => {
	const of = (id: string, controller: string | null, name = controller ?? "") => ({
		id,
		executed_at: `2026-01-0${id}T00:00:00.000Z`,
		controller_connection_id: controller,
		controller_connection_name: name,
	});
	type Each = ReturnType<typeof of>;
	const list = [of("5", "a"), of("4", "b"), of("3", null, "lab"), of("2", "b"), of("1", "a")];
	const ids = ({ from, to }: Pair<Each>) => [from?.id, to?.id];
	const resolve = (from?: string, to?: string) => ids(resolvePair(list, from, to));
	/** Chooses ends one after the other, as "from 1" and "to 3". */
	const choose = (snapshots: readonly Each[], ...texts: string[]) => {
		let [pair, before]: [Pair<Each>, Choice<Each> | null] = [resolvePair(snapshots, undefined, undefined), null];
		for (const text of texts) {
			const [end, id] = text.split(" ");
			const snapshot = snapshots.find((each) => each.id === id);
			if (snapshot === undefined) throw new Error(`no snapshot ${id}`);
			const choice = { end: end === "to" ? "to" : "from", snapshot } as const;
			pair = choosePair(snapshots, pair, before, choice);
			before = choice;
		}
		return ids(pair);
	};

	it("are the latest snapshot and the one before it of the same controller without a choice", () => {
		expect(resolve()).toEqual(["1", "5"]);
		expect(resolve(undefined, "4")).toEqual(["2", "4"]);
		expect(resolve("2")).toEqual(["2", "4"]);
		expect(resolve(undefined, "3")).toEqual([undefined, "3"]);
		expect(ids(resolvePair([], undefined, undefined))).toEqual([undefined, undefined]);
	});

	it("are those of an address in the order of time, also across controllers", () => {
		expect(resolve("1", "4")).toEqual(["1", "4"]);
		expect(resolve("4", "1")).toEqual(["1", "4"]);
		expect(resolve("5")).toEqual(["1", "5"]);
		expect(resolve("4", "4")).toEqual(["2", "4"]);
		expect(resolve("gone", "4")).toEqual([undefined, "4"]);
	});

	it("are those that a person chooses, whichever end and whichever snapshot comes first", () => {
		const one = ["1", "2", "3", "4", "5"].map((id) => of(id, "a"));
		for (const [texts, pair] of [
			// One choice leaves the other end where it is while the order allows it.
			[["from 1"], ["1", "5"]],
			[["from 2"], ["2", "5"]],
			[["to 5"], ["4", "5"]],
			// Else that end moves to the neighbour.
			[["to 4"], ["3", "4"]],
			[["to 2"], ["1", "2"]],
			// Nothing is newer than the newest, nothing older than the oldest.
			[["from 5"], ["4", "5"]],
			[["to 1"], ["1", "5"]],
			// Two choices are compared.
			[
				["from 1", "to 3"],
				["1", "3"],
			],
			[
				["to 3", "from 1"],
				["1", "3"],
			],
			[
				["from 3", "to 1"],
				["1", "3"],
			],
			[
				["to 1", "from 3"],
				["1", "3"],
			],
			[
				["from 5", "to 1"],
				["1", "5"],
			],
			[
				["to 1", "from 5"],
				["1", "5"],
			],
			// A default end can be chosen, too.
			[
				["from 4", "to 1"],
				["1", "4"],
			],
			[
				["to 5", "from 3"],
				["3", "5"],
			],
			// A corrected choice leaves the other one.
			[
				["from 1", "to 3", "to 4"],
				["1", "4"],
			],
			[
				["from 5", "from 2", "to 3"],
				["2", "3"],
			],
			[
				["from 2", "to 2"],
				["1", "2"],
			],
		] as const)
			expect([texts, choose(one, ...texts)]).toEqual([texts, pair]);
	});

	it("may be of two controllers if they are chosen, and the end that is not chosen stays", () => {
		expect(choose(list, "from 2")).toEqual(["2", "5"]);
		expect(choose(list, "from 2", "to 4")).toEqual(["2", "4"]);
		expect(choose(list, "to 3", "from 4")).toEqual(["3", "4"]);
		expect(choose([of("3", null, "lab")], "from 3")).toEqual(["3", undefined]);
	});

	it("are in the order of time after any choices, and are the two that were chosen last", () => {
		const snapshot = fc.record({
			id: fc.uuid(),
			executed_at: fc.integer({ min: 0, max: 5 }).map((day) => `2026-01-0${day + 1}T00:00:00.000Z`),
			controller_connection_id: fc.constantFrom("a", "b"),
			controller_connection_name: fc.constant(""),
		});
		const snapshots = fc.uniqueArray(snapshot, { minLength: 2, maxLength: 8, selector: ({ id }) => id });
		const clicks = fc.array(fc.tuple(fc.constantFrom<End>("from", "to"), fc.nat()), { minLength: 1, maxLength: 6 });
		const assertOrder = <S extends Each>({ from, to }: Pair<S>) => {
			if (from && to)
				expect([Date.parse(from.executed_at) <= Date.parse(to.executed_at), from === to]).toEqual([true, false]);
		};
		fc.assert(
			fc.property(snapshots, clicks, fc.nat(), fc.nat(), (all, chosen, a, b) => {
				const at = (index: number) => all[index % all.length] as (typeof all)[number];
				const address = resolvePair(all, at(a).id, at(b).id);
				assertOrder(address);
				if (at(a) !== at(b)) expect(new Set([address.from, address.to])).toEqual(new Set([at(a), at(b)]));
				let pair = resolvePair(all, undefined, undefined);
				assertOrder(pair);
				if (pair.from && pair.to) expect(isSameController(pair.from, pair.to)).toBe(true);
				let before: Choice<(typeof all)[number]> | null = null;
				for (const [end, index] of chosen) {
					const choice: Choice<(typeof all)[number]> = { end, snapshot: at(index) };
					const next = choosePair(all, pair, before, choice);
					assertOrder(next);
					expect([next.from, next.to]).toContain(choice.snapshot);
					if (before !== null && before.end !== end) expect([next.from, next.to]).toContain(before.snapshot);
					pair = next;
					before = choice;
				}
				if (pair.from && pair.to) expect(resolvePair(all, pair.from.id, pair.to.id)).toEqual(pair);
			}),
		);
	});
});
