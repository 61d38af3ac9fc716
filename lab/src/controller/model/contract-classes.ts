/** Classes of contracts and of the routes that leave the fabric. */
import type { ClassDefinition } from "./define.ts";

const NAMED = "polObj namingNamedObject";
const CONTRACT_RELATION =
	"accessPrivilege:enum(USER|SYSTEM)=USER ctrctUpd:enum(not_defined|collection|ctrct)=ctrct deplInfo +intent:@intent=install +prio:@prio=unspecified " +
	"triggerSt:enum(not_triggerable|triggerable)=triggerable updateCollection:bool=no *+tnVzBrCPName:name";

export const CONTRACT_CLASSES: readonly ClassDefinition[] = [
	{
		name: "vzBrCP",
		label: "Contract",
		rn: "brc-{name}",
		under: "fvTenant",
		isa: `vzABrCP vzACtrct vzACollection polDef ${NAMED}`,
		has: "config named owner",
		props:
			"+azNetworkSecurityGroupRule configIssues:@configIssues +intent:@intent=install +prio:@prio=unspecified reevaluateAll:bool=no +scope:enum(application-profile|context|tenant|global)=context +targetDscp:@dscp=unspecified",
	},
	{
		name: "vzSubj",
		label: "Contract Subject",
		rn: "subj-{name}",
		under: "vzBrCP",
		isa: `vzASubj ${NAMED}`,
		has: "config named",
		props:
			"+consMatchT:@matchT=AtleastOne +prio:@prio=unspecified +provMatchT:@matchT=AtleastOne +revFltPorts:bool=yes +targetDscp:@dscp=unspecified",
	},
	{
		name: "vzRsSubjFiltAtt",
		label: "Subject Filter",
		rn: "rssubjFiltAtt-{tnVzFilterName}",
		under: "vzSubj",
		isa: "vzARuleOwner polNToRef relnTo relnInst",
		has: "config namedRelation",
		props:
			"*+tnVzFilterName:name +action:enum(deny|permit)=permit +directives:mask(none|log|no_stats) +priorityOverride:enum(default|level1|level2|level3)=default",
		relation: { target: "vzFilter", nameProp: "tnVzFilterName", back: "vzRtSubjFiltAtt" },
	},
	{
		name: "vzRtSubjFiltAtt",
		label: "Subject",
		rn: "rtsubjFiltAtt-[{tDn}]",
		under: "vzFilter",
		isa: "polNFromRef relnFrom relnInst",
		has: "backRelation",
		props: "lcOwn:@owner=local *tDn",
	},
	{
		name: "vzFilter",
		label: "Filter",
		rn: "flt-{name}",
		under: "fvTenant",
		isa: `vzAFilter polDef ${NAMED}`,
		has: "config named owner",
		props: "fwdId:num=0 id:enum(implicit|default)=implicit revId:num=0 usesIds:bool=yes",
	},
	{
		name: "vzEntry",
		label: "Filter Entry",
		rn: "e-{name}",
		under: "vzFilter",
		isa: `vzAFilterEntry ${NAMED}`,
		has: "config named",
		props:
			"+applyToFrag:bool=no +arpOpc:enum(unspecified|req|reply)=unspecified +dFromPort:@port=unspecified +dToPort:@port=unspecified " +
			"+etherT:enum(unspecified|ipv4~2048|trill~8947|arp~2054|ipv6~34525|mpls_ucast~34887|mac_security~35045|fcoe~35078|ip~43981)=unspecified +icmpv4T:num(echo-rep~0|dst-unreach~3|src-quench~4|echo~8|time-exceeded~11|unspecified~255)=unspecified " +
			"+icmpv6T:num(unspecified~0|dst-unreach~1|time-exceeded~3|echo-req~128|echo-rep~129)=unspecified +matchDscp:@dscp=unspecified " +
			"+prot:num(0..255|unspecified~0|icmp~1|igmp~2|tcp~6|egp~8|igp~9|udp~17|icmpv6~58|eigrp~88|ospfigp~89|pim~103|l2tp~115)=unspecified " +
			"+sFromPort:@port=unspecified +sToPort:@port=unspecified +stateful:bool=no +tcpRules:mask(unspecified|est|syn|ack|fin|rst)",
	},
	{
		name: "fvRsCons",
		label: "Contract Consumer",
		rn: "rscons-{tnVzBrCPName}",
		under: "fvAEPg l3extInstP",
		isa: "fvEPgToCollection polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: CONTRACT_RELATION,
		relation: { target: "vzBrCP", nameProp: "tnVzBrCPName", back: "vzRtCons" },
	},
	{
		name: "fvRsProv",
		label: "Contract Provider",
		rn: "rsprov-{tnVzBrCPName}",
		under: "fvAEPg l3extInstP",
		isa: "fvEPgToCollection polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: `${CONTRACT_RELATION} +matchT:@matchT=AtleastOne`,
		relation: { target: "vzBrCP", nameProp: "tnVzBrCPName", back: "vzRtProv" },
	},
	{
		name: "vzRtCons",
		label: "Consumer",
		rn: "rtfvCons-[{tDn}]",
		under: "vzBrCP",
		isa: "polNFromRef relnFrom relnInst",
		has: "backRelation",
		props: "lcOwn:@owner=local *tDn",
	},
	{
		name: "vzRtProv",
		label: "Provider",
		rn: "rtfvProv-[{tDn}]",
		under: "vzBrCP",
		isa: "polNFromRef relnFrom relnInst",
		has: "backRelation",
		props: "lcOwn:@owner=local *tDn",
	},
	{
		name: "l3extOut",
		label: "L3 Outside",
		rn: "out-{name}",
		under: "fvTenant",
		isa: `extnwOut polDef ${NAMED}`,
		has: "config named owner",
		props: "+enforceRtctrl:mask(import|export)=export +mplsEnabled:bool=no +targetDscp:@dscp=unspecified",
		implied: "l3extRsEctx healthInst",
	},
	{
		name: "l3extRsEctx",
		label: "Private Network",
		rn: "rsectx",
		under: "l3extOut",
		isa: "polNToRef relnTo relnInst",
		has: "config namedRelation",
		props: "+tnFvCtxName:name",
		relation: { target: "fvCtx", nameProp: "tnFvCtxName", back: "fvRtEctx" },
	},
	{
		name: "fvRtEctx",
		label: "L3 Outside",
		rn: "rtl3extCtx-[{tDn}]",
		under: "fvCtx",
		isa: "polNFromRef relnFrom relnInst",
		has: "backRelation",
		props: "lcOwn:@owner=local *tDn",
	},
	{
		name: "l3extLNodeP",
		label: "Logical Node Profile",
		rn: "lnodep-{name}",
		under: "l3extOut",
		isa: `extnwLNodeP polDef ${NAMED}`,
		has: "config named owner",
		props: "+configIssues:@configIssues +tag:@color=yellow-green +targetDscp:@dscp=unspecified",
	},
	{
		name: "l3extRsNodeL3OutAtt",
		label: "Node",
		rn: "rsnodeL3OutAtt-[{tDn}]",
		under: "l3extLNodeP",
		isa: "relnTo relnInst",
		has: "config relation",
		props: "*+tDn configIssues:@configIssues +rtrId +rtrIdLoopBack:bool=yes",
	},
	{
		name: "l3extSubnet",
		label: "Subnet",
		rn: "extsubnet-[{ip}]",
		under: "l3extInstP",
		isa: `l3extAInstPSubnet extnwAInstPSubnet ${NAMED}`,
		has: "config",
		props:
			"*+ip +name:name +descr:descr +nameAlias:alias +aggregate:mask(import-rtctrl|export-rtctrl|shared-rtctrl) +scope:mask(import-rtctrl|export-rtctrl|import-security|shared-security|shared-rtctrl)=import-security",
	},
];
