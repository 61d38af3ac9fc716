/** Enumerations that several classes share, in the order of their numeric values, which is how the controller ranks them. */
const PORT = "num(0..65535|unspecified~0|ftpData~20|ssh~22|smtp~25|dns~53|http~80|pop3~110|https~443|rtsp~554)";

export const NAMED_TYPES: Readonly<Record<string, string>> = {
	owner: "enum(local|policy|replica|resolveOnBehalf|implicit)",
	prio: "enum(unspecified|level3|level2|level1|level4|level5|level6)",
	dscp: "enum(CS0|CS1|AF11|AF12|AF13|CS2|AF21|AF22|AF23|CS3|AF31|AF32|AF33|CS4|AF41|AF42|AF43|CS5|VA|EF|CS6|CS7|unspecified)",
	matchT: "enum(All|AtleastOne|AtmostOne|None)",
	intent: "enum(install|estimate_add|estimate_delete)",
	instr: "enum(immediate|lazy)",
	relState: "enum(unformed|formed|missing-target|cardinality-violation|invalid-target)",
	relQual: "enum(none|default-target|mismatch-target)",
	severity: "enum(cleared|info|warning|minor|major|critical)",
	lifecycle: "mask(soaking|raised|soaking-clearing|raised-clearing|retaining)",
	domain: "enum(infra|framework|tenant|access|fabric|security|management|external|vmm)",
	faultType: "enum(generic|config|environmental|communications|operational)",
	role: "enum(unspecified|vendor|controller|leaf|spine|remote-leaf-wan|tier-2-leaf)",
	indicator: "enum(creation|modification|deletion|special|state-transition)",
	configIssues: "mask(ok|none|not-associated-with-mgmt-zone|bd-config-issues|nwissues|encap-assignment-issue)",
	configSt: "enum(not-applied|applied|failed-to-apply|temp-failed-to-apply)",
	admin: "enum(disabled|enabled)",
	upDown: "enum(down|up)",
	speed: "enum(unknown|inherit|100M|1G|10G|25G|40G|50G|100G|400G)",
	port: PORT,
	color: "enum(alice-blue|yellow-green|black|green|red|blue|gold)",
};
