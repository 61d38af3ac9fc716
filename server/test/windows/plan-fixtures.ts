/** Fabrics on which the plans that ship hold, and on which each of their items fails. */
import type { PlanTemplate } from "../../src/areas/windows/rules/plan-templates/template.ts";
import { FIXTURES } from "../checks/library-fixtures.ts";
import type { LabObject } from "../support/windows.ts";

type Attributes = Readonly<Record<string, string>>;
/** Class and attributes by DN. */
type Fabric = ReadonlyMap<string, readonly [className: string, attributes: Attributes]>;

const LEAF = "topology/pod-1/node-101";
const EPG = "uni/tn-plan/ap-a/epg-web";
const OUT = "uni/tn-plan/out-wan";
const PATHS = `${LEAF}/sys/bgp/inst/dom-plan/peer-[10.9.0.1/32]/ent-[10.9.0.1]/af-[ipv4-ucast]`;

/** An object of each class that the plans compare. */
const OBJECTS: readonly (readonly [className: string, dn: string, attributes?: Attributes])[] = [
	["fabricNode", "topology/pod-1/node-201", { name: "leaf-201", role: "leaf", fabricSt: "active" }],
	["fabricLink", "topology/pod-1/lnkcnt-201/lnk-101-1-49-to-201-1-1", { linkState: "ok", operSt: "up" }],
	["ethpmPhysIf", `${LEAF}/sys/phys-[eth1/7]/phys`, { operSt: "up", operStQual: "none", operSpeed: "10G" }],
	["vpcIf", `${LEAF}/sys/vpc/inst/dom-7/if-343`, { name: "vpc-a", localOperSt: "up" }],
	[
		"bgpPeerEntry",
		`${LEAF}/sys/bgp/inst/dom-plan/peer-[10.9.0.1/32]/ent-[10.9.0.1]`,
		{ addr: "10.9.0.1", operSt: "established", type: "ebgp" },
	],
	["bgpPeerAfEntry", PATHS, { acceptedPaths: "100", type: "ipv4-ucast" }],
	[
		"ospfAdjEp",
		`${LEAF}/sys/ospf/inst-default/dom-plan/if-[vlan7]/adj-10.9.0.2`,
		{ operSt: "full", peerIp: "10.9.0.2" },
	],
	["uribv4Route", `${LEAF}/sys/uribv4/dom-plan/db-rt/rt-[10.9.0.0/24]`, { prefix: "10.9.0.0/24" }],
	["lldpAdjEp", `${LEAF}/sys/lldp/inst/if-[eth1/7]/adj-1`, { sysName: "server-7", portIdV: "eth0" }],
	["firmwareRunning", `${LEAF}/sys/fwstatuscont/running`, { version: "n9000-16.0(9c)", type: "switch" }],
	["firmwareCtrlrRunning", "topology/pod-1/node-1/sys/ctrlrfwstatuscont/ctrlrrunning", { version: "6.0(9c)" }],
	["fvTenant", "uni/tn-plan", { name: "plan" }],
	["fvCtx", "uni/tn-plan/ctx-main", { name: "main" }],
	["fvBD", "uni/tn-plan/BD-web", { name: "web", arpFlood: "no", configIssues: "" }],
	["fvSubnet", "uni/tn-plan/BD-web/subnet-[10.8.0.1/24]", { ip: "10.8.0.1/24" }],
	["fvAp", "uni/tn-plan/ap-a", { name: "a" }],
	["fvAEPg", EPG, { name: "web", configIssues: "" }],
	["fvCEp", `${EPG}/cep-00:00:00:00:00:01`, { mac: "00:00:00:00:00:01", epgDn: EPG }],
	["fvRsDomAtt", `${EPG}/rsdomAtt-[uni/phys-plan]`, { tDn: "uni/phys-plan", state: "formed" }],
	["fvRsPathAtt", `${EPG}/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/7]]`, { encap: "vlan-7" }],
	["fvRsProv", `${EPG}/rsprov-web`, { tnVzBrCPName: "web" }],
	["fvRsCons", `${EPG}/rscons-web`, { tnVzBrCPName: "web" }],
	["vzBrCP", "uni/tn-plan/brc-web", { name: "web" }],
	["vzRtProv", `uni/tn-plan/brc-web/rtfvProv-[${EPG}]`, { tDn: EPG }],
	["vzRtCons", `uni/tn-plan/brc-web/rtfvCons-[${EPG}]`, { tDn: EPG }],
	["vzSubj", "uni/tn-plan/brc-web/subj-http", { name: "http" }],
	["vzRsSubjFiltAtt", "uni/tn-plan/brc-web/subj-http/rssubjFiltAtt-http", { tnVzFilterName: "http", state: "formed" }],
	["vzFilter", "uni/tn-plan/flt-http", { name: "http" }],
	["vzEntry", "uni/tn-plan/flt-http/e-80", { name: "80" }],
	["actrlRule", `${LEAF}/sys/actrl/scope-7/rule-7-s-1-d-2-f-3`, { scopeId: "7" }],
	["l3extOut", OUT, { name: "wan" }],
	["l3extInstP", `${OUT}/instP-all`, { name: "all" }],
	["l3extSubnet", `${OUT}/instP-all/extsubnet-[0.0.0.0/0]`, { ip: "0.0.0.0/0", scope: "import-security" }],
	[
		"l3extRsPathL3OutAtt",
		`${OUT}/lnodep-n/lifp-i/rspathL3OutAtt-[topology/pod-1/paths-101/pathep-[eth1/8]]`,
		{ addr: "10.9.0.3/30" },
	],
	["ipRouteP", `${OUT}/lnodep-n/rsnodeL3OutAtt-[${LEAF}]/rt-[10.7.0.0/16]`, { ip: "10.7.0.0/16" }],
	["vmmDomP", "uni/vmmp-VMware/dom-v", { name: "v" }],
	["vmmCtrlrP", "uni/vmmp-VMware/dom-v/ctrlr-vc", { name: "vc", hostOrIp: "10.1.1.1" }],
	["compCtrlr", "comp/prov-VMware/ctrlr-[v]-vc", { name: "vc", operSt: "online" }],
	["fvnsVlanInstP", "uni/infra/vlanns-[plan]-static", { name: "plan" }],
	["infraAttEntityP", "uni/infra/attentp-plan", { name: "plan" }],
	["infraRsDomP", "uni/infra/attentp-plan/rsdomP-[uni/phys-plan]", { tDn: "uni/phys-plan" }],
];

