/** Shared enumerations, in the order of their numeric values, by which the controller sorts. */
const PORT = "num(0..65535|unspecified~0|ftpData~20|ssh~22|smtp~25|dns~53|http~80|pop3~110|https~443|rtsp~554)";

export const NAMED_TYPES: Readonly<Record<string, string>> = {
	owner: "enum(local|policy|replica|resolveOnBehalf|implicit)",
	prio: "enum(unspecified|level3|level2|level1|level4~9|level5~8|level6~7)",
	dscp: "enum(CS0|CS1~8|AF11~10|AF12~12|AF13~14|CS2~16|AF21~18|AF22~20|AF23~22|CS3~24|AF31~26|AF32~28|AF33~30|CS4~32|AF41~34|AF42~36|AF43~38|CS5~40|VA~44|EF~46|CS6~48|CS7~56|unspecified~64)",
	matchT: "enum(All~1|AtleastOne~2|AtmostOne~3|None~4)",
	intent: "enum(install|estimate_add~2|estimate_delete~1)",
	instr: "enum(immediate~1|lazy~2)",
	relState: "enum(unformed|formed|missing-target|cardinality-violation~5|invalid-target~4)",
	relQual: "enum(none|default-target~2|mismatch-target~1)",
	/** Of a port; clients compare it with sums such as 34 for blacklist and epg. */
	usage: "mask(discovery~1|epg~2|fabric~4|infra~8|span~16|blacklist~32|controller~64|fabric-ext~256)",
	severity: "enum(cleared|info|warning|minor|major|critical)",
	lifecycle: "mask(soaking|raised|soaking-clearing|raised-clearing|retaining)",
	domain: "enum(infra|framework|tenant|access|fabric|security|management|external|vmm)",
	faultType: "enum(generic|config|environmental|communications|operational)",
	role: "enum(unspecified|vendor|controller|leaf|spine|remote-leaf-wan|tier-2-leaf)",
	indicator: "enum(creation|modification|deletion|special|state-transition)",
	configIssues: "mask(ok|none|not-associated-with-mgmt-zone|bd-config-issues|nwissues|encap-assignment-issue)",
	configSt: "enum(not-applied|applying|applied|failed-to-apply|temp-failed-to-apply)",
	admin: "enum(disabled|enabled)",
	upDown: "enum(down|up)",
	speed: "enum(unknown|inherit|100M|1G|10G|25G|40G|50G|100G|400G)",
	port: PORT,
	color: "enum(alice-blue|yellow-green|black|green|red|blue|gold)",
};
