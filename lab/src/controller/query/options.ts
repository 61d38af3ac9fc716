/** Query options: parsed, checked, completed with defaults. Unknown options are ignored. */
import { ApiError, buildOptionError, unknownClass } from "../errors.ts";
import { getProp } from "../model/open-classes.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo, PropInfo } from "../model/types.ts";
import type { Projection } from "../store/text.ts";
import { compileFilter, type Predicate, type PropertyCheck } from "./filter.ts";

export type FacetName =
	| "faults"
	| "fault-records"
	| "fault-count"
	| "health"
	| "health-records"
	| "stats"
	| "relations"
	| "audit-logs"
	| "event-logs";

interface Include {
	readonly facets: ReadonlySet<FacetName>;
	/** Drop results that nest nothing. */
	readonly required: boolean;
	/** Answer the facets' objects instead of the results, flat. */
	readonly noScoped: boolean;
	/** Look for the facets in the whole subtree. */
	readonly subtree: boolean;
	/** Answer one `moCount` instead. */
	readonly count: boolean;
}

export interface OrderKey {
	readonly cls: string;
	readonly prop: PropInfo | "dn" | "rn";
	readonly descending: boolean;
}

export interface Query {
	readonly target: "self" | "children" | "subtree";
	/** `null` when all classes. */
	readonly targetClasses: ReadonlySet<string> | null;
	readonly filter: Predicate | null;
	readonly filterText: string;
	readonly subtree: "no" | "children" | "full";
	readonly subtreeClasses: ReadonlySet<string> | null;
	readonly subtreeFilter: Predicate | null;
	/** What decides the nesting, as text, for caches. */
	readonly subtreeKey: string;
	readonly include: Include;
	readonly projection: Projection;
	readonly order: readonly OrderKey[];
	readonly orderText: string;
	/** `null` without `page-size`: `page` alone is ignored. */
	readonly page: { readonly at: number; readonly size: number } | null;
	/** Milliseconds since 1970, inclusive; records and statistics outside are left out. */
	readonly timeRange: { readonly from: number; readonly to: number } | null;
	readonly subscription: "yes" | "no" | null;
	readonly refreshTimeout: number | null;
}

const MODIFIERS: ReadonlySet<string> = new Set(["required", "no-scoped", "subtree", "count"]);
/** Accepted and without effect on the objects the simulator has. */
const SILENT_FACETS: ReadonlySet<string> = new Set([
	"tasks",
	"ep-records",
	"add-mo-list",
	"local-prefix",
	"deployment",
	"port-deployment",
	"full-deployment",
]);
const FACETS: ReadonlyMap<string, FacetName> = new Map([
	["faults", "faults"],
	["fault-records", "fault-records"],
	["fault-count", "fault-count"],
	["health", "health"],
	["health-records", "health-records"],
	["stats", "stats"],
	["relations", "relations"],
	["relations-with-parent", "relations"],
	["audit-logs", "audit-logs"],
	["event-logs", "event-logs"],
] as const);
const DAY = 86_400_000;
const RANGES: ReadonlyMap<string, number> = new Map([
	["24h", DAY],
	["1week", 7 * DAY],
	["1month", 30 * DAY],
	["3month", 91 * DAY],
]);

/**
 * @param rootClass the class the URL asks for, when it asks for one
 * @param now the fabric's time, from which relative time ranges count back
 * @throws ApiError 400 for an invalid value, 122 and 400 for unknown classes, 121 and 301 from
 * filters
 */
export function parseQuery(
	params: ReadonlyMap<string, string>,
	registry: Registry,
	rootClass: string | null,
	now: number,
): Query {
	const readChoice = <T extends string>(name: string, values: readonly T[], initial: T): T => {
		const given = params.get(name);
		if (given === undefined || given === "") return initial;
		const found = values.find((value) => value === given);
		if (found === undefined) throw buildOptionError(name, given);
		return found;
	};
	const subtreeClasses = readClassSet(params.get("rsp-subtree-class"), registry);
	const filterText = params.get("query-target-filter") ?? "";
	const subtreeFilterText = params.get("rsp-subtree-filter") ?? "";
	const subtree = readChoice("rsp-subtree", ["no", "children", "full", "modified"], "no");
	const orderText = params.get("order-by") ?? "";
	return {
		target: readChoice("query-target", ["self", "children", "subtree"], "self"),
		targetClasses: readClassSet(params.get("target-subtree-class"), registry),
		filter: filterText === "" ? null : compileFilter(filterText, registry),
		filterText,
		subtree: subtree === "modified" ? "no" : subtree,
		subtreeClasses,
		subtreeFilter:
			subtreeFilterText === ""
				? null
				: compileFilter(subtreeFilterText, registry, keepNestedOnly(rootClass, subtreeClasses, registry)),
		subtreeKey: `${subtree} ${params.get("rsp-subtree-class") ?? ""} ${subtreeFilterText} ${params.get("rsp-subtree-include") ?? ""}`,
		include: parseInclude(params.get("rsp-subtree-include") ?? ""),
		projection: readChoice("rsp-prop-include", ["all", "naming-only", "config-only", "set-config-only"], "all"),
		order: parseOrder(orderText, registry),
		orderText,
		page: parsePage(params.get("page"), params.get("page-size")),
		timeRange: parseTimeRange(params.get("time-range") ?? "", now),
		subscription: params.has("subscription") ? readChoice<"yes" | "no">("subscription", ["yes", "no"], "no") : null,
		refreshTimeout: params.has("refresh-timeout")
			? readInteger("refresh-timeout", params.get("refresh-timeout") ?? "")
			: null,
	};
}

