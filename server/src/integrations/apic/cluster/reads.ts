/** Reads what a member says about its cluster. */
import type { ControllerObject } from "../port.ts";
import { ControllerError } from "../port-error.ts";
import { type ClusterFacts, type PeerView, readIdentity, readSystems, readViews } from "./facts.ts";

/** Reads the objects of a path. Rejects with ControllerError. */
export type ReadObjects = (path: string) => Promise<readonly ControllerObject[]>;

const MEMBERS_PATH = "/api/class/infraWiNode.json";
const SYSTEMS_PATH = "/api/class/topSystem.json?query-target-filter=eq(topSystem.role,%22controller%22)";
const FIRST_NODE_PATH = "/api/class/fabricNode.json?query-target-filter=eq(fabricNode.id,%221%22)";
/** The member that answers. */
const SELF_PATH = "/api/mo/info.json";

export const readPeerViews = async (read: ReadObjects): Promise<PeerView[]> =>
	readViews(await readOrNone(read(MEMBERS_PATH)));

/**
 * @param node the DN of the member as its login named it; null: the member is asked for it
 */
export async function readFacts(read: ReadObjects, node: string | null): Promise<ClusterFacts> {
	const [views, systems, nodes, self] = await Promise.all([
		readPeerViews(read),
		readOrNone(read(SYSTEMS_PATH)),
		readOrNone(read(FIRST_NODE_PATH)),
		node === null ? readOrNone(read(SELF_PATH)) : [],
	]);
	const found = readSystems(systems);
	const named = node === null ? self[0]?.topInfo?.attributes.id : /\/node-(\d+)$/.exec(node)?.[1];
	return {
		selfId: named ?? null,
		views,
		systems: found,
		...readIdentity(found, nodes),
	};
}

/** A user may lack the right to read a class, and a release may not have it. */
async function readOrNone(objects: Promise<readonly ControllerObject[]>): Promise<readonly ControllerObject[]> {
	try {
		return await objects;
	} catch (error) {
		if (error instanceof ControllerError && (error.kind === "permission" || error.kind === "rejected")) return [];
		throw error;
	}
}
