/** Contracts, filters and external routed networks of a tenant, with their relations to EPGs. */
import { getDn, type Mo } from "../store/mo.ts";
import { type Builder, formatTwoDigits } from "./builder.ts";
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

function buildContractShapes({ template }: Builder) {
	const own = { monPolDn: "uni/tn-common/monepg-default" };
	return {
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
}

/** The shapes of contracts and external networks, and the builder of their objects. */
interface ContractMakerState {
	readonly shapes: ReturnType<typeof buildContractShapes>;
	readonly builder: Builder;
	readonly add: Builder["add"];
	readonly pastTime: Builder["pastTime"];
	readonly uids: readonly string[];
}

function relateContract(
	maker: ContractMakerState,
	group: Mo,
	contract: { readonly mo: Mo; readonly name: string },
	tenantDn: string,
	kind: "consumes" | "provides",
): void {
	const [rn, back, backRn] =
		kind === "consumes"
			? (["rscons", maker.shapes.consumedBy, "rtfvCons"] as const)
			: (["rsprov", maker.shapes.providedBy, "rtfvProv"] as const);
	const [groupDn, contractDn] = [getDn(group), getDn(contract.mo)];
	if (maker.builder.store.child(group, `${rn}-${contract.name}`) !== undefined) return;
	maker.add(group, maker.shapes[kind], `${rn}-${contract.name}`, [
		maker.pastTime(),
		tenantDn,
		contractDn,
		`brc-${contract.name}`,
		contract.name,
		maker.builder.random.pick(maker.uids),
	]);
	maker.add(contract.mo, back, `${backRn}-[${groupDn}]`, [groupDn]);
}

function addFilters(
	maker: ContractMakerState,
	tenant: Mo,
	tenantName: string,
	count: number,
): { readonly mo: Mo; readonly name: string }[] {
	return Array.from({ length: count }, (_, at) => {
		const [service, protocol, from, to] = SERVICES[at % SERVICES.length] ?? SERVICES[0];
		const name = `${tenantName}-${service}-${formatTwoDigits(at + 1)}`;
		const uid = maker.builder.random.pick(maker.uids);
		const filter = maker.add(tenant, maker.shapes.filter, `flt-${name}`, [String(at), maker.pastTime(), name, uid]);
		for (let entry = 1; entry <= 3; entry++) {
			const stateful = protocol === "tcp" && entry === 1 ? "yes" : "no";
			maker.add(filter, maker.shapes.entry, `e-${service}-${entry}`, [
				from,
				to,
				maker.pastTime(),
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
	maker: ContractMakerState,
	tenant: Mo,
	at: number,
	ctx: { readonly ctx: Mo; readonly name: string },
	topology: Topology,
): Mo {
	const uid = maker.builder.random.pick(maker.uids);
	const name = `wan-${formatTwoDigits(at + 1)}`;
	const out = maker.add(tenant, maker.shapes.out, `out-${name}`, [maker.pastTime(), name, uid]);
	maker.add(out, maker.shapes.outCtx, "rsectx", [
		maker.pastTime(),
		getDn(tenant),
		getDn(ctx.ctx),
		`ctx-${ctx.name}`,
		ctx.name,
		uid,
	]);
	maker.add(ctx.ctx, maker.shapes.ctxBack, `rtl3extCtx-[${getDn(out)}]`, [getDn(out)]);
	const nodes = maker.add(out, maker.shapes.outNodes, "lnodep-borders", [maker.pastTime(), "borders", uid]);
	for (let border = 0; border < 2; border++) {
		const leaf = topology.leaves[(at * 2 + border) % topology.leaves.length];
		if (leaf === undefined) continue;
		const dn = `topology/pod-1/node-${leaf.id}`;
		if (maker.builder.store.child(nodes, `rsnodeL3OutAtt-[${dn}]`) === undefined) {
			maker.add(nodes, maker.shapes.outNode, `rsnodeL3OutAtt-[${dn}]`, [
				maker.pastTime(),
				`1.1.${at}.${leaf.id % 250}`,
				dn,
				uid,
			]);
		}
	}
	const group = maker.add(out, maker.shapes.outside, "instP-everyone", [
		maker.pastTime(),
		"everyone",
		String(16_000 + at),
		"2097152",
		uid,
	]);
	for (const ip of ["0.0.0.0/1", "128.0.0.0/1"])
		maker.add(group, maker.shapes.prefix, `extsubnet-[${ip}]`, [ip, maker.pastTime(), uid]);
	return group;
}

function addTenantContracts(
	maker: ContractMakerState,
	tenant: Mo,
	tenantName: string,
	amounts: Amounts,
	ctxs: readonly { readonly ctx: Mo; readonly name: string }[],
	topology: Topology,
): TenantContracts {
	const tenantDn = getDn(tenant);
	const filters = addFilters(maker, tenant, tenantName, amounts.filters);
	const contracts = Array.from({ length: amounts.contracts }, (_, at) => {
		const name = `permit-${formatTwoDigits(at + 1)}`;
		const uid = maker.builder.random.pick(maker.uids);
		const mo = maker.add(tenant, maker.shapes.contract, `brc-${name}`, [
			maker.pastTime(),
			name,
			maker.builder.random.next() < 0.2 ? "tenant" : "context",
			uid,
		]);
		const subject = maker.add(mo, maker.shapes.subject, "subj-traffic", [maker.pastTime(), "traffic", uid]);
		const filter = maker.builder.random.pick(filters);
		maker.add(subject, maker.shapes.subjectFilter, `rssubjFiltAtt-${filter.name}`, [
			maker.pastTime(),
			tenantDn,
			getDn(filter.mo),
			`flt-${filter.name}`,
			filter.name,
			uid,
		]);
		maker.add(filter.mo, maker.shapes.filterBack, `rtsubjFiltAtt-[${getDn(subject)}]`, [getDn(subject)]);
		return { mo, name };
	});
	for (let at = 0; at < amounts.l3outs; at++)
		relateContract(
			maker,
			addOutside(maker, tenant, at, maker.builder.random.pick(ctxs), topology),
			maker.builder.random.pick(contracts),
			tenantDn,
			"consumes",
		);
	return {
		attach(group) {
			relateContract(maker, group, maker.builder.random.pick(contracts), tenantDn, "provides");
			relateContract(maker, group, maker.builder.random.pick(contracts), tenantDn, "consumes");
		},
	};
}

export function createContractMaker(builder: Builder, uids: readonly string[]) {
	const { add, pastTime } = builder;
	const maker: ContractMakerState = {
		shapes: buildContractShapes(builder),
		builder,
		add,
		pastTime,
		uids,
	};

	return {
		ofTenant: (
			tenant: Mo,
			tenantName: string,
			amounts: Amounts,
			ctxs: readonly { readonly ctx: Mo; readonly name: string }[],
			topology: Topology,
		) => addTenantContracts(maker, tenant, tenantName, amounts, ctxs, topology),
	};
}
