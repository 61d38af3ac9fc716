/**
 * Reads the audit log (`aaaModLR`): records of who changed which object. The log may hold 100,000
 * records, so it is only read within a window of time, and in pages.
 */
import type {
	ControllerChange,
	ControllerChanges,
	ControllerChangesQuery,
	ControllerObject,
	ControllerQuery,
	ControllerRows,
} from "./port.ts";

interface ChangesParts {
	/** All objects of a query, up to its limit. */
	rows(query: Pick<ControllerQuery, "path" | "orderBy" | "pageSize" | "limit">): Promise<ControllerRows>;
	/** The number of objects of a query. */
	count(path: string): Promise<number>;
	/** By the latest answer; null if there was none with a time. */
	clockSkewMs(): number | null;
}

type Wanted = Pick<ControllerChangesQuery, "from" | "to" | "dns" | "requests">;

const CLASS = "aaaModLR";
/** Records have about 700 bytes. */
const PAGE_SIZE = 5_000;
/** Clocks are compared by whole seconds, and a write takes a moment to be recorded. */
const MARGIN_MS = 5_000;
/** Encoded bytes of a condition; the request line has 150 more. Controllers take 4 KB at least. */
const FILTER_BYTES = 3_600;
const MAX_TEXT = 256;
/** Characters of a changeSet that are searched for names. */
const MAX_CHANGE_SET = 20_000;

export async function readChanges(deps: ChangesParts, { requests, dns, ...span }: Wanted): Promise<ControllerChanges> {
	let left = requests;
	if (dns?.length === 0) return { records: [], complete: true, reachesBack: null, clockSkewMs: deps.clockSkewMs() };
	if (deps.clockSkewMs() === null) {
		// A signed request has no login whose answer shows the time.
		await deps.count(getPath(computeWindow(span, 0).bounds));
		left -= 1;
	}
	const window = computeWindow(span, deps.clockSkewMs() ?? 0);
	const read = await readWindow(deps, window, dns, left);
	left -= read.requests;
	const hasAll = dns?.every((dn) => read.records.some((record) => record.dn === dn)) === true;
	const reachesBack = hasAll || left <= 0 ? null : (await deps.count(getPath(buildBeforeFilter(window.from)))) > 0;
	return { records: read.records, complete: read.complete, reachesBack, clockSkewMs: deps.clockSkewMs() };
}

/** By the controller's clock. */
interface Window {
	readonly from: number;
	readonly to: number;
	/** As a condition. */
	readonly bounds: string;
}

function computeWindow({ from, to }: Pick<Wanted, "from" | "to">, skewMs: number): Window {
	const window = { from: from + skewMs - MARGIN_MS, to: to + skewMs + MARGIN_MS };
	return {
		...window,
		bounds: `and(gt(${CLASS}.created,"${formatOffsetTime(window.from)}"),${buildBeforeFilter(window.to)})`,
	};
}

const buildBeforeFilter = (at: number): string => `lt(${CLASS}.created,"${formatOffsetTime(at)}")`;

interface Read {
	readonly records: readonly ControllerChange[];
	readonly complete: boolean;
	readonly requests: number;
}

/**
 * Reads the newest records of the window. If there are more, reads the others from the oldest one
 * on, or those of the objects if that takes fewer requests.
 */
