/**
 * Turns a branch of the plan and the values of pipeline edges into requests.
 *
 * A branch has one or more steps. A step returns its requests once the DNs that the step before
 * kept are known; the rows of the last step are the branch's. `keep` checks each row in Weft, so
 * that the result does not depend on how the controller reads a pattern. All steps but the last
 * query classes further up whose filters cannot be checked on the DNs below; a flow without such
 * classes has one step.
 */
import { getGates, hasNamingValue, listPushedBetween, listResidualFilters, listSettledRns } from "./chain.ts";
import { fitsPath } from "./dn.ts";
import { getLevel } from "./dn-layout.ts";
import { combineFilters, type FilterExpr, isTestable } from "./filter-expression.ts";
import type { Branch, ChainNode, Fetch, InputValues, StageInput, StagePlan, Strategy } from "./plan.ts";
import { buildDnFilters, type Pushed } from "./pushdown.ts";
import { type Check, createKeeper, EVERYTHING, type Keeper } from "./row-filter.ts";
import { listInputs } from "./stages.ts";
import { decideVerdict, type Reason } from "./strategy.ts";
import { buildQueryPath, getIncludes, type QueryOptions, type Target } from "./urls.ts";
import { type Condition, filterBytes, planValueRequests } from "./value-requests.ts";
import { DEFAULT_MAX_URL_BYTES } from "./values.ts";

export interface RequestOptions {
	/** Longest path with query, in bytes. */
	maxUrlBytes?: number | undefined;
	/** Objects per page of a paged query. */
	pageSize?: number | undefined;
	/** Objects per class in the whole fabric. */
	counts?: Readonly<Record<string, number>> | undefined;
	force?: Strategy | undefined;
	/** For estimates: the number of values that a list of placeholders stands for, by the list. */
	sizes?: ReadonlyMap<readonly string[], number> | undefined;
}

export interface Step {
	/**
	 * `gate`: only the DNs of the kept rows are needed. `rows`, `expand`: these are the branch's
	 * rows.
	 */
	kind: "gate" | "rows" | "expand";
	nodeId: string;
	className: string;
	/** `dns`: distinct DNs of the rows that the step before kept; empty for a first step. */
	requests: (dns: readonly string[]) => Requests;
}

export interface Requests extends Keeper {
	/** Empty when no object can match. */
	fetches: Fetch[];
	strategy: Strategy;
	reason: Reason;
	/** A class whose count would improve the choice of requests; call again with it in `counts`. */
	probe: string | undefined;
	/** For estimates: the number of requests that each fetch stands for; 1 in a run. */
	times: number;
}

interface StepContext {
	branch: Branch;
	/** Index in the chain of the class to query. */
	at: number;
	/** The same of the step before; -1 for the first step. */
	above: number;
	kind: "gate" | "rows";
	inputs: readonly StageInput[];
	values: InputValues;
	options: RequestOptions;
	/** No other branch has rows of this class node, so its count is that of the result. */
	only: boolean;
}

const NOTHING: Requests = {
	fetches: [],
	keep: () => false,
	keepsClass: null,
	strategy: "class",
	reason: { sentence: "There are no values to query." },
	probe: undefined,
	times: 1,
};

/** The steps of a branch of `stage`. */
export function buildSteps(
	branch: Branch,
	stage: StagePlan,
	values: InputValues,
	options: RequestOptions = {},
): Step[] {
	const last = branch.chain.length - 1;
	const into = listInputs(stage);
	const inputs = branch.chain.map(({ nodeId }) => into.filter((input) => input.targetNodes.includes(nodeId)));
	const gates = getGates(branch, inputs, options.force);
	const narrowed = gates.length > 0 || (inputs[last] ?? []).length > 0;
	const expands = getScope(branch) !== "self" && (narrowed || !canQueryScope(branch, options.force));
	const only = stage.branches.filter(({ nodeId }) => nodeId === branch.nodeId).length === 1;
	const steps = [...gates, last].flatMap((at, i, all): Step[] => {
		const node = branch.chain[at];
		if (node === undefined) return [];
		const kind = at < last || expands ? "gate" : "rows";
		const step: StepContext = {
			branch,
			at,
			above: all[i - 1] ?? -1,
			kind,
			inputs: inputs[at] ?? [],
			values,
			options,
			only,
		};
		return [
			{ kind, nodeId: node.nodeId, className: node.className, requests: (dns) => listRequestsAt(step, node, dns) },
		];
	});
	if (expands) {
		const { nodeId, className } = branch.chain[last] ?? { nodeId: "", className: "" };
		steps.push({ kind: "expand", nodeId, className, requests: (dns) => buildExpansionRequests(branch, dns, options) });
	}
	return steps;
}

