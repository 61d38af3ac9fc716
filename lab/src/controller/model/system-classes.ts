/** Classes of the fabric's own state: cluster members, health, firmware, chassis and links. */
import type { ClassDefinition } from "./define.ts";

const OWN = "lcOwn:@owner=local monPolDn=uni/fabric/monfab-default";

const CLASSES: readonly ClassDefinition[] = [
	{
		name: "infraCont",
		label: "Cluster",
		rn: "av",
		under: "fabricNode",
		isa: "infraAContainer",
		props: `${OWN} fbDmNm fvEntPhase=none name nameAlias size:num=3`,
	},
	{
		name: "infraWiNode",
		label: "Cluster Member",
		rn: "node-{id}",
		under: "infraCont",
		isa: "infraANode namingNamedObject",
		props:
			`${OWN} addr +adminSt:enum(out-of-service|in-service)=in-service +annotation apicMode:enum(active|standby)=active chassis cntrlSbstState:enum(undefined|unapproved|approved)=approved ` +
			"descr extMngdBy +failoverStatus:enum(idle|requested|succeeded|failed)=idle health:enum(unknown|never-known|data-layer-unhealthy|data-layer-partially-diverged|data-layer-partially-degraded-leadership|data-layer-degraded-leadership|data-layer-acquiescent-writing|data-layer-acquiescent|fully-fit)=fully-fit " +
			"+force:bool=no *id:num mbSn name +nameAlias nodeName operSt:enum(unavailable|available)=available podId:num=1 +routableIpAddr=0.0.0.0 +targetMbSn uid:num=0 +userdom=all",
	},
	{
		name: "fabricHealthTotal",
		label: "Total Health",
		rn: "health",
		under: "fabricTopology fabricPod",
		isa: "healthAInst healthATotal",
		props: "chng:num=0 cur:num=100 maxSev:@severity=cleared prev:num=100 twScore:num=100 updTs:date=never",
		facet: "health",
	},
	{
		name: "firmwareRunning",
		label: "Switch Firmware",
		rn: "running",
		isa: "firmwareARunning",
		props:
			`${OWN} biosTs biosVer childVersion description=Software_for_the_switch expectedVer hasTrustedTime internalLabel kernelFile kernelTs mode=normal ` +
			"operSt=ready peVer systemFile systemTs ts:date=never type:enum(controller|switch|catalog)=switch version",
	},
	{
		name: "eqptCh",
		label: "Chassis",
		rn: "ch",
		under: "topSystem",
		isa: "eqptItem eqptEnt",
		props:
			`${OWN} descr hwVer=unspecified id:num=1 mfgTm=not-applicable model operSt:enum(unknown|online|offline)=online ` +
			"rev=0 role:enum(unsupported|leaf|spine|controller)=leaf ser vendor=Cisco",
	},
	{
		name: "fabricLink",
		label: "Link",
		rn: "lnk-{n1}-{s1}-{p1}-to-{n2}-{s2}-{p2}",
		isa: "fabricALink",
		props:
			`${OWN} degraded:bool=no linkState:enum(unknown|ok|failed|unspecified)=ok *n1:num *n2:num operSpeed:@speed=100G operSt:enum(unknown|up|down)=up ` +
			"*p1:num *p2:num *s1:num=1 *s2:num=1 wiringIssues",
	},
];

export const SYSTEM_CLASSES: readonly ClassDefinition[] = CLASSES.map((cls) => ({ ...cls, published: false }));
