/** Lets work of the same name run one after another in this process; between processes the store's locks and revisions decide. */
export interface Turns {
	run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
	const last = new Map<string, Promise<unknown>>();
	return {
		async run(name, work) {
			const before = last.get(name) ?? Promise.resolve();
			const mine = before.then(work, work);
			last.set(name, mine);
			try {
				return await mine;
			} finally {
				if (last.get(name) === mine) last.delete(name);
			}
		},
	};
}
