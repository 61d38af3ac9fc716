/** Parts of the change plans that ship: queries with their modes of comparison, and checks. */
import type { CheckPhase, CompareMode, FindingSeverity, PlanGate, PlanSettle, PlanTolerance } from "@weft/contracts";
import { buildClassQuery } from "../../../checks/rules/library/template.ts";

export interface PlanTemplate {
	/** Unique. Lower case with hyphens. */
	readonly key: string;
	readonly name: string;
	readonly description: string;
	readonly items: readonly PlanTemplateItem[];
	readonly settle: PlanSettle;
	readonly gate: PlanGate;
	/** Names of public documents. */
	readonly sources: readonly string[];
}

export type PlanTemplateItem = PlanTemplateQuery | PlanTemplateCheck;

export interface PlanTemplateQuery {
	readonly query: {
		readonly name: string;
		readonly description: string;
		readonly flow_data: ReturnType<typeof buildClassQuery>["flow_data"];
		readonly post_processors: ReturnType<typeof buildClassQuery>["post_processors"];
	};
	readonly compare: CompareMode;
	readonly match?: "dn" | "name";
	readonly severity?: FindingSeverity;
	readonly group_by?: readonly string[];
	readonly tolerance?: PlanTolerance;
	readonly unsettled_when?: {
		readonly match: "all" | "any";
		readonly conditions: readonly { readonly field: string; readonly operator: "contains"; readonly value: string }[];
	};
}

export interface PlanTemplateCheck {
	/** Key of a template of the library of checks. */
	readonly check: string;
	readonly when: readonly CheckPhase[];
}

type TemplateQuery = PlanTemplateQuery["query"];
type Filter = Parameters<typeof buildClassQuery>[1];

/** Builds a query of all attributes of the objects of a class. */
const buildObjectQuery = (name: string, description: string, className: string, filters?: Filter): TemplateQuery => ({
	name,
	description,
	...buildClassQuery(className, filters),
});

/** Builds a query of chosen attributes of a class; the others may change at any time. */
const buildStateQuery = (
	name: string,
	description: string,
	className: string,
	fields: readonly string[],
	filters?: Filter,
): TemplateQuery => ({
	name,
	description,
	...buildClassQuery(className, filters, {
		processors: [{ type: "field-extract", config: { fields: ["dn", ...fields] } }],
	}),
});

/** Lists checks that must hold before and after the work. */
export const listChecks = (...keys: readonly string[]): PlanTemplateCheck[] =>
	keys.map((check) => ({ check, when: ["before", "after"] }));

export const SOURCES = {
	upgrade: "Cisco APIC Installation and ACI Upgrade and Downgrade Guide",
	validation: "ACI Pre-Upgrade Validation Script: Validation Reference",
	troubleshooting: "Troubleshooting Cisco Application Centric Infrastructure, Second Edition",
	faults: "Cisco APIC Faults, Events, and System Messages Management Guide",
	layer3: "Cisco APIC Layer 3 Networking Configuration Guide",
	contracts: "Cisco ACI Contract Guide",
	virtualization: "Cisco ACI Virtualization Guide",
	replacement: "Replacing a Leaf or Spine Switch in a Cisco ACI Fabric",
	model: "Cisco APIC Management Information Model Reference",
} as const;

/** Two rounds before the work must be equal: on a changing fabric, differences prove nothing. */
export const QUIET_GATE: PlanGate = { before: "block", fail_on: "warning", quiet_baseline: true };

/** New faults fail the window. Faults that soak or clear are unsettled. */
export const FAULTS: PlanTemplateQuery = {
	query: buildStateQuery("Faults of the fabric", "Faults with code, severity and life cycle.", "faultInst", [
		"code",
		"severity",
		"lc",
		"cause",
	]),
	compare: "no_gain",
	unsettled_when: {
		match: "any",
		conditions: [
			{ field: "lc", operator: "contains", value: "soaking" },
			{ field: "lc", operator: "contains", value: "clearing" },
		],
	},
};

export const ENDPOINTS: PlanTemplateQuery = {
	query: buildObjectQuery("Endpoints", "Endpoints that the fabric knows.", "fvCEp"),
	compare: "tolerance",
	group_by: ["fvCEp.epgDn"],
	tolerance: { count: { max_loss_percent: 5, max_gain_percent: 50 }, attributes: {} },
};

export const INTERFACES: PlanTemplateQuery = {
	query: buildStateQuery("Operational state of interfaces", "Ports with state, reason and speed.", "ethpmPhysIf", [
		"operSt",
		"operStQual",
		"operSpeed",
	]),
	compare: "exact",
};

export const NODES: PlanTemplateQuery = {
	query: buildStateQuery("Nodes of the fabric", "Switches and controllers with state and role.", "fabricNode", [
		"name",
		"role",
		"fabricSt",
	]),
	compare: "exact",
};

export const RELEASES: PlanTemplateQuery = {
	query: buildStateQuery("Releases of switches", "The release that each switch runs.", "firmwareRunning", [
		"version",
		"type",
	]),
	compare: "record",
};

export const CONTROLLER_RELEASES: PlanTemplateQuery = {
	query: buildStateQuery("Releases of controllers", "The release that each controller runs.", "firmwareCtrlrRunning", [
		"version",
	]),
	compare: "record",
};

export const LINKS: PlanTemplateQuery = {
	query: buildStateQuery("Links between switches", "Links with both ends and their state.", "fabricLink", [
		"linkState",
		"operSt",
	]),
	compare: "no_loss",
};

export const BGP_PEERS: PlanTemplateQuery = {
	query: buildStateQuery("BGP sessions", "Sessions with their state.", "bgpPeerEntry", ["addr", "operSt", "type"]),
	compare: "exact",
};

/** The number of prefixes that a session accepts may change by a tenth. */
export const BGP_PATHS: PlanTemplateQuery = {
	query: buildObjectQuery("Paths of BGP sessions", "Accepted paths of each session.", "bgpPeerAfEntry"),
	compare: "tolerance",
	tolerance: {
		count: { max_loss_percent: 0 },
		attributes: { "bgpPeerAfEntry.acceptedPaths": { max_percent: 10 } },
	},
};

export const OSPF_NEIGHBOURS: PlanTemplateQuery = {
	query: buildStateQuery("OSPF neighbours", "Neighbours with their state.", "ospfAdjEp", ["operSt", "peerIp"]),
	compare: "exact",
};

export const ROUTES: PlanTemplateQuery = {
	query: buildStateQuery("Routes on switches", "Routes of each table.", "uribv4Route", ["prefix"]),
	compare: "tolerance",
	tolerance: { count: { max_loss_percent: 5 }, attributes: {} },
};

/** Builds an item of configured objects of a class: each difference must be declared. */
export const buildConfigured = (name: string, description: string, className: string): PlanTemplateQuery => ({
	query: buildObjectQuery(name, description, className),
	compare: "exact",
});

/** Builds an item of chosen attributes of operational objects. */
export const buildStates = (
	name: string,
	description: string,
	className: string,
	fields: readonly string[],
	compare: CompareMode = "exact",
): PlanTemplateQuery => ({ query: buildStateQuery(name, description, className, fields), compare });
