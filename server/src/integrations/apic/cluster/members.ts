/**
 * The members of a cluster and their standing: which one to ask, whether it belongs to the fabric
 * and sees its peers, and probes of those that failed until they come back.
 */
import { setMaxListeners } from "node:events";
import { createCompletenessCheck } from "../complete.ts";
import { type Connection, type ConnectionParts, createConnection } from "../connection.ts";
import { createLoginGate } from "../login-gate.ts";
import type { Metering } from "../meter.ts";
import type { ControllerTarget } from "../port.ts";
import { ControllerError } from "../port-error.ts";
import { type ClusterFacts, describeDefect, describeUnreadable, readOwnState, readSerialOfFirst } from "./facts.ts";
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

export interface ClusterParts extends ConnectionParts {
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

/** The members of a target, the fabric that is expected of them, and their probes. */
interface MembersState {
	readonly target: ControllerTarget;
	readonly deps: ClusterParts;
	readonly members: Member[];
	readonly isSingle: boolean;
	readonly ending: AbortController;
	readonly probing: AbortController;
	/** Null until the first member has answered. */
	fabricId: string | null;
	/** Milliseconds since the epoch. */
	usedAt: number;
}

function setStanding(cluster: MembersState, member: Member, standing: MemberStanding): void {
	const before = member.standing;
	member.standing = standing;
	if (standing.state !== before.state) cluster.deps.events.onMember(cluster.target, standing);
}

function failMember(cluster: MembersState, member: Member, misfit: Misfit): void {
	member.known = null;
	setStanding(
		cluster,
		member,
		updateAfterFailure(member.standing, misfit, { now: cluster.deps.clock.now(), isProbe: false }),
	);
	probeUntilBack(cluster, member);
}

function buildReader(cluster: MembersState, { connection }: Member): ReadObjects {
	const meter = cluster.deps.metering();
	return async (path) => {
		const check = createCompletenessCheck(undefined, false);
		const { objects } = await connection.call({ method: "GET", path, signal: cluster.ending.signal, meter, check });
		return objects?.rows() ?? [];
	};
}

function findMisfit(cluster: MembersState, member: Member, facts: ClusterFacts): Misfit | null {
	if (cluster.fabricId === null && facts.fabricId !== null) {
		cluster.fabricId = facts.fabricId;
		cluster.deps.events.onFabric(cluster.target, cluster.fabricId);
	}
	const { url } = member.standing;
	if (facts.fabricId !== null && facts.fabricId !== cluster.fabricId) {
		return {
			state: "other_fabric",
			message: `${url} belongs to the fabric ${facts.fabricId}, and the connection to ${cluster.fabricId}.`,
		};
	}
	const mayBeForeign = facts.fabricId === null && cluster.target.isOneFabricConfirmed !== true;
	if (mayBeForeign && (cluster.fabricId !== null || !member.isFirst)) {
		return { state: "down", message: `The fabric of ${url} is not known. ${describeUnreadable(facts.unreadable)}` };
	}
	return findStateMisfit(url, facts);
}

/** Reads which fabric the member belongs to, and how it sees itself. Rejects with its misfit. */
async function inspectMember(cluster: MembersState, member: Member): Promise<void> {
	const read = buildReader(cluster, member);
	// The login tells which member it is.
	await member.connection.session?.token(cluster.ending.signal, cluster.deps.metering());
	const facts = await readFacts(read, member.connection.session?.node() ?? null);
	const misfit = findMisfit(cluster, member, facts);
	if (misfit !== null) throw new MisfitError(misfit);
	member.known = { selfId: facts.selfId, serial: readSerialOfFirst(facts.views) };
}

function inspectOnce(cluster: MembersState, member: Member): Promise<void> {
	member.inspecting ??= inspectMember(cluster, member).finally(() => {
		member.inspecting = null;
	});
	return member.inspecting;
}

/** Like `inspectMember`, with one request while the fabric is the same. */
async function checkMember(cluster: MembersState, member: Member): Promise<void> {
	if (member.known === null) return inspectOnce(cluster, member);
	const { selfId, serial } = member.known;
	const views = await readPeerViews(buildReader(cluster, member));
	if (readSerialOfFirst(views) !== serial) return inspectOnce(cluster, member);
	const misfit = findStateMisfit(member.standing.url, { selfId, views });
	if (misfit !== null) throw new MisfitError(misfit);
}

/** A check that begins after this call. Reads that wait for one share it. */
function confirmMember(cluster: MembersState, member: Member): Promise<void> {
	if (member.confirming === null) {
		member.confirming = checkMember(cluster, member).finally(() => {
			member.confirming = null;
		});
		return member.confirming;
	}
	member.confirmingNext ??= member.confirming
		.catch(() => undefined)
		.then(() => {
			member.confirmingNext = null;
			return confirmMember(cluster, member);
		});
	return member.confirmingNext;
}

function probeUntilBack(cluster: MembersState, member: Member): void {
	if (member.isProbed || cluster.probing.signal.aborted) return;
	member.isProbed = true;
	probeMember(cluster, member).finally(() => {
		member.isProbed = false;
	});
}

async function probeMember(cluster: MembersState, member: Member): Promise<void> {
	while (!isUsable(member.standing) && cluster.deps.clock.now() - cluster.usedAt <= PROBED_MS) {
		try {
			await cluster.deps.pacing.sleep(probeDelay(member.standing.failures), cluster.probing.signal);
			// A read may have found it back.
			if (isUsable(member.standing)) return;
			await inspectOnce(cluster, member);
			setStanding(cluster, member, updateAfterAnswer(member.standing, cluster.deps.clock.now()));
		} catch (error) {
			if (cluster.probing.signal.aborted) return;
			const message = error instanceof Error ? error.message : String(error);
			const misfit = describeMemberFailure(error) ?? { state: "down" as const, message };
			member.known = null;
			setStanding(
				cluster,
				member,
				updateAfterFailure(member.standing, misfit, { now: cluster.deps.clock.now(), isProbe: true }),
			);
		}
	}
}

/**
 * While the fabric is not known, the members are asked in their order, so that the first one that
 * answers identifies it. Confirmed addresses need no identity.
 */
function pickMember(cluster: MembersState, failed: ReadonlySet<string>): Member | null {
	const left = cluster.members.filter(({ standing }) => !failed.has(standing.url));
	const isUnknown = cluster.fabricId === null && cluster.target.isOneFabricConfirmed !== true;
	const inOrder = isUnknown ? left.find(({ standing }) => isUsable(standing)) : undefined;
	if (inOrder !== undefined) return inOrder;
	const chosen = chooseMember(
		left.map(({ standing }) => standing),
		failed,
	);
	return left.find(({ standing }) => standing === chosen) ?? null;
}

function buildNoMemberError(cluster: MembersState, last: unknown): ControllerError {
	const reasons = cluster.members.map(({ standing: { url, lastError } }) => `${url}: ${lastError ?? "it failed."}`);
	const message = `No member of the cluster can answer. ${reasons.join(" ")}`;
	const kind = last instanceof ControllerError ? last.kind : "no_member";
	const { status, code, text } = last instanceof ControllerError ? last : {};
	return new ControllerError(kind, message, { status, code, text, retryable: true });
}

function useMembers(cluster: MembersState): void {
	cluster.usedAt = cluster.deps.clock.now();
	for (const member of cluster.members) if (!isUsable(member.standing)) probeUntilBack(cluster, member);
}

async function identifyFabric(cluster: MembersState): Promise<void> {
	if (cluster.isSingle) return;
	for (const member of cluster.members) {
		if (cluster.fabricId !== null) return;
		const failure = await inspectOnce(cluster, member).then(
			() => null,
			(error: unknown) => error,
		);
		// Another address would refuse the same login, and accounts are locked after a few.
		if (failure !== null && describeMemberFailure(failure) === null) return;
	}
}

function expectFabric(cluster: MembersState, found: string | null): void {
	if (found === null || found === cluster.fabricId) return;
	cluster.fabricId = found;
	for (const member of cluster.members) member.known = null;
}

function holdConnections(cluster: MembersState): () => void {
	const releases = cluster.members.map(({ connection }) => connection.hold());
	return () => {
		for (const release of releases) release();
	};
}

function retireMembers(cluster: MembersState, closed: () => void): void {
	cluster.probing.abort();
	let left = cluster.members.length;
	for (const { connection } of cluster.members) {
		connection.retire(() => {
			left -= 1;
			if (left === 0) closed();
		});
	}
}

async function destroyMembers(cluster: MembersState): Promise<void> {
	cluster.probing.abort();
	cluster.ending.abort();
	await Promise.all(cluster.members.map(({ connection }) => connection.destroy()));
}

export function createMembers(target: ControllerTarget, deps: ClusterParts): Members {
	const { clock } = deps;
	const gate = createLoginGate(clock);
	const members = [target.url, ...(target.alternateUrls ?? [])].map(
		(url, at): Member => ({
			isFirst: at === 0,
			connection: createConnection({ ...target, url }, { ...deps, gate }),
			standing: createStanding(url, clock.now()),
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
	const cluster: MembersState = {
		target,
		deps,
		members,
		isSingle,
		ending,
		probing,
		fabricId: target.fabricId ?? null,
		usedAt: clock.now(),
	};

	// Many checks listen at once; Node would warn of a leak.
	setMaxListeners(0, ending.signal, probing.signal);

	return {
		isSingle,
		first,
		use: () => useMembers(cluster),
		choose: (failed) => pickMember(cluster, failed),
		inspect: (member) => inspectOnce(cluster, member),
		confirm: (member) => confirmMember(cluster, member),
		answered: (member) => setStanding(cluster, member, updateAfterAnswer(member.standing, clock.now())),
		failed: (member, misfit) => failMember(cluster, member, misfit),
		noneLeft: (last) => buildNoMemberError(cluster, last),
		identify: () => identifyFabric(cluster),
		expect: (found) => expectFabric(cluster, found),
		forgive: gate.forgive,
		hold: () => holdConnections(cluster),
		retire: (closed) => retireMembers(cluster, closed),
		destroy: () => destroyMembers(cluster),
	};
}

function findStateMisfit(url: string, facts: Pick<ClusterFacts, "selfId" | "views">): Misfit | null {
	const own = readOwnState(facts);
	const defect = describeDefect(own);
	const isUnfit = own.state === "partial" || own.state === "standby";
	return defect === null || !isUnfit ? null : { state: own.state, message: `${url} ${defect}` };
}
