/** Objects with which each check of the library holds, and with which it does not. */
interface Fixture {
	readonly passing: readonly LabObject[];
	readonly failing: readonly LabObject[];
	readonly violations: number;
}
type LabObject = Readonly<Record<string, { readonly attributes: Readonly<Record<string, string>> }>>;
type Attributes = Readonly<Record<string, string>>;

const createObject = (className: string, dn: string, attributes: Attributes = {}): LabObject => ({
	[className]: { attributes: { dn, ...attributes } },
});
/** One object that is right in the one fabric and wrong in the other. */
const createValueFixture = (
	className: string,
	dn: string,
	right: Attributes,
	wrong: Attributes,
	more: Attributes = {},
): Fixture => ({
	passing: [createObject(className, dn, { ...more, ...right })],
	failing: [createObject(className, dn, { ...more, ...wrong })],
	violations: 1,
});
/** A related object that is there in the one fabric only. */
const createChildFixture = (parent: LabObject, child: LabObject): Fixture => ({
	passing: [parent, child],
	failing: [parent],
	violations: 1,
});

const LEAF = "topology/pod-1/node-101";
const PORT = `${LEAF}/sys/phys-[eth1/1]`;
const createFault = (attributes: Attributes) =>
	createObject("faultInst", `${PORT}/phys/fault-F0532`, { code: "F0532", severity: "minor", ack: "no", ...attributes });
const createRelationFixture = (className: string, dn: string): Fixture =>
	createValueFixture(className, dn, { state: "formed" }, { state: "missing-target" });
const createMember = (id: number, attributes: Attributes): LabObject =>
	createObject("infraWiNode", `topology/pod-1/node-1/av/node-${id}`, {
		id: String(id),
		health: "fully-fit",
		operSt: "available",
		...attributes,
	});
const createFirmware = (className: string, node: number, version: string): LabObject =>
	createObject(className, `topology/pod-1/node-${node}/sys/${className}`, { version });
const createAddress = (mac: string, addr: string, vrf: string): LabObject =>
	createObject("fvIp", `uni/tn-a/ap-b/epg-c/cep-${mac}/ip-[${addr}]`, { addr, vrfDn: `uni/tn-a/ctx-${vrf}` });
const createVlanBlock = (pool: string): LabObject =>
	createObject("fvnsEncapBlk", `uni/infra/vlanns-[${pool}]-static/from-[vlan-10]-to-[vlan-19]`, {
		from: "vlan-10",
		to: "vlan-19",
	});
const BD = createObject("fvBD", "uni/tn-a/BD-b", { name: "b", unicastRoute: "yes", limitIpLearnToSubnets: "yes" });
const EPG = createObject("fvAEPg", "uni/tn-a/ap-b/epg-c", { name: "c", isAttrBasedEPg: "no" });
const CONTRACT = createObject("vzBrCP", "uni/tn-a/brc-web", { name: "web" });
const SUBJECT = createObject("vzSubj", "uni/tn-a/brc-web/subj-http", { name: "http" });
const FILTER = createObject("vzFilter", "uni/tn-a/flt-http", { name: "http" });
const PROVIDER = createObject("vzRtProv", "uni/tn-a/brc-web/rtfvProv-[uni/tn-a/ap-b/epg-c]", {
	tDn: "uni/tn-a/ap-b/epg-c",
});
const CONSUMER = createObject("vzRtCons", "uni/tn-a/brc-web/rtfvCons-[uni/tn-a/ap-b/epg-d]", {
	tDn: "uni/tn-a/ap-b/epg-d",
});

