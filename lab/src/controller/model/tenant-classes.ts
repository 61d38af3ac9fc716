/** Classes of the tenant tree: networks, application profiles and endpoint groups. */
import type { ClassDefinition } from "./define.ts";

const NAMED = "polObj namingNamedObject";
const EPG = `fvEPg fvATg fvComp polComp ${NAMED}`;

const EPG_PROPS =
	"configIssues:@configIssues configSt:@configSt=applied +exceptionTag +floodOnEncap:@admin=disabled isSharedSrvMsiteEPg:bool=no " +
	"+matchT:@matchT=AtleastOne +pcEnfPref:enum(enforced~1|unenforced~2)=unenforced pcTag:num=any +prefGrMemb:enum(exclude~2|include~1)=exclude " +
	"+prio:@prio=unspecified scope:num=0 triggerSt:enum(not_triggerable|triggerable)=triggerable txId:num=0";

export const TENANT_CLASSES: readonly ClassDefinition[] = [
	{
		name: "polUni",
		label: "Policy Universe",
		rn: "uni",
		isa: "polContainer polObj",
		props: "lcOwn:@owner=local monPolDn +annotation +nameAlias +userdom=:all:",
	},
	{
		name: "fvTenant",
		label: "Tenant",
		rn: "tn-{name}",
		under: "polUni",
		isa: `polDom polCont ${NAMED}`,
		has: "config named owner",
		implied: "fvRsTenantMonPol healthInst",
	},
	{
		name: "fvCtx",
		label: "VRF",
		rn: "ctx-{name}",
		under: "fvTenant",
		isa: `fvACtx fvL3Dom fvDom fvDef polDefRoot polDef ${NAMED}`,
		has: "config named owner",
		props:
			"+bdEnforcedEnable:bool=no +ipDataPlaneLearning:enum(disabled~1|enabled~2)=enabled +knwMcastAct:enum(deny|permit)=permit +pcEnfDir:enum(ingress|egress|mixed)=ingress " +
			"pcEnfDirUpdated:bool=no +pcEnfPref:enum(enforced~1|unenforced~2)=enforced pcTag:num=any scope:num=0 seg:num=0 vrfId:num=0 +vrfIndex:num=0",
		implied:
			"vzAny fvRsBgpCtxPol fvRsOspfCtxPol fvRsCtxToEpRet fvRsCtxToExtRouteTagPol fvRsVrfValidationPol healthInst",
	},
	{
		name: "fvBD",
		label: "Bridge Domain",
		rn: "BD-{name}",
		under: "fvTenant",
		isa: `fvABDPol fvABD fvL2Dom fvDom fvDef polDefRoot polDef ${NAMED}`,
		has: "config named owner",
		props:
			"+OptimizeWanBandwidth:bool=no +arpFlood:bool=no bcastP=0.0.0.0 configIssues:@configIssues +enableRogueExceptMac:bool=no +epClear:bool=no " +
			"+epMoveDetectMode:mask(garp) +hostBasedRouting:bool=no +intersiteBumTrafficAllow:bool=no +intersiteL2Stretch:bool=no +ipLearning:bool=yes " +
			"+ipv6McastAllow:bool=no +limitIpLearnToSubnets:bool=yes +llAddr=:: +mac=00:22:BD:F8:19:FF +mcastARPDrop:bool=yes +mcastAllow:bool=no mtu:num(inherit~0)=inherit " +
			"+multiDstPktAct:enum(bd-flood|encap-flood|drop)=bd-flood pcTag:num=any scope:num=0 seg:num=0 +serviceBdRoutingDisable:bool=no " +
			"+type:enum(regular~1|fc~2)=regular +unicastRoute:bool=yes +unkMacUcastAct:enum(flood|proxy)=proxy +unkMcastAct:enum(flood|opt-flood)=flood " +
			"+v6unkMcastAct:enum(nd|opt-flood|flood)=flood +vmac=not-applicable",
		implied: "fvRsMldsn fvRsIgmpsn fvRsCtx fvRsBdToEpRet fvRsBDToNdP healthInst",
	},
	{
		name: "fvSubnet",
		label: "Subnet",
		rn: "subnet-[{ip}]",
		under: "fvBD fvAEPg",
		isa: `fvASubnet fabricL3ProtoComp fabricProtoComp polComp ${NAMED}`,
		has: "config",
		props:
			"*+ip +name:name +descr:descr +nameAlias:alias +ctrl:mask(unspecified|querier|nd|no-default-gateway)=nd +ipDPLearning:@admin=enabled +preferred:bool=no " +
			"+scope:mask(public|private|shared)=private +virtual:bool=no",
	},
	{
		name: "fvAp",
		label: "Application Profile",
		rn: "ap-{name}",
		under: "fvTenant",
		isa: `fvNp fvDef polDefRoot polDef ${NAMED}`,
		has: "config named owner",
		props: "+prio:@prio=unspecified",
		implied: "healthInst",
	},
	{
		name: "fvAEPg",
		label: "Application EPG",
		rn: "epg-{name}",
		under: "fvAp",
		isa: `fvCEPg ${EPG}`,
		has: "config named",
		props: `${EPG_PROPS} +fwdCtrl:mask(proxy-arp) +hasMcastSource:bool=no +isAttrBasedEPg:bool=no pcTagAllocSrc:enum(idmanager|user)=idmanager +shutdown:bool=no`,
		implied: "fvRsBd fvRsCustQosPol healthInst",
	},
	{
		name: "l3extInstP",
		label: "External Network Instance Profile",
		rn: "instP-{name}",
		under: "l3extOut",
		isa: `extnwEPg ${EPG}`,
		has: "config named",
		props: `${EPG_PROPS} mcast:bool=no +targetDscp:@dscp=unspecified`,
		implied: "fvRsCustQosPol healthInst",
	},
	{
		name: "vzAny",
		label: "Any",
		rn: "any",
		under: "fvCtx",
		isa: `fvATg fvComp polComp ${NAMED}`,
		has: "config",
		props:
			"+name:name +descr:descr +nameAlias:alias configSt:@configSt=applied +matchT:@matchT=AtleastOne pcTag:num=any +prefGrMemb:@admin=disabled scope:num=0",
	},
	{
		name: "fvRsTenantMonPol",
		label: "Monitoring Policy",
		rn: "rsTenantMonPol",
		under: "fvTenant",
		isa: "polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: "+tnMonEPGPolName:name",
		relation: {
			target: "monEPGPol",
			nameProp: "tnMonEPGPolName",
			back: null,
			standard: "uni/tn-common/monepg-default",
		},
	},
	{
		name: "fvRsCtx",
		label: "Private Network",
		rn: "rsctx",
		under: "fvBD",
		isa: "polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: "+tnFvCtxName:name",
		relation: { target: "fvCtx", nameProp: "tnFvCtxName", back: "fvRtCtx" },
	},
	{
		name: "fvRtCtx",
		label: "Bridge Domain",
		rn: "rtctx-[{tDn}]",
		under: "fvCtx",
		isa: "polNFromRef relnFrom relnInst",
		has: "backRelation",
		props: "lcOwn:@owner=local *tDn",
	},
	{
		name: "fvRsBd",
		label: "Bridge Domain for the EPG",
		rn: "rsbd",
		under: "fvAEPg",
		isa: "fvAToBD polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: "+tnFvBDName:name",
		relation: { target: "fvBD", nameProp: "tnFvBDName", back: "fvRtBd" },
	},
	{
		name: "fvRtBd",
		label: "EPG of the Bridge Domain",
		rn: "rtbd-[{tDn}]",
		under: "fvBD",
		isa: "polNFromRef relnFrom relnInst",
		has: "backRelation",
		props: "lcOwn:@owner=local *tDn",
	},
	{
		name: "fvRsPathAtt",
		label: "Static Path",
		rn: "rspathAtt-[{tDn}]",
		under: "fvAEPg",
		isa: "fvAEPgPathAtt relnTo relnInst",
		has: "config relation",
		props:
			"*+tDn +descr:descr +encap=unknown +instrImedcy:@instr=lazy lcC:mask(learned|static|vmm) +mode:enum(regular|native|untagged)=regular +primaryEncap=unknown",
	},
	{
		name: "fvRsDomAtt",
		label: "Domain",
		rn: "rsdomAtt-[{tDn}]",
		under: "fvAEPg",
		isa: "relnTo relnInst",
		has: "config relation",
		props:
			"*+tDn +bindingType:enum(none|staticBinding|dynamicBinding|ephemeral)=none +classPref:enum(encap|useg)=encap configIssues:@configIssues +encap=unknown " +
			"+apiMode:enum(mgmt|policy|not-applicable)=mgmt +customEpgName +delimiter +encapMode:enum(auto|vlan|vxlan)=auto +epgCos:enum(Cos0|Cos1|Cos2|Cos3|Cos4|Cos5|Cos6|Cos7)=Cos0 +epgCosPref:enum(disabled~1|enabled~2)=disabled " +
			"+ipamDhcpOverride +ipamEnabled:bool=no +ipamGateway +lagPolicyName +netflowDir:enum(egress|ingress|both)=both +numPorts:num=0 +portAllocation:enum(none|fixed|elastic)=none +primaryEncapInner=unknown +secondaryEncapInner=unknown +vnetOnly:bool=no " +
			"+instrImedcy:@instr=lazy +resImedcy:enum(immediate|lazy|pre-provision)=immediate +netflowPref:enum(disabled~1|enabled~2)=disabled " +
			"+primaryEncap=unknown +switchingMode:enum(native|AVE)=native triggerSt:enum(not_triggerable|triggerable)=triggerable txId:num=0 +untagged:bool=no",
	},
	{
		name: "fvCEp",
		label: "Client End Point",
		rn: "cep-{mac}",
		under: "fvAEPg",
		isa: "fvEp fvATg fvComp polComp polObj",
		props:
			"*mac name annotation baseEpgDn bdDn contName encap esgUsegDn extMngdBy fabricPathDn hostingServer " +
			"id:num=0 idepdn ip=0.0.0.0 lcC:mask(learned|static|vmm)=learned " +
			"lcOwn:@owner=local mcastAddr=not-applicable monPolDn nameAlias reportingControllerName uid:num=0 userdom=all uuid vmmSrc vrfDn",
	},
	{
		name: "fvIp",
		label: "IP Address",
		rn: "ip-[{addr}]",
		under: "fvCEp",
		isa: "fvAIp polObj",
		props:
			"*addr annotation baseEpgDn createTs:date=never debugMACMessage esgUsegDn extMngdBy fabricPathDn flags lcOwn:@owner=local likelyRogueMacs monPolDn rogueIp:bool=no uid:num=0 userdom=all vrfDn",
	},
	{
		name: "fvRsCEpToPathEp",
		label: "Path Endpoint",
		rn: "rscEpToPathEp-[{tDn}]",
		under: "fvCEp",
		isa: "relnTo relnInst",
		has: "relation",
		props: "lcOwn:@owner=local *tDn lcC:mask(learned|static|vmm)=learned",
	},
	{
		name: "tagInst",
		label: "Tag Instance",
		rn: "tag-{name}",
		isa: "tagAInst namingNamedObject",
		has: "config",
		props: "*+name:name +nameAlias:alias",
	},
	{ name: "tagTag", label: "Tag", rn: "tagKey-{key}", isa: "tagATag", has: "config", props: "*+key +value" },
	{
		name: "tagAnnotation",
		label: "Annotation",
		rn: "annotationKey-[{key}]",
		isa: "tagAAnnotation",
		has: "config",
		props: "*+key +value",
	},
	{
		name: "monEPGPol",
		label: "Monitoring Policy",
		rn: "monepg-{name}",
		under: "fvTenant",
		isa: `monPol polDef ${NAMED}`,
		has: "config named owner",
	},
];
