import type { CheckState } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildNotice } from "./alerts.ts";
import { applyNotice, decideNotice, NOTHING_NOTIFIED, type NoticeEntry, type Notified } from "./notice-decision.ts";
import { computeNextState, createStanding, type Finding, type Standing } from "./state.ts";

const START = new Date(0);
const FINDINGS: Readonly<Record<string, Finding>> = {
	h: { kind: "holds" },
	v: { kind: "violated", violations: 3 },
	f: { kind: "failed", error: "The controller is busy." },
	u: { kind: "undecided", reason: "No snapshot is so old yet." },
};

const getEntry = (standing: Standing, flags: Pick<NoticeEntry, "isActive" | "isMuted">): NoticeEntry => ({
	state: standing.state,
	error: standing.error,
	...flags,
});

/** One letter per run: its finding; upper case while muted; `.` is the end of a mute. */
function simulateNotices(runs: string, forRuns: number): string {
	let standing = createStanding(START);
	let notified: Notified = NOTHING_NOTIFIED;
	return [...runs]
		.map((letter, i) => {
			const finding = FINDINGS[letter.toLowerCase()];
			if (finding !== undefined) standing = computeNextState(standing, finding, forRuns, new Date(i + 1));
			const isMuted = letter !== letter.toLowerCase();
			const decision = decideNotice(notified, getEntry(standing, { isActive: true, isMuted }));
			notified = applyNotice(notified, decision);
			return decision?.kind[0] ?? "-";
		})
		.join("");
}

describe("the notifications of a check", () => {
	it.each([
		// runs, for_runs, notifications (f failing, e error, r recovered)
		["h", 1, "-"],
		["v", 1, "f"],
		["hvvh", 1, "-f-r"],
		["hvvvh", 3, "---fr"],
		["vhvv", 2, "---f"],
		["hfh", 1, "-er"],
		["ff", 1, "e-"],
		["vfv", 2, "-ef"],
		["vfh", 1, "fer"],
		["vfv", 1, "fe-"],
		["fvh", 2, "e-r"],
		["hvFh", 2, "----"],
		["hFh", 1, "---"],
		["hVh", 1, "---"],
		["hvH", 1, "-f-"],
		["hvH.", 1, "-f-r"],
		["hvHv", 1, "-f--"],
		["hvHv", 2, "----"],
		["vHv", 1, "f--"],
		["vvHv", 2, "-f-r"],
		["V.h", 1, "-fr"],
		["Vv", 1, "-f"],
		["V.V.", 1, "-f--"],
		["F.", 1, "-e"],
		["vuh", 1, "f-r"],
		["fuh", 1, "e-r"],
	])("of the runs %s with for_runs %i are %s", (runs, forRuns, sent) => {
		expect(simulateNotices(runs, forRuns)).toBe(sent);
	});

	it.each([
		[null, "The check was deleted, or no longer looks at this connection."],
		[{ state: "failing", error: null, isActive: false, isMuted: false }, "The check was deactivated."],
		[
			{ state: "unknown", error: null, isActive: true, isMuted: false },
			"The check was changed, and waits for its next run.",
		],
	] as const)("close a problem of which %o is left, once", (entry, reason) => {
		const notified = { failing: true, error: false };
		const decision = decideNotice(notified, entry);
		expect(decision).toEqual({ kind: "closed", reason });
		expect(decideNotice(applyNotice(notified, decision), entry)).toBeNull();
	});

	it("have the severity of the check where it is failing", () => {
		const severity = (kind: "failing" | "error" | "recovered", of: "info" | "warning" | "critical") =>
			buildNotice(
				[
					{
						decision: { kind },
						checkId: "1",
						checkName: "A",
						severity: of,
						violations: 1,
						objects: [],
						error: null,
						before: "ok",
					},
				],
				"fab-dc1",
			).severity;
		expect((["info", "warning", "critical"] as const).map((of) => severity("failing", of))).toEqual([
			"info",
			"warning",
			"error",
		]);
		expect([severity("error", "critical"), severity("recovered", "critical")]).toEqual(["warning", "info"]);
	});
});

type Operation =
	| { readonly kind: "evaluate"; readonly connection: number; readonly finding: "h" | "v" | "f" | "u" }
	| {
			readonly kind:
				| "mute"
				| "unmute"
				| "edit"
				| "delete"
				| "activate"
				| "deactivate"
				| "addWebhook"
				| "quiet"
				| "loud";
	  }
	| { readonly kind: "move"; readonly connections: readonly number[] }
	/** The comparison of another process, with what it read before or after. */
	| { readonly kind: "compare" };

