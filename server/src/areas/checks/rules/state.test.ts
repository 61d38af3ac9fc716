import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeNextState, createStanding, type Finding, findWorst, type Standing } from "./state.ts";

const START = new Date(0);
const FINDINGS: Readonly<Record<string, Finding>> = {
	h: { kind: "holds" },
	v: { kind: "violated", violations: 3 },
	f: { kind: "failed", error: "The controller is busy." },
	u: { kind: "undecided", reason: "No snapshot is so old yet." },
};
const STATE_LETTERS = { ok: "o", pending: "p", failing: "F", error: "E", unknown: "u" } as const;

/** One letter per run: its finding. */
function simulateStates(runs: string, forRuns = 1) {
	let standing = createStanding(START);
	let states = "";
	for (const [i, letter] of [...runs].entries()) {
		standing = computeNextState(standing, FINDINGS[letter] as Finding, forRuns, new Date(i + 1));
		states += STATE_LETTERS[standing.state];
	}
	return { standing, states };
}

describe("the states of a check", () => {
	it.each([
		["h", 1, "o"],
		["v", 1, "F"],
		["hvvvh", 3, "oppFo"],
		["vhv", 2, "pop"],
		["vhvv", 2, "popF"],
		["vfv", 2, "pEF"],
		["vfv", 1, "FEF"],
		["fvh", 2, "Epo"],
		["uhv", 1, "uoF"],
		["vuv", 2, "pup"],
	])("of the runs %s with for_runs %i are %s", (runs, forRuns, states) => {
		expect(simulateStates(runs, forRuns).states).toBe(states);
	});

	it("are since their transition", () => {
		expect(simulateStates("hhvv").standing.since).toEqual(new Date(3));
		expect(simulateStates("hhvvf").standing).toMatchObject({
			since: new Date(5),
			error: "The controller is busy.",
			violations: 0,
		});
	});

	it("stay failing when for_runs is raised", () => {
		const failing: Standing = simulateStates("v").standing;
		expect(computeNextState(failing, { kind: "violated", violations: 1 }, 5, START).state).toBe("failing");
	});

	it("equal a naive reading of the whole history", () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[hvfu]{1,30}$/), fc.integer({ min: 1, max: 5 }), (runs, forRuns) => {
				const naive = [...runs].map((_, i) => computeNaiveState(runs.slice(0, i + 1), forRuns)).join("");
				expect(simulateStates(runs, forRuns).states).toBe(naive);
			}),
		);
	});
});

/** Looks at the runs since the last one that held or was undecided, without those that failed. */
function computeNaiveState(runs: string, forRuns: number): string {
	const last = runs.at(-1);
	if (last !== "v") return { h: "o", f: "E", u: "u" }[last ?? "h"] ?? "";
	const since = runs.slice(Math.max(runs.lastIndexOf("h"), runs.lastIndexOf("u")) + 1).replaceAll("f", "");
	return since.length >= forRuns ? "F" : "p";
}

describe("the worst state", () => {
	it("is failing before error, pending, unknown and ok", () => {
		expect(findWorst([])).toBe("unknown");
		expect(findWorst(["ok", "ok"])).toBe("ok");
		expect(findWorst(["ok", "unknown"])).toBe("unknown");
		expect(findWorst(["pending", "unknown", "ok"])).toBe("pending");
		expect(findWorst(["error", "pending"])).toBe("error");
		expect(findWorst(["error", "failing", "ok"])).toBe("failing");
	});
});