export const FIXTURES: Readonly<Record<string, Fixture>> = {
	"critical-faults": { passing: [createFault({})], failing: [createFault({ severity: "critical" })], violations: 1 },
	"major-faults-acknowledged": {
		passing: [createFault({ severity: "major", ack: "yes" }), createFault({})],
		failing: [createFault({ severity: "major" })],
		violations: 1,
	},
	"encap-conflicts": {
		passing: [createFault({})],
		failing: [createObject("faultInst", "uni/tn-a/ap-b/epg-c/fault-F0467", { code: "F0467", severity: "minor" })],
		violations: 1,
	},
	"fabric-health": createValueFixture("fabricHealthTotal", "topology/health", { cur: "100" }, { cur: "89" }),
	"controllers-fully-fit": {
		passing: [createMember(1, {}), createMember(2, {})],
		failing: [createMember(1, {}), createMember(2, { health: "data-layer-partially-diverged" })],
		violations: 1,
	},
	"controllers-available": {
		passing: [createMember(1, {}), createMember(2, {})],
		failing: [createMember(1, {}), createMember(2, { operSt: "unavailable" })],
		violations: 1,
	},
	"switches-active": {
		passing: [
			createObject("fabricNode", LEAF, { role: "leaf", fabricSt: "active" }),
			createObject("fabricNode", "topology/pod-1/node-1", { role: "controller", fabricSt: "unknown" }),
		],
		failing: [createObject("fabricNode", LEAF, { role: "leaf", fabricSt: "inactive" })],
		violations: 1,
	},
	"switch-firmware-same": {
		passing: [101, 102].map((node) => createFirmware("firmwareRunning", node, "n9000-16.0(9c)")),
		failing: [101, 102].map((node) => createFirmware("firmwareRunning", node, `n9000-16.0(${node})`)),
		violations: 1,
	},
	"controller-firmware-same": {
		passing: [1, 2].map((node) => createFirmware("firmwareCtrlrRunning", node, "6.0(9c)")),
		failing: [1, 2].map((node) => createFirmware("firmwareCtrlrRunning", node, `6.0(${node}c)`)),
		violations: 1,
	},
	"node-names-unique": {
		passing: [101, 102].map((id) => createObject("fabricNode", `topology/pod-1/node-${id}`, { name: `leaf-${id}` })),
		failing: [101, 102].map((id) => createObject("fabricNode", `topology/pod-1/node-${id}`, { name: "leaf" })),
		violations: 2,
	},
	"switches-registered": createValueFixture("dhcpClient", "client-[FDO1]", { nodeId: "101" }, { nodeId: "0" }),
	"ports-error-disabled": createValueFixture(
		"ethpmPhysIf",
		`${PORT}/phys`,
		{ operSt: "up", operStQual: "none" },
		{ operSt: "down", operStQual: "mcp-loop-err-disabled" },
	),
	"fabric-ports-up": {
		passing: [
			createObject("ethpmPhysIf", `${PORT}/phys`, { usage: "fabric", operSt: "up" }),
			createObject("ethpmPhysIf", `${LEAF}/sys/phys-[eth1/2]/phys`, { usage: "epg", operSt: "down" }),
		],
		failing: [createObject("ethpmPhysIf", `${PORT}/phys`, { usage: "fabric,fabric-ext", operSt: "down" })],
		violations: 1,
	},
	"cabling-valid": createValueFixture(
		"lldpIf",
		`${LEAF}/sys/lldp/inst/if-[eth1/1]`,
		{ wiringIssues: "" },
		{ wiringIssues: "ctrlr-uuid-mismatch" },
	),
	"port-crc-errors": createValueFixture(
		"rmonEtherStats",
		`${PORT}/dbgEtherStats`,
		{ cRCAlignErrors: "0" },
		{ cRCAlignErrors: "12" },
	),
	"power-supplies-ok": createValueFixture(
		"eqptPsu",
		`${LEAF}/sys/ch/psuslot-1/psu`,
		{ operSt: "ok" },
		{ operSt: "shut" },
	),
	"fan-trays-ok": createValueFixture("eqptFt", `${LEAF}/sys/ch/ftslot-1/ft`, { operSt: "ok" }, { operSt: "fail" }),
	"controller-storage": createValueFixture(
		"eqptStorage",
		"topology/pod-1/node-1/sys/ch/p-[/data2]-f-[/dev/mapper/vg-data2]",
		{ capUtilized: "9" },
		{ capUtilized: "75" },
	),
	"clocks-synchronized": createValueFixture(
		"datetimeClkPol",
		`${LEAF}/sys/time`,
		{ srvStatus: "synced_remote_server" },
		{ srvStatus: "unsynced" },
	),
	"key-rings-not-expiring": createValueFixture(
		"pkiKeyRing",
		"uni/userext/pkiext/keyring-web",
		{ expState: "active" },
		{ expState: "expiring" },
		{ name: "web", certValidUntil: "2026-12-24T00:00:00.000+00:00" },
	),
	"certificate-authorities-not-expiring": createValueFixture(
		"pkiTP",
		"uni/userext/pkiext/tp-corporate",
		{ expState: "active" },
		{ expState: "expired" },
		{ name: "corporate", certValidUntil: "2026-11-01T00:00:00.000+00:00" },
	),
	"bgp-peers-established": createValueFixture(
		"bgpPeerEntry",
		`${LEAF}/sys/bgp/inst/dom-overlay-1/peer-[10.0.0.1/32]/ent-[10.0.0.1]`,
		{ operSt: "established" },
		{ operSt: "idle" },
	),
	"ospf-adjacencies-full": createValueFixture(
		"ospfAdjEp",
		`${LEAF}/sys/ospf/inst-default/dom-a:b/if-[vlan1]/adj-10.0.0.1`,
		{ operSt: "full" },
		{ operSt: "exchange-start" },
	),
	"isis-adjacencies-up": createValueFixture(
		"isisAdjEp",
		`${LEAF}/sys/isis/inst-default/dom-overlay-1/if-[eth1/49.1]/adj-A`,
		{ operSt: "up" },
		{ operSt: "initializing" },
	),
	"vpc-peers-up": {
		passing: [createObject("vpcDom", `${LEAF}/sys/vpc/inst/dom-1`, { peerSt: "up", compatSt: "pass" })],
		failing: [
			createObject("vpcDom", `${LEAF}/sys/vpc/inst/dom-1`, { peerSt: "down", compatSt: "pass" }),
			createObject("vpcDom", "topology/pod-1/node-102/sys/vpc/inst/dom-1", { peerSt: "up", compatSt: "fail" }),
		],
		violations: 2,
	},
	"routed-bds-have-subnets": createChildFixture(
		BD,
		createObject("fvSubnet", "uni/tn-a/BD-b/subnet-[10.0.0.1/24]", { ip: "10.0.0.1/24" }),
	),
	"bds-have-vrf": createRelationFixture("fvRsCtx", "uni/tn-a/BD-b/rsctx"),
	"bds-limit-ip-learning": createValueFixture(
		"fvBD",
		"uni/tn-a/BD-b",
		{ limitIpLearnToSubnets: "yes" },
		{ limitIpLearnToSubnets: "no" },
	),
	"bd-configuration-valid": createValueFixture(
		"fvBD",
		"uni/tn-a/BD-b",
		{ configIssues: "" },
		{ configIssues: "bd-config-issues" },
	),
	"epgs-have-bd": createRelationFixture("fvRsBd", "uni/tn-a/ap-b/epg-c/rsbd"),
	"epgs-have-domain": createChildFixture(
		EPG,
		createObject("fvRsDomAtt", "uni/tn-a/ap-b/epg-c/rsdomAtt-[uni/phys-p]", { tDn: "uni/phys-p", state: "formed" }),
	),
	"epg-domains-exist": createRelationFixture("fvRsDomAtt", "uni/tn-a/ap-b/epg-c/rsdomAtt-[uni/phys-p]"),
	"epg-configuration-valid": createValueFixture(
		"fvAEPg",
		"uni/tn-a/ap-b/epg-c",
		{ configIssues: "" },
		{ configIssues: "encap-assignment-issue" },
	),
	"static-ports-deployed": createRelationFixture(
		"fvRsPathAtt",
		"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]",
	),
	"contracts-provided": {
		passing: [CONTRACT, PROVIDER, CONSUMER],
		failing: [CONTRACT, PROVIDER, createObject("vzBrCP", "uni/tn-a/brc-unused", { name: "unused" })],
		violations: 2,
	},
	"contracts-have-filters": {
		passing: [
			CONTRACT,
			SUBJECT,
			createObject("vzRsSubjFiltAtt", "uni/tn-a/brc-web/subj-http/rssubjFiltAtt-http", { tnVzFilterName: "http" }),
		],
		failing: [CONTRACT, SUBJECT],
		violations: 1,
	},
	"contract-filters-exist": createRelationFixture("vzRsSubjFiltAtt", "uni/tn-a/brc-web/subj-http/rssubjFiltAtt-http"),
	"filters-have-entries": createChildFixture(FILTER, createObject("vzEntry", "uni/tn-a/flt-http/e-80", { name: "80" })),
	"vrfs-enforce-contracts": createValueFixture(
		"fvCtx",
		"uni/tn-a/ctx-v",
		{ pcEnfPref: "enforced" },
		{ pcEnfPref: "unenforced" },
	),
	"l3outs-have-vrf": createRelationFixture("l3extRsEctx", "uni/tn-a/out-wan/rsectx"),
	"endpoint-addresses-unique": {
		passing: [
			createAddress("A", "10.0.0.1", "v"),
			createAddress("B", "10.0.0.1", "w"),
			createAddress("B", "10.0.0.2", "v"),
		],
		failing: [createAddress("A", "10.0.0.1", "v"), createAddress("B", "10.0.0.1", "v")],
		violations: 2,
	},
	"aaeps-have-domain": createChildFixture(
		createObject("infraAttEntityP", "uni/infra/attentp-a", { name: "a" }),
		createObject("infraRsDomP", "uni/infra/attentp-a/rsdomP-[uni/phys-p]", { tDn: "uni/phys-p" }),
	),
	"physical-domains-have-vlans": createChildFixture(
		createObject("physDomP", "uni/phys-p", { name: "p" }),
		createObject("infraRsVlanNs", "uni/phys-p/rsvlanNs", { tDn: "uni/infra/vlanns-[a]-static" }),
	),
	"port-groups-have-aaep": createChildFixture(
		createObject("infraAccPortGrp", "uni/infra/funcprof/accportgrp-g", { name: "g" }),
		createObject("infraRsAttEntP", "uni/infra/funcprof/accportgrp-g/rsattEntP", { tDn: "uni/infra/attentp-a" }),
	),
	"vlan-ranges-unique": {
		passing: [createVlanBlock("a")],
		failing: [createVlanBlock("a"), createVlanBlock("b")],
		violations: 2,
	},
	"mcp-enabled": createValueFixture(
		"mcpInstPol",
		"uni/infra/mcpInstP-default",
		{ adminSt: "enabled" },
		{ adminSt: "disabled" },
	),
	"rogue-endpoint-control-enabled": createValueFixture(
		"epControlP",
		"uni/infra/epCtrlP-default",
		{ adminSt: "enabled" },
		{ adminSt: "disabled" },
	),
	"ip-aging-enabled": createValueFixture(
		"epIpAgingP",
		"uni/infra/ipAgingP-default",
		{ adminSt: "enabled" },
		{ adminSt: "disabled" },
	),
	"subnet-check-enforced": createValueFixture(
		"infraSetPol",
		"uni/infra/settings",
		{ enforceSubnetCheck: "yes", domainValidation: "yes" },
		{ enforceSubnetCheck: "yes", domainValidation: "no" },
	),
	"coop-strict": createValueFixture("coopPol", "uni/fabric/pol-default", { type: "strict" }, { type: "compatible" }),
	"snmp-community-not-public": {
		passing: [createObject("snmpCommunityP", "uni/fabric/snmppol-a/community-x7", { name: "x7" })],
		failing: [createObject("snmpCommunityP", "uni/fabric/snmppol-a/community-public", { name: "public" })],
		violations: 1,
	},
	"telnet-disabled": createValueFixture(
		"commTelnet",
		"uni/fabric/comm-default/telnet",
		{ adminSt: "disabled" },
		{ adminSt: "enabled" },
	),
	"http-disabled": createValueFixture(
		"commHttp",
		"uni/fabric/comm-default/http",
		{ adminSt: "disabled" },
		{ adminSt: "enabled" },
	),
	"backups-configured": {
		passing: [createObject("configExportP", "uni/fabric/configexp-daily", { name: "daily" })],
		failing: [],
		violations: 1,
	},
	"backups-succeed": createValueFixture(
		"configJob",
		"uni/backupst/jobs-[uni/fabric/configexp-daily]/run-2026-01-15T03-00-00",
		{ operSt: "success" },
		{ operSt: "failed" },
	),
};
