/**
 * The members of one connection's cluster. A read stays on one member from its first to its last
 * object, and begins again on another, whole, when that one fails. Members of another fabric, ones
 * that have lost their peers, and standbys are not asked. Members that failed are probed until they
 * come back. A connection with a single address has none of this.
 */

import { runUnlessAborted } from "../../../core/system/signals.ts";
import type { Connection } from "../connection.ts";
import type { ControllerCall, ControllerPage, ControllerTarget } from "../port.ts";
import { ControllerError } from "../port-error.ts";
import { buildControllerCancelledError } from "../transport.ts";
import { describeMemberFailure, wasNotSent } from "./member-state.ts";
import { type ClusterParts, createMembers, type Member, type Members } from "./members.ts";

interface ClusterCall extends Pick<ControllerCall, "onMember" | "failedMembers"> {
	readonly signal: AbortSignal;
}

export interface Cluster extends Pick<Members, "identify" | "expect" | "forgive" | "hold" | "retire" | "destroy"> {
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

/** A target with its members. */
interface ClusterState {
	readonly target: ControllerTarget;
	readonly deps: ClusterParts;
	readonly members: Members;
}

/**
 * Begins a read on a member that was found fit. Rejects when none is left.
 *
 * @param last how the read failed on the member before
 */
async function enterMember(
	cluster: ClusterState,
	{ signal, onMember }: ClusterCall,
	failed: Set<string>,
	last: unknown,
): Promise<Visit> {
	cluster.members.use();
	for (let cause = last; ; ) {
		const member = cluster.members.choose(failed);
		if (member === null) throw cluster.members.noneLeft(cause);
		const visit = startVisit(cluster, member, failed, signal);
		try {
			if (member.known === null) await runUnlessAborted(cluster.members.inspect(member), signal);
			onMember?.(member.standing.url);
			return visit;
		} catch (error) {
			visit.leave();
			if (signal.aborted) throw buildControllerCancelledError();
			visit.fail(error, true);
			cause = error;
		}
	}
}

function startVisit(cluster: ClusterState, member: Member, failed: Set<string>, signal: AbortSignal): Visit {
	const count = (more: 1 | -1) => {
		member.standing = { ...member.standing, inFlight: member.standing.inFlight + more };
	};
	count(1);
	let isHere = true;
	return {
		connection: member.connection,
		async confirm() {
			await runUnlessAborted(cluster.members.confirm(member), signal);
			cluster.members.answered(member);
		},
		fail(error, mayRepeat) {
			const misfit = describeMemberFailure(error);
			if (signal.aborted || misfit === null) throw error;
			cluster.members.failed(member, misfit);
			if (!mayRepeat) throw error;
			failed.add(member.standing.url);
			const next = cluster.members.choose(failed);
			if (next === null) return;
			cluster.deps.events.onFailover(cluster.target, {
				from: member.standing.url,
				to: next.standing.url,
				reason: misfit.message,
			});
		},
		leave() {
			if (isHere) count(-1);
			isHere = false;
		},
	};
}

async function runOnMember<T>(
	cluster: ClusterState,
	work: (connection: Connection) => Promise<T>,
	call: ClusterCall,
	{ isChange }: { readonly isChange: boolean },
): Promise<T> {
	if (cluster.members.isSingle) {
		call.onMember?.(cluster.target.url);
		return work(cluster.members.first.connection);
	}
	const failedMembers = call.failedMembers ?? new Set();
	let last: unknown = null;
	for (;;) {
		const visit = await enterMember(cluster, call, failedMembers, last);
		try {
			const result = await work(visit.connection);
			if (!isChange) await visit.confirm();
			return result;
		} catch (error) {
			if (call.signal.aborted) throw buildControllerCancelledError();
			visit.fail(error, !isChange || wasNotSent(error));
			last = error;
		} finally {
			visit.leave();
		}
	}
}

async function* readMemberPages(
	cluster: ClusterState,
	work: (connection: Connection) => AsyncIterable<ControllerPage>,
	call: ClusterCall,
) {
	if (cluster.members.isSingle) {
		call.onMember?.(cluster.target.url);
		yield* work(cluster.members.first.connection);
		return;
	}
	const failedMembers = call.failedMembers ?? new Set();
	for (let last: unknown = null; ; ) {
		const visit = await enterMember(cluster, call, failedMembers, last);
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
	function recordFailure(error: unknown): void {
		isOver = true;
		if (signal.aborted) throw buildControllerCancelledError();
		visit.fail(error, true);
		if (wasDelivered) throw buildInterruptedError(error);
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
		recordFailure(error);
		return { error };
	} finally {
		// The reader has enough: these objects must be right, too.
		if (!isOver && !signal.aborted) await visit.confirm().catch(recordFailure);
		visit.leave();
	}
	if (held !== null) yield held;
	return null;
}

export function createCluster(target: ControllerTarget, deps: ClusterParts): Cluster {
	const members = createMembers(target, deps);
	const cluster: ClusterState = { target, deps, members };

	return {
		target,
		read: (work, call) => runOnMember(cluster, work, call, { isChange: false }),
		send: (work, call) => runOnMember(cluster, work, call, { isChange: true }),
		pages: (work, call) => readMemberPages(cluster, work, call),
		identify: members.identify,
		expect: members.expect,
		forgive: members.forgive,
		hold: members.hold,
		retire: members.retire,
		destroy: members.destroy,
	};
}

function buildInterruptedError(error: unknown): ControllerError {
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
