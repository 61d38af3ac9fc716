/** The tenants: networks, groups, contracts, static paths and the endpoints seen on them. */
import { splitDn } from "../dn.ts";
import { getDn, type Mo, readValue, type Shape } from "../store/mo.ts";
import { type Builder, ipAddress, macAddress, twoDigits } from "./builder.ts";
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

/** Tenants of fabrics are called alike but for one, and differ in some of their settings. */
export function buildTenants(builder: Builder, amounts: Amounts, topology: Topology, fabric: number): Tenants {
	const { add, template, pastTime, random } = builder;
	const uni = add(null, template("polUni", []), "uni", []);
	const own = { monPolDn: MONITORING };
	const shapes = {
		tenant: template("fvTenant", ["descr", "modTs", "name", "uid"], own),
		monitoring: template("monEPGPol", ["modTs"], { name: "default", monPolDn: MONITORING }),
		monitoringRelation: template("fvRsTenantMonPol", ["modTs"], {
			...own,
			tCl: "monEPGPol",
			tDn: MONITORING,
			tRn: "monepg-default",
			stateQual: "default-target",
		}),
		ctx: template("fvCtx", ["modTs", "name", "pcTag", "scope", "seg", "uid", "vrfIndex"], own),
		any: template("vzAny", ["modTs", "pcTag", "scope"], own),
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
			own,
		),
		subnet: template("fvSubnet", ["ip", "modTs", "scope", "uid"], own),
		rsCtx: template("fvRsCtx", ["modTs", "tContextDn", "tDn", "tRn", "tnFvCtxName", "uid"], { ...own, tCl: "fvCtx" }),
		rtCtx: template("fvRtCtx", ["tDn"], { tCl: "fvBD" }),
		ap: template("fvAp", ["modTs", "name", "uid"], own),
		epg: template("fvAEPg", ["descr", "modTs", "name", "pcTag", "prio", "scope", "txId", "uid"], own),
		rsBd: template("fvRsBd", ["modTs", "tContextDn", "tDn", "tRn", "tnFvBDName", "uid"], { ...own, tCl: "fvBD" }),
		rtBd: template("fvRtBd", ["tDn"], { tCl: "fvAEPg" }),
		rsDom: template("fvRsDomAtt", ["modTs", "tDn", "txId", "uid"], { ...own, tCl: "physDomP" }),
		path: template("fvRsPathAtt", ["encap", "modTs", "mode", "tDn", "uid"], {
			...own,
			tCl: "fabricPathEp",
			lcC: "static",
		}),
		endpoint: template(
			"fvCEp",
			["baseEpgDn", "bdDn", "encap", "fabricPathDn", "ip", "mac", "modTs", "name", "vrfDn"],
			own,
		),
		ip: template("fvIp", ["addr", "baseEpgDn", "createTs", "fabricPathDn", "modTs", "vrfDn"], own),
		rsPath: template("fvRsCEpToPathEp", ["modTs", "tDn"], { tCl: "fabricPathEp" }),
	};
	const bdChildren = listImplicitChildren(builder, "fvBD", own);
	const uids = ["15374", "15375", "15376", "15400"];
	const contracts = createContractMaker(builder, uids);
	const found = { tenants: [] as Mo[], epgs: [] as Mo[], bds: [] as Mo[], aps: [] as Mo[] };
	let serial = 0;

	function addTenant(name: string, descr: string): Mo {
		const uid = random.pick(uids);
		const tenant = add(uni, shapes.tenant, `tn-${name}`, [descr, pastTime(), name, uid]);
		add(tenant, shapes.monitoringRelation, "rsTenantMonPol", [pastTime()]);
		found.tenants.push(tenant);
		return tenant;
	}

	function addEpg(ap: Mo, bd: Mo, bdName: string, ctx: Mo, scope: string, made: TenantContracts): void {
		const number = ++serial;
		const name = `${random.pick(TIERS)}-${String(number).padStart(4, "0")}`;
		const uid = random.pick(uids);
		const epg = add(ap, shapes.epg, `epg-${name}`, [
			"",
			pastTime(),
			name,
			String(16_386 + (number % 32_000)),
			random.next() < 0.1 ? "level1" : "unspecified",
			scope,
			String(1_000_000_000 + number),
			uid,
		]);
		found.epgs.push(epg);
		const [epgDn, bdDn, vrfDn] = [getDn(epg), getDn(bd), getDn(ctx)];
		const tenantDn = getDn(bd.parent ?? bd);
		add(epg, shapes.rsBd, "rsbd", [pastTime(), tenantDn, bdDn, `BD-${bdName}`, bdName, uid]);
		add(bd, shapes.rtBd, `rtbd-[${epgDn}]`, [epgDn]);
		add(epg, shapes.rsDom, "rsdomAtt-[uni/phys-Servers]", [
			pastTime(),
			"uni/phys-Servers",
			String(1_000_000_000 + number),
			uid,
		]);
		made.attach(epg);
		const encap = `vlan-${100 + (number % 3900)}`;
		const paths = addPaths(epg, encap, uid);
		for (let at = 0; at < amounts.endpoints; at++) {
			const host = number * amounts.endpoints + at;
			const path = paths[at % paths.length] ?? "";
			const mac = macAddress(0x56_00_00_00 + host);
			const ip = ipAddress(host);
			const values = [epgDn, bdDn, encap, path, ip, mac, pastTime(), mac, vrfDn];
			const endpoint = add(epg, shapes.endpoint, `cep-${mac}`, values);
			add(endpoint, shapes.ip, `ip-[${ip}]`, [ip, epgDn, pastTime(), path, pastTime(), vrfDn]);
			add(endpoint, shapes.rsPath, `rscEpToPathEp-[${path}]`, [pastTime(), path]);
		}
	}

	/** Adds the children that are made with a network, in the order of its class. */
	function addBdChildren(bd: Mo, ctx: Mo, ctxName: string, uid: string): void {
		for (const { cls, rn, shape } of bdChildren) {
			if (shape !== null) add(bd, shape, rn, [readValue(bd, "modTs") ?? "", uid]);
			else if (cls === "fvRsCtx") {
				const tenantDn = getDn(bd.parent ?? bd);
				add(bd, shapes.rsCtx, rn, [pastTime(), tenantDn, getDn(ctx), `ctx-${ctxName}`, ctxName, uid]);
			}
		}
	}

	/** Static paths on ports of many leaves; one in four goes to a pair of leaves. */
	function addPaths(epg: Mo, encap: string, uid: string): string[] {
		const { leaves } = topology;
		const start = random.int(leaves.length * amounts.ports);
		const paths = new Set<string>();
		for (let at = 0; at < amounts.paths; at++) {
			const index = (start + at) % leaves.length;
			const leaf = leaves[index];
			const port = 1 + (Math.floor((start + at) / leaves.length) % (amounts.ports - 2));
			if (leaf === undefined) continue;
			const pair = index % 2 === 0 ? leaf.id : leaf.id - 1;
			const path =
				at % 4 === 3
					? `topology/pod-1/protpaths-${pair}-${pair + 1}/pathep-[vpc-${twoDigits(port)}]`
					: `topology/pod-1/paths-${leaf.id}/pathep-[eth1/${port}]`;
			if (paths.has(path)) continue;
			paths.add(path);
			add(epg, shapes.path, `rspathAtt-[${path}]`, [
				encap,
				pastTime(),
				at % 5 === 4 ? "untagged" : "regular",
				path,
				uid,
			]);
		}
		return [...paths];
	}

	const common = addTenant("common", "");
	add(common, shapes.monitoring, "monepg-default", [pastTime()]);
	addTenant("infra", "");
	addTenant("mgmt", "");
	for (let number = 0; number < amounts.tenants; number++) {
		const place = number === amounts.tenants - 1 ? number + fabric - 1 : number;
		const word = WORDS[place % WORDS.length];
		const tenantName = `${word}-${twoDigits(Math.floor(place / WORDS.length) + 1)}`;
		const tenant = addTenant(tenantName, `Tenant of ${word}`);
		const uid = random.pick(uids);
		const ctxs = Array.from({ length: amounts.vrfs }, (_, at) => {
			const name = `vrf-${twoDigits(at + 1)}`;
			const scope = String(2_097_152 + (number * amounts.vrfs + at) * 32_768);
			const ctx = add(tenant, shapes.ctx, `ctx-${name}`, [pastTime(), name, "32770", scope, scope, uid, String(at)]);
			add(ctx, shapes.any, "any", [pastTime(), "any", scope]);
			return { ctx, name, scope };
		});
		const aps = Array.from({ length: amounts.aps }, (_, at) => {
			const name = `${random.pick(WORDS)}-${twoDigits(at + 1)}`;
			const ap = add(tenant, shapes.ap, `ap-${name}`, [pastTime(), name, uid]);
			found.aps.push(ap);
			return ap;
		});
		const made = contracts.ofTenant(
			tenant,
			tenantName,
			amounts,
			ctxs.map(({ ctx, name }) => ({ ctx, name })),
			topology,
		);
		for (let at = 0; at < amounts.bds; at++) {
			const { ctx, name: ctxName, scope } = random.pick(ctxs);
			const name = `bd-${String(at + 1).padStart(3, "0")}`;
			const global = number * amounts.bds + at;
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
			found.bds.push(bd);
			addBdChildren(bd, ctx, ctxName, uid);
			add(ctx, shapes.rtCtx, `rtctx-[${getDn(bd)}]`, [getDn(bd)]);
			if (routed) {
				const ip = `172.${16 + (global >> 12)}.${(global >> 4) & 255}.${(global & 15) * 16 + 1}/28`;
				add(bd, shapes.subnet, `subnet-[${ip}]`, [
					ip,
					pastTime(),
					random.next() < 0.3 ? "public,shared" : "private",
					uid,
				]);
			}
			for (let epg = 0; epg < amounts.epgs; epg++)
				addEpg(aps[global % aps.length] ?? tenant, bd, name, ctx, scope, made);
		}
	}
	return { uni, ...found };
}
