import { existsSync, readFileSync } from "node:fs";
import { AUTOMATION_EXECUTION_STATUSES, REQUEST_STATUSES } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	allowsCause,
	assertTransition,
	canTransition,
	deriveEndedLaunch,
	deriveExecutionStatus,
	deriveRequestEnd,
	deriveRequestOutcome,
	type ExecutionEnd,
	explainRefusal,
	isOver,
	type JobCauses,
	type JobStates,
	listOpenStates,
	listSources,
	listStates,
	listTargets,
	readServerStatus,
	STATES,
	type StateKind,
} from "./states.ts";

const KINDS = Object.keys(STATES) as StateKind[];

/** One transition as texts; `to` is the state itself where it stays. */
interface Step {
	readonly by: string;
	readonly from: string;
	readonly to: string;
}

function listSteps(kind: StateKind): Step[] {
	return STATES[kind].transitions.flatMap(({ by, from, to }) =>
		from.flatMap((before) => (to ?? [before]).map((after) => ({ by, from: before, to: after }))),
	);
}

/** The specification's table of requests (interface-decisions.md, section 9), word by word. */
const SPECIFIED =
	"`awaiting_approval` → `approved` | `rejected`; `pending` | `approved` → `running` (execute, or scheduled_for due) → " +
	"`successful` | `failed` | `cancelled`; failed | cancelled → running (retry: the same data, a new execution).";
const SPECIFIED_EXECUTION = "pending, waiting, running, successful, failed, error, cancelled";

