/** Plural nouns of common classes, for sentences about requests. */
import { singularizeWord } from "../../../model/rules/terms.ts";

const NOUNS: Readonly<Record<string, string>> = {
	fvTenant: "tenants",
	fvCtx: "VRFs",
	fvBD: "bridge domains",
	fvSubnet: "subnets",
	fvAp: "application profiles",
	fvAEPg: "EPGs",
	fvESg: "endpoint security groups",
	fvCEp: "endpoints",
	fvIp: "endpoint addresses",
	vzBrCP: "contracts",
	vzSubj: "contract subjects",
	vzFilter: "contract filters",
	vzEntry: "filter entries",
	l3extOut: "L3Outs",
	l3extInstP: "external EPGs",
	infraAttEntityP: "attachable entity profiles",
	infraAccPortP: "leaf interface profiles",
	fvnsVlanInstP: "VLAN pools",
	fvnsEncapBlk: "VLAN ranges",
	physDomP: "physical domains",
	vmmDomP: "VMM domains",
	fabricNode: "nodes",
	fabricPod: "pods",
	fabricLink: "links",
	topSystem: "node systems",
	l1PhysIf: "physical interfaces",
	pcAggrIf: "port channels",
	vpcDom: "vPC domains",
	faultInst: "faults",
	aaaModLR: "change records",
	eventRecord: "events",
	bgpPeer: "BGP peers",
};

/** `bridge domains`; `fooBar objects` for a class without a noun here. */
export const getClassNoun = (className: string): string => NOUNS[className] ?? `${className} objects`;

/** The noun in the singular: `bridge domain`. */
export function getSingularNoun(className: string): string {
	const noun = NOUNS[className];
	return noun === undefined ? className : noun.replace(/\w+$/, singularizeWord);
}