function listRequestsAt(step: StepContext, node: ChainNode, dns: readonly string[]): Requests {
	const { branch, at, above, options } = step;
	const conditions = buildConditions(step, dns);
	if (conditions.some(({ values }) => values.length === 0)) return NOTHING;

	const ownLevel = getLevel(branch.layout, at) ?? Number.POSITIVE_INFINITY;
	const canSettle = above < 0 && options.force !== "class" && branch.options.node === undefined;
	const settled = canSettle ? listSettledRns(branch, at) : [];
	const whole = settled.length > ownLevel && conditions.length === 0;
	const scope = settled.slice(0, whole ? ownLevel + 1 : Math.min(settled.length, ownLevel));
	const pushed = whole ? [] : listPushedBetween(branch, above, at, scope.length);
	const parents = listFilteredLevels(branch, at, pushed);
	const own = whole ? listResidualFilters(branch, at) : node.filters;
	const target = whole ? buildObjectTarget(branch, step.kind, scope) : listTarget(branch, node, scope, conditions);
	const fixed = [...own, ...(whole ? [] : buildDnFilters(branch.layout, pushed, branch.layout.implied[at] === true))];
	const open = conditions.filter(
		({ op, values }) => !(target.kind === "below" && op !== "eq" && values[0] === target.dn),
	);
	const answer = answerOptions(step, own);
	const budget =
		(options.maxUrlBytes ?? DEFAULT_MAX_URL_BYTES) - buildQueryPath(target, { ...answer, filter: undefined }).length;
	const choice = planValueRequests(open, {
		className: node.className,
		bytes: budget - filterBytes(node.className, fixed) - "&query-target-filter=and()".length,
		count: options.counts?.[node.className],
		pageSize: options.pageSize ?? 1_000,
		blind: answer.include.includes("no-scoped"),
		namesOnly: answer.propertyInclude === "naming-only",
		force: options.force === "join" ? "whole" : options.force === "class" ? "chunks" : undefined,
	});
	const local = conditions.filter((condition) => choice.local.includes(condition) || !open.includes(condition));
	const fetches = choice.requests.map(({ filter, group }) =>
		buildFetch(step, node, target, answer, fixed, filter, group),
	);
	const under = hasNamingValue(branch, scope.length) && !whole ? scope.join("/") : undefined;
	const check: Check = { target, under, pushed, own: node.filters, local, blind: answer.include.includes("no-scoped") };
	return {
		fetches: canCount(step, fetches, check) ? fetches.map(presentAsCount) : fetches,
		...createKeeper(branch, at, check),
		...decideVerdict(above >= 0, node, target, choice, conditions, parents),
		probe: choice.uncounted ? node.className : undefined,
		times: choice.times,
	};
}

/** Lists the classes above one of the chain whose filters are applied to its DNs. */
function listFilteredLevels({ chain, layout }: Branch, at: number, pushed: readonly Pushed[]): string[] {
	const levels = new Set(pushed.filter(({ filters }) => filters.length > 0).map(({ level }) => level));
	const above = chain.slice(0, at).filter((_, index) => levels.has(getLevel(layout, index) ?? -1));
	return above.map(({ className }) => className);
}

function buildConditions({ above, inputs, values, options }: StepContext, dns: readonly string[]): Condition[] {
	const own = inputs.map(({ edgeId, injectAs, injectProperty }): Condition => {
		const list = values.get(edgeId) ?? [];
		const common = { values: list, iterate: injectAs === "iterate", standsFor: options.sizes?.get(list) };
		if (injectAs === "dn_scope") return { op: "within", property: "dn", ...common };
		return { op: "eq", property: injectProperty, ...common };
	});
	if (above < 0) return own;
	return [...own, { op: "below", property: "dn", values: dns, iterate: false, standsFor: options.sizes?.get(dns) }];
}

const getScope = (branch: Branch) => branch.options.scope ?? "self";

/**
 * Whether one query can have the wider scope: the DN of the one object is known, or all objects are
 * wanted.
 */
function canQueryScope(branch: Branch, force: Strategy | undefined): boolean {
	const last = branch.chain.length - 1;
	const settled = listSettledRns(branch, last).length > (getLevel(branch.layout, last) ?? Number.POSITIVE_INFINITY);
	if (settled && force !== "class") return listResidualFilters(branch, last).length === 0;
	return last === 0 && branch.chain[0]?.filters.length === 0;
}

