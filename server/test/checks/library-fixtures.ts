/** Objects with which each check of the library holds, and with which it does not. */
interface Fixture {
	readonly passing: readonly LabObject[];
	readonly failing: readonly LabObject[];
	readonly violations: number;
}
type LabObject = Readonly<Record<string, { readonly attributes: Readonly<Record<string, string>> }>>;
type Attributes = Readonly<Record<string, string>>;

const object = (className: string, dn: string, attributes: Attributes = {}): LabObject => ({
	[className]: { attributes: { dn, ...attributes } },
});
/** One object that is right in the one fabric and wrong in the other. */
const either = (
	className: string,
	dn: string,
	right: Attributes,
	wrong: Attributes,
	more: Attributes = {},
): Fixture => ({
	passing: [object(className, dn, { ...more, ...right })],
	failing: [object(className, dn, { ...more, ...wrong })],
	violations: 1,
});
/** A related object that is there in the one fabric only. */
const related = (parent: LabObject, child: LabObject): Fixture => ({
	passing: [parent, child],
	failing: [parent],
	violations: 1,
});

const LEAF = "topology/pod-1/node-101";
const PORT = `${LEAF}/sys/phys-[eth1/1]`;
const fault = (attributes: Attributes) =>
	object("faultInst", `${PORT}/phys/fault-F0532`, { code: "F0532", severity: "minor", ack: "no", ...attributes });
const relation = (className: string, dn: string): Fixture =>
	either(className, dn, { state: "formed" }, { state: "missing-target" });
const member = (id: number, attributes: Attributes): LabObject =>
	object("infraWiNode", `topology/pod-1/node-1/av/node-${id}`, {
		id: String(id),
		health: "fully-fit",
		operSt: "available",
		...attributes,
	});
const firmware = (className: string, node: number, version: string): LabObject =>
	object(className, `topology/pod-1/node-${node}/sys/${className}`, { version });
const address = (mac: string, addr: string, vrf: string): LabObject =>
	object("fvIp", `uni/tn-a/ap-b/epg-c/cep-${mac}/ip-[${addr}]`, { addr, vrfDn: `uni/tn-a/ctx-${vrf}` });
const block = (pool: string): LabObject =>
	object("fvnsEncapBlk", `uni/infra/vlanns-[${pool}]-static/from-[vlan-10]-to-[vlan-19]`, {
		from: "vlan-10",
		to: "vlan-19",
	});
const BD = object("fvBD", "uni/tn-a/BD-b", { name: "b", unicastRoute: "yes", limitIpLearnToSubnets: "yes" });
const EPG = object("fvAEPg", "uni/tn-a/ap-b/epg-c", { name: "c", isAttrBasedEPg: "no" });
const CONTRACT = object("vzBrCP", "uni/tn-a/brc-web", { name: "web" });
const SUBJECT = object("vzSubj", "uni/tn-a/brc-web/subj-http", { name: "http" });
const FILTER = object("vzFilter", "uni/tn-a/flt-http", { name: "http" });
const PROVIDER = object("vzRtProv", "uni/tn-a/brc-web/rtfvProv-[uni/tn-a/ap-b/epg-c]", { tDn: "uni/tn-a/ap-b/epg-c" });
const CONSUMER = object("vzRtCons", "uni/tn-a/brc-web/rtfvCons-[uni/tn-a/ap-b/epg-d]", { tDn: "uni/tn-a/ap-b/epg-d" });

