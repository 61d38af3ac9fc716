/** The tenants: networks, groups, contracts, static paths and the endpoints seen on them. */
import { splitDn } from "../dn.ts";
import { getDn, type Mo, readValue, type Shape } from "../store/mo.ts";
import { type Builder, formatIpAddress, formatMacAddress, formatTwoDigits } from "./builder.ts";
import { createContractMaker, type TenantContracts } from "./contracts.ts";
import type { Amounts } from "./sizes.ts";
import type { Topology } from "./topology.ts";

const WORDS = [
	"Retail",
	"Payments",
	"Finance",
	"Logistics",
	"Research",
	"Media",
	"Campus",
	"Storage",
	"Backup",
	"Analytics",
	"Partner",
	"Edge",
];
const TIERS = ["web", "app", "db", "cache", "batch", "monitor", "voice", "print"];
const MONITORING = "uni/tn-common/monepg-default";

export interface Tenants {
	readonly uni: Mo;
	readonly tenants: readonly Mo[];
	readonly epgs: readonly Mo[];
	readonly bds: readonly Mo[];
	readonly aps: readonly Mo[];
}

interface ImplicitChild {
	readonly cls: string;
	readonly rn: string;
	/** Shape of a relation to the default policy; null for other children. */
	readonly shape: Shape | null;
}

/** The children that are made with an object of a class, in their order. */
function listImplicitChildren(
	{ registry, template }: Builder,
	parent: string,
	fixed: Readonly<Record<string, string>>,
): readonly ImplicitChild[] {
	return (registry.find(parent)?.implied ?? []).map((cls) => {
		const info = registry.find(cls);
		const standard = info?.relation?.standard;
		const shape =
			standard === undefined
				? null
				: template(cls, ["modTs", "uid"], {
						...fixed,
						state: "formed",
						stateQual: "default-target",
						tCl: info?.relation?.target ?? "",
						tDn: standard,
						tRn: splitDn(standard)?.at(-1) ?? "",
					});
		return { cls, rn: info?.rn.text ?? "", shape };
	});
}

const OWN = { monPolDn: MONITORING };

function buildTenantShapes({ template }: Builder) {
	return {
		tenant: template("fvTenant", ["descr", "modTs", "name", "uid"], OWN),
		monitoring: template("monEPGPol", ["modTs"], { name: "default", monPolDn: MONITORING }),
		monitoringRelation: template("fvRsTenantMonPol", ["modTs"], {
			...OWN,
			tCl: "monEPGPol",
			tDn: MONITORING,
			tRn: "monepg-default",
			stateQual: "default-target",
		}),
		ctx: template("fvCtx", ["modTs", "name", "pcTag", "scope", "seg", "uid", "vrfIndex"], OWN),
		any: template("vzAny", ["modTs", "pcTag", "scope"], OWN),
		bd: template(
			"fvBD",
			[
				"arpFlood",
				"bcastP",
				"descr",
				"modTs",
				"name",
				"pcTag",
				"scope",
				"seg",
				"uid",
				"unicastRoute",
				"unkMacUcastAct",
			],
			OWN,
		),
		subnet: template("fvSubnet", ["ip", "modTs", "scope", "uid"], OWN),
		rsCtx: template("fvRsCtx", ["modTs", "tContextDn", "tDn", "tRn", "tnFvCtxName", "uid"], { ...OWN, tCl: "fvCtx" }),
		rtCtx: template("fvRtCtx", ["tDn"], { tCl: "fvBD" }),
		ap: template("fvAp", ["modTs", "name", "uid"], OWN),
		epg: template("fvAEPg", ["descr", "modTs", "name", "pcTag", "prio", "scope", "txId", "uid"], OWN),
		rsBd: template("fvRsBd", ["modTs", "tContextDn", "tDn", "tRn", "tnFvBDName", "uid"], { ...OWN, tCl: "fvBD" }),
		rtBd: template("fvRtBd", ["tDn"], { tCl: "fvAEPg" }),
		rsDom: template("fvRsDomAtt", ["modTs", "tDn", "txId", "uid"], { ...OWN, tCl: "physDomP" }),
		path: template("fvRsPathAtt", ["encap", "modTs", "mode", "tDn", "uid"], {
			...OWN,
			tCl: "fabricPathEp",
			lcC: "static",
		}),
		endpoint: template(
			"fvCEp",
			["baseEpgDn", "bdDn", "encap", "fabricPathDn", "ip", "mac", "modTs", "name", "vrfDn"],
			OWN,
		),
		ip: template("fvIp", ["addr", "baseEpgDn", "createTs", "fabricPathDn", "modTs", "vrfDn"], OWN),
		rsPath: template("fvRsCEpToPathEp", ["modTs", "tDn"], { tCl: "fabricPathEp" }),
	};
}

