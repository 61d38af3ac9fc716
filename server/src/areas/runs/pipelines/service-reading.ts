/**
 * The queries of one stage to the controller, with limits. Failures of the controller name the node
 * that was queried.
 */
import type { Context } from "../../../context.ts";
import { getDn, type Row } from "../../../core/rows/rows.ts";
import type { ControllerCall, ControllerPage, ControllerTarget } from "../../../ports/controller.ts";
import { ControllerError } from "../../../ports/controller-error.ts";
import { FETCHES_AT_ONCE, type PipelineLimits, StageFailure, tooManyRequests, tooMuchMemory } from "./domain/limits.ts";
import type { Fetch } from "./domain/plan.ts";
import type { Requests } from "./domain/requests.ts";
import type { Keeper } from "./domain/row-filter.ts";
import type { Fetched } from "./domain/stage-rows.ts";
import type { MemoryShare } from "./service-memory.ts";

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
	/** Called after each page and each count that the controller has answered. */
	onPage?(): void;
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

interface PagesOptions {
	/** DNs of earlier objects, which are dropped; null keeps them. */
	readonly seenDns?: Set<string> | null;
	/** Whether rows are mostly stored without being parsed. */
	readonly unread?: boolean;
	/** Those of the stage where absent. */
	readonly failedMembers?: Set<string>;
}

export function createReading({ controllers }: Context, scope: ReadScope) {
	const { target, limits, signal, memory, emptyNodes, failedMembers, onPage } = scope;
	const queries: string[] = [];
	let requests = 0;
	let memberUrl: string | null = null;
	const onMember = (url: string) => {
		memberUrl = url;
	};

	function startRequest(fetch: Pick<Fetch, "path">): ControllerCall & { readonly path: string } {
		if (queries.length < QUERIES_KEPT) queries.push(fetch.path);
		requests += 1;
		if (requests > limits.requests) throw tooManyRequests(requests, limits.requests);
		return { path: fetch.path, signal, onMember };
	}

	/** A failure of the controller as a failure of the stage at this node. */
	function failureAt(nodeId: string, error: unknown): unknown {
		if (signal.aborted) return signal.reason;
		if (isInterrupted(error)) return error;
		return error instanceof ControllerError ? new StageFailure(error.message, nodeId, { cause: error }) : error;
	}

	/** Resolves when bytes may stay in memory until the stage ends. @throws StageFailure */
	async function reserveMemory(bytes: number): Promise<void> {
		if (memory.held() + bytes > limits.memoryBytes) throw tooMuchMemory(limits.memoryBytes);
		await memory.take(bytes, signal);
	}

	async function countObjects(nodeId: string, path: string): Promise<number> {
		try {
			const counted = await controllers.count(target, {
				...startRequest({ path }),
				allowEmpty: emptyNodes.has(nodeId),
			});
			onPage?.();
			return counted;
		} catch (error) {
			throw failureAt(nodeId, error);
		}
	}

	async function* readPages(
		nodeId: string,
		fetch: Fetch,
		options: { limit: number | undefined; unread: boolean; failedMembers: Set<string> },
	): AsyncGenerator<ControllerPage> {
		try {
			for await (const page of controllers.pages(target, {
				...startRequest(fetch),
				...options,
				allowEmpty: emptyNodes.has(nodeId),
			})) {
				if (page.index > 0) requests += 1;
				if (requests > limits.requests) throw tooManyRequests(requests, limits.requests);
				onPage?.();
				yield page;
			}
		} catch (error) {
			throw failureAt(nodeId, error);
		}
	}

	/**
	 * The rows of a query that pass the checks, page by page. Rejects with an error that
	 * `isInterrupted` when the member of the cluster failed, and the read may begin again.
	 */
	async function* readKeptPages(
		nodeId: string,
		fetch: Fetch,
		keeper: Keeper,
		options: PagesOptions = {},
	): AsyncGenerator<KeptPage> {
		const { seenDns = null, unread = false, failedMembers: failed = failedMembers } = options;
		const enough = fetch.stopAfter ?? Number.POSITIVE_INFINITY;
		const held: KeptPage[] = [];
		let kept = 0;

		function* filterPage(page: ControllerPage): Generator<KeptPage> {
			const room = enough - kept;
			const all = seenDns === null && keepsAll(keeper, page) ? null : keepRows(page.rows, keeper.keep, seenDns);
			const count = Math.min(all?.length ?? page.rowCount, room);
			kept += count;
			const whole = count === page.rowCount;
			yield { page, count, whole, rows: () => (whole ? page.rows : (all ?? page.rows).slice(0, count)) };
		}

		if (enough <= SMALL_LIMIT) {
			let got = 0;
			for await (const page of readPages(nodeId, fetch, { limit: enough, unread, failedMembers: failed })) {
				got += page.rowCount;
				held.push(...filterPage(page));
			}
			if (kept === enough || got < enough) return yield* held;
			kept = 0;
			seenDns?.clear();
		}
		for await (const page of readPages(nodeId, fetch, { limit: undefined, unread, failedMembers: failed })) {
			yield* filterPage(page);
			if (kept >= enough) return;
		}
	}

	/** All rows of a query, in memory; from one member of the cluster. */
	async function wholeRows(nodeId: string, fetch: Fetch, keeper: Keeper): Promise<Row[]> {
		const failedMembers = new Set<string>();
		for (;;) {
			const rows: Row[] = [];
			try {
				for await (const kept of readKeptPages(nodeId, fetch, keeper, { failedMembers })) {
					await reserveMemory(getBytes(kept.page));
					for (const row of kept.rows()) rows.push(row);
				}
				return rows;
			} catch (error) {
				if (!isInterrupted(error)) throw error;
			}
		}
	}

	/** All rows of these requests, in memory; runs several requests concurrently. */
	async function fetchAll(nodeId: string, requests: Requests): Promise<Fetched[]> {
		const { fetches } = requests;
		if (fetches.length > limits.requests) throw tooManyRequests(fetches.length, limits.requests);
		const parts: Fetched[] = [];
		/** Shared by the workers, so that each takes the next fetch. */
		const pending = fetches.entries();
		let failed = false;
		async function fetchPending(): Promise<void> {
			for (const [at, fetch] of pending) {
				if (failed) return;
				parts[at] = fetch.count
					? { fetch, rows: [], count: await countObjects(nodeId, fetch.path) }
					: { fetch, rows: await wholeRows(nodeId, fetch, requests) };
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

	return {
		count: countObjects,
		pages: readKeptPages,
		all: fetchAll,
		hold: reserveMemory,
		queries,
		requests: () => requests,
		memberUrl: () => memberUrl,
	};
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
