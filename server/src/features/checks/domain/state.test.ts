import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Alert, type Finding, newStanding, nextState, type Standing, worstOf } from "./state.ts";

const START = new Date(0);
const FINDINGS: Readonly<Record<string, Finding>> = {
	h: { kind: "holds" },
	v: { kind: "violated", violations: 3 },
	f: { kind: "failed", error: "The controller is busy." },
	u: { kind: "undecided", reason: "No snapshot is so old yet." },
};
const STATE_LETTERS = { ok: "o", pending: "p", failing: "F", error: "E", unknown: "u" } as const;

/** One letter per run: its finding; upper case while the state is muted. */
function play(runs: string, forRuns = 1, severity: "info" | "warning" | "critical" = "warning") {
	let standing = newStanding(START);
	let states = "";
	const alerts: (Alert | null)[] = [];
	for (const [i, letter] of [...runs].entries()) {
		const finding = FINDINGS[letter.toLowerCase()] as Finding;
		const rule = { forRuns, severity, isMuted: letter !== letter.toLowerCase() };
		const { after, alert } = nextState(standing, finding, rule, new Date(i + 1));
		standing = after;
		states += STATE_LETTERS[after.state];
		alerts.push(alert);
	}
	return { standing, states, alerts: alerts.map((alert) => alert?.kind[0] ?? "-").join(""), kinds: alerts };
}

describe("the states of a check", () => {
	it.each([
		// runs, for_runs, states, alerts (f failing, e error, r recovered)
		["h", 1, "o", "-"],
		["v", 1, "F", "f"],
		["hvvh", 1, "oFFo", "-f-r"],
		["hvvvh", 3, "oppFo", "---fr"],
		["vhv", 2, "pop", "---"],
		["vhvv", 2, "popF", "---f"],
		["hfh", 1, "oEo", "-er"],
		["ff", 1, "EE", "e-"],
		["vfv", 2, "pEF", "-ef"],
		["vfh", 1, "FEo", "fer"],
		["vfv", 1, "FEF", "fef"],
		["fvh", 2, "Epo", "e-r"],
		["hvFh", 2, "opEo", "----"],
		["hFh", 1, "oEo", "---"],
		["hVh", 1, "oFo", "--r"],
		["hvH", 1, "oFo", "-f-"],
		["Vv", 1, "FF", "--"],
		["uhv", 1, "uoF", "--f"],
		["vuh", 1, "Fuo", "f-r"],
		["vuv", 2, "pup", "---"],
		["fuh", 1, "Euo", "e-r"],
	])("%s with for_runs %i become %s and tell %s", (runs, forRuns, states, alerts) => {
		expect(play(runs, forRuns)).toMatchObject({ states, alerts });
	});

	it("are since their transition", () => {
		expect(play("hhvv").standing.since).toEqual(new Date(3));
		expect(play("hhvvf").standing).toMatchObject({
			since: new Date(5),
			error: "The controller is busy.",
			violations: 0,
		});
	});

	it.each([
		["info", "info"],
		["warning", "warning"],
		["critical", "error"],
	] as const)("tell a failure of severity %s as %s", (severity, told) => {
		expect(play("v", 1, severity).kinds).toEqual([{ kind: "failing", severity: told }]);
		expect(play("f", 1, severity).kinds).toEqual([{ kind: "error", severity: "warning" }]);
	});

	it("stay failing when for_runs is raised", () => {
		const failing: Standing = play("v").standing;
		const rule = { forRuns: 5, severity: "info", isMuted: false } as const;
		expect(nextState(failing, { kind: "violated", violations: 1 }, rule, START).after.state).toBe("failing");
	});

	it("equal a naive reading of the whole history", () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[hvfu]{1,30}$/), fc.integer({ min: 1, max: 5 }), (runs, forRuns) => {
				const naive = [...runs].map((_, i) => naiveState(runs.slice(0, i + 1), forRuns)).join("");
				expect(play(runs, forRuns).states).toBe(naive);
			}),
		);
	});

	it("tell a recovery once, and after a problem only", () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[hvfu]{1,30}$/), fc.integer({ min: 1, max: 3 }), (runs, forRuns) => {
				const told = play(runs, forRuns).alerts.replaceAll("-", "");
				expect(told).not.toMatch(/^r|rr/);
			}),
		);
	});
});

/** Looks at the runs since the last one that held or was undecided, without those that failed. */
function naiveState(runs: string, forRuns: number): string {
	const last = runs.at(-1);
	if (last !== "v") return { h: "o", f: "E", u: "u" }[last ?? "h"] ?? "";
	const since = runs.slice(Math.max(runs.lastIndexOf("h"), runs.lastIndexOf("u")) + 1).replaceAll("f", "");
	return since.length >= forRuns ? "F" : "p";
}

describe("the worst state", () => {
	it("is failing before error, pending, unknown and ok", () => {
		expect(worstOf([])).toBe("unknown");
		expect(worstOf(["ok", "ok"])).toBe("ok");
		expect(worstOf(["ok", "unknown"])).toBe("unknown");
		expect(worstOf(["pending", "unknown", "ok"])).toBe("pending");
		expect(worstOf(["error", "pending"])).toBe("error");
		expect(worstOf(["error", "failing", "ok"])).toBe("failing");
	});
});
