/**
 * The members of one connection's cluster. A read stays on one member from its first to its last
 * object, and begins again on another, whole, when that one fails. Members of another fabric, ones
 * that have lost their peers, and standbys are not asked. Members that failed are probed until they
 * come back. A connection with a single address has none of this.
 */
import { setMaxListeners } from "node:events";
import {
	type ControllerCall,
	ControllerError,
	type ControllerPage,
	type ControllerTarget,
} from "../../../ports/controller.ts";
import { orAborted } from "../../system/signals.ts";
import { completeness } from "../complete.ts";
import { type Connection, type ConnectionDeps, createConnection } from "../connection.ts";
import { createLoginGate } from "../login-gate.ts";
import type { Metering } from "../meter.ts";
import { cancelled } from "../transport.ts";
import { type ClusterFacts, ownState, serialOfFirst } from "./facts.ts";
import {
	afterAnswer,
	afterFailure,
	chooseMember,
	isUsable,
	type MemberStanding,
	type Misfit,
	MisfitError,
	memberFailure,
	newStanding,
	probeDelay,
	wasNotSent,
} from "./member-state.ts";
import { type ReadObjects, readFacts, readPeerViews } from "./reads.ts";

export interface ClusterEvents {
	/** A member is in another state. */
	onMember(target: ControllerTarget, member: MemberStanding): void;
	/** The fabric of the connection's own address became known. */
	onFabric(target: ControllerTarget, fabricId: string): void;
	/** A request goes on from a member that failed to another. */
	onFailover(target: ControllerTarget, failover: Failover): void;
}

export interface Failover {
	readonly from: string;
	readonly to: string;
	readonly reason: string;
}

export interface ClusterDeps extends ConnectionDeps {
	readonly metering: Metering;
	readonly events: ClusterEvents;
}

export interface ClusterCall extends Pick<ControllerCall, "onMember" | "failedMembers"> {
	readonly signal: AbortSignal;
}

export interface Cluster {
	readonly target: ControllerTarget;
	/** Runs a read on a member; again, whole, on another one when that fails. */
	read<T>(work: (connection: Connection) => Promise<T>, call: ClusterCall): Promise<T>;
	/** Sends a change to a member; to another one only where it certainly did not arrive. */
	send<T>(work: (connection: Connection) => Promise<T>, call: ClusterCall): Promise<T>;
	/**
	 * The pages of a read. When a member fails after pages were delivered, rejects with an error that
	 * is `interrupted`.
	 */
	pages(
		work: (connection: Connection) => AsyncIterable<ControllerPage>,
		call: ClusterCall,
	): AsyncGenerator<ControllerPage>;
	/** Finds out the fabric of the first member, where it is not known. Resolves in any case. */
	identify(): Promise<void>;
	/** Takes the identity that a test has found since; null changes nothing. */
	expect(fabricId: string | null): void;
	/** Lets a login be tried again although the last one was refused. */
	forgive(): void;
	/** Keeps the sockets open until the returned function is called. */
	hold(): () => void;
	/** Closes the sockets when no operation holds them, then calls `closed`. */
	retire(closed: () => void): void;
	/** Cancels everything and closes the sockets. */
	destroy(): Promise<void>;
}

interface Member {
	readonly isFirst: boolean;
	readonly connection: Connection;
	standing: MemberStanding;
	/** Facts of the member since it last failed; null: none. */
	known: { readonly selfId: string | null; readonly serial: string | null } | null;
	/** Checks under way, shared by reads. */
	inspecting: Promise<void> | null;
	confirming: Promise<void> | null;
	confirmingNext: Promise<void> | null;
	isProbed: boolean;
}

/** One read's stay on a member. */
interface Visit {
	readonly connection: Connection;
	/** Resolves when the member was whole and in its cluster after the read. */
	confirm(): Promise<void>;
	/** Notes a failure. @throws the error itself if another member must not be asked instead */
	fail(error: unknown, mayRepeat: boolean): void;
	leave(): void;
}

