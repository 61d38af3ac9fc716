/** Relations to policies, which come into being with their object and point at a default policy. */
import type { ClassDefinition } from "./define.ts";

/** @param standard DN of the policy that is in force while no name is set, if there is one */
const policy = (
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
	policy("fvRsIgmpsn", "IGMP Snooping", "rsigmpsn", "fvBD", "igmpSnoopPol", `${TENANT}/snPol-default`),
	policy("fvRsMldsn", "MLD Snooping", "rsmldsn", "fvBD", "mldSnoopPol", `${TENANT}/mldsnoopPol-default`),
	policy("fvRsBDToNdP", "Neighbour Discovery", "rsBDToNdP", "fvBD", "ndIfPol", `${TENANT}/ndifpol-default`),
	policy("fvRsBdToEpRet", "Endpoint Retention", "rsbdToEpRet", "fvBD", "fvEpRetPol", `${TENANT}/epRPol-default`),
	policy("fvRsCtxToEpRet", "Endpoint Retention", "rsctxToEpRet", "fvCtx", "fvEpRetPol", `${TENANT}/epRPol-default`),
	policy("fvRsBgpCtxPol", "BGP Timers", "rsbgpCtxPol", "fvCtx", "bgpCtxPol", `${TENANT}/bgpCtxP-default`),
	policy("fvRsOspfCtxPol", "OSPF Timers", "rsospfCtxPol", "fvCtx", "ospfCtxPol", `${TENANT}/ospfCtxP-default`),
	policy(
		"fvRsCtxToExtRouteTagPol",
		"Route Tag",
		"rsctxToExtRouteTagPol",
		"fvCtx",
		"l3extRouteTagPol",
		`${TENANT}/rttag-default`,
	),
	policy(
		"fvRsVrfValidationPol",
		"VRF Validation",
		"rsvrfValidationPol",
		"fvCtx",
		"l3extVrfValidationPol",
		`${TENANT}/vrfvalidationpol-default`,
	),
	policy(
		"fvRsCustQosPol",
		"Custom QoS",
		"rscustQosPol",
		"fvAEPg l3extInstP",
		"qosCustomPol",
		`${TENANT}/qoscustom-default`,
	),
	policy("fvRsScope", "Private Network", "rsscope", "", "fvCtx"),
	policy("l2extRsEBd", "Bridge Domain", "rseBd", "", "fvBD"),
	policy("infraRsLacpPol", "Port Channel", "rslacpPol", "", "lacpLagPol", `${INFRA}/lacplagp-default`),
	policy("infraRsHIfPol", "Link Level", "rshIfPol", PORT_GROUPS, "fabricHIfPol", `${INFRA}/hintfpol-default`),
	policy("infraRsCdpIfPol", "CDP", "rscdpIfPol", PORT_GROUPS, "cdpIfPol", `${INFRA}/cdpIfP-default`),
	policy("infraRsLldpIfPol", "LLDP", "rslldpIfPol", PORT_GROUPS, "lldpIfPol", `${INFRA}/lldpIfP-default`),
	policy("infraRsMcpIfPol", "MCP", "rsmcpIfPol", PORT_GROUPS, "mcpIfPol", `${INFRA}/mcpIfP-default`),
	policy("infraRsStpIfPol", "Spanning Tree", "rsstpIfPol", PORT_GROUPS, "stpIfPol", `${INFRA}/ifPol-default`),
	policy("infraRsL2IfPol", "L2 Interface", "rsl2IfPol", PORT_GROUPS, "l2IfPol", `${INFRA}/l2IfP-default`),
	policy(
		"infraRsStormctrlIfPol",
		"Storm Control",
		"rsstormctrlIfPol",
		PORT_GROUPS,
		"stormctrlIfPol",
		`${INFRA}/stormctrlifp-default`,
	),
];
