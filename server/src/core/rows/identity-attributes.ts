/**
 * Attributes that name an object inside one fabric: ids that its controllers hand out, and what
 * belongs to its hardware. Two fabrics with the same configuration differ in them.
 */
interface IdentityRule {
	readonly attribute: string;
	/** Regular expression for names of classes; null for every class. */
	readonly classes: string | null;
	readonly reason: string;
}

/** Bridge domains, VRFs and groups, whose `scope` is an id; elsewhere it is a setting. */
const SEGMENTS = "^(fvBD|fvCtx|fvAEPg|fvESg|fvEpP|l3extInstP|l2extInstP|mgmtInB|vzAny)$";
const NODES = "^(fabricNode|topSystem|infraWiNode)$";

export const IDENTITY: readonly IdentityRule[] = [
	{ attribute: "uid", classes: null, reason: "The number of the user who made the object." },
	{ attribute: "pcTag", classes: null, reason: "The tag of the object in policies, handed out by the controllers." },
	{ attribute: "seg", classes: null, reason: "The segment (VNID) of the object, handed out by the controllers." },
	{
		attribute: "bcastP",
		classes: null,
		reason: "The multicast group of a bridge domain, handed out by the controllers.",
	},
	{ attribute: "scope", classes: SEGMENTS, reason: "The segment of the VRF that the object lies in." },
	{ attribute: "vrfId", classes: "^fvCtx$", reason: "The number of the VRF, handed out by the controllers." },
	{ attribute: "fwdId", classes: "^vzFilter$", reason: "The number of the filter for one direction of packets." },
	{ attribute: "revId", classes: "^vzFilter$", reason: "The number of the filter for the other direction." },
	{ attribute: "uuid", classes: null, reason: "An id that was drawn for the object." },
	{ attribute: "serial", classes: NODES, reason: "The serial number of a device, which is in one fabric only." },
	{ attribute: "mbSn", classes: NODES, reason: "The serial number of a controller's main board." },
	{ attribute: "targetMbSn", classes: NODES, reason: "The serial number of a controller's main board." },
	{ attribute: "fabricMAC", classes: NODES, reason: "The hardware address of the fabric." },
	{ attribute: "fabricDomain", classes: NODES, reason: "The name of the fabric." },
];

const CLASSES = new Map(
	IDENTITY.map(({ attribute, classes }) => [attribute, classes === null ? null : new RegExp(classes)]),
);

export function isIdentityAttribute(className: string, attribute: string): boolean {
	const classes = CLASSES.get(attribute);
	return classes === null || classes?.test(className) === true;
}
