/**
 * The members of a cluster and their standing: which one to ask, whether it belongs to the fabric
 * and sees its peers, and probes of those that failed until they come back.
 */
import { setMaxListeners } from "node:events";
import { ControllerError, type ControllerTarget } from "../../../ports/controller.ts";
import { createCompletenessCheck } from "../complete.ts";
import { type Connection, type ConnectionDeps, createConnection } from "../connection.ts";
import { createLoginGate } from "../login-gate.ts";
import type { Metering } from "../meter.ts";
import { type ClusterFacts, describeDefect, describeUnreadable, ownState, serialOfFirst } from "./facts.ts";
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
} from "./member-state.ts";
import { type ReadObjects, readFacts, readPeerViews } from "./reads.ts";

export interface ClusterEvents {
	/** A member is in another state. */
	onMember(target: ControllerTarget, member: MemberStanding): void;
	/** The fabric of the first member that answered became known. */
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

export interface Member {
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

/** Members of a connection that was not used for this long are no longer probed. */
const PROBED_MS = 15 * 60_000;

export interface Members {
	readonly isSingle: boolean;
	readonly first: Member;
	/** Notes that the connection is used, and begins to probe members that are not usable. */
	use(): void;
	/** The usable member with the fewest requests in flight that is not among the failed; or null. */
	choose(failed: ReadonlySet<string>): Member | null;
	/** Reads the member's fabric, once for concurrent calls. Rejects with its misfit. */
	inspect(member: Member): Promise<void>;
	/** A check that begins after this call. Reads that wait for one share it. */
	confirm(member: Member): Promise<void>;
	answered(member: Member): void;
	failed(member: Member, misfit: Misfit): void;
	/** The error of a read that no member can answer. `last` is how it failed on the last one. */
	noneLeft(last: unknown): ControllerError;
	/** Finds out the fabric of the first member that answers, if unknown. Always resolves. */
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

export function createMembers(target: ControllerTarget, deps: ClusterDeps): Members {
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

	function setStanding(member: Member, standing: MemberStanding): void {
		const before = member.standing;
		member.standing = standing;
		if (standing.state !== before.state) events.onMember(target, standing);
	}

	function failMember(member: Member, misfit: Misfit): void {
		member.known = null;
		setStanding(member, afterFailure(member.standing, misfit, { now: clock.now(), isProbe: false }));
		probeUntilBack(member);
	}

	const buildReader = ({ connection }: Member): ReadObjects => {
		const meter = metering();
		return async (path) => {
			const check = createCompletenessCheck(undefined, false);
			const { objects } = await connection.call({ method: "GET", path, signal: ending.signal, meter, check });
			return objects?.rows() ?? [];
		};
	};

	function findMisfit(member: Member, facts: ClusterFacts): Misfit | null {
		if (fabricId === null && facts.fabricId !== null) {
			fabricId = facts.fabricId;
			events.onFabric(target, fabricId);
		}
		const { url } = member.standing;
		if (facts.fabricId !== null && facts.fabricId !== fabricId) {
			return {
				state: "other_fabric",
				message: `${url} belongs to the fabric ${facts.fabricId}, and the connection to ${fabricId}.`,
			};
		}
		const mayBeForeign = facts.fabricId === null && target.isOneFabricConfirmed !== true;
		if (mayBeForeign && (fabricId !== null || !member.isFirst)) {
			return { state: "down", message: `The fabric of ${url} is not known. ${describeUnreadable(facts.unreadable)}` };
		}
		return misfitOfState(url, facts);
	}

	/** Reads which fabric the member belongs to, and how it sees itself. Rejects with its misfit. */
	async function inspectMember(member: Member): Promise<void> {
		const read = buildReader(member);
		// The login tells which member it is.
		await member.connection.session?.token(ending.signal, metering());
		const facts = await readFacts(read, member.connection.session?.node() ?? null);
		const misfit = findMisfit(member, facts);
		if (misfit !== null) throw new MisfitError(misfit);
		member.known = { selfId: facts.selfId, serial: serialOfFirst(facts.views) };
	}

	function inspectOnce(member: Member): Promise<void> {
		member.inspecting ??= inspectMember(member).finally(() => {
			member.inspecting = null;
		});
		return member.inspecting;
	}

	/** Like `inspectMember`, with one request while the fabric is the same. */
	async function checkMember(member: Member): Promise<void> {
		if (member.known === null) return inspectOnce(member);
		const { selfId, serial } = member.known;
		const views = await readPeerViews(buildReader(member));
		if (serialOfFirst(views) !== serial) return inspectOnce(member);
		const misfit = misfitOfState(member.standing.url, { selfId, views });
		if (misfit !== null) throw new MisfitError(misfit);
	}

	/** A check that begins after this call. Reads that wait for one share it. */
	function confirmMember(member: Member): Promise<void> {
		if (member.confirming === null) {
			member.confirming = checkMember(member).finally(() => {
				member.confirming = null;
			});
			return member.confirming;
		}
		member.confirmingNext ??= member.confirming
			.catch(() => undefined)
			.then(() => {
				member.confirmingNext = null;
				return confirmMember(member);
			});
		return member.confirmingNext;
	}

	function probeUntilBack(member: Member): void {
		if (member.isProbed || probing.signal.aborted) return;
		member.isProbed = true;
		probeMember(member).finally(() => {
			member.isProbed = false;
		});
	}

	async function probeMember(member: Member): Promise<void> {
		while (!isUsable(member.standing) && clock.now() - usedAt <= PROBED_MS) {
			try {
				await pacing.sleep(probeDelay(member.standing.failures), probing.signal);
				// A read may have found it back.
				if (isUsable(member.standing)) return;
				await inspectOnce(member);
				setStanding(member, afterAnswer(member.standing, clock.now()));
			} catch (error) {
				if (probing.signal.aborted) return;
				const message = error instanceof Error ? error.message : String(error);
				const misfit = memberFailure(error) ?? { state: "down" as const, message };
				member.known = null;
				setStanding(member, afterFailure(member.standing, misfit, { now: clock.now(), isProbe: true }));
			}
		}
	}

	/**
	 * While the fabric is not known, the members are asked in their order, so that the first one that
	 * answers identifies it. Confirmed addresses need no identity.
	 */
	function pickMember(failed: ReadonlySet<string>): Member | null {
		const left = members.filter(({ standing }) => !failed.has(standing.url));
		const isUnknown = fabricId === null && target.isOneFabricConfirmed !== true;
		const inOrder = isUnknown ? left.find(({ standing }) => isUsable(standing)) : undefined;
		if (inOrder !== undefined) return inOrder;
		const chosen = chooseMember(
			left.map(({ standing }) => standing),
			failed,
		);
		return left.find(({ standing }) => standing === chosen) ?? null;
	}

	function noneLeft(last: unknown): ControllerError {
		const reasons = members.map(({ standing: { url, lastError } }) => `${url}: ${lastError ?? "it failed."}`);
		const message = `No member of the cluster can answer. ${reasons.join(" ")}`;
		const kind = last instanceof ControllerError ? last.kind : "no_member";
		const { status, code, text } = last instanceof ControllerError ? last : {};
		return new ControllerError(kind, message, { status, code, text, retryable: true });
	}

	return {
		isSingle,
		first,
		use() {
			usedAt = clock.now();
			for (const member of members) if (!isUsable(member.standing)) probeUntilBack(member);
		},
		choose: pickMember,
		inspect: inspectOnce,
		confirm: confirmMember,
		answered: (member) => setStanding(member, afterAnswer(member.standing, clock.now())),
		failed: failMember,
		noneLeft,
		async identify() {
			if (isSingle) return;
			for (const member of members) {
				if (fabricId !== null) return;
				const failure = await inspectOnce(member).then(
					() => null,
					(error: unknown) => error,
				);
				// Another address would refuse the same login, and accounts are locked after a few.
				if (failure !== null && memberFailure(failure) === null) return;
			}
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
	const own = ownState(facts);
	const defect = describeDefect(own);
	const isUnfit = own.state === "partial" || own.state === "standby";
	return defect === null || !isUnfit ? null : { state: own.state, message: `${url} ${defect}` };
}
