/**
 * The order of the columns of objects, in every table, comparison and export. Decides by names
 * alone, so that browser, command line and service agree without a class model. Pure.
 */

/** Columns that name the row itself. They keep this order before all others. */
export const LEADING_COLUMNS: readonly string[] = ["connection", "class", "dn", "name"];

const NAMING: ReadonlySet<string> = new Set(
	"nameAlias id code ip addr mac from to pfx tDn key dest node nodeId podId slot vpcDomId".split(" "),
);
const STATES = /^(oper|admin|health|severity$|prevSeverity$|state$|lc$|cause$|usage$)|(State|St|StQual|Status|Issues)$/;
/** States that stand before their reasons and details. */
const CHIEF_STATES = /^(oper|admin|health)?(St|State)$|^(severity|state)$/;
const ADDRESSES =
	/^(ip|mac|addr|encap|vlan|gateway|ipv4|ipv6|prefix)|(Ip|Ipv4|Ipv6|Mac|MAC|Addr|Address|Encap|Gateway|Prefix|Nexthop)$/;
/** Ids that controllers hand out, DNs of other objects, and fields of the controller itself. */
const IDS: ReadonlySet<string> = new Set(
	[
		"rn uid pcTag seg bcastP uuid vrfId fwdId revId scope serial mbSn targetMbSn fabricMAC fabricDomain",
		"childAction status lcOwn lcC annotation extMngdBy ownerKey ownerTag userdom configIssues",
		"forceResolve rType tType tCl monPolDn resolvedObjDn configSt triggerSt stateQual parent_dn children",
	]
		.join(" ")
		.split(" "),
);
const CLOCKS = /(Ts|Time|TStamp|_at)$|^(created|lastTransition|lastCollOffset|uptime|upTime|modified)/;

/** Ranks of the groups, in the order in which a name is compared with them. */
const GROUPS: readonly (readonly [rank: number, isMember: (name: string) => boolean])[] = [
	[6, (name) => CLOCKS.test(name)],
	[5, (name) => IDS.has(name) || (name.endsWith("Dn") && !NAMING.has(name))],
	[0, (name) => NAMING.has(name)],
	[1, (name) => CHIEF_STATES.test(name)],
	[2, (name) => STATES.test(name)],
	[3, (name) => ADDRESSES.test(name)],
];
/** Rank of names in no group. */
const OTHERS = 4;

/** Place of a column that names the row; that of all others is behind these. */
function rankLeading(name: string): number {
	const at = LEADING_COLUMNS.indexOf(name);
	return at < 0 ? LEADING_COLUMNS.length : at;
}

/** Place of a column among the groups of columns. */
function rankColumn(name: string): number {
	const leading = rankLeading(name);
	if (leading < LEADING_COLUMNS.length) return leading;
	const [group] = GROUPS.find(([, isMember]) => isMember(name)) ?? [OTHERS];
	return LEADING_COLUMNS.length + group;
}

/**
 * Naming properties, chief states, other states, addresses, configurable attributes, then ids and
 * clocks. Columns of one group keep the order that they came in. Rows whose own columns begin with
 * the DN were arranged by a step of their query, such as a join, and keep that order.
 * @param first columns before all of these, in their order; those that are absent are left out
 */
export function orderColumns(names: Iterable<string>, first: readonly string[] = []): string[] {
	const all = [...names];
	const isArranged = all.find((name) => name !== "connection" && name !== "class") === "dn";
	const chosen = first.filter((name, at) => all.includes(name) && first.indexOf(name) === at);
	const rest = all
		.filter((name) => !chosen.includes(name))
		.map((name) => ({ name, rank: isArranged ? rankLeading(name) : rankColumn(name) }))
		.sort((a, b) => a.rank - b.rank)
		.map(({ name }) => name);
	return [...chosen, ...rest];
}
