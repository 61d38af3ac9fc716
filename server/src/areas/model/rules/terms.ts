/**
 * Words: how texts of the model and of people are cut into them, and what people call well-known
 * classes of Cisco ACI.
 */

const STOP = new Set(
	"a an and any are as at be by can do does for from get give has have how i if in into is it its list me my need not of on or show that the their them there these this to used user what when where which who with you your all each object objects class classes".split(
		" ",
	),
);

/** Lower case, singular, without what says nothing. */
export function splitWords(text: string): string[] {
	return text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word.length > 1 && !STOP.has(word))
		.map(singularizeWord);
}

/**
 * The parts of a name in camel case: `LDevIf` → `l`, `dev`, `if`; single letters count for nothing.
 */
export function getParts(name: string): string[] {
	return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? [])
		.map((part) => part.toLowerCase())
		.filter((part) => part.length > 1);
}

export function singularizeWord(word: string): string {
	if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
	if (word.length > 4 && /(?:ses|xes|ches|shes)$/.test(word)) return word.slice(0, -2);
	return word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** First letters of a label of several words: `Bridge Domain` → `bd`. */
export function findAcronym(label: string): string | null {
	const words = label.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && !/^(of|the|for|and|to|in)$/i.test(word));
	return words.length > 1 && words.length <= 6 ? words.map((word) => word.charAt(0).toLowerCase()).join("") : null;
}

/**
 * What the field calls them, and their classes; those that the loaded model lacks are passed over.
 */
export const ALIASES: Readonly<Record<string, string>> = {
	aaep: "infraAttEntityP",
	aep: "infraAttEntityP",
	app: "fvAp",
	"application profile": "fvAp",
	bd: "fvBD",
	bgp: "bgpPeerP bgpInst",
	bpdu: "stpIfPol",
	"bridge domain": "fvBD",
	cdp: "cdpIfPol cdpAdjEp",
	consumer: "fvRsCons",
	consumed: "fvRsCons",
	context: "fvCtx",
	contract: "vzBrCP",
	endpoint: "fvCEp",
	epg: "fvAEPg",
	esg: "fvESg",
	event: "eventRecord",
	"external epg": "l3extInstP",
	fault: "faultInst",
	filter: "vzFilter",
	health: "healthInst",
	interface: "l1PhysIf",
	"interface policy group": "infraAccPortGrp infraAccBndlGrp",
	"interface selector": "infraHPortS",
	ipg: "infraAccPortGrp infraAccBndlGrp",
	l2out: "l2extOut",
	l3out: "l3extOut",
	lacp: "lacpLagPol",
	leaf: "fabricNode",
	"leaf profile": "infraNodeP",
	lldp: "lldpIfPol lldpAdjEp",
	mac: "fvCEp",
	mcp: "mcpIfPol",
	ospf: "ospfIfP ospfExtP",
	"port channel": "infraAccBndlGrp pcAggrIf",
	"physical domain": "physDomP",
	provided: "fvRsProv",
	provider: "fvRsProv",
	spine: "fabricNode",
	"static port": "fvRsPathAtt",
	"static binding": "fvRsPathAtt",
	subject: "vzSubj",
	subnet: "fvSubnet l3extSubnet",
	switch: "fabricNode",
	tag: "tagTag tagAnnotation",
	taboo: "vzTaboo",
	tenant: "fvTenant",
	vlan: "fvnsEncapBlk fvnsVlanInstP vlanCktEp",
	"vlan pool": "fvnsVlanInstP",
	"vmm domain": "vmmDomP",
	vpc: "fabricExplicitGEp vpcDom",
	vrf: "fvCtx",
};
