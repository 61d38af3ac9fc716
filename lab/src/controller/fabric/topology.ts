/** The hardware: controllers, spines, leaves, their ports, neighbours and counters. */
import type { Mo } from "../store/mo.ts";
import { type Builder, FABRIC_EPOCH, formatIsoTime, formatTwoDigits } from "./builder.ts";
import type { Amounts } from "./sizes.ts";

/** The domain that a fabric was set up with. */
const getDomain = (fabric: number): string => (fabric === 1 ? "weft-fabric" : `weft-fabric-${fabric}`);
export const CONTROLLER_VERSION = "6.0(9c)";
export const SWITCH_VERSION = "n9000-16.0(9c)";

export interface FabricNode {
	readonly id: number;
	readonly role: "controller" | "spine" | "leaf";
	readonly mo: Mo;
	readonly system: Mo;
	readonly ports: readonly Mo[];
}

/** One cable, by the ids of its nodes and the numbers of their ports. */
interface Cable {
	readonly leaf: number;
	readonly leafPort: number;
	readonly spine: number;
	readonly spinePort: number;
}

export interface Topology {
	readonly root: Mo;
	/** The domain that the fabric was set up with. */
	readonly domain: string;
	readonly pod: Mo;
	readonly nodes: readonly FabricNode[];
	readonly leaves: readonly FabricNode[];
	readonly cables: readonly Cable[];
}

/** @param fabric 1, 2, 3 …: fabrics have numbers of switches, serials and a domain of their own */
export function buildTopology(builder: Builder, amounts: Amounts, fabric: number): Topology {
	const { add, template, pastTime } = builder;
	const root = add(null, template("fabricTopology", []), "topology", []);
	const pod = add(root, template("fabricPod", ["id", "modTs"]), "pod-1", ["1", pastTime()]);
	const domain = getDomain(fabric);
	const make = createNodeMaker(builder, pod, { domain, serials: `FDO${fabric + 1}` });
	const nodes: FabricNode[] = [];
	for (let at = 1; at <= amounts.controllers; at++) nodes.push(make.controller(at));
	const spinePorts = Math.max(4, Math.round(amounts.ports / 3));
	for (let at = 1; at <= amounts.spines; at++) nodes.push(make.switch(1000 * fabric + at, "spine", spinePorts));
	for (let at = 1; at <= amounts.leaves; at++) nodes.push(make.switch(100 * fabric + at, "leaf", amounts.ports));
	const leaves = nodes.filter((node) => node.role === "leaf");
	const cables = connectLeaves(
		builder,
		leaves,
		nodes.filter((node) => node.role === "spine"),
	);
	return { root, domain, pod, nodes, leaves, cables };
}

interface Identity {
	readonly domain: string;
	/** Beginning of the serial numbers. */
	readonly serials: string;
}

function buildNodeShapes({ template }: Builder, domain: string) {
	return {
		node: template("fabricNode", [
			"address",
			"id",
			"lastStateModTs",
			"modTs",
			"model",
			"name",
			"role",
			"serial",
			"version",
		]),
		system: template(
			"topSystem",
			[
				"address",
				"currentTime",
				"id",
				"lastRebootTime",
				"modTs",
				"name",
				"oobMgmtAddr",
				"role",
				"serial",
				"systemUpTime",
				"version",
			],
			{ fabricDomain: domain, oobMgmtGateway: "192.168.10.1", tepPool: "10.0.0.0/16" },
		),
		health: template("healthInst", ["cur", "prev", "twScore", "updTs"]),
		nodeHealth: template(
			"fabricNodeHealth15min",
			["healthAvg", "healthLast", "repIntvEnd", "repIntvStart"],
			createStatsValues(),
		),
		portShape: template("l1PhysIf", ["adminSt", "descr", "id", "layer", "modTs", "portT", "speed", "usage"], {
			monPolDn: "uni/infra/moninfra-default",
		}),
		stateShape: template("ethpmPhysIf", ["lastLinkStChg", "modTs", "operSpeed", "operSt", "operStQual", "usage"], {
			monPolDn: "uni/infra/moninfra-default",
		}),
		flapPolicy: template("l1RsLinkFlapPolCons", ["modTs"], {
			tCl: "fabricLinkFlapPol",
			tDn: "uni/infra/linkflappol-default",
			lcOwn: "resolveOnBehalf",
		}),
		counters: (["eqptEgrTotal5min", "eqptIngrTotal5min"] as const).map((cls) =>
			template(
				cls,
				["bytesCum", "bytesLast", "bytesRate", "pktsCum", "pktsLast", "pktsRate", "repIntvEnd", "repIntvStart"],
				createStatsValues(),
			),
		),
		firmware: template("firmwareCtrlrRunning", ["modTs", "ts"], {
			version: CONTROLLER_VERSION,
			description: "Controller software",
		}),
	};
}

