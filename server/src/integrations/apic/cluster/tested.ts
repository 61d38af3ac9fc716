/** What a test of a connection found out about its cluster. Pure. */

import type { CertificateFacts } from "../../../core/system/certificates.ts";
import type { ControllerErrorKind, MemberState } from "../port-error.ts";
import type { TestedMember } from "../port-test-result.ts";
import { type ClusterFacts, type ControllerSystem, describeDefect, readOwnState } from "./facts.ts";

/** How the test of one address ended. */
export type TestedAddress = { readonly url: string } & (
	| { readonly ok: true; readonly version: string | null; readonly latencyMs: number; readonly facts: ClusterFacts }
	| {
			readonly ok: false;
			readonly kind: ControllerErrorKind;
			readonly message: string;
			/** The one that it showed, where that is the problem. */
			readonly certificate?: CertificateFacts | null;
	  }
);

type Answered = Extract<TestedAddress, { ok: true }>;

/** Addresses besides `url` that a connection may have. */
const MOST_ALTERNATES = 8;

/**
 * The identity that all members must have: that of the connection's own address, else the stored
 * one, else that of the first member which answered. Null if it cannot be read.
 */
export function findExpectedFabric(tested: readonly TestedAddress[], stored: string | null): string | null {
	const [own] = tested;
	const found = tested.flatMap((one) => (one.ok && one.facts.fabricId !== null ? [one.facts.fabricId] : []));
	return (own?.ok ? own.facts.fabricId : stored) ?? stored ?? found[0] ?? null;
}

/** Members that answered for another fabric than this one. */
export const listForeignMembers = (tested: readonly TestedAddress[], fabricId: string | null): Answered[] =>
	tested.filter((one): one is Answered => one.ok && one.facts.fabricId !== null && one.facts.fabricId !== fabricId);

/** The connection's addresses in their order, then the controllers that it lacks. */
export function listTestedMembers(tested: readonly TestedAddress[], fabricId: string | null): TestedMember[] {
	const cluster = tested.find((one): one is Answered => one.ok && one.facts.fabricId === fabricId)?.facts;
	const systems = cluster?.systems ?? [];
	const configured = tested.map((one) => presentConfiguredMember(one, systems, fabricId));
	const found = new Set(configured.map(({ nodeId }) => nodeId));
	const others = systems.filter(({ id }) => !found.has(Number(id)));
	return [...configured, ...others.map((system) => presentUnconfiguredMember(system, cluster))];
}

function presentConfiguredMember(
	one: TestedAddress,
	systems: readonly ControllerSystem[],
	fabricId: string | null,
): TestedMember {
	const isForeign = one.ok && one.facts.fabricId !== null && one.facts.fabricId !== fabricId;
	const known = isForeign ? one.facts.systems : systems;
	const host = new URL(one.url).hostname.replace(/^\[|\]$/g, "");
	const system = one.ok
		? known.find(({ id }) => id === one.facts.selfId)
		: known.find(({ addresses }) => addresses.includes(host));
	const named = {
		url: one.url,
		name: system?.name ?? null,
		nodeId: system === undefined ? null : Number(system.id),
		address: system?.addresses[0] ?? null,
	};
	if (!one.ok) {
		return { ...named, answered: false, state: "down", error: one.message, health: null, version: null };
	}
	const own = readOwnState(one.facts);
	const { state, health } = own;
	const version = one.version ?? system?.version ?? null;
	if (!isForeign) {
		const defect = describeDefect(own);
		const error = defect === null ? null : `${one.url} ${defect}`;
		return { ...named, answered: true, state, error, health, version };
	}
	const error = `It belongs to the fabric ${one.facts.fabricId}.`;
	return { ...named, answered: true, state: "other_fabric", error, health, version };
}

/** As the member that answered sees it. */
function presentUnconfiguredMember(system: ControllerSystem, cluster: ClusterFacts | undefined): TestedMember {
	const view = cluster?.views.find(({ viewer, id }) => viewer === cluster.selfId && id === system.id);
	const state: MemberState =
		view === undefined || view.isAvailable ? (view?.isStandby ? "standby" : "unknown") : "down";
	return {
		url: null,
		name: system.name,
		nodeId: Number(system.id),
		address: system.addresses[0] ?? null,
		answered: false,
		state,
		error: null,
		health: view?.health ?? null,
		version: system.version === "" ? null : system.version,
	};
}

/**
 * Addresses for the controllers that the connection lacks and that its member sees: scheme, port
 * and path as those of `url`.
 * They are in the network in which `url` is, where that is known.
 */
export function listSuggestedUrls(
	tested: readonly TestedAddress[],
	members: readonly TestedMember[],
	isAllowed: (url: string) => boolean,
): string[] {
	const facts = tested.find((one): one is Answered => one.ok)?.facts;
	const [own] = tested;
	if (facts === undefined || own === undefined) return [];
	const base = new URL(own.url);
	const ownAddresses = facts.systems.find(({ id }) => id === facts.selfId)?.addresses ?? [];
	const network = Math.max(0, ownAddresses.indexOf(base.hostname.replace(/^\[|\]$/g, "")));
	const urls = members
		.filter(({ url, state }) => url === null && state === "unknown")
		.flatMap(({ nodeId }) => {
			const addresses = facts.systems.find(({ id }) => Number(id) === nodeId)?.addresses ?? [];
			const address = addresses[network] ?? addresses[0];
			if (address === undefined) return [];
			const url = new URL(base);
			url.hostname = address.includes(":") ? `[${address}]` : address;
			return [`${url.origin}${url.pathname.replace(/\/+$/, "")}`];
		});
	const taken = new Set(tested.map(({ url }) => url));
	const room = MOST_ALTERNATES - (tested.length - 1);
	return [...new Set(urls)].filter((url) => !taken.has(url) && isAllowed(url)).slice(0, room);
}
