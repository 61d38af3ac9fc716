/** Access policies: domains, VLAN pools, port profiles, and the local users. */
import type { Mo } from "../store/mo.ts";
import { type Builder, formatTwoDigits } from "./builder.ts";
import type { Topology } from "./topology.ts";

export function buildAccess(builder: Builder, uni: Mo, topology: Topology): void {
	const { add, template, pastTime } = builder;
	const own = { monPolDn: "uni/fabric/monfab-default", uid: "15374" };
	const named = (cls: string, fixed: Record<string, string> = {}) =>
		template(cls, ["modTs", "name"], { ...own, ...fixed });
	add(uni, template("fabricInst", []), "fabric", []);
	const infra = add(uni, template("infraInfra", ["modTs"], own), "infra", [pastTime()]);
	const functions = add(infra, template("infraFuncP", ["modTs"], own), "funcprof", [pastTime()]);
	const pool = add(
		infra,
		template("fvnsVlanInstP", ["modTs"], { ...own, name: "Servers", allocMode: "static" }),
		"vlanns-[Servers]-static",
		[pastTime()],
	);
	const block = template("fvnsEncapBlk", ["from", "modTs", "to"], { ...own, allocMode: "static" });
	for (const [from, to] of [
		[100, 1999],
		[2000, 3999],
	])
		add(pool, block, `from-[vlan-${from}]-to-[vlan-${to}]`, [`vlan-${from}`, pastTime(), `vlan-${to}`]);
	const domains = [
		add(uni, named("physDomP"), "phys-Servers", [pastTime(), "Servers"]),
		add(uni, named("l3extDomP"), "l3dom-Borders", [pastTime(), "Borders"]),
	];
	const vlans = template("infraRsVlanNs", ["modTs"], {
		...own,
		tCl: "fvnsVlanInstP",
		tDn: "uni/infra/vlanns-[Servers]-static",
	});
	for (const domain of domains) add(domain, vlans, "rsvlanNs", [pastTime()]);
	const entity = add(infra, named("infraAttEntityP"), "attentp-Servers", [pastTime(), "Servers"]);
	const domainRelation = template("infraRsDomP", ["modTs", "tDn"], { ...own, tCl: "physDomP" });
	for (const dn of ["uni/phys-Servers", "uni/l3dom-Borders"])
		add(entity, domainRelation, `rsdomP-[${dn}]`, [pastTime(), dn]);
	for (const [cls, prefix] of [
		["lldpIfPol", "lldpIfP"],
		["cdpIfPol", "cdpIfP"],
	] as const) {
		for (const name of ["default", "enabled", "disabled"])
			add(infra, named(cls), `${prefix}-${name}`, [pastTime(), name]);
	}
	const group = add(functions, named("infraAccPortGrp"), "accportgrp-Servers", [pastTime(), "Servers"]);
	add(
		group,
		template("infraRsAttEntP", ["modTs"], { ...own, tCl: "infraAttEntityP", tDn: "uni/infra/attentp-Servers" }),
		"rsattEntP",
		[pastTime()],
	);
	addPortProfiles(builder, infra, topology);
	const users = add(uni, template("aaaUserEp", ["modTs"], own), "userext", [pastTime()]);
	const user = template("aaaUser", ["modTs", "name", "unixUserId"], own);
	for (const [at, name] of ["admin", "operator", "automation"].entries())
		add(users, user, `user-${name}`, [pastTime(), name, String(15_374 + at)]);
}

function addPortProfiles(builder: Builder, infra: Mo, topology: Topology): void {
	const { add, template, pastTime } = builder;
	const own = { monPolDn: "uni/fabric/monfab-default", uid: "15374" };
	const profile = template("infraAccPortP", ["modTs", "name"], own);
	const selector = template("infraHPortS", ["modTs", "name"], { ...own, type: "range" });
	const ports = template("infraPortBlk", ["fromPort", "modTs", "name", "toPort"], own);
	const base = template("infraRsAccBaseGrp", ["modTs"], {
		...own,
		tCl: "infraAccPortGrp",
		tDn: "uni/infra/funcprof/accportgrp-Servers",
	});
	for (const leaf of topology.leaves) {
		const prof = add(infra, profile, `accportprof-leaf${leaf.id}`, [pastTime(), `leaf${leaf.id}`]);
		for (let from = 1; from < leaf.ports.length - 2; from += 6) {
			const name = `ports-${formatTwoDigits(from)}`;
			const ports6 = add(prof, selector, `hports-${name}-typ-range`, [pastTime(), name]);
			add(ports6, ports, "portblk-block1", [
				String(from),
				pastTime(),
				"block1",
				String(Math.min(from + 5, leaf.ports.length - 2)),
			]);
			add(ports6, base, "rsaccBaseGrp", [pastTime()]);
		}
	}
}