/** The pairs of states that a text with arrows and alternatives names. */
function listSpecifiedPairs(text: string): [from: string, to: string][] {
	return text
		.replaceAll(/`|\.$|\([^)]*\)/g, "")
		.split(";")
		.flatMap((chain) => {
			const links = chain.split("→").map((link) => link.split("|").map((state) => state.trim()));
			return links.slice(1).flatMap((after, at) => {
				const before = links[at] ?? [];
				return before.flatMap((from) => after.map((to): [string, string] => [from, to]));
			});
		});
}

describe("the table of states", () => {
	it("has the statuses of the contracts, and no others", () => {
		expect(listStates("request").toSorted()).toEqual([...REQUEST_STATUSES].toSorted());
		expect(listStates("execution").toSorted()).toEqual([...AUTOMATION_EXECUTION_STATUSES].toSorted());
	});

	it.each(KINDS)("reaches every state of a %s from its first ones", (kind) => {
		const steps = listSteps(kind);
		const reached = new Set<string>(STATES[kind].first);
		for (let size = 0; size < reached.size; ) {
			size = reached.size;
			for (const { from, to } of steps) if (reached.has(from)) reached.add(to);
		}
		expect([...reached].toSorted()).toEqual([...new Set([...listStates(kind), ...STATES[kind].over])].toSorted());
	});

	it.each(KINDS)("ends each path of a %s in a final state, which only a reopening user leaves", (kind) => {
		const { first, over, reopening } = STATES[kind];
		const steps = listSteps(kind);
		fc.assert(
			fc.property(fc.constantFrom(...first), fc.array(fc.nat(), { maxLength: 40 }), (start, picks) => {
				let state: string = start;
				let isFinal = false;
				for (const pick of picks) {
					const open = steps.filter(({ from }) => from === state);
					const step = open[pick % Math.max(1, open.length)];
					if (step === undefined) {
						expect(over).toContain(state);
						return;
					}
					const isReopened = (reopening as readonly string[]).includes(step.by);
					if (isFinal && !isReopened) expect(step.to).toBe(state);
					state = step.to;
					isFinal = (over as readonly string[]).includes(state);
				}
			}),
		);
	});

	it("lets nothing but users reopen a request, and nothing reopen the others", () => {
		expect(KINDS.filter((kind) => STATES[kind].reopening.length > 0)).toEqual(["request"]);
		expect(STATES.request.reopening).toEqual(["edit", "retry", "relaunch"]);
	});

	it.each(KINDS)("answers questions about a %s as its transitions say", (kind) => {
		const steps = listSteps(kind);
		const states = listStates(kind) as JobStates["request"][];
		const causes = [...new Set(steps.map(({ by }) => by))] as JobCauses["request"][];
		// The functions take any kind; states and causes of one kind belong together here.
		const same = kind as "request";
		for (const by of causes) {
			for (const from of states) {
				expect(allowsCause(same, from, by)).toBe(steps.some((one) => one.by === by && one.from === from));
				for (const to of states) {
					const isKnown = steps.some((one) => one.by === by && one.from === from && one.to === to);
					expect(canTransition(same, from, to, by)).toBe(isKnown);
					expect(listSources(same, by, to).includes(from)).toBe(isKnown);
					if (isKnown) expect(listTargets(same, by)).toContain(to);
					if (isKnown) assertTransition(same, from, to, by);
					else expect(() => assertTransition(same, from, to, by)).toThrow(`${by} cannot lead from ${from} to ${to}`);
				}
			}
		}
		expect([...listOpenStates(same), ...STATES[same].over].toSorted()).toEqual([...states].toSorted());
	});
});

describe("the transitions of a request", () => {
	const table: Partial<Record<JobCauses["request"], string[]>> = {
		approve: ["awaiting_approval"],
		reject: ["awaiting_approval"],
		execute: ["approved", "pending"],
		retry: ["failed", "cancelled"],
		rollback: ["successful", "failed"],
		cancel: ["awaiting_approval", "approved", "pending", "running"],
		edit: ["awaiting_approval", "pending", "rejected"],
	};
	it.each(Object.entries(table))("allows %s from %j only", (action, from) => {
		const cause = action as JobCauses["request"];
		const possible = REQUEST_STATUSES.filter((status) => allowsCause("request", status, cause));
		expect(possible.toSorted()).toEqual(from.toSorted());
		for (const status of REQUEST_STATUSES) expect(explainRefusal(status, cause)).toContain(action);
	});

	it("allows the transitions that the specification names", () => {
		const pairs = listSpecifiedPairs(SPECIFIED);
		expect(pairs).toHaveLength(9);
		const steps = listSteps("request").map(({ from, to }) => `${from} ${to}`);
		expect(pairs.filter(([from, to]) => !steps.includes(`${from} ${to}`))).toEqual([]);
		expect(listStates("execution")).toEqual(SPECIFIED_EXECUTION.split(", "));
	});

	it("quotes the specification word for word (skipped where ../shared is absent)", ({ skip }) => {
		const folder = ["../../../../../../../shared/", "../../../../../../../../shared/"].find((path) =>
			existsSync(new URL(`${path}spec/interface-decisions.md`, import.meta.url)),
		);
		if (folder === undefined) return skip();
		const text = readFileSync(new URL(`${folder}spec/interface-decisions.md`, import.meta.url), "utf8");
		expect(text).toContain(`Statuses and moves: ${SPECIFIED} PATCH only`);
		expect(text).toContain(`**Execution** ${SPECIFIED_EXECUTION}.`);
		expect(text).toMatch(/PATCH only\s+while awaiting_approval or pending, and sends it back to approval/);
	});
});

describe("states that follow from others", () => {
	it("derives the end of a request from its execution, an error as a failure", () => {
		const ends = (["successful", "failed", "error", "cancelled"] as const).map(deriveRequestEnd);
		expect(ends).toEqual(["successful", "failed", "failed", "cancelled"]);
		expect(ends.every((end) => canTransition("request", "running", end, "end"))).toBe(true);
	});

	it.each<[string, Partial<ExecutionEnd>[], string | null]>([
		["none before the first end", [{ status: "running", finished_at: null }], null],
		["that of the only launch", [{ status: "failed" }], "failed"],
		["that of the last launch", [{ status: "failed" }, { status: "successful", relaunch_of: "a" }], "successful"],
		[
			"that of the job before, after a relaunch without a job",
			[{ status: "successful" }, { status: "error", job_id: null, relaunch_of: "a" }],
			"successful",
		],
		["a failure without a job, after a first launch", [{ status: "error", job_id: null }], "failed"],
		["that of the ended one beside an open one", [{ status: "failed" }, { finished_at: null }], "failed"],
	])("the outcome of a request is %s", (_title, executions, outcome) => {
		const whole = executions.map(
			(one): ExecutionEnd => ({ status: "pending", finished_at: new Date(0), job_id: 1, relaunch_of: null, ...one }),
		);
		expect(deriveRequestOutcome(whole)).toBe(outcome);
	});

	it("derives no final status of an execution from a poll, whatever the server answers", () => {
		const words = [...listStates("server"), "archived", "constructor", ""];
		for (const word of words) {
			for (const before of listOpenStates("execution")) {
				const after = deriveExecutionStatus(word, before);
				expect(canTransition("execution", before, after, "poll")).toBe(true);
			}
		}
		expect(deriveExecutionStatus("successful", "pending")).toBe("pending");
		expect(deriveExecutionStatus("successful", "running")).toBe("running");
		expect(deriveExecutionStatus("archived", "waiting")).toBe("waiting");
	});

	it("reads each word of the server as a state that is over exactly where the job is", () => {
		for (const word of listStates("server")) {
			const status = readServerStatus(word);
			expect(status !== null && isOver("execution", status)).toBe(isOver("server", word));
		}
		expect(readServerStatus("canceled")).toBe("cancelled");
		expect(readServerStatus("constructor")).toBeNull();
	});

	it("ends the launch with its execution, unless its job is known", () => {
		expect(listStates("launch").map((state) => [state, deriveEndedLaunch(state)])).toEqual([
			["intent", "ended"],
			["blocked", "ended"],
			["waiting_before", "ended"],
			["sending", "ended"],
			["launched", "launched"],
			["ended", "ended"],
		]);
	});
});
