/** The queries of one stage: what they bring is bounded and counted, and what fails is blamed on the node that was asked for. */
import {
	type ControllerCall,
	type ControllerDriver,
	ControllerError,
	type ControllerPage,
	type ControllerTarget,
} from "../../ports/controller.ts";
import type { Fetched } from "./domain/finish.ts";
import type { Keeper } from "./domain/keep.ts";
import type { Fetch } from "./domain/plan.ts";
import type { Requests } from "./domain/requests.ts";
import { dnOf, type Row } from "./domain/rows.ts";
import { FETCHES_AT_ONCE, type PipelineLimits, StageFailure, tooManyRequests, tooMuchMemory } from "./limits.ts";

export interface ReadingDeps {
	readonly driver: Pick<ControllerDriver, "pages" | "count">;
	readonly target: ControllerTarget;
	readonly limits: PipelineLimits;
	readonly signal: AbortSignal;
}

const QUERIES_KEPT = 20;
/** With a limit this small it is cheaper to ask for just so many, and again without when too few were kept. */
const SMALL_LIMIT = 5_000;
/** What an object takes as JSON, where the page does not tell. */
const ROW_BYTES = 600;

/** What is kept of a page. */
export interface Part {
	readonly page: ControllerPage;
	readonly count: number;
	/** All rows of the page are kept. */
	readonly whole: boolean;
	rows(): readonly Row[];
}

interface PagesOptions {
	/** Drops objects that came before. */
	readonly unseen?: Set<string> | null;
	/** Whether most rows are stored without being looked at. */
	readonly unread?: boolean;
}

export function createReading({ driver, target, limits, signal }: ReadingDeps) {
	const queries: string[] = [];
	let requests = 0;
	let memory = 0;

	function begin(fetch: Pick<Fetch, "path">): ControllerCall & { readonly path: string } {
		if (queries.length < QUERIES_KEPT) queries.push(fetch.path);
		requests += 1;
		if (requests > limits.requests) throw tooManyRequests(requests, limits.requests);
		return { path: fetch.path, signal };
	}

	/** Failures of the controller are failures of the stage, at the node that was asked for. */
	function blame(nodeId: string, error: unknown): unknown {
		if (signal.aborted) return signal.reason;
		return error instanceof ControllerError ? new StageFailure(error.message, nodeId, { cause: error }) : error;
	}

	/** Counts what must stay in memory. */
	function hold({ raw, rowCount }: ControllerPage): void {
		memory += raw?.length ?? rowCount * ROW_BYTES;
		if (memory > limits.memoryBytes) throw tooMuchMemory(limits.memoryBytes);
	}

	async function count(nodeId: string, path: string): Promise<number> {
		try {
			return await driver.count(target, begin({ path }));
		} catch (error) {
			throw blame(nodeId, error);
		}
	}

	async function* read(
		nodeId: string,
		fetch: Fetch,
		options: { limit: number | undefined; unread: boolean },
	): AsyncGenerator<ControllerPage> {
		try {
			for await (const page of driver.pages(target, { ...begin(fetch), ...options })) {
				if (page.index > 0) requests += 1;
				if (requests > limits.requests) throw tooManyRequests(requests, limits.requests);
				yield page;
			}
		} catch (error) {
			throw blame(nodeId, error);
		}
	}

	/** The kept rows of a query, page by page. */
	async function* pages(
		nodeId: string,
		fetch: Fetch,
		keeper: Keeper,
		options: PagesOptions = {},
	): AsyncGenerator<Part> {
		const { unseen = null, unread = false } = options;
		const enough = fetch.stopAfter ?? Number.POSITIVE_INFINITY;
		const held: Part[] = [];
		let kept = 0;

		function* take(page: ControllerPage): Generator<Part> {
			const room = enough - kept;
			const all = unseen === null && keepsAll(keeper, page) ? null : keepRows(page.rows, keeper.keep, unseen);
			const count = Math.min(all?.length ?? page.rowCount, room);
			kept += count;
			const whole = count === page.rowCount;
			yield { page, count, whole, rows: () => (whole ? page.rows : (all ?? page.rows).slice(0, count)) };
		}

		if (enough <= SMALL_LIMIT) {
			let got = 0;
			for await (const page of read(nodeId, fetch, { limit: enough, unread })) {
				got += page.rowCount;
				held.push(...take(page));
			}
			if (kept === enough || got < enough) return yield* held;
			kept = 0;
			unseen?.clear();
		}
		for await (const page of read(nodeId, fetch, { limit: undefined, unread })) {
			yield* take(page);
			if (kept >= enough) return;
		}
	}

	/** Everything that these requests bring, some of them at the same time; in memory. */
	async function all(nodeId: string, requests: Requests): Promise<Fetched[]> {
		const { fetches } = requests;
		if (fetches.length > limits.requests) throw tooManyRequests(fetches.length, limits.requests);
		const parts: Fetched[] = [];
		let next = 0;
		async function work(): Promise<void> {
			for (let at = next++; at < fetches.length; at = next++) {
				const fetch = fetches[at];
				if (fetch === undefined) return;
				if (fetch.count) {
					parts[at] = { fetch, rows: [], count: await count(nodeId, fetch.path) };
					continue;
				}
				const rows: Row[] = [];
				for await (const part of pages(nodeId, fetch, requests)) {
					hold(part.page);
					for (const row of part.rows()) rows.push(row);
				}
				parts[at] = { fetch, rows };
			}
		}
		const stop = () => {
			next = fetches.length;
		};
		const workers = Array.from({ length: Math.min(FETCHES_AT_ONCE, fetches.length) }, () =>
			work().catch((error: unknown) => {
				stop();
				throw error;
			}),
		);
		const ended = await Promise.allSettled(workers);
		for (const result of ended) if (result.status === "rejected") throw result.reason;
		return parts;
	}

	return { count, pages, all, hold, queries, requests: () => requests };
}

function keepsAll({ keepsClass }: Keeper, page: ControllerPage): boolean {
	return keepsClass === true || (keepsClass !== null && keepsClass === page.className);
}

function keepRows(rows: readonly Row[], keep: Keeper["keep"], unseen: Set<string> | null): readonly Row[] {
	const wanted = (row: Row): boolean => {
		if (!keep(row)) return false;
		const dn = unseen === null ? undefined : dnOf(row);
		if (dn === undefined) return true;
		if (unseen?.has(dn)) return false;
		unseen?.add(dn);
		return true;
	};
	let kept: Row[] | null = null;
	for (const [i, row] of rows.entries()) {
		if (wanted(row)) kept?.push(row);
		else kept ??= rows.slice(0, i);
	}
	return kept ?? rows;
}
