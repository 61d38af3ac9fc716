/**
 * Facts about common classes for when no class model is loaded: the format of the relative name
 * (naming properties in braces) and the classes that can contain the class. From the ACI object
 * model, releases 4 to 6.
 */

export interface ClassFacts {
	/** `subnet-[{ip}]`; the naming properties in braces. */
	rnFormat: string;
	/**
	 * Every class that can contain this one; undefined when not all are known. The top of the tree
	 * has none.
	 */
	parents?: readonly string[] | undefined;
	/** Rows of a query for this class may carry a subclass's name. */
	hasSubclasses?: boolean | undefined;
	/** The objects are reported by switches, under `topology/pod-…/node-…/`. */
	onSwitch?: boolean | undefined;
}

/** Returns undefined for an unknown class. */
export type ClassModel = (className: string) => ClassFacts | undefined;

/**
 * One line per class: name, containers (`*` = more than these or unknown, `-` = top of the tree),
 * rn format.
 */
const POLICY = `
polUni - uni
fvTenant polUni tn-{name}
fvAp fvTenant ap-{name}
fvAEPg fvAp epg-{name}
fvESg fvAp esg-{name}
fvBD fvTenant BD-{name}
fvCtx fvTenant ctx-{name}
fvSubnet fvAEPg,fvBD,l2extInstP,mgmtInB,vnsLIfCtx subnet-[{ip}]
fvRsCtx * rsctx
fvRsBd fvAEPg rsbd
fvRsBDToOut * rsBDToOut-{tnL3extOutName}
fvRsPathAtt fvAEPg rspathAtt-[{tDn}]
fvRsNodeAtt fvAEPg rsnodeAtt-[{tDn}]
fvRsDomAtt fvAEPg rsdomAtt-[{tDn}]
fvRsProv * rsprov-{tnVzBrCPName}
fvRsCons * rscons-{tnVzBrCPName}
fvRsConsIf * rsconsIf-{tnVzCPIfName}
fvCEp * cep-{name}
fvIp * ip-[{addr}]
fvStCEp * stcep-{mac}-type-{type}
fvStIp fvStCEp ip-[{addr}]
fvEPgSelector fvESg epgselector-[{matchEpgDn}]
fvTagSelector fvESg tagselectorkey-[{matchKey}]-value-[{matchValue}]
l2extInstP l2extOut instP-{name}
mgmtMgmtP fvTenant mgmtp-{name}
mgmtInB mgmtMgmtP inb-{name}
vnsLDevCtx fvTenant ldevCtx-c-{ctrctNameOrLbl}-g-{graphNameOrLbl}-n-{nodeNameOrLbl}
vnsLIfCtx vnsLDevCtx lIfCtx-c-{connNameOrLbl}
vzBrCP fvTenant brc-{name}
vzSubj vzBrCP,vzOOBBrCP subj-{name}
vzOOBBrCP fvTenant oobbrc-{name}
vzFilter fvTenant flt-{name}
vzEntry vzFilter e-{name}
vzRsSubjFiltAtt vzSubj rssubjFiltAtt-{tnVzFilterName}
vzInTerm vzSubj intmnl
vzOutTerm vzSubj outtmnl
vzAny fvCtx any
vzRsAnyToProv vzAny rsanyToProv-{tnVzBrCPName}
vzRsAnyToCons vzAny rsanyToCons-{tnVzBrCPName}
vzTaboo fvTenant taboo-{name}
vzCPIf fvTenant cif-{name}
vzRsIf vzCPIf rsif
l3extOut fvTenant out-{name}
l3extInstP l3extOut instP-{name}
l3extSubnet l3extFabricExtRoutingP,l3extInstP extsubnet-[{ip}]
l3extLNodeP l3extOut lnodep-{name}
l3extLIfP l3extLNodeP lifp-{name}
l3extRsNodeL3OutAtt l3extLNodeP rsnodeL3OutAtt-[{tDn}]
l3extRsPathL3OutAtt l3extLIfP rspathL3OutAtt-[{tDn}]
l3extVirtualLIfP l3extLIfP vlifp-[{nodeDn}]-[{encap}]
l3extMember l3extRsPathL3OutAtt,l3extVirtualLIfP mem-{side}
l3extRsEctx l3extOut rsectx
l3extRsL3DomAtt l3extOut rsl3DomAtt
l3extDomP polUni l3dom-{name}
l3extLoopBackIfP l3extRsNodeL3OutAtt lbp-[{addr}]
ipRouteP l3extRsNodeL3OutAtt rt-[{ip}]
ipNexthopP ipRouteP nh-[{nhAddr}]
bgpPeerP * peerP-[{addr}]
bgpExtP l3extOut bgpExtP
ospfExtP l3extOut ospfExtP
ospfIfP l3extLIfP ospfIfP
l2extOut fvTenant l2out-{name}
l2extDomP polUni l2dom-{name}
infraInfra polUni infra
infraAccPortP infraInfra accportprof-{name}
infraFexP infraInfra fexprof-{name}
infraHPortS infraAccPortP,infraFexP hports-{name}-typ-{type}
infraPortBlk infraHPortS,infraSHPortS portblk-{name}
infraRsAccBaseGrp infraHPortS rsaccBaseGrp
infraFuncP infraInfra funcprof
infraAccPortGrp infraFuncP accportgrp-{name}
infraAccBndlGrp infraFuncP accbundle-{name}
infraFexBndlGrp infraFexP fexbundle-{name}
infraNodeP infraInfra nprof-{name}
infraLeafS infraNodeP leaves-{name}-typ-{type}
infraNodeBlk * nodeblk-{name}
infraRsAccPortP infraNodeP rsaccPortP-[{tDn}]
infraSpineP infraInfra spprof-{name}
infraSpAccPortP infraInfra spaccportprof-{name}
infraAttEntityP infraInfra attentp-{name}
infraRsDomP infraAttEntityP rsdomP-[{tDn}]
infraRsAttEntP * rsattEntP
infraGeneric infraAttEntityP gen-{name}
infraRsFuncToEpg infraGeneric,infraProvAcc rsfuncToEpg-[{tDn}]
infraRsVlanNs * rsvlanNs
fvnsVlanInstP infraInfra vlanns-[{name}]-{allocMode}
fvnsVxlanInstP infraInfra vxlanns-{name}
fvnsEncapBlk * from-[{from}]-to-[{to}]
physDomP polUni phys-{name}
vmmProvP polUni vmmp-{vendor}
vmmDomP vmmProvP dom-{name}
vmmCtrlrP vmmDomP ctrlr-{name}
vmmUsrAccP vmmDomP usracc-{name}
cdpIfPol infraInfra cdpIfP-{name}
lldpIfPol fabricInst,infraInfra lldpIfP-{name}
lacpLagPol infraInfra lacplagp-{name}
mcpIfPol infraInfra mcpIfP-{name}
stpIfPol infraInfra ifPol-{name}
fabricHIfPol infraInfra hintfpol-{name}
fabricInst polUni fabric
fabricProtPol fabricInst protpol
fabricExplicitGEp fabricProtPol expgep-{name}
fabricNodePEp fabricExplicitGEp nodepep-{id}
ctrlrInst polUni controller
fabricNodeIdentPol ctrlrInst nodeidentpol
fabricNodeIdentP fabricNodeIdentPol nodep-{serial}
aaaUserEp polUni userext
aaaUser aaaUserEp user-{name}
aaaDomain aaaUserEp domain-{name}
tagTag * tagKey-{key}
tagAnnotation * annotationKey-[{key}]
faultInst * fault-{code}
faultDelegate * fd-[{affected}]-fault-{code}
healthInst * health
fabricTopology - topology
fabricPod fabricTopology pod-{id}
fabricNode fabricPod node-{id}
`;

