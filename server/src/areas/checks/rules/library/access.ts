/** Access policies, and settings of the fabric that Cisco recommends. */
import { buildNoRows, type CheckTemplate, findUniqueIn, getQuery, iterateRows, WITH_RELATIONS } from "./template.ts";

const DESIGN = "Cisco Application Centric Infrastructure Design Guide";
const L2 = "Cisco APIC Layer 2 Networking Configuration Guide";
const BASIC = "Cisco APIC Basic Configuration Guide";
const SECURITY = "Cisco APIC Security Configuration Guide";
const ENDPOINTS = "ACI Fabric Endpoint Learning White Paper";
const UPGRADE = "ACI Pre-Upgrade Validation Script: Validation Reference";
const MODEL = "Cisco APIC Management Information Model Reference";

const ENABLED = iterateRows([["adminSt", "eq", "enabled"]]);

export const ACCESS_TEMPLATES: readonly CheckTemplate[] = [
	{
		key: "aaeps-have-domain",
		name: "Attachable access entity profiles have a domain",
		description: "Ports of a profile without a domain can carry no EPG.",
		sources: [L2, DESIGN],
		severity: "info",
		query: getQuery("infraAttEntityP", [], { data: WITH_RELATIONS }),
		check: iterateRows([["children.infraRsDomP.tDn", "exists"]]),
	},
	{
		key: "physical-domains-have-vlans",
		name: "Physical domains have a VLAN pool",
		description: "EPGs of a domain without a pool cannot be deployed on static ports.",
		sources: [L2, DESIGN],
		severity: "warning",
		query: getQuery("physDomP", [], { data: WITH_RELATIONS }),
		check: iterateRows([["children.infraRsVlanNs.tDn", "exists"]]),
	},
	{
		key: "port-groups-have-aaep",
		name: "Access port policy groups have an access entity profile",
		description: "Ports of a policy group without one belong to no domain.",
		sources: [L2, DESIGN],
		severity: "info",
		query: getQuery("infraAccPortGrp", [], { data: WITH_RELATIONS }),
		check: iterateRows([["children.infraRsAttEntP.tDn", "exists"]]),
	},
	{
		key: "vlan-ranges-unique",
		name: "No VLAN range is in two pools",
		description:
			"If overlapping pools reach the same leaf, one VLAN gets two fabric encapsulations, and bridged traffic is lost. Only equal ranges are found.",
		sources: [UPGRADE, DESIGN],
		severity: "warning",
		query: getQuery("fvnsEncapBlk"),
		check: findUniqueIn(["from", "to"]),
	},
	{
		key: "mcp-enabled",
		name: "MisCabling Protocol is enabled",
		description: "MCP finds loops that LLDP and STP do not.",
		sources: [DESIGN, L2],
		severity: "info",
		query: getQuery("mcpInstPol"),
		check: ENABLED,
	},
	{
		key: "rogue-endpoint-control-enabled",
		name: "Rogue endpoint control is enabled",
		description: "An endpoint that moves too often is quarantined instead of loading every switch.",
		sources: [DESIGN, ENDPOINTS],
		severity: "info",
		query: getQuery("epControlP"),
		check: ENABLED,
	},
	{
		key: "ip-aging-enabled",
		name: "IP aging is enabled",
		description: "Unused addresses of an endpoint are forgotten one by one.",
		sources: [DESIGN, ENDPOINTS],
		severity: "info",
		query: getQuery("epIpAgingP"),
		check: ENABLED,
	},
	{
		key: "subnet-check-enforced",
		name: "Subnet check and domain validation are enforced",
		description: "Leaves learn only addresses of the VRF's subnets, and EPGs use only VLANs of their domains.",
		sources: [DESIGN, ENDPOINTS],
		severity: "info",
		query: getQuery("infraSetPol"),
		check: iterateRows([
			["enforceSubnetCheck", "eq", "yes"],
			["domainValidation", "eq", "yes"],
		]),
	},
	{
		key: "coop-strict",
		name: "COOP accepts authenticated messages only",
		description: "In strict mode, spines and leaves exchange endpoints with MD5 authentication only.",
		sources: [SECURITY, DESIGN],
		severity: "info",
		query: getQuery("coopPol"),
		check: iterateRows([["type", "eq", "strict"]]),
	},
	{
		key: "snmp-community-not-public",
		name: 'No SNMP community is "public"',
		description: "The default community is the first that is tried from outside.",
		sources: [SECURITY, BASIC],
		severity: "warning",
		query: getQuery("snmpCommunityP", [["name", "eq", "public"]]),
		check: buildNoRows(),
	},
	{
		key: "telnet-disabled",
		name: "Telnet to the fabric is disabled",
		description: "Telnet sends passwords without encryption.",
		sources: [SECURITY, BASIC],
		severity: "warning",
		query: getQuery("commTelnet"),
		check: iterateRows([["adminSt", "eq", "disabled"]]),
	},
	{
		key: "http-disabled",
		name: "HTTP to the controllers is disabled",
		description: "The API over HTTP sends passwords and tokens without encryption.",
		sources: [SECURITY, BASIC],
		severity: "warning",
		query: getQuery("commHttp"),
		check: iterateRows([["adminSt", "eq", "disabled"]]),
	},
	{
		key: "backups-configured",
		name: "The configuration is exported",
		description: "There is at least one export policy.",
		sources: [BASIC, UPGRADE],
		severity: "warning",
		query: getQuery("configExportP"),
		check: { type: "row_count", config: { operator: "ge", value: 1 }, for_runs: 1 },
	},
	{
		key: "backups-succeed",
		name: "No export of the configuration failed",
		description: "The controller keeps the jobs of its export policies for some time.",
		sources: [BASIC, MODEL],
		severity: "warning",
		query: getQuery("configJob", [["operSt", "eq", "failed"]]),
		check: buildNoRows(),
	},
];