/** A property in `rsp-subtree-filter` must belong to a nested class, not to the results' class. */
function keepNestedOnly(
	rootClass: string | null,
	nested: ReadonlySet<string> | null,
	registry: Registry,
): PropertyCheck {
	return (cls, on) => {
		const fits =
			nested === null ? cls.name !== rootClass : registry.concrete(cls.name).some((below) => nested.has(below.name));
		if (!fits)
			throw new ApiError(301, `Incorrect filter format for ${on.cls}.${on.prop}, the class is not in the subtree`);
	};
}

/** Concrete classes named directly or through an abstract ancestor. */
function readClassSet(list: string | undefined, registry: Registry): ReadonlySet<string> | null {
	const names = splitList(list);
	if (names.length === 0) return null;
	const found = new Set<string>();
	for (const name of names) {
		if (registry.find(name) === undefined) throw unknownClass.inUrl(name);
		for (const cls of registry.concrete(name)) found.add(cls.name);
	}
	return found;
}

function parseInclude(text: string): Include {
	const facets = new Set<FacetName>();
	const modifiers = new Set<string>();
	for (const word of splitList(text)) {
		const facet = FACETS.get(word);
		if (facet !== undefined) facets.add(facet);
		else if (MODIFIERS.has(word)) modifiers.add(word);
		else if (!SILENT_FACETS.has(word)) throw buildOptionError("rsp-subtree-include", word);
	}
	return {
		facets,
		required: modifiers.has("required"),
		noScoped: modifiers.has("no-scoped"),
		subtree: modifiers.has("subtree"),
		count: modifiers.has("count"),
	};
}

function parseOrder(text: string, registry: Registry): OrderKey[] {
	return splitList(text).map((item) => {
		const [path = "", direction = "asc"] = item.split("|");
		const dot = path.indexOf(".");
		if (dot < 1 || (direction !== "asc" && direction !== "desc")) throw buildOptionError("order-by", item);
		const [name, prop] = [path.slice(0, dot), path.slice(dot + 1)];
		const cls = registry.find(name);
		if (cls === undefined) throw unknownClass.inFilter(name);
		return {
			cls: name,
			prop: prop === "dn" || prop === "rn" ? prop : orderProp(cls, prop, registry),
			descending: direction === "desc",
		};
	});
}

function orderProp(cls: ClassInfo, prop: string, registry: Registry): PropInfo {
	const found =
		getProp(cls, prop) ??
		registry
			.concrete(cls.name)
			.find((below) => below.props.has(prop))
			?.props.get(prop);
	if (found === undefined) throw new ApiError(121, `Prop '${prop}' not found in class '${cls.name}' property table`);
	return found;
}

function parsePage(page: string | undefined, size: string | undefined): Query["page"] {
	if (size === undefined || size === "") return null;
	const pageSize = readInteger("page-size", size);
	if (pageSize < 1) throw buildOptionError("page-size", size);
	return { at: page === undefined || page === "" ? 0 : readInteger("page", page), size: pageSize };
}

function parseTimeRange(text: string, now: number): Query["timeRange"] {
	if (text === "") return null;
	const span = RANGES.get(text);
	if (span !== undefined) return { from: now - span, to: Number.POSITIVE_INFINITY };
	const [from = "", to = ""] = text.split("|");
	const range = { from: Date.parse(from), to: Date.parse(to) };
	if (Number.isNaN(range.from) || Number.isNaN(range.to)) throw buildOptionError("time-range", text);
	return range;
}

function readInteger(name: string, value: string): number {
	if (!/^\d{1,9}$/.test(value)) throw buildOptionError(name, value);
	return Number(value);
}

function splitList(text: string | undefined): string[] {
	return (text ?? "")
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "");
}
