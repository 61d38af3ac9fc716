/**
 * How a query can be read in pages. Without an order by dn the controller repeats and loses objects
 * between pages, and the order must name the class of the objects that are paged: this finds those
 * classes.
 */

import { decodePathText, joinPath, listOptionValues, requireSafePath, type SplitPath, splitPath } from "./paths.ts";
import { ControllerError } from "./port-error.ts";

export interface PagedQuery {
	/** False: the classes of the results are unknown, so the query must be read in one request. */
	readonly pageable: boolean;
	/**
	 * The controller drops results after it cut the page (`required`), so pages may be shorter than
	 * announced.
	 */
	readonly sparse: boolean;
	/** The path of one page, or of the whole answer. */
	at(page?: { index: number; size: number }): string;
}

/** Classes that `rsp-subtree-include=…,no-scoped` puts in the place of the queried objects. */
const FACET_CLASSES: ReadonlyMap<string, string> = new Map([
	["faults", "faultInst"],
	["fault-records", "faultRecord"],
	["health", "healthInst"],
	["health-records", "healthRecord"],
	["audit-logs", "aaaModLR"],
	["event-logs", "eventRecord"],
]);
const MODIFIERS = new Set(["no-scoped", "required", "subtree", "add-mo-list", "local-prefix"]);

export function buildPagedQuery(rawPath: string, orderBy?: string): PagedQuery {
	const path = splitUnpagedPath(rawPath);
	const classes = listResultClasses(path.place, path);
	const wanted = [
		...listOptionValues(path, "order-by"),
		...(orderBy ?? "")
			.split(",")
			.map((part) => part.trim())
			.filter((part) => part !== ""),
	];
	const ordered = new Set(wanted.map((part) => part.split("|", 1)[0]));
	const order = [...wanted, ...(classes ?? []).map((name) => `${name}.dn`).filter((dn) => !ordered.has(dn))];
	const options = path.options.filter(([name]) => name !== "order-by");
	if (order.length > 0) options.push(["order-by", order.map((part) => encodeURIComponent(part)).join(",")]);
	return {
		pageable: classes !== null,
		sparse: listOptionValues(path, "rsp-subtree-include").includes("required"),
		at(page) {
			if (!page) return requireSafePath(joinPath({ place: path.place, options }));
			const paging = [
				["page", String(page.index)],
				["page-size", String(page.size)],
			] as const;
			return requireSafePath(joinPath({ place: path.place, options: [...options, ...paging] }));
		},
	};
}

/** The path that reads one object and the total count, without the cost of an order. */
export function countQuery(rawPath: string): { path: string; sparse: boolean } {
	const path = splitUnpagedPath(rawPath);
	const include = listOptionValues(path, "rsp-subtree-include");
	if (include.includes("count")) {
		throw new ControllerError("invalid", "Objects are counted without the controller's own count option.");
	}
	const options = path.options.filter(([name]) => name !== "order-by");
	options.push(["page", "0"], ["page-size", "1"]);
	return { path: requireSafePath(joinPath({ place: path.place, options })), sparse: include.includes("required") };
}

function splitUnpagedPath(rawPath: string): SplitPath {
	const path = splitPath(requireSafePath(rawPath));
	for (const [name] of path.options) {
		if (name === "page" || name === "page-size") {
			throw new ControllerError("invalid", `A query that is read in pages holds no '${name}' option.`);
		}
	}
	return path;
}

/** The classes of a query's top-level results; null if its text does not determine them. */
function listResultClasses(place: string, path: SplitPath): string[] | null {
	const include = listOptionValues(path, "rsp-subtree-include");
	if (include.includes("count")) return null;
	if (include.includes("no-scoped")) {
		const classes = include.filter((facet) => !MODIFIERS.has(facet)).map((facet) => FACET_CLASSES.get(facet));
		return classes.length > 0 && classes.every((name) => name !== undefined) ? deduplicateClasses(classes) : null;
	}
	const [target = "self"] = listOptionValues(path, "query-target");
	const targets = listOptionValues(path, "target-subtree-class");
	const classInPath = /^\/api\/(?:node\/)?class\/(?:.+\/)?([^/]+)\.(?:json|xml)$/.exec(place)?.[1];
	const own = classInPath === undefined ? [] : [decodePathText(classInPath)];
	if (target === "self") return own.length > 0 ? deduplicateClasses([...own, ...targets]) : null;
	return targets.length > 0 ? deduplicateClasses(targets) : null;
}

function deduplicateClasses(classes: (string | undefined)[]): string[] {
	return [...new Set(classes.filter((name) => name !== undefined))];
}
