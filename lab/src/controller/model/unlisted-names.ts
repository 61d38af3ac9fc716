/** Names of classes that recorded requests and answers name beyond the packed list. */
export const UNLISTED_NAMES: readonly string[] = `
	aaaProvider aaaSessionLR eqptSpromSupBlk fvReportingNode l1RtMbrIfs actrlRule arpAdjEp arpDb callhomeInst catalogInst compVm compUni eptIp eqptCPU
	eqptDimm ethpmAggrIf eqptIngrErrPkts5min fabricLagId fabricLooseLink firmwareMaintP fvBDDefCont fvConnDef
	fvDyPathAtt fvInBEpP fvLocale fvMac fvMgmtEpP fvPathEp fvRsHyper fvRsStGrpAtt fvRsToNic fvRsVm fvRtDomIfConn
	fvStPathAtt infraRtVlanNs l1RsAttEntityPCons l1RsCdpIfPolCons l1RsHIfPolCons l1RsL2IfPolCons l1RsLldpIfPolCons
	l1RsMcpIfPolCons l1RsMonPolIfPolCons l1RsQosPfcIfPolCons l1RsStpIfPolCons l2Dom l2RsEthIf l3Dom l3EncRtdIf
	l3Inst l3LbRtdIf l3RtdIf lacpEntity nbDom ndAdjEp ntpdPeer pcAggrIf pcRsMbrIfs pimIf procSysCPU5min
	procSysMem5min rtdmcIf sviIf stpIf stpInst taskInst topInfo uribv6Route vzCtrctEntityDef vzFltrEntityDef
`
	.split(/\s+/)
	.filter((name) => name !== "");