/** The shapes and amounts of the tenants' objects, and the objects that were added. */
interface TenantPlan {
	readonly contracts: ReturnType<typeof createContractMaker>;
	readonly fabric: number;
	readonly builder: Builder;
	readonly uids: string[];
	readonly add: Builder["add"];
	readonly uni: Mo;
	readonly shapes: ReturnType<typeof buildTenantShapes>;
	readonly pastTime: Builder["pastTime"];
	readonly found: { tenants: Mo[]; epgs: Mo[]; bds: Mo[]; aps: Mo[] };
	serial: number;
	readonly amounts: Amounts;
	readonly bdChildren: readonly ImplicitChild[];
	readonly topology: Topology;
}

function addTenant(plan: TenantPlan, name: string, descr: string): Mo {
	const uid = plan.builder.random.pick(plan.uids);
	const tenant = plan.add(plan.uni, plan.shapes.tenant, `tn-${name}`, [descr, plan.pastTime(), name, uid]);
	plan.add(tenant, plan.shapes.monitoringRelation, "rsTenantMonPol", [plan.pastTime()]);
	plan.found.tenants.push(tenant);
	return tenant;
}

function addEpg(plan: TenantPlan, ap: Mo, bd: Mo, bdName: string, ctx: Mo, scope: string, made: TenantContracts): void {
	const number = ++plan.serial;
	const name = `${plan.builder.random.pick(TIERS)}-${String(number).padStart(4, "0")}`;
	const uid = plan.builder.random.pick(plan.uids);
	const epg = plan.add(ap, plan.shapes.epg, `epg-${name}`, [
		"",
		plan.pastTime(),
		name,
		String(16_386 + (number % 32_000)),
		plan.builder.random.next() < 0.1 ? "level1" : "unspecified",
		scope,
		String(1_000_000_000 + number),
		uid,
	]);
	plan.found.epgs.push(epg);
	const [epgDn, bdDn, vrfDn] = [getDn(epg), getDn(bd), getDn(ctx)];
	const tenantDn = getDn(bd.parent ?? bd);
	plan.add(epg, plan.shapes.rsBd, "rsbd", [plan.pastTime(), tenantDn, bdDn, `BD-${bdName}`, bdName, uid]);
	plan.add(bd, plan.shapes.rtBd, `rtbd-[${epgDn}]`, [epgDn]);
	plan.add(epg, plan.shapes.rsDom, "rsdomAtt-[uni/phys-Servers]", [
		plan.pastTime(),
		"uni/phys-Servers",
		String(1_000_000_000 + number),
		uid,
	]);
	made.attach(epg);
	const encap = `vlan-${100 + (number % 3900)}`;
	const paths = addPaths(plan, epg, encap, uid);
	for (let at = 0; at < plan.amounts.endpoints; at++) {
		const host = number * plan.amounts.endpoints + at;
		const path = paths[at % paths.length] ?? "";
		const mac = formatMacAddress(0x56_00_00_00 + host);
		const ip = formatIpAddress(host);
		const values = [epgDn, bdDn, encap, path, ip, mac, plan.pastTime(), mac, vrfDn];
		const endpoint = plan.add(epg, plan.shapes.endpoint, `cep-${mac}`, values);
		plan.add(endpoint, plan.shapes.ip, `ip-[${ip}]`, [ip, epgDn, plan.pastTime(), path, plan.pastTime(), vrfDn]);
		plan.add(endpoint, plan.shapes.rsPath, `rscEpToPathEp-[${path}]`, [plan.pastTime(), path]);
	}
}

/** Adds the children that are made with a network, in the order of its class. */
function addBdChildren(plan: TenantPlan, bd: Mo, ctx: Mo, ctxName: string, uid: string): void {
	for (const { cls, rn, shape } of plan.bdChildren) {
		if (shape !== null) plan.add(bd, shape, rn, [readValue(bd, "modTs") ?? "", uid]);
		else if (cls === "fvRsCtx") {
			const tenantDn = getDn(bd.parent ?? bd);
			plan.add(bd, plan.shapes.rsCtx, rn, [plan.pastTime(), tenantDn, getDn(ctx), `ctx-${ctxName}`, ctxName, uid]);
		}
	}
}

/** Static paths on ports of many leaves; one in four goes to a pair of leaves. */
function addPaths(plan: TenantPlan, epg: Mo, encap: string, uid: string): string[] {
	const { leaves } = plan.topology;
	const start = plan.builder.random.int(leaves.length * plan.amounts.ports);
	const paths = new Set<string>();
	for (let at = 0; at < plan.amounts.paths; at++) {
		const index = (start + at) % leaves.length;
		const leaf = leaves[index];
		const port = 1 + (Math.floor((start + at) / leaves.length) % (plan.amounts.ports - 2));
		if (leaf === undefined) continue;
		const pair = index % 2 === 0 ? leaf.id : leaf.id - 1;
		const path =
			at % 4 === 3
				? `topology/pod-1/protpaths-${pair}-${pair + 1}/pathep-[vpc-${formatTwoDigits(port)}]`
				: `topology/pod-1/paths-${leaf.id}/pathep-[eth1/${port}]`;
		if (paths.has(path)) continue;
		paths.add(path);
		plan.add(epg, plan.shapes.path, `rspathAtt-[${path}]`, [
			encap,
			plan.pastTime(),
			at % 5 === 4 ? "untagged" : "regular",
			path,
			uid,
		]);
	}
	return [...paths];
}

