/**
 * RN formats of classes that have no property table and that stock clients write as nested objects
 * without a name of their own, as `format=class,class`: objects first, then relations.
 */
const FORMATS = `
	AbsConnection-{name}=vnsAbsConnection AbsFConn-{name}=vnsAbsFuncConn AbsGraph-{name}=vnsAbsGraph
	AbsNode-{name}=vnsAbsNode AbsTConn=vnsAbsTermConn AbsTermNodeCon-{name}=vnsAbsTermNodeCon
	AbsTermNodeProv-{name}=vnsAbsTermNodeProv abswinp-{name}=trigAbsWindowP accbundle-{name}=infraAccBndlGrp
	accbundlepolgrp-{name}=infraAccBndlPolGrp accp=fvAccP addr-[{addr}]=l3extIp addrinst-{name}=fvnsAddrInst
	as=bgpAsP asn-{order}=rtctrlSetASPathASN aspathrxtrm-{name}=rtctrlMatchAsPathRegexTerm attr-{name}=rtctrlAttrP
	backupPol-{name}=vnsBackupPol bestpath-{name}=bgpBestPathCtrlPol bfdIfP=bfdIfP bfdIfPol-{name}=bfdIfPol
	bfdMhIfPol-{name}=bfdMhIfPol bfdMhNodeP=bfdMhNodeP bfdMhNodePol-{name}=bfdMhNodePol bgpCtxAfP-{name}=bgpCtxAfPol
	bgpCtxP-{name}=bgpCtxPol bgpExtP=bgpExtP bgpInstP-{name}=bgpInstPol bgpPfxP-{name}=bgpPeerPfxPol
	bgprtsum-{name}=bgpRtSummPol buffer=qosBuffer cDev-{name}=vnsCDev cIf-[{name}]=vnsCIf cif-{name}=vzCPIf
	class-{prio}=qosClass clgrp-{name}=snmpClientGrpP client-[{addr}]=snmpClientP comm-{name}=commPol comp=compUni prov-{name}=compProv
	commfct-{community}=rtctrlMatchCommFactor commrxtrm-{commType}=rtctrlMatchCommRegexTerm
	commtrm-{name}=rtctrlMatchCommTerm community-{name}=snmpCommunityP configexp-{name}=configExportP
	configimp-{name}=configImportP cong=qosCong conslbl-{name}=l3extConsLbl console=syslogConsole
	consoleauth=aaaConsoleAuth controller=ctrlrInst crtrn=fvCrtrn ctrlr-{name}=vmmCtrlrP ctx-{name}=rtctrlCtxP
	dcsp-{from}-{to}=qosDscpClass defaultauth=aaaDefaultAuth defrtleak=l3extDefaultRouteLeakP
	dest-[{ip}]=rtctrlMatchRtDest dest-{name}=spanDest destgrp-{name}=spanDestGrp dhcplbl-{name}=dhcpLbl
	dhcpoptpol-{name}=dhcpOptionPol dnsattr-{name}=fvDnsAttr dnsp-{name}=dnsProfile dom-{name}=dnsDomain,vmmDomP
	domain-{name}=aaaDomain domainauth=aaaDomainAuth dot1P-{from}-{to}=qosDot1PClass
	dscptranspol-{name}=qosDscpTransPol duoprovidergroup-{name}=aaaDuoProviderGroup
	edrErrDisRecoverPol-{name}=edrErrDisRecoverPol eigrpExtP=eigrpExtP eigrpIfP=eigrpIfP
	eigrpIfPol-{name}=eigrpIfPol epAnycast-{mac}=fvEpAnycast epCtrlP-{name}=epControlP
	epgselector-[{matchEpgDn}]=fvEPgSelector epLoopProtectP-{name}=epLoopProtectP epReach=fvEpReachability
	epRPol-{name}=fvEpRetPol epselector-[{matchExpression}]=fvEPSelector esg-{name}=fvESg
	expgep-{name}=fabricExplicitGEp exportcryptkey=pkiExportEncryptionKey exporterpol-{name}=netflowExporterPol
	extmngd=tagExtMngdInst fc-{name}=fcDomP fcIfPol-{name}=fcIfPol fexbundle-{name}=infraFexBndlGrp
	fexprof-{name}=infraFexP file=syslogFile filtergrp-{name}=spanFilterGrp format-{name}=datetimeFormat
	fromaddr-[{from}]-toaddr-[{to}]=fvnsUcastAddrBlk,fvnsMcastAddrBlk funcprof=fabricFuncP
	fwgrp-{name}=firmwareFwGrp fwP-{name}=nwsFwPol fwpol-{name}=firmwareFwP fwrepop=firmwareRepoP
	gen-{name}=infraGeneric hintfpol-{name}=fabricHIfPol hsrpGroupP-{name}=hsrpGroupP
	hsrpGroupPol-{name}=hsrpGroupPol hsrpIfP=hsrpIfP hsrpIfPol-{name}=hsrpIfPol hsrpSecVip-[{ip}]=hsrpSecVip
	http=commHttp https=commHttps idgattr-[{selector}]=fvIdGroupAttr ifPol-{name}=stpIfPol
	igmpIfPol-{name}=igmpIfPol inb-{name}=mgmtInB instp-{name}=mgmtInstP instP-{name}=l2extInstP
	intmnl=vzInTerm,vnsInTerm ip-[{addr}]=fvStIp ipAgingP-{name}=epIpAgingP ipattr-{name}=fvIpAttr
	ipslaMonitoringPol-{name}=fvIPSLAMonitoringPol isisDomP-{name}=isisDomPol keyring-{name}=pkiKeyRing
	L1L2RedirectDest-{destName}=vnsL1L2RedirectDest l2dom-{name}=l2extDomP l2IfP-{name}=l2IfPol
	l2out-{name}=l2extOut lacpifp-{name}=lacpIfPol lacplagp-{name}=lacpLagPol lbp-[{addr}]=l3extLoopBackIfP
	ldapext=aaaLdapEp ldapprovider-{name}=aaaLdapProvider ldapprovidergroup-{name}=aaaLdapProviderGroup
	ldevCtx-c-{ctrctNameOrLbl}-g-{graphNameOrLbl}-n-{nodeNameOrLbl}=vnsLDevCtx lDevVip-{name}=vnsLDevVip
	leakintprefix-[{ip}]=leakInternalPrefix leakintsubnet-[{ip}]=leakInternalSubnet leakroutes=leakRoutes
	leaves-{name}-typ-{type}=infraLeafS,fabricLeafS lefabports-{name}-typ-{type}=fabricLFPortS
	leportp-{name}=fabricLePortP leprof-{name}=fabricLeafP lIf-{name}=vnsLIf lIfCtx-c-{connNameOrLbl}=vnsLIfCtx
	lifp-{name}=l3extLIfP,l2extLIfP linkflappol-{name}=fabricLinkFlapPol lldpInstP-{name}=lldpInstPol
	lnodep-{name}=l2extLNodeP localasn=bgpLocalAsnP logindomain-{name}=aaaLoginDomain macattr-{name}=fvMacAttr
	macsecifp-{name}=macsecIfPol maddrns-{name}=fvnsMcastAddrInstP maintgrp-{name}=maintMaintGrp
	maintpol-{name}=maintMaintP mcpIfP-{name}=mcpIfPol mcpInstP-{name}=mcpInstPol mem-{side}=l3extMember
	mgmtnodegrp-{name}=mgmtNodeGrp mgmtp-{name}=mgmtMgmtP mldsnoopPol-{name}=mldSnoopPol moncommon=monCommonPol
	monfab-{name}=monFabricPol moninfra-{name}=monInfraPol monitorpol-{name}=netflowMonitorPol
	ndifpol-{name}=ndIfPol ndpfxpol-{name}=ndPfxPol nh=rtctrlSetNh nh-[{nhAddr}]=ipNexthopP
	nhunchanged=rtctrlSetNhUnchanged node-{id}=bgpRRNodePEp nodeblk-{name}=infraNodeBlk,fabricNodeBlk
	nodeidentpol=fabricNodeIdentPol nodep-{serial}=fabricNodeIdentP nodepep-{id}=fabricNodePEp
	nprof-{name}=infraNodeP ntpauth-{id}=datetimeNtpAuthKey ntpprov-{name}=datetimeNtpProv oob-{name}=mgmtOoB
	oobbrc-{name}=vzOOBBrCP opt-{name}=dhcpOption ospfCtxP-{name}=ospfCtxPol ospfExtP=ospfExtP ospfIfP=ospfIfP
	ospfIfPol-{name}=ospfIfPol outofsvc=fabricOOServicePol outtmnl=vzOutTerm,vnsOutTerm path-{name}=fileRemotePath
	peerP-[{addr}]=bgpPeerP pfc-{name}=qosPfcIfPol pfcpol-{name}=qosPfcPol pimextp=pimExtP pingext=aaaPingEp
	pkiext=pkiEp podblk-{name}=fabricPodBlk podpgrp-{name}=fabricPodPGrp podprof-{name}=fabricPodP
	pods-{name}-typ-{type}=fabricPodS poeIfP-{name}=poeIfPol pol-{name}=coopPol portblk-{name}=fabricPortBlk
	portsecurityP-{name}=l2PortSecurityPol preloginbanner=aaaPreLoginBanner prof=syslogProf
	prof-{name}=rtctrlProfile
	proto-{ipProto}-src-[{srcAddr}]-dst-[{dstAddr}]-srcPortFrom-{srcPortFrom}-srcPortTo-{srcPortTo}-dstPortFrom-{dstPortFrom}-dstPortTo-{dstPortTo}=spanFilterEntry
	protp=bgpProtP protpol=fabricProtPol prov-[{addr}]=dnsProv providerref-{name}=aaaProviderRef
	provlbl-{name}=l3extProvLbl pwdprofile=aaaPwdProfile qoscustom-{name}=qosCustomPol qosdpppol-{name}=qosDppPol
	qosinst-{name}=qosInstPol qossdpol-{name}=qosSdIfPol radiusext=aaaRadiusEp
	radiusprovider-{name}=aaaRadiusProvider radiusprovidergroup-{name}=aaaRadiusProviderGroup
	rbacclpriv-{className}=aaaRbacClassPriv rbacdb=aaaRbacEp rdst-{host}=syslogRemoteDest
	recurrwinp-{name}=trigRecurrWindowP RedirectDest_ip-[{ip}]=vnsRedirectDest
	redirectHealthGroup-{name}=vnsRedirectHealthGroup redistmpath=rtctrlSetRedistMultipath relayp-{name}=dhcpRelayP
	rgexpmac-{mac}=fvRogueExceptionMac role-{name}=aaaRole,aaaUserRole rr=bgpRRP rt-[{ip}]=ipRouteP
	rttag-{name}=l3extRouteTagPol run-{name}=configJob saddcomm-{community}=rtctrlSetAddComm
	saspath-{criteria}=rtctrlSetASPath sched=qosSched schedp-{name}=trigSchedP scomm=rtctrlSetComm scp=rtctrlScope
	sdamp=rtctrlSetDamp sec=vmmSecP settings=infraSetPol setupp-{podId}=fabricSetupP setuppol=fabricSetupPol
	shellinabox=commShellinabox shports-{name}-typ-{type}=infraSHPortS slgroup-{name}=syslogGroup
	slsrc-{name}=syslogSrc smetric=rtctrlSetRtMetric smetrict=rtctrlSetRtMetricType snapshot-{name}=configSnapshot
	snmpctx=snmpCtxP snmpgroup-{name}=snmpGroup snmppol-{name}=snmpPol snmpsrc-{name}=snmpSrc
	snPol-{name}=igmpSnoopPol snprlb-{name}=configRollbackP spaccportgrp-{name}=infraSpAccPortGrp
	spaccportprof-{name}=infraSpAccPortP spanlbl-{name}=spanSpanLbl
	spines-{name}-typ-{type}=infraSpineS,fabricSpineS spprof-{name}=infraSpineP,fabricSpineP spref=rtctrlSetPref
	sptag=rtctrlSetPolicyTag src-{name}=spanSrc srcgrp-{name}=spanSrcGrp srttag=rtctrlSetTag ssh=commSsh
	sshauth-{name}=aaaSshAuth stcep-{mac}-type-{type}=fvStCEp stormctrlifp-{name}=stormctrlIfPol
	subj-{name}=rtctrlSubjP subnet-[{ip}]=mgmtSubnet subportblk-{name}=infraSubPortBlk svcCont=vnsSvcCont
	svcRedirectPol-{name}=vnsSvcRedirectPol sweight=rtctrlSetWeight taboo-{name}=vzTaboo tacacsext=aaaTacacsPlusEp
	tacacsplusprovider-{name}=aaaTacacsPlusProvider tacacsplusprovidergroup-{name}=aaaTacacsPlusProviderGroup
	tagselectorkey-[{matchKey}]-value-[{matchValue}]=fvTagSelector telnet=commTelnet time-{name}=datetimePol
	to-[{tenantName}]-[{ctxName}]=leakTo tp-{name}=pkiTP trackEqptFabP-{name}=infraPortTrackPol
	tracklist-{name}=fvTrackList trackmember-{name}=fvTrackMember trapdest-{host}-port-{port}=snmpTrapDest
	trapfwdserver-[{addr}]=snmpTrapFwdServerP tsubj-{name}=vzTSubj uplinkp-{uplinkId}=vmmUplinkP
	uplinkpcont=vmmUplinkPCont user-{name}=snmpUserP userdomain-{name}=aaaUserDomain usracc-{name}=vmmUsrAccP
	vdest-{name}=spanVDest vdestgrp-{name}=spanVDestGrp vip-[{addr}]=fvVip
	vlifp-[{nodeDn}]-[{encap}]=l3extVirtualLIfP vmattr-{name}=fvVmAttr vmmp-{vendor}=vmmProvP
	vpcInst-{name}=vpcInstPol vrfvalidationpol-{name}=l3extVrfValidationPol
	vsanfrom-[{from}]-to-[{to}]=fvnsVsanEncapBlk vsanns-[{name}]-{allocMode}=fvnsVsanInstP vsrc-{name}=spanVSrc
	vsrcgrp-{name}=spanVSrcGrp vswitchpolcont=vmmVSwitchPolicyCont vxlanns-{name}=fvnsVxlanInstP
	webtokendata=pkiWebTokenData

	rsABDPolMonPol=fvRsABDPolMonPol rsacc=vmmRsAcc rsaccNodePGrp=infraRsAccNodePGrp rsAEPgMonPol=fvRsAEPgMonPol
	rsALDevToDomP=vnsRsALDevToDomP rsALDevToPhysDomP=vnsRsALDevToPhysDomP rsanyToCons-{tnVzBrCPName}=vzRsAnyToCons
	rsanyToConsIf-{tnVzCPIfName}=vzRsAnyToConsIf rsanyToProv-{tnVzBrCPName}=vzRsAnyToProv rsApMonPol=fvRsApMonPol
	rsARemoteHostToEpg=fileRsARemoteHostToEpg rsArpIfPol=l3extRsArpIfPol
	rsBDSubnetToOut-{tnL3extOutName}=fvRsBDSubnetToOut rsBDSubnetToProfile=fvRsBDSubnetToProfile
	rsBDToNetflowMonitorPol-[{tnNetflowMonitorPolName}]-{fltType}=fvRsBDToNetflowMonitorPol
	rsBDToOut-{tnL3extOutName}=fvRsBDToOut rsBDToProfile=fvRsBDToProfile rsBDToRelayP=fvRsBDToRelayP
	rsbgpNodeCtxPol=bgpRsBgpNodeCtxPol rscardPGrp=infraRsCardPGrp rsCIfPathAtt=vnsRsCIfPathAtt
	rsconsIf-{tnVzCPIfName}=fvRsConsIf rsCtxMonPol=fvRsCtxMonPol
	rsctxPToSubjP-{tnRtctrlSubjPName}=rtctrlRsCtxPToSubjP
	rsctxToBgpCtxAfPol-[{tnBgpCtxAfPolName}]-{af}=fvRsCtxToBgpCtxAfPol
	rsctxToOspfCtxPol-[{tnOspfCtxPolName}]-{af}=fvRsCtxToOspfCtxPol
	rsdampeningPol-[{tnRtctrlProfileName}]-{af}=l3extRsDampeningPol rsdenyRule-{tnVzFilterName}=vzRsDenyRule
	rsdestEpg=spanRsDestEpg rsdestGroup=snmpRsDestGroup,syslogRsDestGroup rsdppPol=fvRsDppPol rseBd=l2extRsEBd
	rsegressQosDppPol=l3extRsEgressQosDppPol rsepg=snmpRsEpg rsExportScheduler=configRsExportScheduler
	rsfiltAtt-{tnVzFilterName}=vzRsFiltAtt rsfwgrpp=firmwareRsFwgrpp rsGroupPol=hsrpRsGroupPol rsif=vzRsIf
	rsIfPol=bfdRsIfPol,eigrpRsIfPol,ospfRsIfPol rsingressQosDppPol=l3extRsIngressQosDppPol
	rsinstPToProfile-[{tnRtctrlProfileName}]-{direction}=l3extRsInstPToProfile rsinterleakPol=l3extRsInterleakPol
	rsInTermGraphAtt=vzRsInTermGraphAtt rsintraEpg-{tnVzBrCPName}=fvRsIntraEpg rsl2DomAtt=l2extRsL2DomAtt
	rsl3DomAtt=l3extRsL3DomAtt rsLDevCtxToLDev=vnsRsLDevCtxToLDev rsleNodePGrp=fabricRsLeNodePGrp
	rslePortPGrp=fabricRsLePortPGrp rsLIfCtxToBD=vnsRsLIfCtxToBD rsLIfCtxToLIf=vnsRsLIfCtxToLIf
	rsLIfCtxToSvcRedirectPol=vnsRsLIfCtxToSvcRedirectPol rslIfPCustQosPol=l3extRsLIfPCustQosPol
	rsmgmtBD=mgmtRsMgmtBD rsmgrpp=maintRsMgrpp rsNdIfPol=l3extRsNdIfPol rsNdPfxPol=fvRsNdPfxPol
	rsNodeToLDev=vnsRsNodeToLDev rsNtpProvToEpg=datetimeRsNtpProvToEpg
	rsntpProvToNtpAuthKey-{tnDatetimeNtpAuthKeyId}=datetimeRsNtpProvToNtpAuthKey rsooB=mgmtRsOoB
	rsooBCons-{tnVzOOBBrCPName}=mgmtRsOoBCons rsooBProv-{tnVzOOBBrCPName}=mgmtRsOoBProv
	rsoosPath-[{tDn}]=fabricRsOosPath rsOutTermGraphAtt=vzRsOutTermGraphAtt rspeerPfxPol=bgpRsPeerPfxPol
	rspodPGrp=fabricRsPodPGrp rsProfileToEpg=dnsRsProfileToEpg rsprotBy-{tnVzTabooName}=fvRsProtBy
	rsredistributePol-[{tnRtctrlProfileName}]-{src}=l3extRsRedistributePol rsRemotePath=configRsRemotePath
	rsspAccGrp=infraRsSpAccGrp rsspineAccNodePGrp=infraRsSpineAccNodePGrp rsspNodePGrp=fabricRsSpNodePGrp
	rssrcToEpg=spanRsSrcToEpg rsSubjGraphAtt=vzRsSubjGraphAtt
	rssubnetToProfile-[{tnRtctrlProfileName}]-{direction}=l3extRsSubnetToProfile rstrustCtrl=fvRsTrustCtrl
	rsvipAddrNs=infraRsVipAddrNs rsvpcInstPol=fabricRsVpcInstPol
	rsctxToEigrpCtxAfPol-[{tnEigrpCtxAfPolName}]-{af}=fvRsCtxToEigrpCtxAfPol
	rslIfPToNetflowMonitorPol-[{tnNetflowMonitorPolName}]-{fltType}=l3extRsLIfPToNetflowMonitorPol
	rsmonitorToExporter-{tnNetflowExporterPolName}=netflowRsMonitorToExporter
	rsnetflowMonitorPol-[{tnNetflowMonitorPolName}]-{fltType}=infraRsNetflowMonitorPol
	rsspanVDestGrp-{tnSpanVDestGrpName}=infraRsSpanVDestGrp rsspanVSrcGrp-{tnSpanVSrcGrpName}=infraRsSpanVSrcGrp
`;

/** The format of a class, if it is one of these. */
export function getRnFormat(cls: string): string | null {
	const at = FORMATS.search(new RegExp(`[=,]${cls}\\b`));
	if (at < 0) return null;
	const start = Math.max(FORMATS.lastIndexOf(" ", at), FORMATS.lastIndexOf("\t", at)) + 1;
	return FORMATS.slice(start, FORMATS.indexOf("=", start));
}
