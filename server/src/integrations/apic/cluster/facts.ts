/**
 * What members say about their cluster, from the objects of infraWiNode, topSystem and fabricNode:
 * the fabric's identity, the state of a member, and its peers. Pure.
 */
import type { ControllerObject } from "../port.ts";
import type { MemberState } from "../port-error.ts";

/** How a member sees a member. */
export interface PeerView {
	readonly viewer: string;
	readonly id: string;
	readonly name: string;
	readonly isStandby: boolean;
	readonly isAvailable: boolean;
	readonly health: string;
	/** Of the chassis. */
	readonly serial: string;
}

/** A controller's own description. */
export interface ControllerSystem {
	readonly id: string;
	readonly name: string;
	readonly domain: string;
	readonly version: string;
	/** Of the management network out of band, then in band, IPv4 before IPv6; without unset ones. */
	readonly addresses: readonly string[];
}

export interface ClusterFacts {
	/** Id of the member that answered; null if it is not known. */
	readonly selfId: string | null;
	readonly views: readonly PeerView[];
	readonly systems: readonly ControllerSystem[];
	/** Domain and serial of node 1; null if the user may not read them. */
	readonly fabricId: string | null;
	/** The parts of the identity that the user may not read, with their classes. */
	readonly unreadable: readonly string[];
}

interface OwnState {
	readonly state: Extract<MemberState, "ok" | "partial" | "standby" | "unknown">;
	/** `fully-fit` or the controller's word for the defect; null if it is not known. */
	readonly health: string | null;
	/** Active members of the cluster that it sees, itself among them; 0 if they are not known. */
	readonly available: number;
	/** Active members of the cluster. */
	readonly active: number;
}

const VIEW_DN = /^topology\/pod-\d+\/node-(\d+)\/av\/node-(\d+)$/;
const FIT = "fully-fit";
const UNSET = new Set(["", "0.0.0.0", "::", "0:0:0:0:0:0:0:0"]);

const listAttributes = (objects: readonly ControllerObject[], name: string) =>
	objects.flatMap((object) => (object[name] === undefined ? [] : [object[name].attributes]));

export function readViews(objects: readonly ControllerObject[]): PeerView[] {
	return listAttributes(objects, "infraWiNode").flatMap((view) => {
		const [, viewer, id] = VIEW_DN.exec(view.dn ?? "") ?? [];
		if (viewer === undefined || id === undefined) return [];
		return [
			{
				viewer,
				id,
				name: view.nodeName ?? "",
				isStandby: view.apicMode === "standby",
				isAvailable: view.operSt === "available",
				health: view.health ?? "",
				serial: view.mbSn ?? "",
			},
		];
	});
}

export function readSystems(objects: readonly ControllerObject[]): ControllerSystem[] {
	return listAttributes(objects, "topSystem")
		.filter(({ role }) => role === "controller")
		.map((system) => ({
			id: system.id ?? "",
			name: system.name ?? "",
			domain: system.fabricDomain ?? "",
			version: system.version ?? "",
			addresses: [system.oobMgmtAddr, system.oobMgmtAddr6, system.inbMgmtAddr, system.inbMgmtAddr6]
				.map((address) => (address ?? "").split("/", 1)[0] ?? "")
				.filter((address) => !UNSET.has(address) && !address.startsWith("fe80:")),
		}))
		.filter(({ id }) => id !== "");
}

/** @param nodes fabricNode objects */
export function readIdentity(
	systems: readonly ControllerSystem[],
	nodes: readonly ControllerObject[],
): Pick<ClusterFacts, "fabricId" | "unreadable"> {
	const domain = systems.find((system) => system.domain !== "")?.domain ?? "";
	const serial = listAttributes(nodes, "fabricNode").find(({ id }) => id === "1")?.serial ?? "";
	const unreadable = [
		...(domain === "" ? ["the domain of the fabric (topSystem.fabricDomain)"] : []),
		...(serial === "" ? ["the serial of node 1 (fabricNode.serial)"] : []),
	];
	return { fabricId: unreadable.length === 0 ? `${domain}/${serial}` : null, unreadable };
}

/** States which rights the user lacks to read the identity of the fabric, and the two remedies. */
export const describeUnreadable = (unreadable: readonly string[]): string =>
	`The user may not read ${unreadable.join(" and ")}. Give the user the right to read these classes, for example the ` +
	"role read-all in the security domain all, or let an administrator confirm that the addresses are one fabric.";

/** The serial of node 1 as a member sees it, by which a member of another fabric is noticed. */
export const readSerialOfFirst = (views: readonly PeerView[]): string | null =>
	views.find(({ id, serial }) => id === "1" && serial !== "")?.serial ?? null;

/**
 * A member is partial if its own view of itself is not fully fit, or if it sees fewer than half of
 * the members.
 */
export function readOwnState({ selfId, views }: Pick<ClusterFacts, "selfId" | "views">): OwnState {
	const own = views.filter(({ viewer }) => viewer === selfId);
	const self = own.find(({ id }) => id === selfId);
	if (self === undefined) return { state: "unknown", health: null, available: 0, active: 0 };
	const { health } = self;
	const peers = own.filter(({ isStandby }) => !isStandby);
	const [active, available] = [peers.length, peers.filter(({ isAvailable }) => isAvailable).length];
	if (self.isStandby) return { state: "standby", health, available, active };
	return { state: health !== FIT || available * 2 < active ? "partial" : "ok", health, available, active };
}

/** The reason why a member in this state is not asked; null if it is. */
export function describeDefect({ state, health, available, active }: OwnState): string | null {
	if (state === "standby") return "is a standby and has no objects.";
	if (state !== "partial") return null;
	const reason = health === FIT ? `sees ${available} of ${active} members of its cluster` : `reports health ${health}`;
	return `${reason}: it has lost members of its cluster, and its answers may lack objects.`;
}
