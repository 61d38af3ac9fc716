/** The dns of saved queries, kept at hand for completing what is typed. */
import type { Store } from "../../ports/store.ts";
import { type Completion, createCompletion } from "./domain/completion.ts";
import type { HistoryRepo } from "./repo-history.ts";
import type { TimeMachineWork } from "./workers/work.ts";

interface Kept {
	/** Of the query's snapshots, and of the dns in them: more snapshots mostly bring no more dns. */
	readonly revision: string;
	readonly state: string;
	readonly completion: Completion;
}

/** Bytes that are kept. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** How many times longer names are than what is stored of them. */
const COMPRESSED = 8;

export function createCompletions(deps: {
	store: Pick<Store, "db">;
	work: Pick<TimeMachineWork, "completion">;
	histories: Pick<HistoryRepo, "nameBytes">;
}) {
	/** By saved query, the latest used last. */
	const kept = new Map<string, Kept>();
	/** What is being read, so that those who type at the same time read once. */
	const reading = new Map<string, Promise<Kept>>();

	async function read(queryId: string, revision: string): Promise<Kept> {
		const known = kept.get(queryId);
		const size = (await deps.histories.nameBytes(deps.store.db, queryId)) * COMPRESSED;
		const task = { savedQueryId: queryId, state: known?.state ?? null };
		const { state, data } = await deps.work.completion(task, { size });
		const completion = data === null ? known?.completion : createCompletion(data);
		if (completion === undefined) throw new Error("The dns of a query were not read");
		return { revision, state, completion };
	}

	return {
		/** @param revision of the query's snapshots, as it is now */
		async of(queryId: string, revision: string): Promise<Completion> {
			let current = kept.get(queryId);
			if (current?.revision !== revision) {
				const key = `${queryId} ${revision}`;
				const begun = reading.get(key) ?? read(queryId, revision).finally(() => reading.delete(key));
				reading.set(key, begun);
				current = await begun;
			}
			kept.delete(queryId);
			kept.set(queryId, current);
			let held = [...kept.values()].reduce((sum, { completion }) => sum + completion.size, 0);
			for (const [oldest, { completion }] of kept) {
				if (held <= KEPT_BYTES || oldest === queryId) break;
				kept.delete(oldest);
				held -= completion.size;
			}
			return current.completion;
		},
	};
}
