/** Draws the nodes of a fabric and the links between them. */
import type { PictureNodeKind, PictureState } from "@weft/contracts";
import { getParentDn } from "../../find/rules/dn.ts";
import {
	buildNamedNode,
	buildNode,
	type Drawing,
	type DrawnEdge,
	type DrawnNode,
	type PictureObject,
	pickFacts,
} from "./drawing.ts";

const NODE_FACTS = ["id", "role", "fabricSt", "model", "serial", "version"];
const SYSTEM_FACTS = ["state", "address", "oobMgmtAddr", "systemUpTime"];
const ROLES: Readonly<Record<string, PictureNodeKind>> = { controller: "controller", spine: "spine", leaf: "leaf" };

const NODE_STATES: Readonly<Record<string, PictureState>> = {
	active: "ok",
	commissioned: "ok",
	inactive: "failed",
	disabled: "failed",
	decommissioned: "failed",
	undiscovered: "degraded",
	discovering: "degraded",
	maintenance: "degraded",
	unsupported: "degraded",
};
const SYSTEM_STATES: Readonly<Record<string, PictureState>> = {
	"in-service": "ok",
	"out-of-service": "failed",
	"invalid-ver": "degraded",
	inconsistent: "degraded",
};

/** Parts of the DN of a link, such as `lnk-101-1-53-to-201-1-1`. */
const LINK = /\/lnk-(\d+)-(\d+)-(\d+)-to-(\d+)-(\d+)-(\d+)$/;
/** The pod of a DN, such as `topology/pod-1` in `topology/pod-1/node-101`. */
const POD = /^(topology\/pod-\d+)\//;

/** @param objects only those of `fabricNode`, `fabricLink` and `topSystem` are drawn */
export function drawTopology(objects: readonly PictureObject[]): Drawing {
	const systems = new Map<string, PictureObject>();
	for (const object of objects) if (object.className === "topSystem") systems.set(getParentDn(object.dn) ?? "", object);
	const nodes = new Map<string, DrawnNode>();
	/** DNs of nodes by number, because a link names its ends only by numbers. */
	const byNumber = new Map<string, string>();
	for (const object of objects) {
		if (object.className !== "fabricNode") continue;
		nodes.set(object.dn, drawNode(object, systems.get(object.dn)));
		const number = findNumber(object);
		if (!object.isGone || !byNumber.has(number)) byNumber.set(number, object.dn);
	}
	const edges: DrawnEdge[] = [];
	for (const object of objects) {
		if (object.className !== "fabricLink") continue;
		const ends = readEnds(object);
		if (ends === null) continue;
		const [from, to] = ends.map(({ node }) => {
			const dn = byNumber.get(node) ?? `${POD.exec(object.dn)?.[1] ?? "topology"}/node-${node}`;
			if (!nodes.has(dn)) nodes.set(dn, buildNamedNode(dn, "switch", null));
			return dn;
		});
		if (from === undefined || to === undefined) continue;
		edges.push({
			dn: object.dn,
			className: object.className,
			kind: "link",
			from,
			to,
			label: ends.map(({ slot, port }) => `${slot}/${port}`).join(" – "),
			state: object.isGone ? null : getLinkState(object),
			isGone: object.isGone,
		});
	}
	return { nodes: [...nodes.values()], edges };
}

function drawNode(object: PictureObject, system: PictureObject | undefined): DrawnNode {
	const facts = pickFacts(object, NODE_FACTS);
	return buildNode(object, {
		kind: ROLES[object.attributes.role ?? ""] ?? "switch",
		state: object.isGone ? null : getNodeState(object, system),
		facts: system === undefined ? facts : [...facts, ...pickFacts(system, SYSTEM_FACTS)],
		tenant: null,
	});
}

const findNumber = ({ dn, attributes }: PictureObject): string => attributes.id || (/node-(\d+)$/.exec(dn)?.[1] ?? dn);

/** Returns the state of a node. The fabric has none for a controller, so its system's is used. */
function getNodeState({ attributes }: PictureObject, system: PictureObject | undefined): PictureState {
	const own = NODE_STATES[attributes.fabricSt ?? ""] ?? "unknown";
	const running = SYSTEM_STATES[system?.attributes.state ?? ""] ?? "unknown";
	if (own === "unknown") return running;
	return own === "ok" && running !== "unknown" ? running : own;
}

function getLinkState({ attributes: { linkState = "", operSt = "", degraded = "" } }: PictureObject): PictureState {
	if (linkState === "failed" || operSt === "down") return "failed";
	if (degraded === "yes") return "degraded";
	return linkState === "ok" || operSt === "up" ? "ok" : "unknown";
}

interface LinkEnd {
	readonly node: string;
	readonly slot: string;
	readonly port: string;
}

/** Reads both ends from the attributes, else from the DN; null if neither names them. */
function readEnds({ dn, attributes }: PictureObject): readonly [LinkEnd, LinkEnd] | null {
	const { n1, s1 = "1", p1 = "", n2, s2 = "1", p2 = "" } = attributes;
	if (n1 && n2)
		return [
			{ node: n1, slot: s1, port: p1 },
			{ node: n2, slot: s2, port: p2 },
		];
	const [, ...parts] = LINK.exec(dn) ?? [];
	if (parts.length === 0) return null;
	const [a = "", b = "", c = "", d = "", e = "", f = ""] = parts;
	return [
		{ node: a, slot: b, port: c },
		{ node: d, slot: e, port: f },
	];
}
