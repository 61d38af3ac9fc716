/**
 * Runs work with the same key one after another within this process. Between processes the store's
 * locks and revisions decide.
 */
export interface KeyedMutex {
	run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
	const tails = new Map<string, Promise<unknown>>();
	return {
		async run(key, work) {
			const before = tails.get(key) ?? Promise.resolve();
			const own = before.then(work, work);
			tails.set(key, own);
			try {
				return await own;
			} finally {
				if (tails.get(key) === own) tails.delete(key);
			}
		},
	};
}