/** Classes of objects without which the others are not right; no plan compares them. */
const SUPPORTING = new Set(["vzRtProv", "vzRtCons", "vzFilter", "infraRsDomP"]);
/** Fixtures that would change an object of another fixture: they change one of their own. */
const SEPARATE: Readonly<Record<string, readonly [from: string, to: string]>> = {
	"contract-filters-exist": ["tn-a/", "tn-separate/"],
	"epg-domains-exist": ["tn-a/", "tn-separate/"],
	"controllers-available": ["av/node-2", "av/node-3"],
};

function listFixture(key: string, side: "passing" | "failing"): readonly LabObject[] {
	const objects = FIXTURES[key]?.[side] ?? [];
	const names = SEPARATE[key];
	if (names === undefined) return objects;
	const moved = JSON.parse(JSON.stringify(objects).replaceAll(...names));
	return side === "passing" ? [...objects, ...moved] : moved;
}

const listChecks = ({ items }: PlanTemplate): string[] =>
	items.flatMap((item) => ("check" in item ? [item.check] : []));

/** Adds objects; those of one DN become one object with the attributes of both. */
function addObjects(fabric: Map<string, readonly [string, Attributes]>, objects: readonly LabObject[]): void {
	for (const object of objects)
		for (const [className, { attributes }] of Object.entries(object)) {
			const { dn = "", ...others } = attributes;
			fabric.set(dn, [className, { ...fabric.get(dn)?.[1], ...others }]);
		}
}

