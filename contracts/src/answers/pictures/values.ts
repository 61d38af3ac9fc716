/** Constants of the pictures of a network. */

export const PICTURE_LIMITS = {
	nodes: 500,
	edges: 2_000,
	/** Upper bound of the objects of snapshots that are read for a picture. */
	objects: 100_000,
	/** Upper bound of the changed objects that are read. */
	changes: 5_000,
	/** Upper bound of the failing checks whose evidence is read. */
	checks: 200,
	/** Upper bound of the hours before the moment whose changes are marked. */
	hours: 2_160,
	/** The default of these hours. */
	usualHours: 24,
} as const;

/** Classes of a picture, in the order in which they are listed. */
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

/** States that the controller reports. `unknown`: it reports another state, or none. */
export const PICTURE_STATES = ["ok", "degraded", "failed", "unknown"] as const;
export type PictureState = (typeof PICTURE_STATES)[number];

/** `partial`: the query leaves objects of the class out. `missing`: no snapshot has the class. */
export const PICTURE_CLASS_STATUSES = ["complete", "partial", "missing"] as const;
export type PictureClassStatus = (typeof PICTURE_CLASS_STATUSES)[number];

/**
 * Reasons why a query may leave out objects of a class: a filter, an option of the class such as a
 * limit, a class above it, or values of an earlier stage. `sent`: a client sent the snapshot.
 */
export const PICTURE_PARTIAL_REASONS = ["filter", "option", "parent", "values", "sent"] as const;
export type PicturePartialReason = (typeof PICTURE_PARTIAL_REASONS)[number];

/** Parts of a picture that have a limit. */
export const PICTURE_PARTS = ["nodes", "edges", "objects", "changes", "checks"] as const;
export type PicturePart = (typeof PICTURE_PARTS)[number];
