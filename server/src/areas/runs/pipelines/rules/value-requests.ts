/**
 * Chooses how lists of values are sent to the controller: in chunks that fit a URL, one by one, or
 * not at all, where reading the whole class and matching in Weft is cheaper. The result is the
 * same.
 */
import { combineFilters, encodeOption, type FilterExpr, writeFilter } from "./filter-expression.ts";
import { buildExpression, chunkValues, type ValueCondition } from "./values.ts";

export interface Condition extends ValueCondition {
	/** One request per value. */
	iterate: boolean;
	/** For estimates: the number of values that `values` stand for. */
	standsFor?: number | undefined;
}

export interface Choice {
	/**
	 * The filter that each request adds to the fixed one. Requests of one group share order and
	 * limit.
	 */
	requests: { filter: FilterExpr | undefined; group: number }[];
	/** Conditions that Weft checks on the rows. */
	local: Condition[];
	/** There are conditions, and none is sent. */
	whole: boolean;
	/** A count of the class would improve the choice. */
	uncounted: boolean;
	/** For estimates: the number of requests that each of these stands for; 1 in a run. */
	times: number;
}

export interface ChoiceOptions {
	className: string;
	/** Bytes left for a request's part of the filter. */
	bytes: number;
	count: number | undefined;
	pageSize: number;
	/** Rows are not objects of the class, so Weft cannot check conditions on them. */
	blind: boolean;
	/** Rows carry naming properties only. */
	namesOnly: boolean;
	force: "whole" | "chunks" | undefined;
}

const REQUEST_MS = 250;
const OBJECT_MS = 0.2;
/** Assumed objects of a class that was not counted. */
const ASSUMED_COUNT = 10_000;
/** Bytes of a DN of 65 characters, the usual length, in a filter. */
const USUAL_VALUE_BYTES = 95;
/** Up to this number of requests a count is not worth its own request. */
const COUNT_ABOVE = 4;

export function planValueRequests(conditions: readonly Condition[], options: ChoiceOptions): Choice {
	const iterated = conditions.filter(({ iterate }) => iterate);
	const others = conditions.filter(({ iterate }) => !iterate);
	const decidable = options.blind ? [] : others.filter((condition) => isDecidable(condition, options.namesOnly));
	const sent = others.filter((condition) => !decidable.includes(condition));
	const bytes = Math.max(200, Math.floor(options.bytes / Math.max(1, sent.length + iterated.length)));
	const chunked = new Map(others.map((other) => [other, chunkValues(options.className, other, bytes)]));
	const chunkCount = (condition: Condition): number =>
		condition.standsFor === undefined
			? (chunked.get(condition)?.length ?? 0)
			: Math.ceil((condition.standsFor * USUAL_VALUE_BYTES) / bytes);
	let uncounted = false;
	let local = decidable;
	let whole = false;
	if (decidable.length > 0 && sent.length === 0) {
		const [best] = decidable
			.map((condition) => ({ condition, count: chunkCount(condition) }))
			.sort((x, y) => x.count - y.count);
		const count = best?.count ?? 0;
		uncounted = options.count === undefined && count > COUNT_ABOVE;
		whole =
			options.force === "whole" || (options.force !== "chunks" && iterated.length === 0 && readsLess(count, options));
		if (best && !whole) {
			sent.push(best.condition);
			local = decidable.filter((condition) => condition !== best.condition);
		}
	}
	let times = 1;
	let requests: FilterExpr[][] = [[]];
	for (const condition of iterated) {
		times *= (condition.standsFor ?? condition.values.length) / condition.values.length;
		requests = requests.flatMap((filters) =>
			condition.values.map((value) => [...filters, buildExpression(condition, value)]),
		);
	}
	let spread = requests.map((filters, group) => ({ filters, group }));
	for (const condition of sent) {
		const chunks = chunked.get(condition) ?? [];
		times *= chunkCount(condition) / chunks.length;
		const parts = chunks.map((chunk) =>
			combineFilters(
				"or",
				chunk.map((value) => buildExpression(condition, value)),
			),
		);
		spread = spread.flatMap(({ filters, group }) => parts.map((part) => ({ filters: [...filters, ...part], group })));
	}
	return {
		requests: spread.map(({ filters, group }) => ({ filter: combineFilters("and", filters)[0], group })),
		local,
		whole,
		uncounted,
		times,
	};
}

/**
 * Whether a row shows the text that the controller compares. Names and DNs do; the number 80 may be
 * shown as `http`.
 */
const isDecidable = ({ property }: Condition, namesOnly: boolean): boolean =>
	property === "dn" || (!namesOnly && /^(name|tDn|tn[A-Z]\w*Name|descr|nameAlias)$/.test(property));

function readsLess(chunks: number, { count = ASSUMED_COUNT, pageSize }: ChoiceOptions): boolean {
	const pages = Math.max(1, Math.ceil(count / pageSize));
	return pages * REQUEST_MS + count * OBJECT_MS < chunks * REQUEST_MS;
}

export const filterBytes = (className: string, filters: readonly FilterExpr[]): number =>
	filters.reduce((sum, filter) => sum + encodeOption(writeFilter(className, filter)).length + 1, 0);