const SWITCH = `
topSystem fabricNode sys
l1PhysIf topSystem phys-[{id}]
ethpmPhysIf l1PhysIf phys
pcAggrIf topSystem aggr-[{id}]
sviIf * svi-[{id}]
tunnelIf * tunnel-[{id}]
lldpEntity topSystem lldp
lldpInst lldpEntity inst
lldpIf lldpInst if-[{id}]
lldpAdjEp lldpIf adj-{id}
cdpEntity topSystem cdp
cdpInst cdpEntity inst
cdpIf cdpInst if-[{id}]
cdpAdjEp cdpIf adj-{index}
eqptCh topSystem ch
eqptLCSlot eqptCh lcslot-{id}
eqptPsuSlot eqptCh psuslot-{id}
eqptPsu eqptPsuSlot psu
eqptFtSlot eqptCh ftslot-{id}
eqptSupCSlot eqptCh supslot-{id}
vlanCktEp * vlan-[{encap}]
epmMacEp * mac-{addr}
epmIpEp * ip-[{addr}]
`;

/**
 * Ring buffers of hundreds of thousands of records: read only with a filter, a limit or a time
 * range.
 */
export const RECORD_CLASSES: ReadonlySet<string> = new Set([
	"faultRecord",
	"eventRecord",
	"healthRecord",
	"aaaModLR",
	"aaaSessionLR",
	"faultInfo",
]);

/** Classes that grow with ports times policies; an unindexed search over them takes long. */
export const BIG_CLASSES: ReadonlySet<string> = new Set([
	"actrlRule",
	"epmIpEp",
	"epmMacEp",
	"ethpmPhysIf",
	"fvCEp",
	"fvIfConn",
	"fvIp",
	"fvRsPathAtt",
	"l1PhysIf",
	"tagAnnotation",
	"tagTag",
	"vlanCktEp",
]);

const parseClassLines = (lines: string, onSwitch: boolean): [string, ClassFacts][] =>
	lines
		.trim()
		.split("\n")
		.map((line) => {
			const [name = "", parents = "*", rnFormat = ""] = line.split(" ");
			const known = parents === "*" ? undefined : parents === "-" ? [] : parents.split(",");
			return [name, { rnFormat, parents: known, ...(onSwitch ? { onSwitch } : {}) }];
		});

const TABLE: ReadonlyMap<string, ClassFacts> = new Map([
	...parseClassLines(POLICY, false),
	...parseClassLines(SWITCH, true),
]);

export const builtInClasses: readonly string[] = [...TABLE.keys()];
export const findBuiltInFacts: ClassModel = (className) => TABLE.get(className);

/** The model's own facts where it has them, the built-in ones otherwise. */
export const withBuiltIns =
	(model: ClassModel): ClassModel =>
	(className) => {
		const own = model(className);
		const builtIn = TABLE.get(className);
		if (own === undefined) return builtIn;
		return { onSwitch: builtIn?.onSwitch, ...own, parents: own.parents ?? builtIn?.parents };
	};
