/** Classes of observed state: faults, health, logs. */
import type { ClassDefinition } from "./define.ts";

const FAULT_PROPS =
	"ack:bool=no cause changeSet code:code created:date=never descr domain:@domain=tenant highestSeverity:@severity=minor lastTransition:date=never lc:@lifecycle=raised occur:num=1 " +
	"origSeverity:@severity=minor prevSeverity:@severity=minor rule severity:@severity=minor subject type:@faultType=config";
const RECORD_PROPS =
	"affected cause changeSet code created:date=never descr *id:num ind:@indicator=modification trig:enum(config|oper|timer)=oper user=internal";

export const RECORD_CLASSES: readonly ClassDefinition[] = [
	{
		name: "faultInst",
		label: "Fault",
		rn: "fault-{code}",
		isa: "faultInfo",
		props: `alert:bool=no delegated:bool=no title ${FAULT_PROPS}`,
		facet: "faults",
	},
	{
		name: "faultDelegate",
		label: "Fault Delegate",
		rn: "fd-[{affected}]-fault-{code}",
		isa: "faultInfo",
		props: `affected title ${FAULT_PROPS}`,
		facet: "faults",
	},
	{
		name: "faultRecord",
		label: "Fault Record",
		rn: "fr-{id}",
		isa: "condRecord",
		props: `affected alert:bool=no delegated:bool=no delegatedFrom *id:num ind:@indicator=creation title ${FAULT_PROPS}`,
		facet: "fault-records",
	},
	{
		name: "faultCounts",
		label: "Fault Counts",
		rn: "fltCnts",
		isa: "faultACounts",
		props:
			"crit:num=0 maj:num=0 minor:num=0 warn:num=0 critAcked:num=0 majAcked:num=0 minorAcked:num=0 warnAcked:num=0",
		facet: "faults",
	},
	{
		name: "healthInst",
		label: "Health",
		rn: "health",
		isa: "healthAInst",
		props: "chng:num=0 cur:num=100 maxSev:@severity=cleared prev:num=100 twScore:num=100 updTs:date=never",
		facet: "health",
	},
	{
		name: "healthRecord",
		label: "Health Record",
		rn: "hr-{id}",
		isa: "condRecord",
		props: `${RECORD_PROPS} chng:num=0 cur:num=100 prev:num=100 twScore:num=100`,
		facet: "health-records",
	},
	{
		name: "eventRecord",
		label: "Event",
		rn: "rec-{id}",
		isa: "condRecord",
		props: `${RECORD_PROPS} severity:@severity=info dealloc delegated:bool=no`,
		facet: "event-logs",
	},
	{
		name: "aaaModLR",
		label: "Audit Log",
		rn: "mod-{id}",
		isa: "aaaALR condRecord",
		props: `${RECORD_PROPS} clientTag sessionId severity:@severity=info txId:num=0`,
		facet: "audit-logs",
	},
	{ name: "moCount", label: "Count", rn: "moCount", props: "count:num=0" },
];

/** Properties that filters may name on abstract classes (`faultInfo.code` matches all faults). */
export const ABSTRACT_PROPS: Readonly<Record<string, string>> = {
	faultInfo: FAULT_PROPS,
	condRecord: RECORD_PROPS,
};
