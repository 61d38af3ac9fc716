/**
 * Runs work with the same key one after another within this process. Between processes the store's
 * locks and revisions decide.
 */
export interface KeyedMutex {
	/** Resolves when the caller has its turn, with the function that ends it. */
	acquire(key: string): Promise<() => void>;
	run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
	const tails = new Map<string, Promise<void>>();

	async function acquireTurn(key: string): Promise<() => void> {
		const before = tails.get(key);
		let endTurn = (): void => {};
		const own = new Promise<void>((resolve) => {
			endTurn = resolve;
		});
		tails.set(key, own);
		await before;
		return () => {
			endTurn();
			if (tails.get(key) === own) tails.delete(key);
		};
	}

	return {
		acquire: acquireTurn,
		async run(key, work) {
			const endTurn = await acquireTurn(key);
			try {
				return await work();
			} finally {
				endTurn();
			}
		},
	};
}
