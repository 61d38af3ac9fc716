/** Classes of the fabric itself: pods, nodes, interfaces and their neighbours. */
import type { ClassDefinition } from "./define.ts";

const PORT_PROPS =
	"adminSt:@upDown=up autoNeg:enum(off|on)=on brkoutMap=none bw:num=0 delay:num=1 descr dot1qEtherType=0x8100 ethpmCfgFailedBmp ethpmCfgFailedTs=00:00:00:00.000 " +
	"ethpmCfgState:num=0 fcotChannelNumber=Channel32 fecMode:enum(inherit|disable-fec|cl91-rs-fec)=inherit *id inhBw:num(unspecified~4294967295)=unspecified " +
	"isReflectiveRelayCfgSupported:enum(Unsupported|Supported)=Supported layer:enum(Layer2|Layer3)=Layer2 lcOwn:@owner=local linkDebounce:num=100 linkLog=default mdix=auto " +
	"medium=broadcast mode:enum(access|trunk|fex-fabric)=trunk monPolDn mtu:num=9000 name pathSDescr portT:enum(unknown|leaf|fab)=leaf prioFlowCtrl=auto " +
	"reflectiveRelayEn=off routerMac=not-applicable snmpTrapSt=enable spanMode=not-a-span-dest speed:@speed=inherit switchingSt:@admin=disabled trunkLog=default " +
	"usage:@usage=discovery";
const PORT_STATE_PROPS =
	"accessVlan=unknown allowedVlans backplaneMac=00:00:00:00:00:00 bundleBupId:num=1 bundleIndex=unspecified cfgAccessVlan=unknown cfgNativeVlan=unknown currErrIndex:num=0 " +
	"diags=none encap:num=3 errDisTimerRunning:bool=no errVlanStatusHt:num=0 errVlans hwBdId:num=0 intfT=phy iod:num=0 lastErrors:num=0 lastLinkStChg:date=never media:num=2 " +
	"monPolDn nativeVlan=unknown numOfSI:num=0 operBitset operDceMode=off operDuplex:enum(auto|full|half)=full operEEERxWkTime:num=0 operEEEState=not-applicable operErrDisQual=none " +
	"operFecMode=inherit operFlowCtrl:num=0 operMdix=auto operMode:enum(access|trunk)=trunk operModeDetail=trunk operPhyEnSt:@upDown=up operRouterMac=00:00:00:00:00:00 " +
	"operSpeed:@speed=10G operSt:enum(unknown|down|up|link-up)=up operStQual=none operStQualCode:num=0 operVlans osSum=ok portCfgWaitFlags:num=0 primaryVlan=unknown resetCtr:num=1 " +
	"siList txT=unknown usage:@usage=discovery userCfgdFlags:num=0 vdcId:num=1";