const operation: fc.Arbitrary<Operation> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant("evaluate" as const),
			connection: fc.integer({ min: 0, max: 2 }),
			finding: fc.constantFrom("h", "v", "f", "u"),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constantFrom(
				"mute",
				"unmute",
				"edit",
				"delete",
				"activate",
				"deactivate",
				"addWebhook",
				"quiet",
				"loud",
				"compare",
			),
		}),
	},
	fc.record({ kind: fc.constant("move" as const), connections: fc.subarray([0, 1, 2]) }),
);

/** A check with its entries, its readers, and the messages that each reader received. */
function createModel(forRuns: number) {
	let entries = new Map<number, Standing>();
	let [looksAt, isActive, isMuted, isDeleted, isQuiet] = [[0, 1, 2], true, false, false, false];
	const readers = new Map([["inbox", new Map<number, Notified>()]]);
	const received = new Map<string, string[]>();
	const heldMails: (() => void)[] = [];

	const findEntry = (connection: number): NoticeEntry | null => {
		const standing = entries.get(connection);
		return standing === undefined || isDeleted ? null : getEntry(standing, { isActive, isMuted });
	};
	const record = (reader: string, connection: number, kind: string) => {
		const key = `${reader} ${connection}`;
		received.set(key, [...(received.get(key) ?? []), kind]);
	};
	/** As two processes do: the second compares after the first one's commit. */
	function notifyReaders(): void {
		for (const [reader, notified] of readers) {
			for (const connection of [0, 1, 2, 0, 1, 2]) {
				const before = notified.get(connection) ?? NOTHING_NOTIFIED;
				const decision = decideNotice(before, findEntry(connection));
				if (decision === null) continue;
				notified.set(connection, applyNotice(before, decision));
				record(reader, connection, decision.kind);
				if (reader !== "inbox") continue;
				const mail = () => record("mail", connection, decision.kind);
				if (isQuiet) heldMails.push(mail);
				else mail();
			}
		}
	}
	function applyOperation(one: Operation, at: number): void {
		switch (one.kind) {
			case "evaluate": {
				if (!looksAt.includes(one.connection) || !isActive || isDeleted) break;
				const before = entries.get(one.connection) ?? createStanding(START);
				entries.set(one.connection, computeNextState(before, FINDINGS[one.finding] as Finding, forRuns, new Date(at)));
				break;
			}
			case "edit":
				entries = new Map([...entries.keys()].map((key) => [key, createStanding(new Date(at))]));
				break;
			case "move":
				looksAt = [...one.connections];
				for (const key of entries.keys()) if (!looksAt.includes(key)) entries.delete(key);
				break;
			case "addWebhook":
				readers.set(`webhook ${at}`, new Map());
				break;
			case "mute":
			case "unmute":
				isMuted = one.kind === "mute";
				break;
			case "activate":
			case "deactivate":
				isActive = one.kind === "activate";
				break;
			case "delete":
				isDeleted = true;
				break;
			case "quiet":
			case "loud":
				isQuiet = one.kind === "quiet";
				if (!isQuiet) for (const mail of heldMails.splice(0)) mail();
				break;
			case "compare":
		}
		notifyReaders();
	}
	return {
		apply: applyOperation,
		received,
		/** Of each reader and connection the problem that it knows, and the entry. */
		pairs: () =>
			[...readers.values()].flatMap((notified) =>
				[0, 1, 2].map((connection) => ({
					notified: notified.get(connection) ?? NOTHING_NOTIFIED,
					entry: findEntry(connection),
				})),
			),
	};
}

const isEnd = (kind: string | undefined) => kind === "recovered" || kind === "closed";
const PROBLEMS: readonly (CheckState | undefined)[] = ["failing", "error"];

describe("each reader of a check", () => {
	it("hears of a problem once and of its end once, and knows the state when nothing is muted", () => {
		fc.assert(
			fc.property(fc.array(operation, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), (operations, forRuns) => {
				const model = createModel(forRuns);
				for (const [at, one] of [...operations, { kind: "unmute" } as const, { kind: "loud" } as const].entries()) {
					model.apply(one, at + 1);
				}
				for (const kinds of model.received.values()) {
					for (const [i, kind] of kinds.entries()) {
						const sinceEnd = kinds.slice(kinds.slice(0, i).findLastIndex(isEnd) + 1, i);
						if (isEnd(kind)) expect(sinceEnd).not.toEqual([]);
						else expect(sinceEnd).not.toContain(kind);
					}
				}
				for (const { notified, entry } of model.pairs()) {
					const hasProblem = notified.failing || notified.error;
					const isProblem = entry?.isActive === true && PROBLEMS.includes(entry.state);
					const isOver = entry === null || !entry.isActive || entry.state === "ok";
					if (isProblem) expect(notified[entry.state as "failing" | "error"]).toBe(true);
					if (isOver) expect(hasProblem).toBe(false);
				}
			}),
			{ numRuns: 500 },
		);
	});
});