/** The shapes of a node's objects, and the place where nodes are added. */
interface NodeMakerState extends ReturnType<typeof buildNodeShapes> {
	readonly builder: Builder;
	readonly add: Builder["add"];
	readonly pastTime: Builder["pastTime"];
	readonly pod: Mo;
	/** Beginning of the serial numbers. */
	readonly serials: string;
}

function addNode(
	maker: NodeMakerState,
	id: number,
	role: FabricNode["role"],
	name: string,
	model: string,
	version: string,
) {
	const serial = `${maker.serials}${String(id).padStart(7, "0")}`;
	const address = `10.0.${(id >> 6) & 255}.${64 + (id & 63)}`;
	const changed = maker.pastTime();
	const mo = maker.add(maker.pod, maker.node, `node-${id}`, [
		address,
		String(id),
		changed,
		changed,
		model,
		name,
		role,
		serial,
		version,
	]);
	const up = 1 + maker.builder.random.int(300);
	const rebooted = formatIsoTime(FABRIC_EPOCH - up * 86_400_000);
	const values = [
		address,
		formatIsoTime(FABRIC_EPOCH),
		String(id),
		rebooted,
		changed,
		name,
		`192.168.10.${10 + (id % 240)}`,
		role,
		serial,
		`${up}:00:00:00.000`,
		version,
	];
	const sys = maker.add(mo, maker.system, "sys", values);
	const score = String(85 + maker.builder.random.int(16));
	maker.add(sys, maker.health, "health", [score, score, score, changed]);
	maker.add(sys, maker.nodeHealth, "CDfabricNodeHealth15min", [
		score,
		score,
		formatIsoTime(FABRIC_EPOCH),
		formatIsoTime(FABRIC_EPOCH - 900_000),
	]);
	return { mo, sys };
}

function addPort(maker: NodeMakerState, sys: Mo, id: string, role: "spine" | "leaf", uplink: boolean): Mo {
	const up = uplink || maker.builder.random.next() < 0.7;
	const usage =
		uplink || role === "spine" ? "fabric" : up && maker.builder.random.next() < 0.6 ? "discovery,epg" : "discovery";
	const layer = uplink || role === "spine" ? "Layer3" : "Layer2";
	const port = maker.add(sys, maker.portShape, `phys-[${id}]`, [
		maker.builder.random.next() < 0.03 ? "down" : "up",
		"",
		id,
		layer,
		maker.pastTime(),
		layer === "Layer3" ? "fab" : "leaf",
		"inherit",
		usage,
	]);
	maker.add(port, maker.stateShape, "phys", [
		maker.pastTime(),
		maker.pastTime(),
		uplink ? "100G" : "25G",
		up ? "up" : "down",
		up ? "none" : "sfp-missing",
		usage,
	]);
	maker.add(port, maker.flapPolicy, "rslinkFlapPolCons", [maker.pastTime()]);
	for (const [at, shape] of maker.counters.entries()) {
		const rate = up ? maker.builder.random.int(900_000) : 0;
		const total = String(rate * 86_400);
		const values = [
			total,
			String(rate * 10),
			`${rate}.000000`,
			String(Math.floor((rate * 86_400) / 500)),
			String(Math.floor(rate / 50)),
			`${Math.floor(rate / 500)}.000000`,
		];
		maker.add(port, shape, at === 0 ? "CDeqptEgrTotal5min" : "CDeqptIngrTotal5min", [
			...values,
			formatIsoTime(FABRIC_EPOCH),
			formatIsoTime(FABRIC_EPOCH - 300_000),
		]);
	}
	return port;
}

