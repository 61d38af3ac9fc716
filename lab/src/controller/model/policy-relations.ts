/** Relations to policies, which come into being with their object and point at a default policy. */
import type { ClassDefinition } from "./define.ts";

/** @param standard DN of the policy that is in force while no name is set, if there is one */
const definePolicyRelation = (
	name: string,
	label: string,
	rn: string,
	under: string,
	target: string,
	standard?: string,
): ClassDefinition => {
	const nameProp = `tn${target.charAt(0).toUpperCase()}${target.slice(1)}Name`;
	return {
		name,
		label,
		rn,
		under,
		isa: "polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: `+${nameProp}:name`,
		relation: { target, nameProp, back: null, ...(standard === undefined ? {} : { standard }) },
		published: false,
	};
};

const TENANT = "uni/tn-common";
const INFRA = "uni/infra";
const PORT_GROUPS = "infraAccPortGrp";

export const POLICY_RELATIONS: readonly ClassDefinition[] = [
	definePolicyRelation("fvRsIgmpsn", "IGMP Snooping", "rsigmpsn", "fvBD", "igmpSnoopPol", `${TENANT}/snPol-default`),
	definePolicyRelation("fvRsMldsn", "MLD Snooping", "rsmldsn", "fvBD", "mldSnoopPol", `${TENANT}/mldsnoopPol-default`),
	definePolicyRelation(
		"fvRsBDToNdP",
		"Neighbour Discovery",
		"rsBDToNdP",
		"fvBD",
		"ndIfPol",
		`${TENANT}/ndifpol-default`,
	),
	definePolicyRelation(
		"fvRsBdToEpRet",
		"Endpoint Retention",
		"rsbdToEpRet",
		"fvBD",
		"fvEpRetPol",
		`${TENANT}/epRPol-default`,
	),
	definePolicyRelation(
		"fvRsCtxToEpRet",
		"Endpoint Retention",
		"rsctxToEpRet",
		"fvCtx",
		"fvEpRetPol",
		`${TENANT}/epRPol-default`,
	),
	definePolicyRelation("fvRsBgpCtxPol", "BGP Timers", "rsbgpCtxPol", "fvCtx", "bgpCtxPol", `${TENANT}/bgpCtxP-default`),
	definePolicyRelation(
		"fvRsOspfCtxPol",
		"OSPF Timers",
		"rsospfCtxPol",
		"fvCtx",
		"ospfCtxPol",
		`${TENANT}/ospfCtxP-default`,
	),
	definePolicyRelation(
		"fvRsCtxToExtRouteTagPol",
		"Route Tag",
		"rsctxToExtRouteTagPol",
		"fvCtx",
		"l3extRouteTagPol",
		`${TENANT}/rttag-default`,
	),
	definePolicyRelation(
		"fvRsVrfValidationPol",
		"VRF Validation",
		"rsvrfValidationPol",
		"fvCtx",
		"l3extVrfValidationPol",
		`${TENANT}/vrfvalidationpol-default`,
	),
	definePolicyRelation(
		"fvRsCustQosPol",
		"Custom QoS",
		"rscustQosPol",
		"fvAEPg l3extInstP",
		"qosCustomPol",
		`${TENANT}/qoscustom-default`,
	),
	definePolicyRelation("fvRsScope", "Private Network", "rsscope", "", "fvCtx"),
	definePolicyRelation("l2extRsEBd", "Bridge Domain", "rseBd", "", "fvBD"),
	definePolicyRelation("infraRsLacpPol", "Port Channel", "rslacpPol", "", "lacpLagPol", `${INFRA}/lacplagp-default`),
	definePolicyRelation(
		"infraRsHIfPol",
		"Link Level",
		"rshIfPol",
		PORT_GROUPS,
		"fabricHIfPol",
		`${INFRA}/hintfpol-default`,
	),
	definePolicyRelation("infraRsCdpIfPol", "CDP", "rscdpIfPol", PORT_GROUPS, "cdpIfPol", `${INFRA}/cdpIfP-default`),
	definePolicyRelation("infraRsLldpIfPol", "LLDP", "rslldpIfPol", PORT_GROUPS, "lldpIfPol", `${INFRA}/lldpIfP-default`),
	definePolicyRelation("infraRsMcpIfPol", "MCP", "rsmcpIfPol", PORT_GROUPS, "mcpIfPol", `${INFRA}/mcpIfP-default`),
	definePolicyRelation(
		"infraRsStpIfPol",
		"Spanning Tree",
		"rsstpIfPol",
		PORT_GROUPS,
		"stpIfPol",
		`${INFRA}/ifPol-default`,
	),
	definePolicyRelation("infraRsL2IfPol", "L2 Interface", "rsl2IfPol", PORT_GROUPS, "l2IfPol", `${INFRA}/l2IfP-default`),
	definePolicyRelation(
		"infraRsStormctrlIfPol",
		"Storm Control",
		"rsstormctrlIfPol",
		PORT_GROUPS,
		"stormctrlIfPol",
		`${INFRA}/stormctrlifp-default`,
	),
];
