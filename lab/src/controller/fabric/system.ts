/** The fabric's own state: cluster members, health, firmware, chassis and links. */
import { readValue } from "../store/mo.ts";
import { type Builder, FABRIC_EPOCH, formatIsoTime } from "./builder.ts";
import { CONTROLLER_VERSION, type FabricNode, SWITCH_VERSION, type Topology } from "./topology.ts";

export function buildSystem(builder: Builder, topology: Topology): void {
	const controllers = topology.nodes.filter(({ role }) => role === "controller");
	const switches = topology.nodes.filter(({ role }) => role !== "controller");
	addMembers(builder, controllers, topology.domain);
	addHealth(builder, topology);
	addFirmware(builder, switches);
	addChassis(builder, topology.nodes);
	addLinks(builder, topology);
}

/** Every member's view of every member. */
function addMembers(builder: Builder, controllers: readonly FabricNode[], domain: string): void {
	const { add, template, pastTime } = builder;
	const cluster = template("infraCont", ["modTs"], { fbDmNm: domain, size: String(controllers.length) });
	const member = template("infraWiNode", ["addr", "chassis", "id", "mbSn", "modTs", "nodeName"]);
	for (const viewer of controllers) {
		const seen = add(viewer.mo, cluster, "av", [pastTime()]);
		for (const { id, mo } of controllers) {
			const value = (name: string) => readValue(mo, name) ?? "";
			add(seen, member, `node-${id}`, [
				value("address"),
				`chassis-${value("serial")}`,
				String(id),
				value("serial"),
				pastTime(),
				value("name"),
			]);
		}
	}
}

function addHealth({ add, template, random }: Builder, { root, pod }: Topology): void {
	const health = template("fabricHealthTotal", ["cur", "prev", "twScore", "updTs"]);
	for (const mo of [root, pod]) {
		const score = String(90 + random.int(11));
		add(mo, health, "health", [score, score, score, formatIsoTime(FABRIC_EPOCH)]);
	}
}

function addFirmware({ add, template, store, pastTime }: Builder, switches: readonly FabricNode[]): void {
	const running = template("firmwareRunning", ["modTs", "ts"], {
		version: SWITCH_VERSION,
		peVer: CONTROLLER_VERSION,
		biosVer: "v07.69",
	});
	for (const { id } of switches)
		add(store.reach(["topology", "pod-1", `node-${id}`, "sys", "fwstatuscont"]), running, "running", [
			pastTime(),
			pastTime(),
		]);
}

function addChassis({ add, template, pastTime }: Builder, nodes: readonly FabricNode[]): void {
	const chassis = template("eqptCh", ["descr", "modTs", "model", "role", "ser"]);
	for (const { mo, role, system } of nodes) {
		const model = readValue(mo, "model") ?? "";
		add(system, chassis, "ch", [model, pastTime(), model, role, readValue(mo, "serial") ?? ""]);
	}
}

/** A link is stored once, in the container of the spine. */
function addLinks({ add, template, store, pastTime }: Builder, { cables }: Topology): void {
	const link = template("fabricLink", ["modTs", "n1", "n2", "p1", "p2"]);
	for (const { leaf, leafPort, spine, spinePort } of cables)
		add(
			store.reach(["topology", "pod-1", `lnkcnt-${spine}`]),
			link,
			`lnk-${leaf}-1-${leafPort}-to-${spine}-1-${spinePort}`,
			[pastTime(), String(leaf), String(spine), String(leafPort), String(spinePort)],
		);
}
