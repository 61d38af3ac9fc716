/**
 * The queries of one stage to the controller, with limits. Failures of the controller name the node
 * that was queried.
 */
import type { Context } from "../../../context.ts";
import { getDn, type Row } from "../../../core/rows/rows.ts";
import type { ControllerCall, ControllerPage, ControllerTarget } from "../../../integrations/apic/port.ts";
import { ControllerError } from "../../../integrations/apic/port-error.ts";
import type { MemoryShare } from "./memory-budget.ts";
import {
	buildTooManyRequestsError,
	buildTooMuchMemoryError,
	FETCHES_AT_ONCE,
	type PipelineLimits,
	StageFailure,
} from "./rules/limits.ts";
import type { Fetch } from "./rules/plan.ts";
import type { Requests } from "./rules/requests.ts";
import type { Keeper } from "./rules/row-filter.ts";
import type { Fetched } from "./rules/stage-rows.ts";
import { addPage, type StageProgress } from "./run-progress.ts";

/** Bounds of the queries of one stage. */
export interface ReadScope {
	readonly target: ControllerTarget;
	readonly limits: PipelineLimits;
	readonly signal: AbortSignal;
	/** The stage's share of the memory of all runs. */
	readonly memory: Pick<MemoryShare, "held" | "take">;
	/** Class nodes whose class may be counted by the controller and not listed. */
	readonly emptyNodes: ReadonlySet<string>;
	/** Members of the cluster on which the stage's only read has failed; the driver adds to it. */
	readonly failedMembers: Set<string>;
	/** Null where nothing shows the progress. */
	readonly progress: StageProgress | null;
}

const QUERIES_KEPT = 20;
/**
 * A query with a limit up to this number requests exactly that many objects. If too few of them
 * pass the local checks, the query is repeated without a limit.
 */
const SMALL_LIMIT = 5_000;
/** Assumed bytes of an object as JSON, where the page does not have its bytes. */
const ROW_BYTES = 600;

/** The rows of a page that pass the checks. */
export interface KeptPage {
	readonly page: ControllerPage;
	readonly count: number;
	/** All rows of the page are kept. */
	readonly whole: boolean;
	rows(): readonly Row[];
}

/** The queries of one attempt to read a stage. */
export interface StageReading extends ReadScope {
	/** The first paths, in order. */
	readonly queries: string[];
	/** To the controller, pages included. */
	requests: number;
	/** Address of the member that was asked last; null if none was. */
	memberUrl: string | null;
}

interface PagesOptions {
	/** DNs of earlier objects, which are dropped; null keeps them. */
	readonly seenDns?: Set<string> | null;
	/** Whether rows are mostly stored without being parsed. */
	readonly unread?: boolean;
	/** Those of the stage where absent. */
	readonly failedMembers?: Set<string>;
}

export const openReading = (scope: ReadScope): StageReading => ({
	...scope,
	queries: [],
	requests: 0,
	memberUrl: null,
});

/** Counts a request. @throws StageFailure above the limit */
function addRequest(reading: StageReading): void {
	const { limits } = reading;
	reading.requests += 1;
	if (reading.requests > limits.requests) throw buildTooManyRequestsError(reading.requests, limits.requests);
}

function startRequest(
	reading: StageReading,
	{ path }: Pick<Fetch, "path">,
): ControllerCall & { readonly path: string } {
	if (reading.queries.length < QUERIES_KEPT) reading.queries.push(path);
	addRequest(reading);
	return {
		path,
		signal: reading.signal,
		onMember: (url) => {
			reading.memberUrl = url;
		},
	};
}

/** A failure of the controller as a failure of the stage at this node. */
function buildStageFailure({ signal }: StageReading, nodeId: string, error: unknown): unknown {
	if (signal.aborted) return signal.reason;
	if (isInterrupted(error)) return error;
	return error instanceof ControllerError ? new StageFailure(error.message, nodeId, { cause: error }) : error;
}

/** Resolves when bytes may stay in memory until the stage ends. @throws StageFailure */
export async function reserveMemory({ memory, limits, signal }: StageReading, bytes: number): Promise<void> {
	if (memory.held() + bytes > limits.memoryBytes) throw buildTooMuchMemoryError(limits.memoryBytes);
	await memory.take(bytes, signal);
}

export async function countObjects(ctx: Context, reading: StageReading, nodeId: string, path: string): Promise<number> {
	try {
		const counted = await ctx.controllers.count(reading.target, {
			...startRequest(reading, { path }),
			allowEmpty: reading.emptyNodes.has(nodeId),
		});
		if (reading.progress) addPage(reading.progress);
		return counted;
	} catch (error) {
		throw buildStageFailure(reading, nodeId, error);
	}
}