/** Members of a connection that was not used for this long are no longer probed. */
const PROBED_MS = 15 * 60_000;

export function createCluster(target: ControllerTarget, deps: ClusterDeps): Cluster {
	const { clock, pacing, metering, events } = deps;
	const gate = createLoginGate(clock);
	const members = [target.url, ...(target.alternateUrls ?? [])].map(
		(url, at): Member => ({
			isFirst: at === 0,
			connection: createConnection({ ...target, url }, { ...deps, gate }),
			standing: newStanding(url, clock.now()),
			known: null,
			inspecting: null,
			confirming: null,
			confirmingNext: null,
			isProbed: false,
		}),
	);
	const [first] = members as [Member, ...Member[]];
	const isSingle = members.length === 1;
	const ending = new AbortController();
	const probing = new AbortController();
	// Many checks listen at once; Node would warn of a leak.
	setMaxListeners(0, ending.signal, probing.signal);
	let fabricId = target.fabricId ?? null;
	let usedAt = clock.now();

	function place(member: Member, standing: MemberStanding): void {
		const before = member.standing;
		member.standing = standing;
		if (standing.state !== before.state) events.onMember(target, standing);
	}

	function fail(member: Member, misfit: Misfit, isProbe: boolean): void {
		member.known = null;
		place(member, afterFailure(member.standing, misfit, { now: clock.now(), isProbe }));
		probeUntilBack(member);
	}

	const readerOf = ({ connection }: Member): ReadObjects => {
		const meter = metering();
		return async (path) => {
			const check = completeness(undefined, false);
			const { objects } = await connection.call({ method: "GET", path, signal: ending.signal, meter, check });
			return objects?.rows() ?? [];
		};
	};

	function misfitOf(member: Member, facts: ClusterFacts): Misfit | null {
		if (fabricId === null && member.isFirst && facts.fabricId !== null) {
			fabricId = facts.fabricId;
			events.onFabric(target, fabricId);
		}
		const { url } = member.standing;
		if (facts.fabricId !== fabricId) {
			if (facts.fabricId === null) {
				return {
					state: "down",
					message: `The user may not read to which fabric ${url} belongs (topSystem, fabricNode).`,
				};
			}
			return {
				state: "other_fabric",
				message: `${url} belongs to the fabric ${facts.fabricId}, and the connection to ${fabricId}.`,
			};
		}
		return misfitOfState(url, facts);
	}

	/** Reads which fabric the member belongs to, and how it sees itself. Rejects with its misfit. */
	async function inspect(member: Member): Promise<void> {
		const read = readerOf(member);
		// The login tells which member it is.
		await member.connection.session?.token(ending.signal, metering());
		const facts = await readFacts(read, member.connection.session?.node() ?? null);
		const misfit = misfitOf(member, facts);
		if (misfit !== null) throw new MisfitError(misfit);
		member.known = { selfId: facts.selfId, serial: serialOfFirst(facts.views) };
	}

	function inspectOnce(member: Member): Promise<void> {
		member.inspecting ??= inspect(member).finally(() => {
			member.inspecting = null;
		});
		return member.inspecting;
	}

	/** Like `inspect`, with one request while the fabric is the same. */
	async function check(member: Member): Promise<void> {
		if (member.known === null) return inspectOnce(member);
		const { selfId, serial } = member.known;
		const views = await readPeerViews(readerOf(member));
		if (serialOfFirst(views) !== serial) return inspectOnce(member);
		const misfit = misfitOfState(member.standing.url, { selfId, views });
		if (misfit !== null) throw new MisfitError(misfit);
	}

	/** A check that begins after this call. Reads that wait for one share it. */
	function confirm(member: Member): Promise<void> {
		if (member.confirming === null) {
			member.confirming = check(member).finally(() => {
				member.confirming = null;
			});
			return member.confirming;
		}
		member.confirmingNext ??= member.confirming
			.catch(() => undefined)
			.then(() => {
				member.confirmingNext = null;
				return confirm(member);
			});
		return member.confirmingNext;
	}

	function probeUntilBack(member: Member): void {
		if (member.isProbed || probing.signal.aborted) return;
		member.isProbed = true;
		probe(member).finally(() => {
			member.isProbed = false;
		});
	}

	async function probe(member: Member): Promise<void> {
		while (!isUsable(member.standing) && clock.now() - usedAt <= PROBED_MS) {
			try {
				await pacing.sleep(probeDelay(member.standing.failures), probing.signal);
				// A read may have found it back.
				if (isUsable(member.standing)) return;
				await inspectOnce(member);
				place(member, afterAnswer(member.standing, clock.now()));
			} catch (error) {
				if (probing.signal.aborted) return;
				const message = error instanceof Error ? error.message : String(error);
				const misfit = memberFailure(error) ?? { state: "down" as const, message };
				member.known = null;
				place(member, afterFailure(member.standing, misfit, { now: clock.now(), isProbe: true }));
			}
		}
	}

	/** While the fabric is not known, another address proves nothing. */
	function excluded(failed: ReadonlySet<string>): ReadonlySet<string> {
		if (fabricId !== null) return failed;
		return new Set([...failed, ...members.filter(({ isFirst }) => !isFirst).map(({ standing }) => standing.url)]);
	}

	function choose(failed: ReadonlySet<string>): Member | null {
		const chosen = chooseMember(
			members.map(({ standing }) => standing),
			excluded(failed),
		);
		return members.find(({ standing }) => standing === chosen) ?? null;
	}

	function noneLeft(last: unknown): ControllerError {
		const reasons = members.map(({ standing: { url, lastError }, isFirst }) => {
			const unknown = !isFirst && fabricId === null;
			return `${url}: ${lastError ?? (unknown ? "its fabric is not known yet; test the connection." : "it failed.")}`;
		});
		const message = `No member of the cluster can answer. ${reasons.join(" ")}`;
		const kind = last instanceof ControllerError ? last.kind : "no_member";
		const { status, code, text } = last instanceof ControllerError ? last : {};
		return new ControllerError(kind, message, { status, code, text, retryable: true });
	}

	/**
	 * Begins a read on a member that was found fit. Rejects when none is left.
	 *
	 * @param last how the read failed on the member before
	 */
	async function enter({ signal, onMember }: ClusterCall, failed: Set<string>, last: unknown): Promise<Visit> {
		usedAt = clock.now();
		for (const member of members) if (!isUsable(member.standing)) probeUntilBack(member);
		for (let cause = last; ; ) {
			const member = choose(failed);
			if (member === null) throw noneLeft(cause);
			const visit = visitOf(member, failed, signal);
			try {
				if (member.known === null) await orAborted(inspectOnce(member), signal);
				onMember?.(member.standing.url);
				return visit;
			} catch (error) {
				visit.leave();
				if (signal.aborted) throw cancelled();
				visit.fail(error, true);
				cause = error;
			}
		}
	}

	function visitOf(member: Member, failed: Set<string>, signal: AbortSignal): Visit {
		const count = (more: 1 | -1) => {
			member.standing = { ...member.standing, inFlight: member.standing.inFlight + more };
		};
		count(1);
		let isHere = true;
		return {
			connection: member.connection,
			async confirm() {
				await orAborted(confirm(member), signal);
				place(member, afterAnswer(member.standing, clock.now()));
			},
			fail(error, mayRepeat) {
				const misfit = memberFailure(error);
				if (signal.aborted || misfit === null) throw error;
				fail(member, misfit, false);
				if (!mayRepeat) throw error;
				failed.add(member.standing.url);
				const next = choose(failed);
				if (next === null) return;
				events.onFailover(target, { from: member.standing.url, to: next.standing.url, reason: misfit.message });
			},
			leave() {
				if (isHere) count(-1);
				isHere = false;
			},
		};
	}

	async function perform<T>(
		work: (connection: Connection) => Promise<T>,
		call: ClusterCall,
		{ isChange }: { readonly isChange: boolean },
	): Promise<T> {
		if (isSingle) {
			call.onMember?.(target.url);
			return work(first.connection);
		}
		const failedMembers = call.failedMembers ?? new Set();
		let last: unknown = null;
		for (;;) {
			const visit = await enter(call, failedMembers, last);
			try {
				const result = await work(visit.connection);
				if (!isChange) await visit.confirm();
				return result;
			} catch (error) {
				if (call.signal.aborted) throw cancelled();
				visit.fail(error, !isChange || wasNotSent(error));
				last = error;
			} finally {
				visit.leave();
			}
		}
	}

	async function* pages(work: (connection: Connection) => AsyncIterable<ControllerPage>, call: ClusterCall) {
		if (isSingle) {
			call.onMember?.(target.url);
			yield* work(first.connection);
			return;
		}
		const failedMembers = call.failedMembers ?? new Set();
		for (let last: unknown = null; ; ) {
			const visit = await enter(call, failedMembers, last);
			const failure = yield* attemptPages(work, visit, call.signal);
			if (failure === null) return;
			last = failure.error;
		}
	}

	/**
	 * The pages of one member, each held back until the next one came or the member was confirmed.
	 * Returns the failure if none was delivered, so that the read may begin again.
	 */
	async function* attemptPages(
		work: (connection: Connection) => AsyncIterable<ControllerPage>,
		visit: Visit,
		signal: AbortSignal,
	): AsyncGenerator<ControllerPage, { readonly error: unknown } | null> {
		let held: ControllerPage | null = null;
		let wasDelivered = false;
		let isOver = false;
		function failed(error: unknown): void {
			isOver = true;
			if (signal.aborted) throw cancelled();
			visit.fail(error, true);
			if (wasDelivered) throw interrupted(error);
		}
		try {
			for await (const page of work(visit.connection)) {
				if (held !== null) {
					wasDelivered = true;
					yield held;
				}
				held = page;
			}
			await visit.confirm();
			isOver = true;
		} catch (error) {
			failed(error);
			return { error };
		} finally {
			// The reader has enough: these objects must be right, too.
			if (!isOver && !signal.aborted) await visit.confirm().catch(failed);
			visit.leave();
		}
		if (held !== null) yield held;
		return null;
	}

	return {
		target,
		read: (work, call) => perform(work, call, { isChange: false }),
		send: (work, call) => perform(work, call, { isChange: true }),
		pages,
		async identify() {
			if (!isSingle && fabricId === null) await inspectOnce(first).catch(() => undefined);
		},
		expect(found) {
			if (found === null || found === fabricId) return;
			fabricId = found;
			for (const member of members) member.known = null;
		},
		forgive: gate.forgive,
		hold() {
			const releases = members.map(({ connection }) => connection.hold());
			return () => {
				for (const release of releases) release();
			};
		},
		retire(closed) {
			probing.abort();
			let left = members.length;
			for (const { connection } of members) {
				connection.retire(() => {
					left -= 1;
					if (left === 0) closed();
				});
			}
		},
		async destroy() {
			probing.abort();
			ending.abort();
			await Promise.all(members.map(({ connection }) => connection.destroy()));
		},
	};
}

function misfitOfState(url: string, facts: Pick<ClusterFacts, "selfId" | "views">): Misfit | null {
	const { state, health } = ownState(facts);
	if (state === "partial") {
		const message = `${url} has lost members of its cluster (health ${health}), and its answers may lack objects.`;
		return { state, message };
	}
	return state === "standby" ? { state, message: `${url} is a standby and has no objects.` } : null;
}

function interrupted(error: unknown): ControllerError {
	const { kind, message, status, code, text } =
		error instanceof ControllerError
			? error
			: {
					kind: "no_member" as const,
					message: error instanceof Error ? error.message : String(error),
					status: undefined,
					code: undefined,
					text: undefined,
				};
	return new ControllerError(kind, message, { status, code, text, retryable: true, interrupted: true });
}