export const FIXTURES: Readonly<Record<string, Fixture>> = {
	"critical-faults": { passing: [fault({})], failing: [fault({ severity: "critical" })], violations: 1 },
	"major-faults-acknowledged": {
		passing: [fault({ severity: "major", ack: "yes" }), fault({})],
		failing: [fault({ severity: "major" })],
		violations: 1,
	},
	"encap-conflicts": {
		passing: [fault({})],
		failing: [object("faultInst", "uni/tn-a/ap-b/epg-c/fault-F0467", { code: "F0467", severity: "minor" })],
		violations: 1,
	},
	"fabric-health": either("fabricHealthTotal", "topology/health", { cur: "100" }, { cur: "89" }),
	"controllers-fully-fit": {
		passing: [member(1, {}), member(2, {})],
		failing: [member(1, {}), member(2, { health: "data-layer-partially-diverged" })],
		violations: 1,
	},
	"controllers-available": {
		passing: [member(1, {}), member(2, {})],
		failing: [member(1, {}), member(2, { operSt: "unavailable" })],
		violations: 1,
	},
	"switches-active": {
		passing: [
			object("fabricNode", LEAF, { role: "leaf", fabricSt: "active" }),
			object("fabricNode", "topology/pod-1/node-1", { role: "controller", fabricSt: "unknown" }),
		],
		failing: [object("fabricNode", LEAF, { role: "leaf", fabricSt: "inactive" })],
		violations: 1,
	},
	"switch-firmware-same": {
		passing: [101, 102].map((node) => firmware("firmwareRunning", node, "n9000-16.0(9c)")),
		failing: [101, 102].map((node) => firmware("firmwareRunning", node, `n9000-16.0(${node})`)),
		violations: 1,
	},
	"controller-firmware-same": {
		passing: [1, 2].map((node) => firmware("firmwareCtrlrRunning", node, "6.0(9c)")),
		failing: [1, 2].map((node) => firmware("firmwareCtrlrRunning", node, `6.0(${node}c)`)),
		violations: 1,
	},
	"node-names-unique": {
		passing: [101, 102].map((id) => object("fabricNode", `topology/pod-1/node-${id}`, { name: `leaf-${id}` })),
		failing: [101, 102].map((id) => object("fabricNode", `topology/pod-1/node-${id}`, { name: "leaf" })),
		violations: 2,
	},
	"switches-registered": either("dhcpClient", "client-[FDO1]", { nodeId: "101" }, { nodeId: "0" }),
	"ports-error-disabled": either(
		"ethpmPhysIf",
		`${PORT}/phys`,
		{ operSt: "up", operStQual: "none" },
		{ operSt: "down", operStQual: "mcp-loop-err-disabled" },
	),
	"fabric-ports-up": {
		passing: [
			object("ethpmPhysIf", `${PORT}/phys`, { usage: "fabric", operSt: "up" }),
			object("ethpmPhysIf", `${LEAF}/sys/phys-[eth1/2]/phys`, { usage: "epg", operSt: "down" }),
		],
		failing: [object("ethpmPhysIf", `${PORT}/phys`, { usage: "fabric,fabric-ext", operSt: "down" })],
		violations: 1,
	},
	"cabling-valid": either(
		"lldpIf",
		`${LEAF}/sys/lldp/inst/if-[eth1/1]`,
		{ wiringIssues: "" },
		{ wiringIssues: "ctrlr-uuid-mismatch" },
	),
	"port-crc-errors": either(
		"rmonEtherStats",
		`${PORT}/dbgEtherStats`,
		{ cRCAlignErrors: "0" },
		{ cRCAlignErrors: "12" },
	),
	"power-supplies-ok": either("eqptPsu", `${LEAF}/sys/ch/psuslot-1/psu`, { operSt: "ok" }, { operSt: "shut" }),
	"fan-trays-ok": either("eqptFt", `${LEAF}/sys/ch/ftslot-1/ft`, { operSt: "ok" }, { operSt: "fail" }),
	"controller-storage": either(
		"eqptStorage",
		"topology/pod-1/node-1/sys/ch/p-[/data2]-f-[/dev/mapper/vg-data2]",
		{ capUtilized: "9" },
		{ capUtilized: "75" },
	),
	"clocks-synchronized": either(
		"datetimeClkPol",
		`${LEAF}/sys/time`,
		{ srvStatus: "synced_remote_server" },
		{ srvStatus: "unsynced" },
	),
	"key-rings-not-expiring": either(
		"pkiKeyRing",
		"uni/userext/pkiext/keyring-web",
		{ expState: "active" },
		{ expState: "expiring" },
		{ name: "web", certValidUntil: "2026-12-24T00:00:00.000+00:00" },
	),
	"certificate-authorities-not-expiring": either(
		"pkiTP",
		"uni/userext/pkiext/tp-corporate",
		{ expState: "active" },
		{ expState: "expired" },
		{ name: "corporate", certValidUntil: "2026-11-01T00:00:00.000+00:00" },
	),
	"bgp-peers-established": either(
		"bgpPeerEntry",
		`${LEAF}/sys/bgp/inst/dom-overlay-1/peer-[10.0.0.1/32]/ent-[10.0.0.1]`,
		{ operSt: "established" },
		{ operSt: "idle" },
	),
	"ospf-adjacencies-full": either(
		"ospfAdjEp",
		`${LEAF}/sys/ospf/inst-default/dom-a:b/if-[vlan1]/adj-10.0.0.1`,
		{ operSt: "full" },
		{ operSt: "exchange-start" },
	),
	"isis-adjacencies-up": either(
		"isisAdjEp",
		`${LEAF}/sys/isis/inst-default/dom-overlay-1/if-[eth1/49.1]/adj-A`,
		{ operSt: "up" },
		{ operSt: "initializing" },
	),
	"vpc-peers-up": {
		passing: [object("vpcDom", `${LEAF}/sys/vpc/inst/dom-1`, { peerSt: "up", compatSt: "pass" })],
		failing: [
			object("vpcDom", `${LEAF}/sys/vpc/inst/dom-1`, { peerSt: "down", compatSt: "pass" }),
			object("vpcDom", "topology/pod-1/node-102/sys/vpc/inst/dom-1", { peerSt: "up", compatSt: "fail" }),
		],
		violations: 2,
	},
	"routed-bds-have-subnets": related(
		BD,
		object("fvSubnet", "uni/tn-a/BD-b/subnet-[10.0.0.1/24]", { ip: "10.0.0.1/24" }),
	),
	"bds-have-vrf": relation("fvRsCtx", "uni/tn-a/BD-b/rsctx"),
	"bds-limit-ip-learning": either(
		"fvBD",
		"uni/tn-a/BD-b",
		{ limitIpLearnToSubnets: "yes" },
		{ limitIpLearnToSubnets: "no" },
	),
	"bd-configuration-valid": either("fvBD", "uni/tn-a/BD-b", { configIssues: "" }, { configIssues: "bd-config-issues" }),
	"epgs-have-bd": relation("fvRsBd", "uni/tn-a/ap-b/epg-c/rsbd"),
	"epgs-have-domain": related(
		EPG,
		object("fvRsDomAtt", "uni/tn-a/ap-b/epg-c/rsdomAtt-[uni/phys-p]", { tDn: "uni/phys-p", state: "formed" }),
	),
	"epg-domains-exist": relation("fvRsDomAtt", "uni/tn-a/ap-b/epg-c/rsdomAtt-[uni/phys-p]"),
	"epg-configuration-valid": either(
		"fvAEPg",
		"uni/tn-a/ap-b/epg-c",
		{ configIssues: "" },
		{ configIssues: "encap-assignment-issue" },
	),
	"static-ports-deployed": relation(
		"fvRsPathAtt",
		"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]",
	),
	"contracts-provided": {
		passing: [CONTRACT, PROVIDER, CONSUMER],
		failing: [CONTRACT, PROVIDER, object("vzBrCP", "uni/tn-a/brc-unused", { name: "unused" })],
		violations: 2,
	},
	"contracts-have-filters": {
		passing: [
			CONTRACT,
			SUBJECT,
			object("vzRsSubjFiltAtt", "uni/tn-a/brc-web/subj-http/rssubjFiltAtt-http", { tnVzFilterName: "http" }),
		],
		failing: [CONTRACT, SUBJECT],
		violations: 1,
	},
	"contract-filters-exist": relation("vzRsSubjFiltAtt", "uni/tn-a/brc-web/subj-http/rssubjFiltAtt-http"),
	"filters-have-entries": related(FILTER, object("vzEntry", "uni/tn-a/flt-http/e-80", { name: "80" })),
	"vrfs-enforce-contracts": either("fvCtx", "uni/tn-a/ctx-v", { pcEnfPref: "enforced" }, { pcEnfPref: "unenforced" }),
	"l3outs-have-vrf": relation("l3extRsEctx", "uni/tn-a/out-wan/rsectx"),
	"endpoint-addresses-unique": {
		passing: [address("A", "10.0.0.1", "v"), address("B", "10.0.0.1", "w"), address("B", "10.0.0.2", "v")],
		failing: [address("A", "10.0.0.1", "v"), address("B", "10.0.0.1", "v")],
		violations: 2,
	},
	"aaeps-have-domain": related(
		object("infraAttEntityP", "uni/infra/attentp-a", { name: "a" }),
		object("infraRsDomP", "uni/infra/attentp-a/rsdomP-[uni/phys-p]", { tDn: "uni/phys-p" }),
	),
	"physical-domains-have-vlans": related(
		object("physDomP", "uni/phys-p", { name: "p" }),
		object("infraRsVlanNs", "uni/phys-p/rsvlanNs", { tDn: "uni/infra/vlanns-[a]-static" }),
	),
	"port-groups-have-aaep": related(
		object("infraAccPortGrp", "uni/infra/funcprof/accportgrp-g", { name: "g" }),
		object("infraRsAttEntP", "uni/infra/funcprof/accportgrp-g/rsattEntP", { tDn: "uni/infra/attentp-a" }),
	),
	"vlan-ranges-unique": { passing: [block("a")], failing: [block("a"), block("b")], violations: 2 },
	"mcp-enabled": either("mcpInstPol", "uni/infra/mcpInstP-default", { adminSt: "enabled" }, { adminSt: "disabled" }),
	"rogue-endpoint-control-enabled": either(
		"epControlP",
		"uni/infra/epCtrlP-default",
		{ adminSt: "enabled" },
		{ adminSt: "disabled" },
	),
	"ip-aging-enabled": either(
		"epIpAgingP",
		"uni/infra/ipAgingP-default",
		{ adminSt: "enabled" },
		{ adminSt: "disabled" },
	),
	"subnet-check-enforced": either(
		"infraSetPol",
		"uni/infra/settings",
		{ enforceSubnetCheck: "yes", domainValidation: "yes" },
		{ enforceSubnetCheck: "yes", domainValidation: "no" },
	),
	"coop-strict": either("coopPol", "uni/fabric/pol-default", { type: "strict" }, { type: "compatible" }),
	"snmp-community-not-public": {
		passing: [object("snmpCommunityP", "uni/fabric/snmppol-a/community-x7", { name: "x7" })],
		failing: [object("snmpCommunityP", "uni/fabric/snmppol-a/community-public", { name: "public" })],
		violations: 1,
	},
	"telnet-disabled": either(
		"commTelnet",
		"uni/fabric/comm-default/telnet",
		{ adminSt: "disabled" },
		{ adminSt: "enabled" },
	),
	"http-disabled": either("commHttp", "uni/fabric/comm-default/http", { adminSt: "disabled" }, { adminSt: "enabled" }),
	"backups-configured": {
		passing: [object("configExportP", "uni/fabric/configexp-daily", { name: "daily" })],
		failing: [],
		violations: 1,
	},
	"backups-succeed": either(
		"configJob",
		"uni/backupst/jobs-[uni/fabric/configexp-daily]/run-2026-01-15T03-00-00",
		{ operSt: "success" },
		{ operSt: "failed" },
	),
};