async function* readPages(
	ctx: Context,
	reading: StageReading,
	nodeId: string,
	fetch: Fetch,
	options: { limit: number | undefined; unread: boolean; failedMembers: Set<string> },
): AsyncGenerator<ControllerPage> {
	try {
		for await (const page of ctx.controllers.pages(reading.target, {
			...startRequest(reading, fetch),
			...options,
			allowEmpty: reading.emptyNodes.has(nodeId),
		})) {
			// The first page is the request that was counted at the start.
			if (page.index > 0) addRequest(reading);
			if (reading.progress) addPage(reading.progress);
			yield page;
		}
	} catch (error) {
		throw buildStageFailure(reading, nodeId, error);
	}
}

/** The rows of a page that pass the checks, at most `room` of them. */
function filterPage(page: ControllerPage, keeper: Keeper, seenDns: Set<string> | null, room: number): KeptPage {
	const all = seenDns === null && keepsAll(keeper, page) ? null : keepRows(page.rows, keeper.keep, seenDns);
	const count = Math.min(all?.length ?? page.rowCount, room);
	const whole = count === page.rowCount;
	return { page, count, whole, rows: () => (whole ? page.rows : (all ?? page.rows).slice(0, count)) };
}

/**
 * The rows of a query that pass the checks, page by page. Rejects with an error that
 * `isInterrupted` when the member of the cluster failed, and the read may begin again.
 */
export async function* readKeptPages(
	ctx: Context,
	reading: StageReading,
	nodeId: string,
	{ fetch, keeper }: { readonly fetch: Fetch; readonly keeper: Keeper },
	options: PagesOptions = {},
): AsyncGenerator<KeptPage> {
	const { seenDns = null, unread = false, failedMembers = reading.failedMembers } = options;
	const enough = fetch.stopAfter ?? Number.POSITIVE_INFINITY;
	let kept = 0;
	if (enough <= SMALL_LIMIT) {
		const held: KeptPage[] = [];
		let got = 0;
		for await (const page of readPages(ctx, reading, nodeId, fetch, { limit: enough, unread, failedMembers })) {
			const filtered = filterPage(page, keeper, seenDns, enough - kept);
			got += page.rowCount;
			kept += filtered.count;
			held.push(filtered);
		}
		if (kept === enough || got < enough) return yield* held;
		kept = 0;
		seenDns?.clear();
	}
	for await (const page of readPages(ctx, reading, nodeId, fetch, { limit: undefined, unread, failedMembers })) {
		const filtered = filterPage(page, keeper, seenDns, enough - kept);
		kept += filtered.count;
		yield filtered;
		if (kept >= enough) return;
	}
}

/** All rows of a query, in memory; from one member of the cluster. */
async function readAllRows(
	ctx: Context,
	reading: StageReading,
	nodeId: string,
	source: { readonly fetch: Fetch; readonly keeper: Keeper },
): Promise<Row[]> {
	const failedMembers = new Set<string>();
	for (;;) {
		const rows: Row[] = [];
		try {
			for await (const kept of readKeptPages(ctx, reading, nodeId, source, { failedMembers })) {
				await reserveMemory(reading, getBytes(kept.page));
				for (const row of kept.rows()) rows.push(row);
			}
			return rows;
		} catch (error) {
			if (!isInterrupted(error)) throw error;
		}
	}
}

/** All rows of these requests, in memory; runs several requests concurrently. */
export async function fetchAll(
	ctx: Context,
	reading: StageReading,
	nodeId: string,
	requests: Requests,
): Promise<Fetched[]> {
	const { fetches } = requests;
	const { limits } = reading;
	if (fetches.length > limits.requests) throw buildTooManyRequestsError(fetches.length, limits.requests);
	const parts: Fetched[] = [];
	/** Shared by the workers, so that each takes the next fetch. */
	const pending = fetches.entries();
	let failed = false;
	async function fetchPending(): Promise<void> {
		for (const [at, fetch] of pending) {
			if (failed) return;
			parts[at] = fetch.count
				? { fetch, rows: [], count: await countObjects(ctx, reading, nodeId, fetch.path) }
				: { fetch, rows: await readAllRows(ctx, reading, nodeId, { fetch, keeper: requests }) };
		}
	}
	const workers = Array.from({ length: Math.min(FETCHES_AT_ONCE, fetches.length) }, async () => {
		try {
			await fetchPending();
		} catch (error) {
			failed = true;
			throw error;
		}
	});
	for (const result of await Promise.allSettled(workers)) if (result.status === "rejected") throw result.reason;
	return parts;
}

/** A member of the cluster failed in the middle of a read. */
export const isInterrupted = (error: unknown): boolean => error instanceof ControllerError && error.interrupted;

const getBytes = ({ raw, rowCount }: ControllerPage): number => raw?.length ?? rowCount * ROW_BYTES;

function keepsAll({ keepsClass }: Keeper, page: ControllerPage): boolean {
	return keepsClass === true || (keepsClass !== null && keepsClass === page.className);
}

function keepRows(rows: readonly Row[], keep: Keeper["keep"], seenDns: Set<string> | null): readonly Row[] {
	return rows.filter((row) => {
		if (!keep(row)) return false;
		const dn = seenDns === null ? undefined : getDn(row);
		if (dn === undefined) return true;
		const isNew = seenDns?.has(dn) === false;
		seenDns?.add(dn);
		return isNew;
	});
}