/** Everything that the plan looks at, as it should be. */
export function buildRightFabric(template: PlanTemplate): Fabric {
	const fabric = new Map<string, readonly [string, Attributes]>(
		OBJECTS.map(([className, dn, attributes = {}]) => [dn, [className, attributes]]),
	);
	for (const key of listChecks(template)) addObjects(fabric, listFixture(key, "passing"));
	return fabric;
}

/** Each query loses an object or has a value that it does not tolerate; each check fails. */
export function buildWrongFabric(template: PlanTemplate): Fabric {
	const fabric = new Map(buildRightFabric(template));
	for (const [className, dn] of OBJECTS) if (!SUPPORTING.has(className)) fabric.delete(dn);
	fabric.set(PATHS, ["bgpPeerAfEntry", { acceptedPaths: "50", type: "ipv4-ucast" }]);
	const failing = listChecks(template).map((key) => listFixture(key, "failing"));
	for (const key of listChecks(template))
		for (const object of listFixture(key, "passing"))
			for (const { attributes } of Object.values(object)) fabric.delete(attributes.dn ?? "");
	for (const objects of failing) addObjects(fabric, objects);
	const fault = { code: "F0999", severity: "warning", lc: "raised" };
	return fabric.set(`${LEAF}/sys/phys-[eth1/9]/phys/fault-F0999`, ["faultInst", fault]);
}

export const listObjects = (fabric: Fabric): LabObject[] =>
	[...fabric].map(([dn, [className, attributes]]) => ({ [className]: { attributes: { dn, ...attributes } } }));

/** Sets attributes of all objects of a class. */
const setAttributes = (fabric: Fabric, changed: string, attributes: Attributes): Fabric =>
	new Map(
		[...fabric].map(([dn, [className, own]]) => [
			dn,
			[className, className === changed ? { ...own, ...attributes } : own] as const,
		]),
	);
const addObject = (fabric: Fabric, className: string, dn: string, attributes: Attributes): Fabric =>
	new Map([...fabric, [dn, [className, attributes]]]);

/** The same switch with another number. */
const replaceLeaf = (fabric: Fabric): Fabric =>
	new Map(JSON.parse(JSON.stringify([...fabric]).replaceAll(/\b(node|paths|lnk)-101\b/g, "$1-103")));

interface Work {
	change(fabric: Fabric): Fabric;
	readonly expectations: readonly object[];
}

/** Work for which each plan is made, with its declaration. */
export const WORKS: Readonly<Record<string, Work>> = {
	"upgrade-fabric": {
		change: (fabric) =>
			setAttributes(setAttributes(fabric, "firmwareRunning", { version: "n9000-16.1(2f)" }), "firmwareCtrlrRunning", {
				version: "6.1(2f)",
			}),
		expectations: [],
	},
	"replace-leaf": { change: replaceLeaf, expectations: [] },
	"change-tenant": {
		change: (fabric) => addObject(fabric, "fvBD", "uni/tn-plan/BD-new", { name: "new", configIssues: "" }),
		expectations: [{ change: "added", class_name: "fvBD", dn: "uni/tn-plan/BD-new" }],
	},
	"change-l3out": {
		change: (fabric) =>
			setAttributes(
				addObject(fabric, "l3extSubnet", `${OUT}/instP-all/extsubnet-[10.0.0.0/8]`, { ip: "10.0.0.0/8" }),
				"bgpPeerAfEntry",
				{ acceptedPaths: "110" },
			),
		expectations: [{ change: "added", dn: `${OUT}/**` }],
	},
	"change-contracts": {
		change: (fabric) => addObject(fabric, "vzEntry", "uni/tn-plan/flt-http/e-443", { name: "443" }),
		expectations: [{ change: "added", class_name: "vzEntry", dn: "uni/tn-plan/flt-http/e-*" }],
	},
	"change-vmm-domain": {
		change: (fabric) => setAttributes(fabric, "vmmCtrlrP", { hostOrIp: "10.1.1.2" }),
		expectations: [
			{
				change: "modified",
				dn: "uni/vmmp-VMware/dom-v/ctrlr-vc",
				attributes: { hostOrIp: { from: "10.1.1.1", to: "10.1.1.2" } },
			},
		],
	},
};
