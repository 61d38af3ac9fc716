/** Constants of the pictures of a network. */

export const PICTURE_LIMITS = {
	nodes: 500,
	edges: 2_000,
	/** Objects of snapshots that are read for a picture. */
	objects: 100_000,
	/** Changed objects that are looked at. */
	changes: 5_000,
	/** Failing checks whose evidence is looked at. */
	checks: 200,
	/** Hours before the moment whose changes are marked, and how many without `hours`. */
	hours: 2_160,
	usualHours: 24,
} as const;

/** Classes that a picture is drawn from, in the order in which they are listed. */
export const PICTURE_CLASSES = {
	topology: ["fabricNode", "fabricLink", "topSystem"],
	tenant: [
		"fvCtx",
		"fvBD",
		"fvRsCtx",
		"fvAEPg",
		"fvRsBd",
		"vzBrCP",
		"fvRsProv",
		"fvRsCons",
		"l3extInstP",
		"l3extRsEctx",
		"vzRsAnyToProv",
		"vzRsAnyToCons",
	],
} as const;
export type PictureKind = keyof typeof PICTURE_CLASSES;

/** Keys of the questions of the gallery that read all classes of a picture. */
export const PICTURE_QUESTIONS: Readonly<Record<PictureKind, string>> = {
	topology: "topology-of-the-fabric",
	tenant: "policy-of-the-tenants",
};

export const PICTURE_NODE_KINDS = [
	"spine",
	"leaf",
	"controller",
	"switch",
	"vrf",
	"bridge_domain",
	"epg",
	"external",
	"contract",
] as const;
export type PictureNodeKind = (typeof PICTURE_NODE_KINDS)[number];

export const PICTURE_EDGE_KINDS = ["link", "in_vrf", "in_bridge_domain", "provides", "consumes"] as const;
export type PictureEdgeKind = (typeof PICTURE_EDGE_KINDS)[number];

/** As the controller says it. `unknown`: it says something else, or nothing. */
export const PICTURE_STATES = ["ok", "degraded", "failed", "unknown"] as const;
export type PictureState = (typeof PICTURE_STATES)[number];

/** `partial`: the query leaves objects of the class out. `missing`: no snapshot has the class. */
export const PICTURE_CLASS_STATUSES = ["complete", "partial", "missing"] as const;
export type PictureClassStatus = (typeof PICTURE_CLASS_STATUSES)[number];

/**
 * Why a query may leave objects of a class out: a filter, a limit or another option of the class,
 * a class above it, or values of an earlier stage; `sent` where a client brought the snapshot.
 */
export const PICTURE_PARTIAL_REASONS = ["filter", "option", "parent", "values", "sent"] as const;
export type PicturePartialReason = (typeof PICTURE_PARTIAL_REASONS)[number];

/** Parts of a picture that have a limit. */
export const PICTURE_PARTS = ["nodes", "edges", "objects", "changes", "checks"] as const;
export type PicturePart = (typeof PICTURE_PARTS)[number];
