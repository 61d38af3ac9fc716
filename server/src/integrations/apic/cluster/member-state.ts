/**
 * The members of a cluster as requests see them: which one to ask, what a failure means for it, and
 * when it is asked again. Pure: times are parameters.
 */
import { ControllerError, type ControllerErrorKind, type MemberState } from "../port-error.ts";

/** A member that is in use by this process. */
export interface MemberStanding {
	readonly url: string;
	readonly state: MemberState;
	/** Milliseconds since 1970 of the change to this state. */
	readonly since: number;
	/** Failures in a row. */
	readonly failures: number;
	/** Of the last failure; null while the member answers. */
	readonly lastError: string | null;
	/** Reads under way. */
	readonly inFlight: number;
}

/** Why a member must not be asked now. */
export interface Misfit {
	readonly state: Exclude<MemberState, "ok" | "unknown">;
	readonly message: string;
}

const FIRST_PROBE_MS = 1_000;
const LONGEST_PROBE_MS = 60_000;

export const createStanding = (url: string, now: number): MemberStanding => ({
	url,
	state: "unknown",
	since: now,
	failures: 0,
	lastError: null,
	inFlight: 0,
});

export const isUsable = ({ state }: MemberStanding): boolean => state === "ok" || state === "unknown";

/**
 * The member for a read, of those that it has not failed on: a usable one with the fewest reads
 * under way; else one that is down, in case it has come back, with the fewest failures. Members
 * that would answer wrongly are never asked. Null if none is left.
 */
export function chooseMember<Member extends MemberStanding>(
	members: readonly Member[],
	failed: ReadonlySet<string>,
): Member | null {
	const left = members.filter(({ url }) => !failed.has(url));
	const least = (list: readonly Member[], measure: (member: Member) => number): Member | null =>
		list.reduce<Member | null>((best, next) => (best === null || measure(next) < measure(best) ? next : best), null);
	return (
		least(left.filter(isUsable), ({ inFlight }) => inFlight) ??
		least(
			left.filter(({ state }) => state === "down"),
			({ failures }) => failures,
		)
	);
}

export function updateAfterAnswer(member: MemberStanding, now: number): MemberStanding {
	if (member.state === "ok" && member.failures === 0) return member;
	return { ...member, state: "ok", since: member.state === "ok" ? member.since : now, failures: 0, lastError: null };
}

/**
 * @param isProbe whether the member was asked to find out if it has come back. Reads that fail
 * together on a member count once; each failed probe counts.
 */
export function updateAfterFailure(
	member: MemberStanding,
	{ state, message }: Misfit,
	{ now, isProbe }: { readonly now: number; readonly isProbe: boolean },
): MemberStanding {
	const counts = isProbe || isUsable(member);
	return {
		...member,
		state,
		since: member.state === state ? member.since : now,
		failures: member.failures + (counts ? 1 : 0),
		lastError: message,
	};
}

/** Milliseconds from a failure to the next probe. */
export const probeDelay = (failures: number): number =>
	Math.min(LONGEST_PROBE_MS, FIRST_PROBE_MS * 2 ** Math.max(0, failures - 1));

/** The member, or the way to it, failed, and not the request. */
const MEMBER_FAILURES: ReadonlySet<ControllerErrorKind> = new Set<ControllerErrorKind>([
	"refused",
	"dns",
	"address",
	"tls",
	"timeout",
	"reset",
	"throttled",
	"bad_answer",
	"not_a_controller",
]);

/** Failures before the request was sent. */
const UNSENT: ReadonlySet<ControllerErrorKind> = new Set<ControllerErrorKind>(["refused", "dns", "address", "tls"]);

/** What a failed read means for its member; null if another member would answer the same. */
export function describeMemberFailure(error: unknown): Misfit | null {
	if (error instanceof MisfitError) return error.misfit;
	if (!(error instanceof ControllerError)) return null;
	const failed = MEMBER_FAILURES.has(error.kind) || (error.kind === "server" && error.retryable);
	return failed ? { state: "down", message: error.message } : null;
}

/** Whether a request that changes something certainly did not reach the controller. */
export const wasNotSent = (error: unknown): boolean =>
	error instanceof MisfitError || (error instanceof ControllerError && UNSENT.has(error.kind));

/** The member answers, but its answers must not be used. */
export class MisfitError extends Error {
	override readonly name = "MisfitError";
	readonly misfit: Misfit;
	constructor(misfit: Misfit) {
		super(misfit.message);
		this.misfit = misfit;
	}
}
