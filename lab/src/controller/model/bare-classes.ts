/**
 * Classes of the real model that the simulator knows by name only: queries for them are valid and find nothing, until an
 * answer with such objects is loaded. Other names are refused as unknown.
 */
export const BARE_CLASSES: readonly string[] = `
	aaaActiveUserSession aaaAuthRealm aaaDefaultAuth aaaDomain aaaDomainAuth aaaLoginDomain aaaLogin aaaProvider aaaRole aaaSessionLR aaaTacacsPlusProvider
	actrlRule actrlScope arpAdjEp arpDb bgpPeer bgpPeerEntry bgpPeerP bgpRRNodePEp bgpInst bgpDom callhomeInst catalogInst
	cdpAdjEp cdpIf cdpInst cnwPhysIf cnwAggrIf compCtrlr compHost compVm compUni compEpPConn configExportP configImportP configJob configSnapshot
	ctxClassCnt datetimePol datetimeNtpProv dhcpClient dhcpLbl dnsProfile dnsProv
	epmIpEp epmMacEp epmRsMacEpToIpEpAtt eptIp eqptBoard eqptCh eqptCPU eqptDimm eqptExtCh eqptFC eqptFCSlot eqptFt eqptLC eqptLCSlot eqptLPort eqptFan
	eqptPsu eqptSensor eqptSupC eqptStorage eqptSpromSup eqptcapacityEntity ethpmFcot ethpmAggrIf
	eqptEgrBytes5min eqptEgrDropPkts5min eqptEgrPkts5min eqptIngrBytes5min eqptIngrDropPkts5min eqptIngrPkts5min eqptIngrErrPkts5min
	fabricExplicitGEp fabricHealthTotal fabricLagId fabricLink fabricLooseLink fabricLooseNode fabricNodeBlk fabricNodeIdentP fabricNodePEp fabricPathEp
	fabricPathEpCont fabricPodPGrp fabricProtPathEpCont fabricRsDecommissionNode fabricSetupP firmwareFirmware firmwareFwGrp firmwareMaintP firmwareRunning
	fvAccP fvBDDefCont fvcapRule fvConnDef fvCrtrn fvDyPathAtt fvEpP fvESg fvIfConn fvInBEpP fvIpAttr fvLocale fvMac fvMgmtEpP fvNodeDef
	fvnsAddrInst fvnsMcastAddrInstP fvPathEp fvRInfoHolder fvRsABDPolMonPol fvRsAEPgMonPol fvRsApMonPol fvRsBDToNdP fvRsBDToOut fvRsBDToProfile fvRsBDToRelayP
	fvRsBdToEpRet fvRsBgpCtxPol fvRsConsIf fvRsCtxMonPol fvRsCtxToBgpCtxAfPol fvRsCtxToEpRet fvRsCtxToExtRouteTagPol fvRsCustQosPol fvRsDppPol fvRsHyper
	fvRsIgmpsn fvRsIntraEpg fvRsMldsn fvRsNodeAtt fvRsOspfCtxPol fvRsProtBy fvRsProvDef fvRsSecInherited fvRsStCEpToPathEp fvRsStGrpAtt fvRsToNic fvRsVm
	fvRsFcPathAtt fvRtDomIfConn fvRtEPpInfoToBD fvStCEp fvStIp fvStPathAtt fvSvcBD fvSyntheticIp fvTrackList fvVmAttr fvVip
	geoSite hostprotRule hsrpIf igmpSnoopPol infraAccBndlGrp infraAccBndlPolGrp infraCont infraFexP infraGeSnNode infraHPathS
	infraLeafS infraNodeBlk infraNodeP infraRsAccPortP infraRsAccNodePGrp infraRsCdpIfPol infraRsHIfPol infraRsLacpPol infraRsLldpIfPol infraRsMcpIfPol
	infraRsVipAddrNs infraRtDomP infraRtAttEntP infraRtVlanNs infraSetPol infraSpineP infraSpAccPortP infraSpAccPortGrp infraSubPortBlk infraWiNode
	ipNexthopP ipRouteP ipv4Addr ipv4Dom ipv4If ipv4Nexthop ipv4Route ipv6Addr ipv6If isisAdjEp isisDom isisIf
	l1RsAttEntityPCons l1RsCdpIfPolCons l1RsHIfPolCons l1RsL2IfPolCons l1RsLldpIfPolCons l1RsMcpIfPolCons l1RsMonPolIfPolCons l1RsQosPfcIfPolCons l1RsStpIfPolCons
	l2BD l2extDomP l2extInstP l2extOut l2Dom l2IfPol l2RsEthIf l2EgrBytesAg15min l2IngrBytesAg15min
	l3Ctx l3Dom l3EncRtdIf l3extConsLbl l3extIp l3extLIfP l3extMember l3extRsL3DomAtt l3extRsPathL3OutAtt l3extVirtualLIfP l3Inst l3LbRtdIf l3RtdIf
	lacpEntity lacpIf lacpLagPol lldpInstPol macsecIf mcpIf mcpIfPol mcpInst mgmtInB mgmtInstP mgmtMgmtP mgmtOoB mgmtRsOoBCons mgmtRsOoBStNode mgmtRsInBStNode
	mldSnoopPol monCommonPol monFabricPol monInfraPol monSubj nbDom ndAdjEp netflowExporterPol netflowMonitorPol ntpdPeer
	opflexODev opflexIDEp ospfAdjEp ospfDom ospfExtP ospfIf ospfIfP ospfIfPol pcAggrIf pcFcAggrIf pcRsMbrIfs pimIf pkiFabricCommunicationEp pkiKeyRing poeIf poeIfPol
	procProc procSystem procSysCPU5min procSysMem5min procSysCPUHist5min procSysMemHist5min procCPUHist5min procMemHist5min procEntity
	qosClass qosCustomPol qosDot1PClass qosInstPol rtctrlAttrP rtctrlCtxP rtctrlProfile rtctrlSubjP rtdmcIf satmDExtCh snmpPol snmpClientGrpP snmpTrapDest
	spanSrc spanSrcGrp spanDest sviIf stpIf stpIfPol stpInst syslogGroup syslogRemoteDest syslogSrc sysdebugCore
	tagAliasInst tagExtMngdInst taskInst tunnelIf topInfo uribv4Route uribv6Route vlanCktEp vmmCtrlrP vmmDomP vmmEpPD vmmProvP vmmUsrAccP vmmUplinkP
	vnsAbsGraph vnsAbsNode vnsCDev vnsGraphInst vnsLDevCtx vnsLDevVip vnsSvcRedirectPol vnsRedirectDest
	vpcDom vpcIf vpcInst vpcRsVpcConf vzAny vzCPIf vzCtrctEntityDef vzFltrEntityDef vzOOBBrCP vzRsAnyToCons vzRsAnyToProv vzRsFiltAtt vzRsIf vzRsSubjGraphAtt vzRtIf vzTaboo
`
	.split(/\s+/)
	.filter((name) => name !== "");
