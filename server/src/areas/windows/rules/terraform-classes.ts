/**
 * Resources of the Terraform provider of Cisco ACI: their class, the format of its relative name,
 * and the attribute with the parent's dn. Resources with `dn`, and those with a known `id`, need
 * no entry.
 */
export interface TerraformClass {
	readonly className: string;
	/** Used if no class model is loaded. */
	readonly rnFormat: string;
	/** The attribute with the dn of the parent, or that dn. */
	readonly parent: { readonly attribute: string } | { readonly dn: string };
	/** Attributes whose names are not those of their naming properties in snake case. */
	readonly naming?: Readonly<Record<string, string>>;
}

type Entry = readonly [
	type: string,
	className: string,
	rnFormat: string,
	parent: string,
	naming?: Record<string, string>,
];

/** The parent is a dn where it begins with `uni`. */
const ENTRIES: readonly Entry[] = [
	["aci_tenant", "fvTenant", "tn-{name}", "uni"],
	["aci_vrf", "fvCtx", "ctx-{name}", "tenant_dn"],
	["aci_bridge_domain", "fvBD", "BD-{name}", "tenant_dn"],
	["aci_subnet", "fvSubnet", "subnet-[{ip}]", "parent_dn"],
	["aci_application_profile", "fvAp", "ap-{name}", "tenant_dn"],
	["aci_application_epg", "fvAEPg", "epg-{name}", "application_profile_dn"],
	["aci_endpoint_security_group", "fvESg", "esg-{name}", "application_profile_dn"],
	["aci_epg_to_domain", "fvRsDomAtt", "rsdomAtt-[{tDn}]", "application_epg_dn", { tDn: "tdn" }],
	["aci_epg_to_static_path", "fvRsPathAtt", "rspathAtt-[{tDn}]", "application_epg_dn", { tDn: "tdn" }],
	["aci_relation_to_domain", "fvRsDomAtt", "rsdomAtt-[{tDn}]", "parent_dn", { tDn: "target_dn" }],
	["aci_relation_to_static_path", "fvRsPathAtt", "rspathAtt-[{tDn}]", "parent_dn", { tDn: "target_dn" }],
	["aci_contract", "vzBrCP", "brc-{name}", "tenant_dn"],
	["aci_contract_subject", "vzSubj", "subj-{name}", "contract_dn"],
	["aci_filter", "vzFilter", "flt-{name}", "tenant_dn"],
	["aci_filter_entry", "vzEntry", "e-{name}", "filter_dn"],
	["aci_taboo_contract", "vzTaboo", "taboo-{name}", "tenant_dn"],
	["aci_l3_outside", "l3extOut", "out-{name}", "tenant_dn"],
	["aci_logical_node_profile", "l3extLNodeP", "lnodep-{name}", "l3_outside_dn"],
	["aci_logical_interface_profile", "l3extLIfP", "lifp-{name}", "logical_node_profile_dn"],
	[
		"aci_logical_node_to_fabric_node",
		"l3extRsNodeL3OutAtt",
		"rsnodeL3OutAtt-[{tDn}]",
		"logical_node_profile_dn",
		{ tDn: "tdn" },
	],
	[
		"aci_l3out_path_attachment",
		"l3extRsPathL3OutAtt",
		"rspathL3OutAtt-[{tDn}]",
		"logical_interface_profile_dn",
		{ tDn: "target_dn" },
	],
	["aci_external_network_instance_profile", "l3extInstP", "instP-{name}", "l3_outside_dn"],
	["aci_l3_ext_subnet", "l3extSubnet", "extsubnet-[{ip}]", "external_network_instance_profile_dn"],
	["aci_bgp_peer_connectivity_profile", "bgpPeerP", "peerP-[{addr}]", "parent_dn"],
	["aci_l3out_static_route", "ipRouteP", "rt-[{ip}]", "fabric_node_dn"],
	["aci_l3out_static_route_next_hop", "ipNexthopP", "nh-[{nhAddr}]", "static_route_dn"],
	["aci_ospf_interface_policy", "ospfIfPol", "ospfIfPol-{name}", "tenant_dn"],
	["aci_vlan_pool", "fvnsVlanInstP", "vlanns-[{name}]-{allocMode}", "uni/infra"],
	["aci_ranges", "fvnsEncapBlk", "from-[{from}]-to-[{to}]", "vlan_pool_dn"],
	["aci_physical_domain", "physDomP", "phys-{name}", "uni"],
	["aci_l3_domain_profile", "l3extDomP", "l3dom-{name}", "uni"],
	["aci_vmm_domain", "vmmDomP", "dom-{name}", "provider_profile_dn"],
	["aci_vmm_controller", "vmmCtrlrP", "ctrlr-{name}", "vmm_domain_dn"],
	["aci_vmm_credential", "vmmUsrAccP", "usracc-{name}", "vmm_domain_dn"],
	["aci_attachable_access_entity_profile", "infraAttEntityP", "attentp-{name}", "uni/infra"],
	["aci_leaf_profile", "infraNodeP", "nprof-{name}", "uni/infra"],
	[
		"aci_leaf_selector",
		"infraLeafS",
		"leaves-{name}-typ-{type}",
		"leaf_profile_dn",
		{ type: "switch_association_type" },
	],
	["aci_leaf_interface_profile", "infraAccPortP", "accportprof-{name}", "uni/infra"],
	[
		"aci_access_port_selector",
		"infraHPortS",
		"hports-{name}-typ-{type}",
		"leaf_interface_profile_dn",
		{ type: "access_port_selector_type" },
	],
	["aci_access_port_block", "infraPortBlk", "portblk-{name}", "access_port_selector_dn"],
	["aci_leaf_access_port_policy_group", "infraAccPortGrp", "accportgrp-{name}", "uni/infra/funcprof"],
	["aci_leaf_access_bundle_policy_group", "infraAccBndlGrp", "accbundle-{name}", "uni/infra/funcprof"],
	["aci_cdp_interface_policy", "cdpIfPol", "cdpIfP-{name}", "uni/infra"],
	["aci_lldp_interface_policy", "lldpIfPol", "lldpIfP-{name}", "uni/infra"],
	["aci_lacp_policy", "lacpLagPol", "lacplagp-{name}", "uni/infra"],
	["aci_fabric_if_pol", "fabricHIfPol", "hintfpol-{name}", "uni/infra"],
	["aci_vpc_explicit_protection_group", "fabricExplicitGEp", "expgep-{name}", "uni/fabric/protpol"],
	["aci_fabric_node_member", "fabricNodeIdentP", "nodep-{serial}", "uni/controller/nodeidentpol"],
	["aci_annotation", "tagAnnotation", "annotationKey-[{key}]", "parent_dn"],
	["aci_tag", "tagTag", "tagKey-{key}", "parent_dn"],
];

/** Classes by the type of the resource. */
export const TERRAFORM_CLASSES: ReadonlyMap<string, TerraformClass> = new Map(
	ENTRIES.map(([type, className, rnFormat, parent, naming]) => [
		type,
		{
			className,
			rnFormat,
			parent: parent.startsWith("uni") ? { dn: parent } : { attribute: parent },
			...(naming === undefined ? {} : { naming }),
		},
	]),
);