function addController(maker: NodeMakerState, id: number): FabricNode {
	const { mo, sys } = addNode(maker, id, "controller", `apic${id}`, "APIC-SERVER-L3", CONTROLLER_VERSION);
	maker.add(
		maker.builder.store.reach(["topology", "pod-1", `node-${id}`, "sys", "ctrlrfwstatuscont"]),
		maker.firmware,
		"ctrlrrunning",
		[maker.pastTime(), maker.pastTime()],
	);
	return { id, role: "controller", mo, system: sys, ports: [] };
}

function addSwitch(maker: NodeMakerState, id: number, role: "spine" | "leaf", ports: number): FabricNode {
	const model = role === "spine" ? "N9K-C9332C" : "N9K-C93180YC-FX3";
	const { mo, sys } = addNode(maker, id, role, `${role}${id}`, model, SWITCH_VERSION);
	const made: Mo[] = [];
	for (let at = 1; at <= ports; at++)
		made.push(addPort(maker, sys, `eth1/${at}`, role, role === "spine" || at > ports - 2));
	return { id, role, mo, system: sys, ports: made };
}

function createNodeMaker(builder: Builder, pod: Mo, { domain, serials }: Identity) {
	const { add, pastTime } = builder;
	const maker: NodeMakerState = { builder, add, pastTime, pod, serials, ...buildNodeShapes(builder, domain) };

	return {
		controller: (id: number) => addController(maker, id),
		switch: (id: number, role: "spine" | "leaf", ports: number) => addSwitch(maker, id, role, ports),
	};
}

function createStatsValues(): Record<string, string> {
	return { childAction: "deleteNonPresent", cnt: "30", lastCollOffset: "300" };
}

/** Two uplinks per leaf, each seen from both ends. */
function connectLeaves(builder: Builder, leaves: readonly FabricNode[], spines: readonly FabricNode[]): Cable[] {
	const { add, template, store, pastTime } = builder;
	const instance = template("lldpInst", ["modTs"]);
	const intf = template("lldpIf", ["id", "mac", "modTs", "portDesc", "sysDesc"]);
	const neighbour = template(
		"lldpAdjEp",
		["chassisIdV", "mgmtIp", "modTs", "portDesc", "portIdV", "sysDesc", "sysName"],
		{
			capability: "bridge,router",
			id: "1",
		},
	);
	const used = new Map<number, number>();
	const cables: Cable[] = [];
	const end = (from: FabricNode, port: number, to: FabricNode, toPort: number) => {
		const lldp = store.reach(["topology", "pod-1", `node-${from.id}`, "sys", "lldp"]);
		const inst = store.child(lldp, "inst") ?? add(lldp, instance, "inst", [pastTime()]);
		const mac = `00:3A:9C:${formatTwoDigits(from.id % 100)}:${formatTwoDigits(Math.floor(from.id / 100))}:${formatTwoDigits(port)}`;
		const id = `eth1/${port}`;
		const sysDesc = `topology/pod-1/node-${to.id}`;
		const at = add(inst, intf, `if-[${id}]`, [
			id,
			mac,
			pastTime(),
			`topology/pod-1/paths-${from.id}/pathep-[${id}]`,
			sysDesc,
		]);
		const toDesc = `topology/pod-1/paths-${to.id}/pathep-[eth1/${toPort}]`;
		add(at, neighbour, "adj-1", [
			mac,
			`192.168.10.${10 + (to.id % 240)}`,
			pastTime(),
			toDesc,
			`Eth1/${toPort}`,
			sysDesc,
			`${to.role}${to.id}`,
		]);
	};
	for (const [at, leaf] of leaves.entries()) {
		for (let uplink = 0; uplink < 2; uplink++) {
			const spine = spines[(at + uplink) % spines.length];
			if (spine === undefined) return cables;
			const spinePort = (used.get(spine.id) ?? 0) + 1;
			used.set(spine.id, spinePort);
			const leafPort = leaf.ports.length - uplink;
			end(leaf, leafPort, spine, spinePort);
			end(spine, spinePort, leaf, leafPort);
			cables.push({ leaf: leaf.id, leafPort, spine: spine.id, spinePort });
		}
	}
	return cables;
}
