/** Contracts, filters and external routed networks of a tenant, with their relations to EPGs. */
import { getDn, type Mo } from "../store/mo.ts";
import { type Builder, twoDigits } from "./builder.ts";
import type { Amounts } from "./sizes.ts";
import type { Topology } from "./topology.ts";

const SERVICES = [
	["http", "tcp", "http", "http"],
	["https", "tcp", "https", "https"],
	["dns", "udp", "dns", "dns"],
	["ssh", "tcp", "ssh", "ssh"],
	["sql", "tcp", "1433", "1433"],
	["app", "tcp", "8000", "8099"],
	["ping", "icmp", "unspecified", "unspecified"],
] as const;

export interface TenantContracts {
	/** Makes a group provide one contract and consume another. */
	attach(group: Mo): void;
}

export function createContractMaker(builder: Builder, uids: readonly string[]) {
	const { add, template, pastTime, random } = builder;
	const own = { monPolDn: "uni/tn-common/monepg-default" };
	const shapes = {
		contract: template("vzBrCP", ["modTs", "name", "scope", "uid"], own),
		subject: template("vzSubj", ["modTs", "name", "uid"], own),
		subjectFilter: template("vzRsSubjFiltAtt", ["modTs", "tContextDn", "tDn", "tRn", "tnVzFilterName", "uid"], {
			...own,
			tCl: "vzFilter",
		}),
		filterBack: template("vzRtSubjFiltAtt", ["tDn"], { tCl: "vzSubj" }),
		filter: template("vzFilter", ["fwdId", "modTs", "name", "uid"], own),
		entry: template("vzEntry", ["dFromPort", "dToPort", "modTs", "name", "prot", "stateful", "uid"], {
			...own,
			etherT: "ip",
		}),
		consumes: template("fvRsCons", ["modTs", "tContextDn", "tDn", "tRn", "tnVzBrCPName", "uid"], {
			...own,
			tCl: "vzBrCP",
		}),
		provides: template("fvRsProv", ["modTs", "tContextDn", "tDn", "tRn", "tnVzBrCPName", "uid"], {
			...own,
			tCl: "vzBrCP",
		}),
		consumedBy: template("vzRtCons", ["tDn"], { tCl: "fvAEPg" }),
		providedBy: template("vzRtProv", ["tDn"], { tCl: "fvAEPg" }),
		out: template("l3extOut", ["modTs", "name", "uid"], own),
		outCtx: template("l3extRsEctx", ["modTs", "tContextDn", "tDn", "tRn", "tnFvCtxName", "uid"], {
			...own,
			tCl: "fvCtx",
		}),
		ctxBack: template("fvRtEctx", ["tDn"], { tCl: "l3extOut" }),
		outNodes: template("l3extLNodeP", ["modTs", "name", "uid"], own),
		outNode: template("l3extRsNodeL3OutAtt", ["modTs", "rtrId", "tDn", "uid"], { ...own, tCl: "fabricNode" }),
		outside: template("l3extInstP", ["modTs", "name", "pcTag", "scope", "uid"], own),
		prefix: template("l3extSubnet", ["ip", "modTs", "uid"], own),
	};

	function relateContract(
		group: Mo,
		contract: { readonly mo: Mo; readonly name: string },
		tenantDn: string,
		kind: "consumes" | "provides",
	): void {
		const [rn, back, backRn] =
			kind === "consumes"
				? (["rscons", shapes.consumedBy, "rtfvCons"] as const)
				: (["rsprov", shapes.providedBy, "rtfvProv"] as const);
		const [groupDn, contractDn] = [getDn(group), getDn(contract.mo)];
		if (builder.store.child(group, `${rn}-${contract.name}`) !== undefined) return;
		add(group, shapes[kind], `${rn}-${contract.name}`, [
			pastTime(),
			tenantDn,
			contractDn,
			`brc-${contract.name}`,
			contract.name,
			random.pick(uids),
		]);
		add(contract.mo, back, `${backRn}-[${groupDn}]`, [groupDn]);
	}

	function addFilters(tenant: Mo, tenantName: string, count: number): { readonly mo: Mo; readonly name: string }[] {
		return Array.from({ length: count }, (_, at) => {
			const [service, protocol, from, to] = SERVICES[at % SERVICES.length] ?? SERVICES[0];
			const name = `${tenantName}-${service}-${twoDigits(at + 1)}`;
			const uid = random.pick(uids);
			const filter = add(tenant, shapes.filter, `flt-${name}`, [String(at), pastTime(), name, uid]);
			for (let entry = 1; entry <= 3; entry++) {
				const stateful = protocol === "tcp" && entry === 1 ? "yes" : "no";
				add(filter, shapes.entry, `e-${service}-${entry}`, [
					from,
					to,
					pastTime(),
					`${service}-${entry}`,
					protocol,
					stateful,
					uid,
				]);
			}
			return { mo: filter, name };
		});
	}

	function addOutside(
		tenant: Mo,
		at: number,
		ctx: { readonly ctx: Mo; readonly name: string },
		topology: Topology,
	): Mo {
		const uid = random.pick(uids);
		const name = `wan-${twoDigits(at + 1)}`;
		const out = add(tenant, shapes.out, `out-${name}`, [pastTime(), name, uid]);
		add(out, shapes.outCtx, "rsectx", [pastTime(), getDn(tenant), getDn(ctx.ctx), `ctx-${ctx.name}`, ctx.name, uid]);
		add(ctx.ctx, shapes.ctxBack, `rtl3extCtx-[${getDn(out)}]`, [getDn(out)]);
		const nodes = add(out, shapes.outNodes, "lnodep-borders", [pastTime(), "borders", uid]);
		for (let border = 0; border < 2; border++) {
			const leaf = topology.leaves[(at * 2 + border) % topology.leaves.length];
			if (leaf === undefined) continue;
			const dn = `topology/pod-1/node-${leaf.id}`;
			if (builder.store.child(nodes, `rsnodeL3OutAtt-[${dn}]`) === undefined) {
				add(nodes, shapes.outNode, `rsnodeL3OutAtt-[${dn}]`, [pastTime(), `1.1.${at}.${leaf.id % 250}`, dn, uid]);
			}
		}
		const group = add(out, shapes.outside, "instP-everyone", [
			pastTime(),
			"everyone",
			String(16_000 + at),
			"2097152",
			uid,
		]);
		for (const ip of ["0.0.0.0/1", "128.0.0.0/1"])
			add(group, shapes.prefix, `extsubnet-[${ip}]`, [ip, pastTime(), uid]);
		return group;
	}

	return {
		ofTenant(
			tenant: Mo,
			tenantName: string,
			amounts: Amounts,
			ctxs: readonly { readonly ctx: Mo; readonly name: string }[],
			topology: Topology,
		): TenantContracts {
			const tenantDn = getDn(tenant);
			const filters = addFilters(tenant, tenantName, amounts.filters);
			const contracts = Array.from({ length: amounts.contracts }, (_, at) => {
				const name = `permit-${twoDigits(at + 1)}`;
				const uid = random.pick(uids);
				const mo = add(tenant, shapes.contract, `brc-${name}`, [
					pastTime(),
					name,
					random.next() < 0.2 ? "tenant" : "context",
					uid,
				]);
				const subject = add(mo, shapes.subject, "subj-traffic", [pastTime(), "traffic", uid]);
				const filter = random.pick(filters);
				add(subject, shapes.subjectFilter, `rssubjFiltAtt-${filter.name}`, [
					pastTime(),
					tenantDn,
					getDn(filter.mo),
					`flt-${filter.name}`,
					filter.name,
					uid,
				]);
				add(filter.mo, shapes.filterBack, `rtsubjFiltAtt-[${getDn(subject)}]`, [getDn(subject)]);
				return { mo, name };
			});
			for (let at = 0; at < amounts.l3outs; at++)
				relateContract(
					addOutside(tenant, at, random.pick(ctxs), topology),
					random.pick(contracts),
					tenantDn,
					"consumes",
				);
			return {
				attach(group) {
					relateContract(group, random.pick(contracts), tenantDn, "provides");
					relateContract(group, random.pick(contracts), tenantDn, "consumes");
				},
			};
		},
	};
}
