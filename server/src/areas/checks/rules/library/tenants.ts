/** Tenants: networks, EPGs, contracts and endpoints. */
import {
	buildNoRows,
	type CheckTemplate,
	findUniqueIn,
	getQuery,
	iterateRows,
	listClassesBelow,
	WITH_RELATIONS,
} from "./template.ts";

const POLICY_MODEL = "Cisco Application Centric Infrastructure Fundamentals: ACI Policy Model";
const L2 = "Cisco APIC Layer 2 Networking Configuration Guide";
const L3 = "Cisco APIC Layer 3 Networking Configuration Guide";
const CONTRACTS = "Cisco ACI Contract Guide White Paper";
const DESIGN = "Cisco Application Centric Infrastructure Design Guide";
const ENDPOINTS = "ACI Fabric Endpoint Learning White Paper";
const FAULTS = "Cisco APIC Faults, Events, and System Messages Management Guide";
const MODEL = "Cisco APIC Management Information Model Reference";

/** A relation that the controller could resolve. */
const FORMED = iterateRows([["state", "eq", "formed"]]);

export const TENANT_TEMPLATES: readonly CheckTemplate[] = [
	{
		key: "routed-bds-have-subnets",
		name: "Routed bridge domains have a subnet",
		description:
			"A bridge domain with unicast routing and no subnet has no gateway. Ignore it if the subnets are on its EPGs.",
		sources: [DESIGN, L3],
		severity: "info",
		query: getQuery("fvBD", [["unicastRoute", "eq", "yes"]], {
			data: { scope: "subtree" },
			processors: listClassesBelow("uni/tn-[^/]+/BD-[^/]+"),
		}),
		check: iterateRows([["classes", "eq", "fvSubnet"]]),
	},
	{
		key: "bds-have-vrf",
		name: "Bridge domains belong to a VRF that exists",
		description: "A bridge domain whose VRF is missing is not deployed.",
		sources: [POLICY_MODEL, FAULTS],
		severity: "warning",
		query: getQuery("fvRsCtx"),
		check: FORMED,
	},
	{
		key: "bds-limit-ip-learning",
		name: "Bridge domains learn addresses of their subnets only",
		description: "Without the limit, a host with a wrong address makes the fabric learn it.",
		sources: [ENDPOINTS, DESIGN],
		severity: "info",
		query: getQuery("fvBD", [["limitIpLearnToSubnets", "eq", "no"]]),
		check: buildNoRows(),
	},
	{
		key: "bd-configuration-valid",
		name: "Bridge domains have no configuration issues",
		description: "The controller says which part of the configuration it could not apply.",
		sources: [FAULTS, MODEL],
		severity: "warning",
		query: getQuery("fvBD"),
		check: iterateRows([["configIssues", "eq", ""]]),
	},
	{
		key: "epgs-have-bd",
		name: "EPGs belong to a bridge domain that exists",
		description: "An EPG whose bridge domain is missing is not deployed.",
		sources: [POLICY_MODEL, FAULTS],
		severity: "warning",
		query: getQuery("fvRsBd"),
		check: FORMED,
	},
	{
		key: "epgs-have-domain",
		name: "EPGs have a domain",
		description: "Static ports and virtual machines of an EPG without a physical or VMM domain raise fault F0467.",
		sources: [L2, FAULTS],
		severity: "warning",
		query: getQuery("fvAEPg", [["isAttrBasedEPg", "eq", "no"]], { data: WITH_RELATIONS }),
		check: iterateRows([["children.fvRsDomAtt.tDn", "exists"]]),
	},
	{
		key: "epg-domains-exist",
		name: "Domains of EPGs exist",
		description: "The domain that an EPG names was removed.",
		sources: [L2, FAULTS],
		severity: "warning",
		query: getQuery("fvRsDomAtt"),
		check: FORMED,
	},
	{
		key: "epg-configuration-valid",
		name: "EPGs have no configuration issues",
		description: "The controller says which part of the configuration it could not apply.",
		sources: [FAULTS, MODEL],
		severity: "warning",
		query: getQuery("fvAEPg"),
		check: iterateRows([["configIssues", "eq", ""]]),
	},
	{
		key: "static-ports-deployed",
		name: "Static ports of EPGs are deployed",
		description: "The port, port channel or vPC of a static path does not exist.",
		sources: [L2, FAULTS],
		severity: "warning",
		query: getQuery("fvRsPathAtt"),
		check: FORMED,
	},
	{
		key: "contracts-provided",
		name: "Contracts are provided and consumed",
		description: "A contract that only one side uses permits nothing; one that nobody uses can be removed.",
		sources: [CONTRACTS, POLICY_MODEL],
		severity: "info",
		query: getQuery("vzBrCP", [], { data: WITH_RELATIONS }),
		check: iterateRows([
			["children.vzRtProv.tDn", "exists"],
			["children.vzRtCons.tDn", "exists"],
		]),
	},
	{
		key: "contracts-have-filters",
		name: "Contracts have filters",
		description: "A contract without a filter permits nothing.",
		sources: [CONTRACTS, POLICY_MODEL],
		severity: "warning",
		query: getQuery("vzBrCP", [], {
			data: { scope: "subtree" },
			processors: listClassesBelow("uni/tn-[^/]+/brc-[^/]+"),
		}),
		check: iterateRows([["classes", "eq", "vzRsSubjFiltAtt"]]),
	},
	{
		key: "contract-filters-exist",
		name: "Filters of contracts exist",
		description: "A subject names a filter that was removed.",
		sources: [CONTRACTS, FAULTS],
		severity: "warning",
		query: getQuery("vzRsSubjFiltAtt"),
		check: FORMED,
	},
	{
		key: "filters-have-entries",
		name: "Filters have entries",
		description: "A filter without an entry matches nothing.",
		sources: [CONTRACTS, POLICY_MODEL],
		severity: "info",
		query: getQuery("vzFilter", [], {
			data: { scope: "subtree" },
			processors: listClassesBelow("uni/tn-[^/]+/flt-[^/]+"),
		}),
		check: iterateRows([["classes", "eq", "vzEntry"]]),
	},
	{
		key: "vrfs-enforce-contracts",
		name: "VRFs enforce contracts",
		description: "In an unenforced VRF all EPGs reach each other without a contract.",
		sources: [CONTRACTS, DESIGN],
		severity: "warning",
		query: getQuery("fvCtx", [["pcEnfPref", "eq", "unenforced"]]),
		check: buildNoRows(),
	},
	{
		key: "l3outs-have-vrf",
		name: "L3Outs belong to a VRF that exists",
		description: "An L3Out whose VRF is missing exchanges no routes.",
		sources: [L3, FAULTS],
		severity: "warning",
		query: getQuery("l3extRsEctx"),
		check: FORMED,
	},
	{
		key: "endpoint-addresses-unique",
		name: "No two endpoints of a VRF have the same address",
		description: "Two MAC addresses claim one IP address: a duplicate, or a cluster address that moves.",
		sources: [ENDPOINTS, MODEL],
		severity: "warning",
		query: getQuery("fvIp"),
		check: findUniqueIn(["vrfDn", "addr"]),
	},
];
