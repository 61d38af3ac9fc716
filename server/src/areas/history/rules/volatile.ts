/**
 * Attributes that differ between two results of an unchanged fabric: clocks, measured values and
 * counters. Operational attributes that change only with an event are not listed: a fault's `occur`
 * and `lastTransition`, a link's `lastLinkStChg`, a node's `lastStateModTs`.
 */
export interface VolatileRule {
	/** Null for all attributes of the classes. */
	readonly attribute: string | null;
	/** Regular expression for names of classes; null for every class. */
	readonly classes: string | null;
	readonly reason: string;
}

const STATISTICS = "(5min|15min|1h|1d|1w|1mo|1qtr|1year)$";
const STORAGE = "^eqptStorage$";
const NTP = "^datetimeNtpq$";
const HEALTH = "^healthInst$";

export const VOLATILE: readonly VolatileRule[] = [
	createRule(
		"modTs",
		null,
		"When the object was last written: it moves with every write, whatever that changed, so it adds nothing to what is shown.",
	),
	createRule("currentTime", "^topSystem$", "The node's clock."),
	createRule("systemUpTime", "^topSystem$", "Time since the node was started."),
	createRule(
		null,
		STATISTICS,
		"Statistics of an interval: the next interval has other values, and other beginnings and ends.",
	),
	createRule(null, "^rmon[A-Z]", "Interface counters, which every packet moves."),
	createRule(null, "Stats$", "Protocol counters, which every message moves."),
	createRule("updTs", HEALTH, "When the health score was last worked out."),
	createRule(
		"twScore",
		HEALTH,
		"A health score weighted by time: it goes on moving after its cause has gone. `cur` is compared.",
	),
	createRule("prev", HEALTH, "The health score before the last change: it moves with `cur`, which is compared."),
	createRule("chng", HEALTH, "By how much the health score changed last: it moves with `cur`, which is compared."),
	createRule("value", "^eqptSensor$", "A measured temperature. The sensor's state is compared."),
	...["available", "used", "capUtilized"].map((name) =>
		createRule(name, STORAGE, "How full a disk is: logs alone move it."),
	),
	...["delay", "jitter", "offset", "reach", "when"].map((name) =>
		createRule(name, NTP, "Measured at each poll of a time server."),
	),
];

function createRule(attribute: string | null, classes: string | null, reason: string): VolatileRule {
	return { attribute, classes, reason };
}