export const FABRIC_CLASSES: readonly ClassDefinition[] = [
	{
		name: "fabricTopology",
		label: "Topology",
		rn: "topology",
		isa: "topologyRoot",
		props: "lcOwn:@owner=local monPolDn=uni/fabric/monfab-default",
	},
	{
		name: "fabricPod",
		label: "Pod",
		rn: "pod-{id}",
		under: "fabricTopology",
		isa: "fabricTopoObj",
		props: "lcOwn:@owner=local monPolDn=uni/fabric/monfab-default *id:num podType:enum(physical|virtual)=physical",
	},
	{
		name: "fabricNode",
		label: "Node",
		rn: "node-{id}",
		under: "fabricPod",
		isa: "fabricANode fabricTopoObj namingNamedObject",
		props:
			"+adSt:enum(off|on)=on address +annotation apicType:enum(apic|vapic)=apic delayedHeartbeat:bool=no extMngdBy fabricSt:enum(unknown|undiscovered|discovering|disabled|active|inactive|decommissioned)=active " +
			"*id:num lastStateModTs:date=never lcOwn:@owner=local model monPolDn=uni/fabric/monfab-default name +nameAlias:alias nodeType:enum(unspecified|remote-leaf-wan|virtual)=unspecified " +
			"role:@role=leaf serial uid:num=0 +userdom=all vendor=Cisco version",
	},
	{
		name: "topSystem",
		label: "System",
		rn: "sys",
		under: "fabricNode",
		isa: "topASystem namingNamedObject",
		props:
			"address bootstrapState=none clusterTimeDiff:num=0 configIssues controlPlaneMTU:num=9000 currentTime:date=never enforceSubnetCheck:bool=no etepAddr=0.0.0.0 fabricDomain fabricId:num=1 " +
			"fabricMAC=00:22:BD:F8:19:FF id:num inbMgmtAddr=0.0.0.0 inbMgmtAddr6=:: inbMgmtAddr6Mask:num=0 inbMgmtAddrMask:num=0 inbMgmtGateway=0.0.0.0 inbMgmtGateway6=:: " +
			"lastRebootTime:date=never lastResetReason=unknown lcOwn:@owner=local mode=unspecified monPolDn=uni/fabric/monfab-default name nameAlias nodeType:enum(unspecified|remote-leaf-wan|virtual)=unspecified " +
			"oobMgmtAddr oobMgmtAddr6=:: oobMgmtAddr6Mask:num=0 oobMgmtAddrMask:num=24 oobMgmtGateway oobMgmtGateway6=:: podId:num=1 remoteNetworkId:num=0 remoteNode:bool=no rlOperPodId:num=0 " +
			"role:@role=leaf serial siteId:num=0 state:enum(out-of-service|in-service)=in-service systemUpTime tepPool=0.0.0.0 unicastXrEpLearnDisable:bool=no version virtualMode:bool=no",
	},
	{
		name: "l1PhysIf",
		label: "Physical Interface",
		rn: "phys-[{id}]",
		under: "topSystem",
		isa: "l1EthIf l1If nwIf nwConn",
		props: PORT_PROPS,
	},
	{
		name: "ethpmPhysIf",
		label: "Physical Interface State",
		rn: "phys",
		under: "l1PhysIf",
		isa: "ethpmEthIf ethpmIf nwIf",
		props: PORT_STATE_PROPS,
	},
	{
		name: "l1RsLinkFlapPolCons",
		label: "Link Flap Policy",
		rn: "rslinkFlapPolCons",
		under: "l1PhysIf",
		isa: "relnTo relnInst",
		has: "relation",
		props: "lcOwn:@owner=resolveOnBehalf",
	},
	{
		name: "lldpInst",
		label: "LLDP Instance",
		rn: "inst",
		isa: "nwInst",
		props:
			"adminSt:@admin=enabled ctrl holdTime:num=120 initDelayTime:num=2 lcOwn:@owner=local monPolDn=uni/fabric/monfab-default name txFreq:num=30",
	},
	{
		name: "lldpIf",
		label: "LLDP Interface",
		rn: "if-[{id}]",
		isa: "nwIf",
		props:
			"adminRxSt:@admin=enabled adminSt:@admin=enabled adminTxSt:@admin=enabled descr *id lcOwn:@owner=local mac monPolDn=uni/fabric/monfab-default name operRxSt:enum(down|up)=up operTxSt:enum(down|up)=up portDesc portMode=normal portVlan=unspecified sysDesc wiringIssues",
	},
	{
		name: "lldpAdjEp",
		label: "Adjacency Endpoint",
		rn: "adj-{id}",
		under: "lldpIf",
		isa: "nwAdjEp",
		props:
			"capability:mask(other|repeater|bridge|wlan|router|telephone) chassisIdT=mac chassisIdV enCap *id:num=1 mgmtId:num=0 mgmtIp mgmtPortMac=unspecified monPolDn=uni/fabric/monfab-default name portDesc portIdT=mac portIdV portVlan=unspecified stQual sysDesc sysName ttl:num=120",
	},
	{
		name: "firmwareCtrlrRunning",
		label: "Controller Firmware",
		rn: "ctrlrrunning",
		isa: "firmwareARunning",
		props:
			"applId:num=1 childVersion description=Software_for_the_controller expectedVer hasTrustedTime internalLabel lcOwn:@owner=local mode=normal monPolDn=uni/fabric/monfab-default operSt=ready peVer ts:date=never type:enum(controller|switch|catalog)=controller version",
	},
];
