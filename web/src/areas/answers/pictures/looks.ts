/** The looks of a picture's parts: colours by state, changes, checks or kind, with signs. Pure. */
import type { PictureEdge, PictureNode } from "@weft/contracts";

export type Colour = "state" | "changes" | "checks" | "kind";

export const COLOUR_NAMES: Readonly<Record<Colour, string>> = {
	state: "State",
	changes: "Changes",
	checks: "Failing checks",
	kind: "Kind",
};

export const KIND_NAMES: Readonly<Record<PictureNode["kind"], string>> = {
	spine: "Spine",
	leaf: "Leaf",
	controller: "Controller",
	switch: "Other node",
	vrf: "VRF",
	bridge_domain: "Bridge domain",
	epg: "EPG",
	external: "External network",
	contract: "Contract",
};

export const EDGE_NAMES: Readonly<Record<PictureEdge["kind"], string>> = {
	link: "Link",
	in_vrf: "belongs to VRF",
	in_bridge_domain: "belongs to bridge domain",
	provides: "provides",
	consumes: "consumes",
};

const STATE_NAMES = { ok: "OK", degraded: "Degraded", failed: "Failed", unknown: "Unknown" } as const;
const CHANGE_NAMES = { added: "Added", deleted: "Deleted", modified: "Modified" } as const;

export interface Look {
	/** The words of the legend. */
	readonly name: string;
	/** CSS values. */
	readonly fill: string;
	readonly stroke: string;
	/** A sign beside the colour; empty for none. */
	readonly sign: string;
	readonly isDashed: boolean;
}

const defineLook = (name: string, tone: string | null, sign = "", isDashed = false): Look => ({
	name,
	fill: tone === null ? "var(--surface)" : `var(--${tone}-soft)`,
	stroke: tone === null ? "var(--line-strong)" : `var(--${tone})`,
	sign,
	isDashed,
});

const UNCHANGED = defineLook("Not changed", null);
const BELOW = defineLook("Changed below it", "accent", "•");
const CHANGES = {
	added: defineLook(CHANGE_NAMES.added, "ok", "+"),
	deleted: defineLook(CHANGE_NAMES.deleted, "bad", "−", true),
	modified: defineLook(CHANGE_NAMES.modified, "warn", "~"),
} as const;
const STATES = {
	ok: defineLook(STATE_NAMES.ok, "ok"),
	degraded: defineLook(STATE_NAMES.degraded, "warn", "!"),
	failed: defineLook(STATE_NAMES.failed, "bad", "✕"),
	unknown: defineLook("State not known", null, "?"),
} as const;
const NO_STATE = defineLook("Without a state", null);
const FAILING = defineLook("With failing checks", "bad", "!");
const PASSING = defineLook("Without failing checks", null);
const KINDS: Readonly<Record<PictureNode["kind"], Look>> = {
	spine: defineLook(KIND_NAMES.spine, "violet"),
	leaf: defineLook(KIND_NAMES.leaf, "accent"),
	controller: defineLook(KIND_NAMES.controller, "warn"),
	switch: defineLook(KIND_NAMES.switch, null),
	vrf: defineLook(KIND_NAMES.vrf, "violet"),
	bridge_domain: defineLook(KIND_NAMES.bridge_domain, "accent"),
	epg: defineLook(KIND_NAMES.epg, "ok"),
	external: defineLook(KIND_NAMES.external, null),
	contract: defineLook(KIND_NAMES.contract, "warn"),
};
/** Note on an object that only a relation or a link names. */
export const NAMED_ONLY = "in no snapshot";

type Marked = Pick<PictureNode, "state" | "change" | "changes_below" | "checks">;

export function getLook(part: Marked & { readonly kind: PictureNode["kind"] }, colour: Colour): Look {
	return colour === "kind" ? KINDS[part.kind] : getMarkLook(part, colour);
}

function getMarkLook(part: Marked, colour: Exclude<Colour, "kind">): Look {
	if (colour === "checks") return part.checks.length > 0 ? FAILING : PASSING;
	if (colour === "state") {
		if (part.change === "deleted") return CHANGES.deleted;
		return part.state === null ? NO_STATE : STATES[part.state];
	}
	if (part.change !== null) return CHANGES[part.change];
	return part.changes_below > 0 ? BELOW : UNCHANGED;
}

/** Finds the stroke and the dashes of an edge. */
export function getEdgeLook(edge: PictureEdge, colour: Colour): { stroke: string; dashes: string; isMarked: boolean } {
	const look = getMarkLook(edge, colour === "kind" ? "changes" : colour);
	// Parts without a mark stay in the background.
	const isMarked = look !== UNCHANGED && look !== PASSING && look !== NO_STATE && look !== STATES.ok;
	const dashes = look.isDashed ? "2 4" : edge.kind === "consumes" ? "6 4" : "";
	return { stroke: isMarked ? look.stroke : "var(--line-strong)", dashes, isMarked };
}

/** Counts the looks that occur. Marked ones come first. */
export function countLooks(nodes: readonly PictureNode[], colour: Colour): { look: Look; count: number }[] {
	const counts = new Map<Look, number>();
	for (const node of nodes) {
		const look = getLook(node, colour);
		counts.set(look, (counts.get(look) ?? 0) + 1);
	}
	return [...counts]
		.map(([look, count]) => ({ look, count }))
		.sort((a, b) => Number(b.look.sign !== "") - Number(a.look.sign !== "") || (a.look.name < b.look.name ? -1 : 1));
}

/** Describes the marks of a part in words. */
export function describeMarks(part: Marked & Pick<PictureNode, "changed_by">): string[] {
	const words: string[] = [];
	if (part.state !== null) words.push(part.state === "unknown" ? "state not known" : STATE_NAMES[part.state]);
	if (part.change !== null) words.push(CHANGE_NAMES[part.change].toLowerCase());
	if (part.changes_below > 0) words.push(`${part.changes_below} changed below it`);
	if (part.changed_by.length > 0) words.push(`by ${part.changed_by.join(", ")}`);
	if (part.checks.length > 0)
		words.push(`${part.checks.length} failing ${part.checks.length === 1 ? "check" : "checks"}`);
	return words;
}

/**
 * Finds the node with the DN, else the nodes whose name, DN or values have all words of the text.
 * Returns none for an empty text.
 */
export function findNodes(nodes: readonly PictureNode[], text: string): PictureNode[] {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return [];
	const exact = nodes.find(({ dn }) => dn === text.trim());
	if (exact !== undefined) return [exact];
	return nodes.filter(({ label, dn, facts, kind }) => {
		const all = [label, dn, KIND_NAMES[kind], ...facts.map(({ value }) => value)].join(" ").toLowerCase();
		return words.every((word) => all.includes(word));
	});
}
