import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ControllerError, type ControllerErrorKind, type MemberState } from "../port-error.ts";
import {
	chooseMember,
	createStanding,
	describeMemberFailure,
	isUsable,
	type MemberStanding,
	type Misfit,
	MisfitError,
	probeDelay,
	updateAfterAnswer,
	updateAfterFailure,
	wasNotSent,
} from "./member-state.ts";

const STATES: readonly MemberState[] = ["ok", "partial", "standby", "down", "other_fabric", "unknown"];
const createMember = (url: string, changes: Partial<MemberStanding> = {}): MemberStanding => ({
	...createStanding(url, 0),
	...changes,
});
const NONE = new Set<string>();

const standings = fc.uniqueArray(
	fc.record({
		url: fc.constantFrom("a", "b", "c", "d", "e"),
		state: fc.constantFrom(...STATES),
		since: fc.nat(1_000),
		failures: fc.nat(5),
		lastError: fc.constant(null),
		inFlight: fc.nat(5),
	}),
	{ selector: ({ url }) => url, minLength: 1 },
);
const failedUrls = fc.subarray(["a", "b", "c", "d", "e"]).map((urls) => new Set(urls));

describe("chooseMember", () => {
	it.each<[string, MemberStanding[], string[], string | null]>([
		["the first of equal ones", [createMember("a"), createMember("b")], [], "a"],
		[
			"the one with fewest reads",
			[createMember("a", { inFlight: 2 }), createMember("b", { inFlight: 1, state: "ok" })],
			[],
			"b",
		],
		["none on which the read failed", [createMember("a"), createMember("b", { inFlight: 9 })], ["a"], "b"],
		[
			"a usable one before one that is down",
			[createMember("a", { state: "down" }), createMember("b", { inFlight: 9 })],
			[],
			"b",
		],
		["one that is down when no other is left", [createMember("a", { state: "down" }), createMember("b")], ["b"], "a"],
		[
			"of those that are down, the one with fewest failures",
			[createMember("a", { state: "down", failures: 3 }), createMember("b", { state: "down", failures: 1 })],
			[],
			"b",
		],
		["never a partial one", [createMember("a", { state: "partial" })], [], null],
		["never a standby", [createMember("a", { state: "standby" })], [], null],
		["never one of another fabric", [createMember("a", { state: "other_fabric" })], [], null],
		["none when all failed", [createMember("a"), createMember("b")], ["a", "b"], null],
	])("takes %s", (_, members, failed, expected) => {
		expect(chooseMember(members, new Set(failed))?.url ?? null).toBe(expected);
	});

	it("takes a usable one wherever there is one, and no other usable one has fewer reads", () => {
		fc.assert(
			fc.property(standings, failedUrls, (members, failed) => {
				const chosen = chooseMember(members, failed);
				const left = members.filter(({ url }) => !failed.has(url));
				const usable = left.filter(isUsable);
				if (usable.length === 0) return chosen === null || chosen.state === "down";
				return chosen !== null && usable.includes(chosen) && usable.every((one) => one.inFlight >= chosen.inFlight);
			}),
		);
	});

	it("asks each member once at most in one read, and ends", () => {
		fc.assert(
			fc.property(standings, (members) => {
				const failed = new Set<string>();
				for (let next = chooseMember(members, failed); next !== null; next = chooseMember(members, failed)) {
					expect(failed.has(next.url)).toBe(false);
					failed.add(next.url);
				}
				expect(failed.size).toBeLessThanOrEqual(members.length);
			}),
		);
	});
});

describe("a member that fails", () => {
	const down: Misfit = { state: "down", message: "refused" };

	it("keeps the time of its state, counts reads that fail together once, and each failed probe", () => {
		const first = updateAfterFailure(createMember("a", { state: "ok" }), down, { now: 5, isProbe: false });
		expect(first).toMatchObject({ state: "down", since: 5, failures: 1, lastError: "refused" });
		const second = updateAfterFailure(first, { ...down, message: "reset" }, { now: 6, isProbe: false });
		expect(second).toMatchObject({ since: 5, failures: 1, lastError: "reset" });
		const probed = updateAfterFailure(second, down, { now: 7, isProbe: true });
		expect(probed).toMatchObject({ since: 5, failures: 2 });
		expect(updateAfterFailure(probed, { state: "partial", message: "p" }, { now: 8, isProbe: true })).toMatchObject({
			state: "partial",
			since: 8,
			failures: 3,
		});
		expect(updateAfterAnswer(probed, 9)).toMatchObject({ state: "ok", since: 9, failures: 0, lastError: null });
	});

	it("is the same object after an answer that changes nothing", () => {
		const fit = updateAfterAnswer(createMember("a"), 3);
		expect(updateAfterAnswer(fit, 4)).toBe(fit);
	});

	it("is usable exactly when it is not in a failed state, whatever happened", () => {
		const events = fc.array(
			fc.oneof(
				fc.constant("answer" as const),
				fc.record({ state: fc.constantFrom("partial", "standby", "down", "other_fabric"), isProbe: fc.boolean() }),
			),
		);
		fc.assert(
			fc.property(events, (list) => {
				let one = createMember("a");
				for (const [now, event] of list.entries()) {
					one =
						event === "answer"
							? updateAfterAnswer(one, now)
							: updateAfterFailure(
									one,
									{ state: event.state as Misfit["state"], message: "m" },
									{ now, isProbe: event.isProbe },
								);
					expect(isUsable(one)).toBe(one.lastError === null);
					expect(one.failures > 0).toBe(one.lastError !== null);
				}
			}),
		);
	});
});

it("probes after 1 s, doubling to 60 s", () => {
	expect([1, 2, 3, 4, 5, 6, 7, 8].map(probeDelay)).toEqual([
		1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
	]);
	fc.assert(fc.property(fc.nat(10_000), (failures) => probeDelay(failures) <= probeDelay(failures + 1)));
	expect(probeDelay(10_000)).toBe(60_000);
});

describe("memberFailure", () => {
	const error = (kind: ControllerErrorKind, details = {}) => new ControllerError(kind, "m", details);

	it.each<[ControllerErrorKind, boolean, boolean]>([
		["refused", true, true],
		["dns", true, true],
		["address", true, true],
		["tls", true, true],
		["timeout", true, false],
		["reset", true, false],
		["throttled", true, false],
		["bad_answer", true, false],
		["not_a_controller", true, false],
		["credentials", false, false],
		["permission", false, false],
		["rejected", false, false],
		["busy", false, false],
		["too_big", false, false],
		["limit", false, false],
		["unstable", false, false],
		["cancelled", false, false],
		["invalid", false, false],
	])("of kind %s: another member may be asked %s, a change did not arrive %s", (kind, elsewhere, unsent) => {
		expect([describeMemberFailure(error(kind)) !== null, wasNotSent(error(kind))]).toEqual([elsewhere, unsent]);
	});

	it("of a gateway is the member's, of the controller's own error 500 is not", () => {
		expect(describeMemberFailure(error("server", { retryable: true }))).toEqual({ state: "down", message: "m" });
		expect(describeMemberFailure(error("server"))).toBeNull();
		expect(describeMemberFailure(new Error("a defect"))).toBeNull();
	});

	it("keeps the state of a misfit", () => {
		const misfit: Misfit = { state: "standby", message: "m" };
		expect(describeMemberFailure(new MisfitError(misfit))).toBe(misfit);
		expect(chooseMember([updateAfterFailure(createMember("a"), misfit, { now: 0, isProbe: false })], NONE)).toBeNull();
	});
});
