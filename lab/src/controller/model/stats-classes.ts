/** Statistics: one object for the running interval (`CD…`), one per past interval (`HD…-n`). */
import type { ClassDefinition } from "./define.ts";

const COUNTER = [
	"Avg",
	"Base",
	"Cum",
	"Last",
	"Max",
	"Min",
	"Per",
	"Rate",
	"RateAvg",
	"RateLast",
	"RateMax",
	"RateMin",
	"Spct",
	"Thr",
	"Tr",
	"TrBase",
];
const AGGREGATE = ["Cum", "Per", "Rate", "Spct", "Thr", "Tr", "TrBase"];
const GAUGE = ["Avg", "Last", "Max", "Min", "Spct", "Thr", "Tr", "TrBase", "Ttl"];
const COMMON = "cnt:num=1 lastCollOffset:num=0 repIntvEnd:date=never repIntvStart:date=never";

interface StatsFamily {
	readonly name: string;
	readonly label: string;
	readonly under: string;
	readonly parts: readonly string[];
	readonly suffixes: readonly string[];
	readonly intervals: readonly string[];
}

const FAMILIES: readonly StatsFamily[] = [
	{
		name: "eqptEgrTotal",
		label: "Total Egress",
		under: "l1PhysIf",
		parts: ["bytes", "pkts", "util"],
		suffixes: COUNTER,
		intervals: ["5min", "15min"],
	},
	{
		name: "eqptIngrTotal",
		label: "Total Ingress",
		under: "l1PhysIf",
		parts: ["bytes", "pkts", "util"],
		suffixes: COUNTER,
		intervals: ["5min", "15min"],
	},
	{
		name: "l2IngrPktsAg",
		label: "Aggregated Ingress Packets",
		under: "fvAEPg fvAp fvTenant",
		parts: ["drop", "flood", "multicast", "unicast"],
		suffixes: AGGREGATE,
		intervals: ["15min", "1h"],
	},
	{
		name: "l2EgrPktsAg",
		label: "Aggregated Egress Packets",
		under: "fvAEPg fvAp fvTenant",
		parts: ["drop", "flood", "multicast", "unicast"],
		suffixes: AGGREGATE,
		intervals: ["15min", "1h"],
	},
	{
		name: "fvOverallHealth",
		label: "Overall Health",
		under: "fvTenant fvAEPg fvAp",
		parts: ["health"],
		suffixes: GAUGE,
		intervals: ["5min", "15min"],
	},
	{
		name: "fabricNodeHealth",
		label: "Node Health",
		under: "topSystem",
		parts: ["health"],
		suffixes: GAUGE,
		intervals: ["5min", "15min"],
	},
];

function defineFamily(f: StatsFamily): ClassDefinition[] {
	const props = (suffixes: readonly string[]) =>
		f.parts.flatMap((part) => suffixes.map((s) => (s === "Thr" ? part + s : `${part}${s}:num=0`))).join(" ");
	return f.intervals.flatMap((interval) => [
		{
			name: f.name + interval,
			label: `${f.label} ${interval}`,
			rn: `CD${f.name}${interval}`,
			under: f.under,
			isa: `${f.name} statsCurr statsItem`,
			props: `${COMMON} ${props(f.suffixes)}`,
			facet: "stats" as const,
		},
		{
			name: `${f.name}Hist${interval}`,
			label: `${f.label} ${interval} history`,
			rn: `HD${f.name}${interval}-{index}`,
			under: f.under,
			isa: `${f.name}Hist statsHist statsItem`,
			props: `${COMMON} *index:num=0 ${props(f.suffixes.filter((s) => !s.endsWith("Base")))}`,
			facet: "stats" as const,
		},
	]);
}

export const STATS_CLASSES: readonly ClassDefinition[] = FAMILIES.flatMap(defineFamily);