/** Adds a tenant with its contexts, application profiles, contracts and bridge domains. */
function addFullTenant(plan: TenantPlan, number: number): void {
	const { add, amounts, builder, fabric, pastTime, shapes } = plan;
	const { random } = builder;
	const place = number === amounts.tenants - 1 ? number + fabric - 1 : number;
	const word = WORDS[place % WORDS.length];
	const tenantName = `${word}-${formatTwoDigits(Math.floor(place / WORDS.length) + 1)}`;
	const tenant = addTenant(plan, tenantName, `Tenant of ${word}`);
	const uid = random.pick(plan.uids);
	const ctxs = Array.from({ length: amounts.vrfs }, (_, at) => {
		const name = `vrf-${formatTwoDigits(at + 1)}`;
		const scope = String(2_097_152 + (number * amounts.vrfs + at) * 32_768);
		const ctx = add(tenant, shapes.ctx, `ctx-${name}`, [pastTime(), name, "32770", scope, scope, uid, String(at)]);
		add(ctx, shapes.any, "any", [pastTime(), "any", scope]);
		return { ctx, name, scope };
	});
	const aps = Array.from({ length: amounts.aps }, (_, at) => {
		const name = `${random.pick(WORDS)}-${formatTwoDigits(at + 1)}`;
		const ap = add(tenant, shapes.ap, `ap-${name}`, [pastTime(), name, uid]);
		plan.found.aps.push(ap);
		return ap;
	});
	const made = plan.contracts.ofTenant(
		tenant,
		tenantName,
		amounts,
		ctxs.map(({ ctx, name }) => ({ ctx, name })),
		plan.topology,
	);
	for (let at = 0; at < amounts.bds; at++) {
		const global = number * amounts.bds + at;
		const context = random.pick(ctxs);
		const name = `bd-${String(at + 1).padStart(3, "0")}`;
		const bd = addBridgeDomain(plan, tenant, { context, global, name, uid });
		for (let epg = 0; epg < amounts.epgs; epg++)
			addEpg(plan, aps[global % aps.length] ?? tenant, bd, name, context.ctx, context.scope, made);
	}
}

interface BridgeDomainPlan {
	readonly context: { readonly ctx: Mo; readonly name: string; readonly scope: string };
	/** Number in the whole fabric. */
	readonly global: number;
	readonly name: string;
	readonly uid: string;
}

function addBridgeDomain(plan: TenantPlan, tenant: Mo, { context, global, name, uid }: BridgeDomainPlan): Mo {
	const { add, pastTime, shapes } = plan;
	const { random } = plan.builder;
	const { ctx, scope } = context;
	const routed = random.next() < 0.85;
	const bd = add(tenant, shapes.bd, `BD-${name}`, [
		routed ? "no" : "yes",
		`225.0.${(global >> 8) & 255}.${global & 255}`,
		"",
		pastTime(),
		name,
		String(32_771 + (global % 16_000)),
		scope,
		String(15_000_000 + global),
		uid,
		routed ? "yes" : "no",
		routed ? "proxy" : "flood",
	]);
	plan.found.bds.push(bd);
	addBdChildren(plan, bd, ctx, context.name, uid);
	add(ctx, shapes.rtCtx, `rtctx-[${getDn(bd)}]`, [getDn(bd)]);
	if (routed) {
		const ip = `172.${16 + (global >> 12)}.${(global >> 4) & 255}.${(global & 15) * 16 + 1}/28`;
		const values = [ip, pastTime(), random.next() < 0.3 ? "public,shared" : "private", uid];
		add(bd, shapes.subnet, `subnet-[${ip}]`, values);
	}
	return bd;
}

/** Tenants of fabrics are called alike but for one, and differ in some of their settings. */
export function buildTenants(builder: Builder, amounts: Amounts, topology: Topology, fabric: number): Tenants {
	const { add, template, pastTime } = builder;
	const uids = ["15374", "15375", "15376", "15400"];
	const plan: TenantPlan = {
		builder,
		uids,
		add,
		pastTime,
		uni: add(null, template("polUni", []), "uni", []),
		shapes: buildTenantShapes(builder),
		bdChildren: listImplicitChildren(builder, "fvBD", OWN),
		contracts: createContractMaker(builder, uids),
		found: { tenants: [], epgs: [], bds: [], aps: [] },
		serial: 0,
		amounts,
		topology,
		fabric,
	};
	const common = addTenant(plan, "common", "");
	add(common, plan.shapes.monitoring, "monepg-default", [pastTime()]);
	addTenant(plan, "infra", "");
	addTenant(plan, "mgmt", "");
	for (let number = 0; number < amounts.tenants; number++) addFullTenant(plan, number);
	return { uni: plan.uni, ...plan.found };
}