function buildObjectTarget(branch: Branch, kind: StepContext["kind"], rns: readonly string[]): Target {
	const scope = getScope(branch);
	const dn = rns.join("/");
	return kind === "gate" || scope === "self" ? { kind: "mo", dn } : { kind: "scope", dn, scope };
}

function listTarget(
	branch: Branch,
	asked: ChainNode,
	rns: readonly string[],
	conditions: readonly Condition[],
): Target {
	const { className } = asked;
	const scope = getScope(branch);
	const last = branch.chain.at(-1) === asked;
	if (branch.options.node !== undefined) return { kind: "node-class", nodeDn: branch.options.node, className };
	const single = conditions.find(({ op, values, iterate }) => op !== "eq" && values.length === 1 && !iterate);
	const [only] = single?.values ?? [];
	if (only !== undefined && fitsPath(only)) return { kind: "below", dn: only, className };
	if (hasNamingValue(branch, rns.length)) {
		const dn = rns.join("/");
		const node = /^(topology\/pod-[^/]+\/node-[^/]+)(\/sys)?$/.exec(dn)?.[1];
		if (node !== undefined && last && branch.onSwitch) return { kind: "node-class", nodeDn: node, className };
		return { kind: "below", dn, className };
	}
	if (last && scope !== "self" && conditions.length === 0 && branch.chain.length === 1 && asked.filters.length === 0) {
		return { kind: "class-scope", className, scope };
	}
	return { kind: "class", className };
}

function answerOptions({ branch, kind }: StepContext, filters: readonly FilterExpr[]): QueryOptions {
	const className = branch.chain.at(-1)?.className ?? "";
	const base = { className, filter: undefined, orderBy: undefined, timeRange: undefined };
	if (kind === "gate") {
		const propertyInclude = filters.some(isTestable) ? undefined : "naming-only";
		return { ...base, ordered: true, propertyInclude, include: [] };
	}
	const { orderBy, propertyInclude, timeRange } = branch.options;
	const include = getIncludes(branch.options);
	const ordered = !include.includes("no-scoped") && getScope(branch) === "self";
	return { ...base, orderBy, timeRange, propertyInclude, include, ordered };
}

function buildFetch(
	{ branch, kind }: StepContext,
	node: ChainNode,
	target: Target,
	answer: QueryOptions,
	fixed: readonly FilterExpr[],
	added: FilterExpr | undefined,
	group: number,
): Fetch {
	const { className } = node;
	const byDn = added?.op === "eq" && added.property === "dn" && fixed.length === 0;
	const own = target.kind === "class" && branch.concrete && branch.chain.at(-1) === node;
	const one = own && byDn && fitsPath(added.value);
	const place: Target = one ? { kind: "mo", dn: added.value } : target;
	const filter = one ? undefined : combineFilters("and", added ? [...fixed, added] : fixed)[0];
	const ordered = answer.ordered && place.kind !== "mo";
	const limit = kind === "rows" && getScope(branch) === "self" ? branch.options.limit : undefined;
	return {
		path: buildQueryPath(place, { ...answer, className, filter, ordered }),
		className,
		paged: ordered,
		group,
		...(limit === undefined ? {} : { stopAfter: limit }),
	};
}

/** Whether the controller's count is the result: no row has to be checked in Weft. */
const canCount = ({ branch, kind, only }: StepContext, fetches: readonly Fetch[], check: Check): boolean =>
	kind === "rows" &&
	only &&
	branch.options.supplementalData?.countOnly === true &&
	fetches.length === 1 &&
	check.local.length === 0 &&
	check.pushed.length === 0 &&
	!check.own.some(isTestable) &&
	branch.options.limit === undefined;

const presentAsCount = ({ path, className, group }: Fetch): Fetch => ({
	path,
	className,
	group,
	paged: false,
	count: true,
});

function buildExpansionRequests(branch: Branch, dns: readonly string[], options: RequestOptions): Requests {
	const scope = getScope(branch);
	if (dns.length === 0 || scope === "self") return NOTHING;
	const className = branch.chain.at(-1)?.className ?? "";
	const { propertyInclude, timeRange } = branch.options;
	const include = getIncludes(branch.options);
	const query = {
		className,
		filter: undefined,
		orderBy: undefined,
		ordered: false,
		propertyInclude,
		timeRange,
		include,
	};
	const getPath = (dn: string) => buildQueryPath({ kind: "scope", dn, scope }, query);
	return {
		...NOTHING,
		...EVERYTHING,
		fetches: dns.map((dn) => ({ path: getPath(dn), className, paged: false, group: 0 })),
		strategy: "join",
		reason: { sentence: `The ${scope} of each object found is read by its DN.` },
		times: (options.sizes?.get(dns) ?? dns.length) / dns.length,
	};
}
