/**
 * Answers query paths over a fabric, from the public description of the controller's grammar.
 * Refuses what it does not understand, filters every object in scope (not only the root), pages
 * only what has an order.
 */
import type { Mo } from "./random-fabric.ts";

type Row = Record<string, { attributes: Record<string, string> }>;
export interface Answer {
	rows: Row[];
	total: number;
}

export function answerQuery(fabric: readonly Mo[], path: string, page?: { index: number; size: number }): Answer {
	const [, place = "", query = ""] = /^\/api\/(.+)\.json(?:\?(.*))?$/s.exec(path) ?? [];
	if (place === "") throw new Error(`no such path: ${path}`);
	const options = new Map(
		query === ""
			? []
			: query.split("&").map((part) => {
					const at = part.indexOf("=");
					return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))] as const;
				}),
	);
	const roots = findPlacedObjects(fabric, place);
	let found = expandScope(fabric, roots, options.get("query-target") ?? "self");
	const wanted = options.get("target-subtree-class");
	if (wanted !== undefined) found = found.filter(({ className }) => wanted.split(",").includes(className));
	const filter = options.get("query-target-filter");
	if (filter !== undefined) {
		const test = parseFilter(filter);
		found = found.filter((mo) => test(mo));
	}
	const orderBy = options.get("order-by");
	if (page && orderBy === undefined) throw new Error(`paging without an order: ${path}`);
	if (orderBy !== undefined) found = [...found].sort(getOrder(orderBy));
	const total = found.length;
	if (page) found = found.slice(page.index * page.size, (page.index + 1) * page.size);
	const naming = options.get("rsp-prop-include") === "naming-only";
	return {
		rows: found.map((mo) => ({
			[mo.className]: { attributes: naming ? { dn: mo.attributes.dn ?? "" } : { ...mo.attributes } },
		})),
		total,
	};
}

function findPlacedObjects(fabric: readonly Mo[], place: string): Mo[] {
	const mo = /^mo\/(.+)$/s.exec(place);
	if (mo) return fabric.filter(({ attributes }) => attributes.dn === decodeURIComponent(mo[1] ?? ""));
	const node = /^node\/class\/(.+)\/(\w+)$/s.exec(place);
	if (node) {
		const [, dn = "", name] = node;
		return fabric.filter(
			({ className, attributes }) => className === name && attributes.dn?.startsWith(`${decodeURIComponent(dn)}/`),
		);
	}
	const name = /^class\/(\w+)$/.exec(place)?.[1];
	if (name === undefined) throw new Error(`no such place: ${place}`);
	return fabric.filter(({ className }) => className === name);
}

function expandScope(fabric: readonly Mo[], roots: Mo[], scope: string): Mo[] {
	if (scope === "self") return roots;
	const set = new Set(roots);
	const under = (mo: Mo): boolean => mo.parent !== undefined && (set.has(mo.parent) || under(mo.parent));
	if (scope === "children") return fabric.filter((mo) => mo.parent !== undefined && set.has(mo.parent));
	if (scope === "subtree") return fabric.filter((mo) => set.has(mo) || under(mo));
	throw new Error(`no such scope: ${scope}`);
}

const isNumeric = (text: string) => /^\d+$/.test(text);
const compareValues = (a: string, b: string) =>
	isNumeric(a) && isNumeric(b) ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;

function getOrder(orderBy: string): (a: Mo, b: Mo) => number {
	const keys = orderBy.split(",").map((key) => {
		const [name = "", direction = "asc"] = key.split("|");
		return { property: name.split(".")[1] ?? "", sign: direction === "desc" ? -1 : 1 };
	});
	return (a, b) => {
		for (const { property, sign } of keys) {
			const order = sign * compareValues(a.attributes[property] ?? "", b.attributes[property] ?? "");
			if (order !== 0) return order;
		}
		return 0;
	};
}

/** expr := name '(' (expr | prop | "value") {',' …} ')' */
export function parseFilter(text: string): (mo: Mo) => boolean {
	let at = 0;
	const fail = (): never => {
		throw new Error(`bad filter at ${at}: ${text}`);
	};
	const expect = (char: string) => {
		if (text[at] !== char) fail();
		at += 1;
	};
	const word = () => {
		const found = /^[\w.]+/.exec(text.slice(at))?.[0] ?? fail();
		at += found.length;
		return found;
	};
	const value = () => {
		expect('"');
		let out = "";
		while (text[at] !== '"') {
			if (at >= text.length) fail();
			if (text[at] === "\\" && text[at + 1] === '"') at += 1;
			out += text[at];
			at += 1;
		}
		at += 1;
		return out;
	};
	const expr = (): ((mo: Mo) => boolean) => {
		const name = word();
		expect("(");
		let test: (mo: Mo) => boolean;
		if (["and", "or", "xor", "not"].includes(name)) {
			const args = [expr()];
			while (text[at] === ",") {
				at += 1;
				args.push(expr());
			}
			if (name === "not" ? args.length !== 1 : name === "xor" && args.length > 2) fail();
			if (name === "not") test = (mo) => !args[0]?.(mo);
			else if (name === "and") test = (mo) => args.every((arg) => arg(mo));
			else if (name === "or") test = (mo) => args.some((arg) => arg(mo));
			else test = (mo) => args[0]?.(mo) !== args[1]?.(mo);
		} else {
			const [className, property = ""] = word().split(".");
			const values: string[] = [];
			while (text[at] === ",") {
				at += 1;
				values.push(value());
			}
			const [first = "", second = ""] = values;
			const compared = createComparison(name, first, second) ?? fail();
			test = (mo) => {
				if (mo.className !== className) throw new Error(`Prop ${property} of ${className} asked of ${mo.className}`);
				const have = mo.attributes[property];
				return have === undefined ? name === "ne" : compared(have);
			};
		}
		expect(")");
		return test;
	};
	const test = expr();
	if (at !== text.length) fail();
	return test;
}

function createComparison(name: string, value: string, high: string): ((have: string) => boolean) | undefined {
	const wild = name === "wcard" ? new RegExp(value, "u") : undefined;
	switch (name) {
		case "eq":
			return (have) => have === value;
		case "ne":
			return (have) => have !== value;
		case "gt":
			return (have) => compareValues(have, value) > 0;
		case "lt":
			return (have) => compareValues(have, value) < 0;
		case "ge":
			return (have) => compareValues(have, value) >= 0;
		case "le":
			return (have) => compareValues(have, value) <= 0;
		case "bw":
			return (have) => compareValues(have, value) >= 0 && compareValues(have, high) <= 0;
		case "wcard":
			return (have) => wild?.test(have) === true;
		default:
			return undefined;
	}
}
