/** Lists as AWX answers them: pages, filters, order, and its words for what it refuses. */

export class ApiError extends Error {
	readonly status: number;
	readonly body: unknown;
	readonly headers: Readonly<Record<string, string>>;
	constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
		super(`status ${status}`);
		this.status = status;
		this.body = body;
		this.headers = headers;
	}
}

export const createDetailError = (status: number, text: string): ApiError => new ApiError(status, { detail: text });
export const NOT_FOUND = "Not found.";
export const FORBIDDEN = "You do not have permission to perform this action.";

const RESERVED = new Set(["page", "page_size", "order_by", "order", "search", "count_disabled", "format", "limit"]);
const REFUSED = new Set(["extra_vars", "job_env", "survey_spec", "start_args", "passwords"]);
const LOOKUPS = ["exact", "iexact", "contains", "icontains", "startswith", "gt", "gte", "lt", "lte", "in", "isnull"];
const MAX_PAGE = 200;
const DEFAULT_PAGE = 25;

export interface ListOptions {
	/** What error messages call the object: `JobTemplate`. */
	readonly model: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly order?: string;
	/** `limit=N` is understood. */
	readonly limited?: boolean;
	/** Names that are no fields. */
	readonly extra?: readonly string[];
}

type Row = Record<string, unknown>;

/** Rows are filtered as they look from outside; `present` is called for those that are answered. */
export function getList<T>(
	items: readonly T[],
	getFields: (item: T) => Row,
	present: (item: T) => Row,
	options: ListOptions,
): Row {
	const { query, model } = options;
	let rows = items.map((item) => ({ item, fields: getFields(item) }));
	const known = rows[0]?.fields;
	for (const [key, value] of query) {
		if (RESERVED.has(key) || options.extra?.includes(key)) continue;
		rows = rows.filter(buildCondition(key, value, known, model));
	}
	const search = query.get("search");
	if (search !== null) {
		const words = search.toLowerCase();
		rows = rows.filter(({ fields }) =>
			`${fields.name ?? ""} ${fields.description ?? ""}`.toLowerCase().includes(words),
		);
	}
	const order = query.get("order_by") ?? query.get("order") ?? options.order ?? "id";
	rows.sort(createComparator(order, known, model));
	const limit = query.get("limit");
	if (options.limited && limit !== null) {
		return { results: rows.slice(0, Number(limit) || DEFAULT_PAGE).map(({ item }) => present(item)) };
	}
	const size = Math.min(MAX_PAGE, Number(query.get("page_size")) || DEFAULT_PAGE);
	const page = Number(query.get("page") ?? 1);
	const pages = Math.max(1, Math.ceil(rows.length / size));
	if (!Number.isInteger(page) || page < 1 || page > pages) throw createDetailError(404, "Invalid page.");
	const results = rows.slice((page - 1) * size, page * size).map(({ item }) => present(item));
	if (query.has("count_disabled")) return { results };
	const link = (to: number) => {
		const params = new URLSearchParams(query);
		params.set("page", String(to));
		params.sort();
		return `${options.path}?${params}`;
	};
	return {
		count: rows.length,
		next: page < pages ? link(page + 1) : null,
		previous: page > 1 ? link(page - 1) : null,
		results,
	};
}

function buildCondition(key: string, value: string, known: Row | undefined, model: string) {
	const parts = key.split("__");
	const negated = parts[0] === "not";
	if (negated || parts[0] === "or" || parts[0] === "chain") parts.shift();
	const lookup = LOOKUPS.includes(parts.at(-1) ?? "") && parts.length > 1 ? (parts.pop() as string) : "exact";
	const [name = ""] = parts;
	if (REFUSED.has(name)) throw createDetailError(403, `Filtering on ${name} is not allowed.`);
	if (known !== undefined && !(name in known) && !(name in ((known.summary_fields as Row | undefined) ?? {}))) {
		throw createDetailError(400, `${model} has no field named '${name}'`);
	}
	const read = (fields: Row): unknown => {
		let at: unknown = fields[name];
		if (parts.length > 1) at = ((fields.summary_fields as Row | undefined)?.[name] as Row | undefined) ?? at;
		for (const part of parts.slice(1)) at = (at as Row | undefined)?.[part];
		return at;
	};
	const sample = known === undefined ? undefined : read(known);
	const whole = (text: string): number => {
		if (!/^-?\d+$/.test(text)) throw createDetailError(400, JSON.stringify([`“${text}” value must be an integer.`]));
		return Number(text);
	};
	const typed = (text: string): unknown => {
		if (typeof sample === "number" || name === "id") return whole(text);
		if (typeof sample === "boolean") return text === "true" || text === "True" || text === "1";
		return text;
	};
	const test = buildTest(lookup, value, typed);
	return ({ fields }: { fields: Row }): boolean => test(read(fields)) !== negated;
}

function buildTest(lookup: string, value: string, typed: (text: string) => unknown): (at: unknown) => boolean {
	switch (lookup) {
		case "in": {
			const wanted = new Set(value.split(",").map(typed));
			return (at) => wanted.has(at);
		}
		case "isnull":
			return (at) => (at === null || at === undefined) === (value === "true" || value === "True");
		case "contains":
			return (at) => String(at).includes(value);
		case "icontains":
			return (at) => String(at).toLowerCase().includes(value.toLowerCase());
		case "startswith":
			return (at) => String(at).startsWith(value);
		case "iexact":
			return (at) => String(at).toLowerCase() === value.toLowerCase();
		case "gt":
		case "gte":
		case "lt":
		case "lte": {
			const bound = toComparable(typed(value));
			return (at) => {
				if (at === null || at === undefined) return false;
				const order = compareValues(toComparable(at), bound);
				return lookup === "gt" ? order > 0 : lookup === "gte" ? order >= 0 : lookup === "lt" ? order < 0 : order <= 0;
			};
		}
		default: {
			const wanted = typed(value);
			return (at) => at === wanted;
		}
	}
}

const ISO = /^\d{4}-\d\d-\d\dT/;
const toComparable = (value: unknown): unknown =>
	typeof value === "string" && ISO.test(value) ? Date.parse(value) : value;
const compareValues = (a: unknown, b: unknown): number =>
	a === b ? 0 : a === null || a === undefined ? 1 : b === null || b === undefined ? -1 : a < b ? -1 : 1;

function createComparator(order: string, known: Row | undefined, model: string) {
	const keys = order.split(",").map((word) => ({ name: word.replace(/^-/, ""), down: word.startsWith("-") }));
	for (const { name } of keys) {
		if (known !== undefined && !(name in known)) throw createDetailError(400, `${model} has no field named '${name}'`);
	}
	return (a: { fields: Row }, b: { fields: Row }): number => {
		for (const { name, down } of keys) {
			const result = compareValues(a.fields[name], b.fields[name]);
			if (result !== 0) return down ? -result : result;
		}
		return 0;
	};
}