async function readWindow(
	deps: ChangesParts,
	window: Window,
	dns: readonly string[] | null,
	requests: number,
): Promise<Read> {
	/** By the record's own dn: one record may be read twice. */
	const found = new Map<string, ControllerChange>();
	const seen = new Set<string | undefined>();
	async function readRecords(condition: string, order: "asc" | "desc", limit: number) {
		const path = getPath(condition);
		// Records of one transaction have the same time: the dn must be in the same direction.
		const orderBy = `${CLASS}.created|${order},${CLASS}.dn|${order}`;
		const query = { path, orderBy, pageSize: PAGE_SIZE, limit };
		const { rows, totalCount } = await deps.rows(query);
		for (const row of rows) {
			seen.add(row[CLASS]?.attributes.dn);
			const record = readRecord(row);
			// The controller may understand the condition differently.
			if (record === null || record.at < window.from || record.at > window.to) continue;
			found.set(row[CLASS]?.attributes.dn ?? `${record.dn} ${record.at}`, record);
		}
		return { count: rows.length, total: totalCount ?? (rows.length < limit ? rows.length : null) };
	}
	const done = (complete: boolean, used: number): Read => ({
		records: [...found.values()].sort((a, b) => b.at - a.at),
		complete,
		requests: used,
	});

	const newest = await readRecords(window.bounds, "desc", PAGE_SIZE);
	const left = requests - 1;
	const rest = newest.total === null ? Number.POSITIVE_INFINITY : newest.total - newest.count;
	if (rest <= 0 || left <= 0) return done(rest <= 0, 1);
	const pages = Math.ceil(rest / PAGE_SIZE);
	const ofObjects = dns && buildConditions(dns);
	if (ofObjects === null || ofObjects.length > left || ofObjects.length >= pages) {
		await readRecords(window.bounds, "asc", Math.min(rest, left * PAGE_SIZE));
		return done(newest.total !== null && seen.size >= newest.total, 1 + Math.min(left, pages));
	}
	let complete = true;
	for (const condition of ofObjects) {
		const { count, total } = await readRecords(`and(${window.bounds},${condition})`, "desc", PAGE_SIZE);
		complete &&= total !== null && count >= total;
	}
	return done(complete, 1 + ofObjects.length);
}

const getPath = (condition: string): string =>
	`/api/class/${CLASS}.json?query-target-filter=${encodeURIComponent(condition)}`;

/** With an offset: a time without one would be in the controller's own zone. */
const formatOffsetTime = (at: number): string => new Date(at).toISOString().replace("Z", "+00:00");

/** Conditions of bounded length for all objects; null if a dn cannot stand in one. */
function buildConditions(dns: readonly string[]): string[] | null {
	const groups: string[][] = [];
	let bytes = FILTER_BYTES;
	for (const dn of dns) {
		if (/["\\]/.test(dn)) return null;
		const test = `eq(${CLASS}.affected,"${dn}")`;
		const length = encodeURIComponent(test).length + 3;
		if (length > FILTER_BYTES) return null;
		bytes += length;
		if (bytes > FILTER_BYTES) {
			groups.push([]);
			bytes = length;
		}
		groups.at(-1)?.push(test);
	}
	return groups.map((tests) => `or(${tests.join(",")})`);
}

const ACTIONS: ReadonlyMap<string, ControllerChange["action"]> = new Map([
	["creation", "created"],
	["modification", "modified"],
	["deletion", "deleted"],
]);

/** Null for a record that is not about an object, or not of the known form. */
function readRecord(row: ControllerObject): ControllerChange | null {
	const {
		affected = "",
		user = "",
		created = "",
		ind = "",
		sessionId = "",
		changeSet = "",
	} = row[CLASS]?.attributes ?? {};
	const action = ACTIONS.get(ind);
	const at = Date.parse(created);
	if (action === undefined || affected === "" || Number.isNaN(at)) return null;
	return {
		dn: affected,
		user: user.slice(0, MAX_TEXT),
		at,
		action,
		session: sessionId === "" ? null : sessionId.slice(0, MAX_TEXT),
		attributes: listNames(changeSet, action),
	};
}

/**
 * How a changeSet names attributes: `prio (Old: level1, New: level2)`, or `prio:level1` of a new
 * object.
 */
const CHANGED = /(?:^|, )(\w{1,100}) \((?:Old|New):/g;
const SET = /(?:^|, )(\w{1,100}):/g;

function listNames(changeSet: string, action: ControllerChange["action"]): string[] {
	const matches = changeSet.slice(0, MAX_CHANGE_SET).matchAll(action === "created" ? SET : CHANGED);
	return [...new Set(Array.from(matches, ([, name = ""]) => name))];
}
