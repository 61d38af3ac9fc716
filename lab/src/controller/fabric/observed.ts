/** Observed state: health scores, counters and faults. */
import { getDn } from "../store/mo.ts";
import { type Builder, FABRIC_EPOCH, formatIsoTime } from "./builder.ts";
import { type Faulty, GROUP_FAULTS, NETWORK_FAULTS, NODE_FAULTS, PORT_FAULTS } from "./fault-kinds.ts";
import { addLogs } from "./logs.ts";
import type { Amounts } from "./sizes.ts";
import type { Tenants } from "./tenants.ts";
import type { Topology } from "./topology.ts";

export function buildObserved(builder: Builder, amounts: Amounts, topology: Topology, tenants: Tenants): void {
	addHealth(builder, tenants);
	const faulty = addFaults(builder, amounts.faults, topology, tenants);
	addLogs(builder, amounts, [...tenants.epgs, ...tenants.bds, ...tenants.tenants], faulty);
}

function addHealth(builder: Builder, tenants: Tenants): void {
	const { add, template, random, pastTime } = builder;
	const health = template("healthInst", ["cur", "prev", "twScore", "updTs"]);
	const interval = [formatIsoTime(FABRIC_EPOCH), formatIsoTime(FABRIC_EPOCH - 900_000)];
	const stats = { childAction: "deleteNonPresent", cnt: "3", lastCollOffset: "900" };
	const overall = template("fvOverallHealth15min", ["healthAvg", "healthLast", "repIntvEnd", "repIntvStart"], stats);
	const packets = template(
		"l2IngrPktsAg15min",
		["repIntvEnd", "repIntvStart", "unicastCum", "unicastPer", "unicastRate"],
		stats,
	);
	for (const mo of [...tenants.tenants, ...tenants.aps, ...tenants.epgs]) {
		const score = String(random.next() < 0.9 ? 100 : 60 + random.int(40));
		add(mo, health, "health", [score, "100", score, pastTime()]);
		if (mo.shape.cls?.name === "fvAp") continue;
		if (mo.shape.cls?.name === "fvTenant") add(mo, overall, "CDfvOverallHealth15min", [score, score, ...interval]);
		const rate = random.int(40_000);
		add(mo, packets, "CDl2IngrPktsAg15min", [...interval, String(rate * 86_400), String(rate * 900), `${rate}.000000`]);
	}
}

function addFaults(builder: Builder, count: number, topology: Topology, tenants: Tenants): Faulty[] {
	const { add, template, random, recentTime } = builder;
	const varying = [
		"cause",
		"code",
		"created",
		"descr",
		"domain",
		"highestSeverity",
		"lastTransition",
		"lc",
		"occur",
		"origSeverity",
		"prevSeverity",
		"rule",
		"severity",
		"subject",
		"type",
	];
	const fault = template("faultInst", varying);
	const delegate = template("faultDelegate", ["affected", ...varying]);
	const ports = topology.leaves.flatMap((leaf) => leaf.ports);
	const faulty: Faulty[] = [];
	for (let at = 0; at < count; at++) {
		const chance = random.next();
		const [on, kinds] =
			chance < 0.4
				? [random.pick(tenants.epgs), GROUP_FAULTS]
				: chance < 0.5
					? [random.pick(tenants.bds), NETWORK_FAULTS]
					: chance < 0.95
						? [random.pick(ports), PORT_FAULTS]
						: [random.pick(topology.nodes).system, NODE_FAULTS];
		const of = random.pick(kinds);
		const cleared = random.next() < 0.1;
		const created = recentTime();
		const values = [
			of.cause,
			of.code,
			created,
			of.descr,
			of.domain,
			of.severity,
			created,
			cleared ? "retaining" : "raised",
			String(1 + random.int(9)),
			of.severity,
			of.severity,
			of.rule,
			cleared ? "cleared" : of.severity,
			of.subject,
			of.type,
		];
		const affected = `uni/epp/fv-[${getDn(on)}]/node-101/polDelSt`;
		const delegated = kinds === GROUP_FAULTS && random.next() < 0.3;
		const rn = delegated ? `fd-[${affected}]-fault-${of.code}` : `fault-${of.code}`;
		if (builder.store.child(on, rn) !== undefined) continue;
		add(on, delegated ? delegate : fault, rn, delegated ? [affected, ...values] : values);
		faulty.push({ on, kind: of });
	}
	return faulty;
}
