/** Common classes, as suggestions while no class model is loaded. Other names can be typed. */
const TEXT = `
fvTenant Tenant
fvCtx VRF
fvBD Bridge domain
fvSubnet Subnet
fvAp Application profile
fvAEPg Application EPG
fvESg Endpoint security group
fvCEp Endpoint
fvIp Endpoint address
fvRsCtx VRF of a bridge domain
fvRsBd Bridge domain of an EPG
fvRsDomAtt Domain of an EPG
fvRsPathAtt Static path of an EPG
fvRsProv Provided contract
fvRsCons Consumed contract
vzBrCP Contract
vzSubj Contract subject
vzFilter Filter
vzEntry Filter entry
l3extOut L3Out
l3extInstP External EPG
l3extLNodeP L3Out node profile
l3extLIfP L3Out interface profile
l3extSubnet External subnet
l2extOut L2Out
infraAttEntityP Attachable entity profile
infraAccPortP Leaf interface profile
infraHPortS Port selector
infraPortBlk Port block
infraAccPortGrp Access port policy group
infraAccBndlGrp Bundle policy group
infraNodeP Leaf switch profile
fvnsVlanInstP VLAN pool
fvnsEncapBlk VLAN range
physDomP Physical domain
vmmDomP VMM domain
fabricNode Node
fabricPod Pod
fabricLink Link
topSystem System of a node
l1PhysIf Physical interface
ethpmPhysIf State of a physical interface
pcAggrIf Port channel
vpcDom vPC domain
vpcIf vPC interface
eqptCh Chassis
eqptLC Line card
eqptFan Fan
eqptPsu Power supply
firmwareRunning Running firmware
faultInst Fault
faultSummary Faults counted
healthInst Health score
aaaModLR Change record
eventRecord Event
bgpPeer BGP peer
bgpPeerEntry BGP session
ospfAdjEp OSPF neighbour
isisAdjEp IS-IS neighbour
lldpAdjEp LLDP neighbour
cdpAdjEp CDP neighbour
arpAdjEp ARP entry
uribv4Route IPv4 route
epmMacEp Learned MAC address
epmIpEp Learned IP address
rmonEtherStats Interface counters`;

export interface ClassHint {
	readonly name: string;
	readonly label: string;
}

export const COMMON_CLASSES: readonly ClassHint[] = TEXT.trim()
	.split("\n")
	.map((line) => {
		const [name = "", ...words] = line.split(" ");
		return { name, label: words.join(" ") };
	});

export const CLASS_NAME = /^[A-Za-z][A-Za-z0-9]{0,127}$/;

/** Those whose name or label matches the text: equal names first, then prefixes. */
export function rankClasses(hints: readonly ClassHint[], text: string): ClassHint[] {
	const wanted = text.trim().toLowerCase();
	const rank = ({ name, label }: ClassHint): number => {
		const lower = name.toLowerCase();
		if (lower === wanted) return 0;
		if (lower.startsWith(wanted)) return 1;
		if (lower.includes(wanted)) return 2;
		return label.toLowerCase().includes(wanted) ? 3 : 9;
	};
	return hints.filter((hint) => rank(hint) < 9).sort((a, b) => rank(a) - rank(b));
}

/** Common classes that match the text. */
export const suggestClasses = (text: string, most: number): ClassHint[] =>
	rankClasses(COMMON_CLASSES, text).slice(0, most);
