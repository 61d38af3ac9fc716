/**
 * Policies and containers that every fabric has from the start. Implicit relations point at the
 * default policies, and clients expect to find them.
 */
import { getParentDn, splitDn } from "../dn.ts";
import type { Builder } from "./builder.ts";

type Attributes = Readonly<Record<string, string>>;

/** Class, DN, and the attributes besides the name, which is `default` where the RN says so. */
const DEFAULTS: readonly (readonly [cls: string, dn: string, attributes: Attributes])[] = [
	["ctrlrInst", "uni/controller", {}],
	["fabricNodeIdentPol", "uni/controller/nodeidentpol", {}],
	["fabricFuncP", "uni/fabric/funcprof", {}],
	["fabricProtPol", "uni/fabric/protpol", { pairT: "explicit" }],
	["isisDomPol", "uni/fabric/isisDomP-default", { mtu: "1492", redistribMetric: "63" }],
	["coopPol", "uni/fabric/pol-default", { type: "compatible" }],
	["datetimePol", "uni/fabric/time-default", { adminSt: "enabled", authSt: "disabled" }],
	["bgpInstPol", "uni/fabric/bgpInstP-default", {}],
	["bgpAsP", "uni/fabric/bgpInstP-default/as", { asn: "65001" }],
	["bgpRRP", "uni/fabric/bgpInstP-default/rr", {}],
	["dnsProfile", "uni/fabric/dnsp-default", {}],
	["snmpPol", "uni/fabric/snmppol-default", { adminSt: "disabled" }],
	["commPol", "uni/fabric/comm-default", {}],
	["commHttps", "uni/fabric/comm-default/https", { adminSt: "enabled", port: "443" }],
	["commHttp", "uni/fabric/comm-default/http", { adminSt: "disabled", port: "80" }],
	["commSsh", "uni/fabric/comm-default/ssh", { adminSt: "enabled", port: "22" }],
	["commTelnet", "uni/fabric/comm-default/telnet", { adminSt: "disabled", port: "23" }],
	["pkiEp", "uni/userext/pkiext", {}],
	["pkiKeyRing", "uni/userext/pkiext/keyring-default", { adminSt: "completed", modulus: "mod2048" }],
	["infraSetPol", "uni/infra/settings", { enforceSubnetCheck: "no", validateOverlappingVlans: "no" }],
	["mcpInstPol", "uni/infra/mcpInstP-default", { adminSt: "disabled" }],
	["epControlP", "uni/infra/epCtrlP-default", { adminSt: "disabled" }],
	["epIpAgingP", "uni/infra/ipAgingP-default", { adminSt: "disabled" }],
	["epLoopProtectP", "uni/infra/epLoopProtectP-default", { adminSt: "disabled" }],
	["fabricHIfPol", "uni/infra/hintfpol-default", { autoNeg: "on", speed: "inherit" }],
	["mcpIfPol", "uni/infra/mcpIfP-default", { adminSt: "enabled" }],
	["stpIfPol", "uni/infra/ifPol-default", { ctrl: "" }],
	["l2IfPol", "uni/infra/l2IfP-default", { vlanScope: "global" }],
	["lacpLagPol", "uni/infra/lacplagp-default", { mode: "off" }],
	["stormctrlIfPol", "uni/infra/stormctrlifp-default", { rate: "100.000000" }],
	["igmpSnoopPol", "uni/tn-common/snPol-default", { adminSt: "enabled" }],
	["mldSnoopPol", "uni/tn-common/mldsnoopPol-default", { adminSt: "disabled" }],
	["ndIfPol", "uni/tn-common/ndifpol-default", {}],
	["fvEpRetPol", "uni/tn-common/epRPol-default", { localEpAgeIntvl: "900", remoteEpAgeIntvl: "300" }],
	["bgpCtxPol", "uni/tn-common/bgpCtxP-default", { kaIntvl: "60", holdIntvl: "180" }],
	["ospfCtxPol", "uni/tn-common/ospfCtxP-default", { bwRef: "40000" }],
	["l3extRouteTagPol", "uni/tn-common/rttag-default", { tag: "4294967295" }],
	["l3extVrfValidationPol", "uni/tn-common/vrfvalidationpol-default", {}],
	["qosCustomPol", "uni/tn-common/qoscustom-default", {}],
	["monCommonPol", "uni/fabric/moncommon", {}],
	["monFabricPol", "uni/fabric/monfab-default", {}],
	["monInfraPol", "uni/infra/moninfra-default", {}],
	["mgmtMgmtP", "uni/tn-mgmt/mgmtp-default", {}],
	["mgmtOoB", "uni/tn-mgmt/mgmtp-default/oob-default", { prio: "unspecified" }],
];

/** Vendors of machines and containers, each with a provider of policies and of inventory. */
const VENDORS = "CloudFoundry Kubernetes Microsoft Nutanix OpenShift OpenStack Rancher_RKE2 Redhat Tanzu VMware".split(
	" ",
);

const PROVIDERS: typeof DEFAULTS = [
	["compUni", "comp", {}],
	...VENDORS.flatMap((name): (typeof DEFAULTS)[number][] => [
		["compProv", `comp/prov-${name}`, { name }],
		["vmmProvP", `uni/vmmp-${name}`, { vendor: name }],
	]),
];

export function buildDefaults({ add, registry, store, template, pastTime }: Builder): void {
	for (const [cls, dn, attributes] of [...DEFAULTS, ...PROVIDERS]) {
		const rn = splitDn(dn)?.at(-1) ?? "";
		const own: Attributes = rn.endsWith("-default") ? { ...attributes, name: "default" } : attributes;
		registry.learn(cls, own, { rn: null, posted: true });
		const fixed = { ...own, uid: "0", monPolDn: "uni/fabric/monfab-default" };
		const above = splitDn(getParentDn(dn)) ?? [];
		const parent = above.length === 0 ? null : store.reach(above);
		add(parent, template(cls, ["modTs"], fixed), rn, [pastTime()]);
	}
}
